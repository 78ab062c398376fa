//! The process list (section "Browsers" of the requirement): the output of `ps` and of `Win32_Process`, parsed by pure
//! functions. It is foreign text; a line that doesn't parse is skipped.

use serde::Deserialize;

/// A process and its command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessLine {
    /// Its id.
    pub pid: u32,
    /// Its program and arguments, joined by spaces, as `ps` shows them. On Windows the command line as it was given. Bytes
    /// that are no UTF-8 are U+FFFD.
    pub command: String,
}

/// Parses the output of `ps -ax -o pid= -o command=`: in each line optional spaces, the id, spaces, and the command.
pub fn parse_ps(output: &str) -> Vec<ProcessLine> {
    output
        .lines()
        .filter_map(|line| {
            let line = line.trim_start();
            let (pid, command) = line.split_once(char::is_whitespace)?;
            let command = command.trim();
            let digits = !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit());
            (digits && !command.is_empty())
                .then(|| Some(ProcessLine { pid: pid.parse().ok()?, command: command.to_owned() }))?
        })
        .collect()
}

/// Parses `Win32_Process` as JSON: one object, or an array of them, with `ProcessId` and `CommandLine`. A process that shows
/// no command line isn't listed.
pub fn parse_win32_process(output: &str) -> Vec<ProcessLine> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Output {
        Many(Vec<serde_json::Value>),
        One(serde_json::Value),
    }
    #[derive(Deserialize)]
    struct Process {
        #[serde(rename = "ProcessId")]
        pid: u32,
        #[serde(rename = "CommandLine")]
        command: Option<String>,
    }
    // PowerShell may begin with a byte order mark.
    let rows = match serde_json::from_str(output.trim_start_matches('\u{feff}').trim()) {
        Ok(Output::Many(rows)) => rows,
        Ok(Output::One(row)) => vec![row],
        Err(_) => return Vec::new(),
    };
    rows.into_iter()
        .filter_map(|row| serde_json::from_value::<Process>(row).ok())
        .filter_map(|process| {
            let command = process.command?.trim().to_owned();
            (!command.is_empty()).then_some(ProcessLine { pid: process.pid, command })
        })
        .collect()
}

/// Parses the content of `/proc/<pid>/cmdline`, whose arguments end with NUL. `None` for a process without arguments, such
/// as the kernel's own.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(super) fn parse_cmdline(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes).replace(['\0', '\n'], " ");
    let command = text.trim();
    (!command.is_empty()).then(|| command.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(pid: u32, command: &str) -> ProcessLine {
        ProcessLine { pid, command: command.into() }
    }

    #[test]
    fn ps_pads_the_id_and_keeps_the_rest() {
        let output =
            "    1 /sbin/launchd\n 4242 /Applications/A B.app/x --a=b  --c \n\nno\n12\n-3 x\n99999999999 x\n7x y\n";
        assert_eq!(parse_ps(output), [line(1, "/sbin/launchd"), line(4242, "/Applications/A B.app/x --a=b  --c")]);
    }

    #[test]
    fn win32_process_is_an_object_or_an_array_of_them() {
        let one = r#"{"ProcessId":77,"CommandLine":"\"C:\\x y\\chrome.exe\" --a "}"#;
        let expected = [line(77, r#""C:\x y\chrome.exe" --a"#)];
        assert_eq!(parse_win32_process(one), expected);
        let many = format!(r#"[{{"ProcessId":4,"CommandLine":null}},{one},7,{{"ProcessId":-1,"CommandLine":"x"}}]"#);
        assert_eq!(parse_win32_process(&format!("\u{feff}{many}\r\n")), expected);
        for broken in ["", "null", "[", "3", "{}"] {
            assert_eq!(parse_win32_process(broken), [], "{broken}");
        }
    }

    #[test]
    fn a_cmdline_reads_as_ps_shows_it() {
        assert_eq!(parse_cmdline(b"/usr/bin/x\0--a=b c\0\0"), Some("/usr/bin/x --a=b c".into()));
        assert_eq!(parse_cmdline(b"x\0\xff\0").as_deref(), Some("x \u{fffd}"));
        assert_eq!(parse_cmdline(b""), None);
        assert_eq!(parse_cmdline(b"\0\0"), None);
    }

    proptest! {
        #[test]
        fn any_process_list_is_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let text = String::from_utf8_lossy(&bytes);
            for process in parse_ps(&text).iter().chain(&parse_win32_process(&text)) {
                prop_assert!(!process.command.is_empty());
            }
            if let Some(command) = parse_cmdline(&bytes) {
                prop_assert!(!command.contains(['\0', '\n']));
            }
        }

        #[test]
        fn a_command_that_ps_prints_comes_back(pid in any::<u32>(), command in "[!-~]{1,20}( [!-~]{1,20}){0,4}") {
            prop_assert_eq!(parse_ps(&format!("{pid:>7} {command}\n")), vec![line(pid, &command)]);
        }
    }
}
