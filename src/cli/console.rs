//! What slicc says on stderr: status lines for people, and diagnostics with SLICC_DEBUG=1.

use std::io::Write as _;

use tracing_subscriber::{
    EnvFilter,
    filter::{LevelFilter, Targets},
    fmt::MakeWriter,
    layer::SubscriberExt as _,
};

use crate::tui::terminal::Talk;

/// Prints one status line. A stderr that is closed loses it: there is nobody left to tell.
pub fn status(line: &str) {
    drop(writeln!(Talk, "slicc: {}", printable(line)));
}

/// Leaves out what could steer a terminal, and what goes beyond a line's worth.
pub fn printable(text: &str) -> String {
    const LONGEST: usize = 500;
    text.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

/// Starts diagnostics when SLICC_DEBUG asks for them. `1` shows slicc's own and the warnings of what it is built on; any
/// other value is a filter in the form that `tracing` takes.
pub fn start_diagnostics(value: Option<&str>) {
    let Some(value) = value.filter(|value| !value.is_empty() && *value != "0") else { return };
    // Only a second call could fail, and it would change nothing.
    let _ = tracing::subscriber::set_global_default(diagnostics(value, || Talk));
}

/// What handles headers, bodies or keys for slicc. Whatever a filter asks for, they say no more than [`CAP`]: beyond that,
/// some print what they handle.
const CAPPED: [&str; 9] =
    ["h2", "hyper", "hyper_util", "rtc", "rustls", "tokio_rustls", "tokio_tungstenite", "tungstenite", "webrtc"];
/// How much they may say.
const CAP: LevelFilter = LevelFilter::INFO;

fn diagnostics<W>(value: &str, writer: W) -> impl tracing::Subscriber + Send + Sync + use<W>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let filter = EnvFilter::new(if value == "1" { "warn,slicc=debug" } else { value });
    let cap = Targets::new().with_default(LevelFilter::TRACE).with_targets(CAPPED.map(|target| (target, CAP)));
    let lines = tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(false);
    tracing_subscriber::registry().with(cap).with(filter).with(lines)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn a_page_cannot_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\r\nc\u{7}"), "a[2Jbc");
        assert_eq!(printable(&"x".repeat(10_000)).len(), 500);
    }

    #[derive(Clone, Default)]
    struct Said(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Said {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// What is said with this value of SLICC_DEBUG.
    fn said(value: &str) -> String {
        let said = Said::default();
        let writer = said.clone();
        tracing::subscriber::with_default(diagnostics(value, move || writer.clone()), || {
            tracing::debug!(target: "slicc::link", "slicc debug");
            tracing::trace!(target: "slicc::link", "slicc trace");
            tracing::debug!(target: "h2::codec::framed_write", "h2 debug: :path=/secret");
            tracing::trace!(target: "hyper::proto::h1::io", "hyper trace: Cookie");
            tracing::debug!(target: "rustls::client", "rustls debug: key");
            tracing::trace!(target: "tungstenite::protocol", "tungstenite trace: payload");
            tracing::warn!(target: "h2::proto", "h2 warning");
            tracing::info!(target: "other", "other info");
        });
        let said = said.0.lock().unwrap().clone();
        String::from_utf8(said).unwrap()
    }

    #[test]
    fn diagnostics_are_slicc_s_own_and_the_warnings_below() {
        let said = said("1");
        assert!(said.contains("slicc debug") && said.contains("h2 warning"), "{said}");
        assert_eq!(said.lines().count(), 2, "{said}");
    }

    #[test]
    fn no_filter_makes_a_library_print_headers_bodies_or_keys() {
        for value in ["trace", "h2=trace,hyper=trace,rustls=trace,tungstenite=trace", "h2::codec::framed_write=trace"] {
            let said = said(value);
            for secret in ["/secret", "Cookie", "key", "payload"] {
                assert!(!said.contains(secret), "{value}: {said}");
            }
        }
        assert!(said("trace").contains("slicc trace"));
    }
}
