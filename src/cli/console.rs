//! What slicc says on stderr: status lines for people, and diagnostics with SLICC_DEBUG=1.

use std::io::Write as _;

use tracing_subscriber::EnvFilter;

/// Prints one status line. A stderr that is closed loses it: there is nobody left to tell.
pub fn status(line: &str) {
    drop(writeln!(std::io::stderr().lock(), "slicc: {}", printable(line)));
}

/// Leaves out what could steer a terminal, and what goes beyond a line's worth.
pub fn printable(text: &str) -> String {
    const LONGEST: usize = 500;
    text.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

/// Starts diagnostics when SLICC_DEBUG asks for them. slicc's own come with `1`; any other value is a filter in the
/// form that `tracing` takes.
pub fn start_diagnostics(value: Option<&str>) {
    let Some(value) = value.filter(|value| !value.is_empty() && *value != "0") else { return };
    let filter = if value == "1" { EnvFilter::new("slicc=debug,webrtc=info,rtc=warn") } else { EnvFilter::new(value) };
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_cannot_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\r\nc\u{7}"), "a[2Jbc");
        assert_eq!(printable(&"x".repeat(10_000)).len(), 500);
    }
}
