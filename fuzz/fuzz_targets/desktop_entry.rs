//! A `.desktop` file is an application with a name and a command, or none; what it runs is a word of its command.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::browser::installed::parse_desktop_entry;

fuzz_target!(|text: &str| {
    let Some(entry) = parse_desktop_entry(text) else { return };
    assert!(text.contains("[Desktop Entry]"));
    assert!(!entry.name.is_empty() && !entry.command.is_empty());
    for word in [entry.program(), entry.flatpak()].into_iter().flatten() {
        assert!(entry.command.iter().any(|known| known == word));
    }
    // What is taken apart is never longer than what was there.
    let length: usize = entry.command.iter().map(String::len).sum();
    assert!(length + entry.name.len() <= text.len());
});
