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
    let is_object = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).is_ok();
    match merge(Some(text), &edits) {
        Merged::Changed(changed) => {
            let old: Option<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(text).ok();
            let new: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&changed).expect("an object");
            // A text that this parser refuses (numbers out of range) may be an object to the one that keeps bytes.
            if let Some(old) = old {
                assert!(old.keys().all(|key| new.contains_key(key)));
            }
            assert_eq!(merge(Some(&changed), &edits), Merged::Complete);
        }
        Merged::Complete => {}
        Merged::NotAnObject => assert!(!is_object),
    }
});
