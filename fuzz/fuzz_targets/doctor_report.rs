//! A check that the page reports is written as a line for people, or as one event, and drives no terminal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use slicc::doctor::report::{CheckResult, Report};

fuzz_target!(|json: &str| {
    let Ok(result) = serde_json::from_str::<CheckResult>(json) else { return };
    for as_json in [false, true] {
        let mut out = Vec::new();
        Report::new(&mut out, as_json).check(result.clone()).expect("a vector takes everything");
        let text = String::from_utf8(out).expect("a report is text");
        let lines: Vec<_> = text.lines().collect();
        assert!(text.ends_with('\n'));
        if as_json {
            assert_eq!(lines.len(), 1);
            serde_json::from_str::<Value>(&text).expect("an event is JSON");
        } else {
            assert!(lines.len() <= 2 && !lines.iter().any(|line| line.chars().any(char::is_control)), "{text:?}");
        }
    }
});
