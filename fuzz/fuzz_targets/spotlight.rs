//! What `mdfind` and `mdls` print is absolute paths of apps, and attributes that stand in it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::{
    browser::installed::{parse_mdfind, parse_mdls},
    host::Os,
};

fuzz_target!(|output: &str| {
    for path in parse_mdfind(output) {
        assert!(Os::Macos.is_absolute(&path) && path.as_os_str().as_encoded_bytes().ends_with(b".app"));
        assert!(!path.to_string_lossy().contains("/.Trash/"));
    }
    let known = parse_mdls(output);
    for text in [known.bundle_id, known.version].into_iter().flatten() {
        assert!(!text.is_empty() && !text.contains('\n') && output.contains(&text));
    }
});
