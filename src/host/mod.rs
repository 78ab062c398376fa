//! This machine: its environment, files and processes.

pub mod files;
mod os;
pub mod system;

pub use os::Os;
pub use system::{Hive, ProcessLine, RealSystem, System};

/// This machine's short host name in lower case, such as `larsmac` for `LarsMac.local`. `localhost` when it has none.
pub fn short_name() -> String {
    short(&gethostname::gethostname().to_string_lossy())
}

fn short(name: &str) -> String {
    match name.split('.').next().map(str::trim) {
        Some(first) if !first.is_empty() => first.to_lowercase(),
        _ => "localhost".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_host_name_is_the_first_label_in_lower_case() {
        assert_eq!(short("LarsMac.local"), "larsmac");
        assert_eq!(short("box"), "box");
        assert_eq!(short(""), "localhost");
        assert_eq!(short(".example"), "localhost");
    }
}
