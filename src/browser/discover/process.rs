//! Processes with a debugging port, read from their command lines (section "Browsers" of the requirement). A command line is
//! foreign text: any program can have any.

use crate::{generated::catalog::process_scan, host::Os};

/// A debugging port in a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebuggedProcess {
    /// The port; 0 when the browser picks one and writes it to its `DevToolsActivePort`.
    pub port: u16,
    /// The value of `--user-data-dir`, as it stands there.
    pub user_data_dir: Option<String>,
}

/// Reads a command line: its arguments joined by spaces, as `ps` shows it, or as Windows has it. `None` when it asks for
/// no debugging port, or when a wrapper runs it: then the browser that the wrapper started has a line of its own.
///
/// Of a repeated switch the last counts, as in Chromium.
pub fn parse_command(command: &str, os: Os) -> Option<DebuggedProcess> {
    // Most lines have none, and this is a fast way to tell.
    if !command.contains(process_scan::PORT_SWITCH) || is_wrapped(command, os) {
        return None;
    }
    let port = values(command, process_scan::PORT_SWITCH).filter_map(port).last()?;
    let user_data_dir = values(command, process_scan::DIRECTORY_SWITCH).filter_map(path).last();
    Some(DebuggedProcess { port: port?, user_data_dir })
}

/// Whether the program is one that runs another: a shell, `npx`, `sudo`. A login shell has a hyphen before its name.
fn is_wrapped(command: &str, os: Os) -> bool {
    let command = command.trim_start();
    let program = match command.chars().next() {
        Some(quote @ ('"' | '\'')) => command[1..].split(quote).next(),
        _ => command.split_whitespace().next(),
    };
    let name = program.unwrap_or_default().rsplit(['/', '\\']).next().unwrap_or_default().trim_start_matches('-');
    let lower = name.to_lowercase();
    let name = if os == Os::Windows { &lower } else { name };
    let name = name.strip_suffix(".exe").unwrap_or(name);
    process_scan::WRAPPERS.contains(&name)
}

/// A value of a switch, and whether it is inside a quote that was opened before the switch.
#[derive(Clone, Copy)]
struct Value<'a> {
    text: &'a str,
    opened: Option<char>,
}

/// What follows each `--switch=` or `--switch ` in a command line, up to its end.
fn values<'a>(command: &'a str, switch: &'a str) -> impl Iterator<Item = Value<'a>> {
    command.match_indices(switch).filter_map(move |(at, _)| {
        let before = &command[..at];
        let opened = before.chars().next_back().filter(|c| matches!(c, '"' | '\''));
        let starts = &before[..before.len() - opened.map_or(0, char::len_utf8)];
        if !starts.is_empty() && !starts.ends_with(char::is_whitespace) {
            return None;
        }
        let rest = &command[at + switch.len()..];
        let text = match rest.strip_prefix('=') {
            Some(value) => value,
            None if rest.starts_with(char::is_whitespace) => rest.trim_start(),
            None => return None,
        };
        Some(Value { text, opened })
    })
}

/// A port: one to five digits, perhaps quoted, and nothing more. `Some(None)` for a number that is no port.
#[allow(clippy::option_option, reason = "a switch that is no port's differs from a port that there is none of")]
fn port(value: Value<'_>) -> Option<Option<u16>> {
    let (text, quote) = match value.text.chars().next() {
        Some(quote @ ('"' | '\'')) => (&value.text[1..], Some(quote)),
        _ => (value.text, value.opened),
    };
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, after) = text.split_at(end);
    let ends = match after.chars().next() {
        None => true,
        Some(c) => c.is_whitespace() || Some(c) == quote,
    };
    ((1..=5).contains(&digits.len()) && ends).then(|| digits.parse().ok())
}

