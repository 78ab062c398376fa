//! The output of `ps` and of `Win32_Process` gives processes with a command, one for each line or object at most. A lock's target
//! and a command of the registry are read beside them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::{
    browser::{installed::parse_command, lock::parse_singleton},
    host::system::{parse_ps, parse_win32_process},
};

fuzz_target!(|output: &str| {
    let listed = parse_ps(output);
    assert!(listed.len() <= output.lines().count());
    for process in listed {
        assert!(!process.command.is_empty() && output.contains(&process.command));
    }
    for process in parse_win32_process(output) {
        assert!(!process.command.is_empty() && process.command == process.command.trim());
    }
    if let Some(pid) = parse_singleton(output) {
        assert!(pid > 0 && output.contains(&pid.to_string()));
    }
    if let Some(program) = parse_command(output) {
        assert!(!program.is_empty() && output.contains(&program) && !program.contains(char::is_control));
    }
});
