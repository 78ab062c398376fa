//! What `mdfind` and `mdls` print is absolute paths of apps, and attributes that stand in it.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use slicc::{
    browser::installed::{parse_mdfind, parse_mdls},
    host::Os,
};

fuzz_target!(|output: &str| {
    for path in parse_mdfind(output) {
        assert!(Os::Macos.is_absolute(&path) && path.extension().is_some_and(|extension| extension == "app"));
        assert!(!path.starts_with(Path::new("/.Trash")));
    }
    let known = parse_mdls(output);
    for text in [known.bundle_id, known.version].into_iter().flatten() {
        assert!(!text.is_empty() && !text.contains('\n') && output.contains(&text));
    }
});
