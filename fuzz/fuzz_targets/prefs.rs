//! A profile's `Preferences` stay a JSON object with everything that was in it, get the prefs of seven, and need nothing more
//! the second time. What is no object is left alone.
#![no_main]

use std::time::{Duration, SystemTime};

use libfuzzer_sys::fuzz_target;
use slicc::browser::prefs::{Edits, Merged, merge};

fuzz_target!(|text: &str| {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let hosts = ["127.0.0.1".to_owned()];
    let edits = Edits { seven: true, extra_hosts: &hosts, now };
    // A text that this parser refuses, for a number out of range, may be an object to the one that keeps bytes.
    let parse = |text: &str| serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).ok();
    let old = parse(text);
    match merge(Some(text), &edits) {
        Merged::Changed(changed) => {
            if let Some(old) = old {
                let new = parse(&changed).expect("what was an object is one");
                assert!(old.keys().all(|key| new.contains_key(key)));
            }
            assert_eq!(merge(Some(&changed), &edits), Merged::Complete);
        }
        Merged::Complete => {}
        Merged::NotAnObject => assert!(old.is_none()),
    }
});