/// A path: quoted up to the matching quote; otherwise to the next whitespace before `--`, or to the end, so that a path may
/// hold spaces.
fn path(value: Value<'_>) -> Option<String> {
    let (text, quote) = match value.text.chars().next() {
        Some(quote @ ('"' | '\'')) => (&value.text[1..], Some(quote)),
        _ => (value.text, value.opened),
    };
    let text = if let Some(quote) = quote {
        text.split(quote).next().unwrap_or_default()
    } else {
        let next = text.match_indices("--").map(|(at, _)| at).find(|at| text[..*at].ends_with(char::is_whitespace));
        text[..next.unwrap_or(text.len())].trim_end()
    };
    (!text.is_empty() && !text.starts_with("--")).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(command: &str) -> Option<(u16, Option<String>)> {
        parse_command(command, Os::Macos).map(|process| (process.port, process.user_data_dir))
    }

    fn dir(command: &str) -> String {
        parsed(command).unwrap().1.unwrap()
    }

    #[test]
    fn both_forms_of_the_port_switch_are_read() {
        let chrome = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
        assert_eq!(
            parsed(&format!("{chrome} --remote-debugging-port=9400 --user-data-dir=/tmp/x --no-first-run")),
            Some((9400, Some("/tmp/x".to_owned())))
        );
        for form in ["9400", "  9400", "\"9400\"", "'9400'", "'9400"] {
            assert_eq!(parsed(&format!("chromium --remote-debugging-port {form} about:blank")), Some((9400, None)));
        }
        assert_eq!(parsed("--remote-debugging-port=9400"), Some((9400, None)));
        assert_eq!(parsed("chrome \"--remote-debugging-port=9400\" --x"), Some((9400, None)));
    }

    #[test]
    fn what_only_looks_like_a_port_is_none() {
        for command in [
            "chrome",
            "chrome --remote-debugging-port",
            "chrome --remote-debugging-port=",
            "chrome --remote-debugging-port=x",
            "chrome --remote-debugging-port=94x",
            "chrome --remote-debugging-port=99999",
            "chrome --remote-debugging-port=123456",
            "chrome --remote-debugging-port=\"9400'",
            "chrome --remote-debugging-ports=9400",
            "chrome --x--remote-debugging-port=9400",
            "chrome --remote-debugging-port=-1",
            "chrome --remote-debugging-pipe",
        ] {
            assert_eq!(parsed(command), None, "{command}");
        }
    }

    #[test]
    fn the_last_of_a_repeated_switch_counts() {
        assert_eq!(parsed("c --remote-debugging-port=1 --remote-debugging-port=2"), Some((2, None)));
        assert_eq!(dir("c --remote-debugging-port=0 --user-data-dir=/a --user-data-dir=/b"), "/b");
    }

    #[test]
    fn a_path_may_hold_spaces() {
        let start = "chrome --remote-debugging-port=0 --user-data-dir";
        assert_eq!(dir(&format!("{start}=/home/me/My Profile Dir --no-first-run")), "/home/me/My Profile Dir");
        assert_eq!(dir(&format!("{start}=/home/me/My Profile Dir")), "/home/me/My Profile Dir");
        assert_eq!(dir(&format!("{start} /home/me/My Profile Dir  --x")), "/home/me/My Profile Dir");
        assert_eq!(dir(&format!("{start}=/tmp/a--b --x")), "/tmp/a--b");
        assert_eq!(dir(&format!("{start}=\"/tmp/a --b\" --x")), "/tmp/a --b");
        assert_eq!(dir(&format!("{start}='/tmp/a --b' --x")), "/tmp/a --b");
        assert_eq!(dir(&format!("{start}=/tmp/a --b")), "/tmp/a");
        assert_eq!(parsed(&format!("{start}= --x")), Some((0, None)));
        assert_eq!(parsed(&format!("{start} --x")), Some((0, None)));
        assert_eq!(parsed(start), Some((0, None)));
    }

    #[test]
    fn windows_may_quote_the_whole_argument() {
        let command = r#""C:\Program Files\Google\Chrome\Application\chrome.exe" --remote-debugging-port=0 "--user-data-dir=C:\Users\A B\x" --y"#;
        let process = parse_command(command, Os::Windows).unwrap();
        assert_eq!(process, DebuggedProcess { port: 0, user_data_dir: Some(r"C:\Users\A B\x".to_owned()) });
    }

    #[test]
    fn what_a_wrapper_runs_is_skipped() {
        for wrapper in process_scan::WRAPPERS {
            for program in [
                (*wrapper).to_owned(),
                format!("/usr/bin/{wrapper}"),
                format!("\"/opt/my tools/{wrapper}\""),
                format!("'/opt/{wrapper}'"),
                format!("-{wrapper}"),
            ] {
                assert_eq!(parsed(&format!("{program} -c chrome --remote-debugging-port=9400")), None, "{program}");
            }
            let exe = format!("C:\\Tools\\{}.EXE chrome --remote-debugging-port=9400", wrapper.to_uppercase());
            assert_eq!(parse_command(&exe, Os::Windows), None, "{exe}");
        }
        assert_eq!(parsed("open -n -a Google Chrome --args --remote-debugging-port=9400"), None);
        assert_eq!(parsed("/usr/bin/bashful --remote-debugging-port=9400"), Some((9400, None)));
        assert_eq!(parsed("/usr/bin/Bash --remote-debugging-port=9400"), Some((9400, None)));
    }

    proptest! {
        #[test]
        fn any_command_line_is_read_or_skipped(command in "(?s).{0,120}") {
            let _ = parse_command(&command, Os::Linux);
        }

        #[test]
        fn any_tail_of_a_switch_is_read_or_skipped(
            before in "[ \"'a-é]{0,4}",
            value in "(?s)[= ]?[\"'0-9 é/-]{0,12}",
            after in "(?s).{0,20}",
        ) {
            for os in [Os::Linux, Os::Macos, Os::Windows] {
                let command = format!("{before}--remote-debugging-port{value}{before}--user-data-dir{value}{after}");
                if let Some(process) = parse_command(&command, os) {
                    prop_assert!(process.user_data_dir.is_none_or(|dir| !dir.is_empty()));
                }
            }
        }
    }
}
