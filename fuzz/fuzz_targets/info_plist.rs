//! An `Info.plist` in XML or binary gives short, clean texts, whatever it nests or names twice.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::browser::installed::parse_info_plist;

fuzz_target!(|data: &[u8]| {
    let Some(info) = parse_info_plist(data) else { return };
    for text in [info.bundle_id, info.name, info.version, info.executable].into_iter().flatten() {
        assert!(!text.is_empty() && text.len() <= 1024 && text == text.trim());
        assert!(!text.contains(char::is_control));
    }
});
