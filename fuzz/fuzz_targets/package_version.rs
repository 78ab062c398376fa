//! dpkg's status, a snap's manifest and `Local State` give dotted versions that stand in them, and only of what was asked for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::browser::{
    installed::{parse_dpkg_status, parse_snap_manifest},
    six::parse_local_state,
};

fn check(version: &str, source: &[u8]) {
    assert!(version.starts_with(|c: char| c.is_ascii_digit()));
    assert!(version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
    assert!(source.windows(version.len()).any(|window| window == version.as_bytes()));
}

fuzz_target!(|data: &[u8]| {
    let wanted = ["chromium", "google-chrome-stable"];
    for (name, version) in parse_dpkg_status(data, &wanted) {
        assert!(wanted.contains(&name.as_str()));
        check(&version, data);
    }
    if let Some(version) = std::str::from_utf8(data).ok().and_then(parse_snap_manifest) {
        check(&version, data);
    }
    // Its text may be written with escapes, so it need not stand in the file as it is.
    if let Some(version) = parse_local_state(data) {
        check(&version, version.as_bytes());
    }
});
