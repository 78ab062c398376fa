//! A `/json/list` gives seven tabs and nothing of any other target.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::browser::{discover::tabs::parse_seven_tabs, origin::SevenOrigins};

fuzz_target!(|body: &[u8]| {
    let origins = SevenOrigins::default();
    let tabs = parse_seven_tabs(body, &origins);
    assert!(tabs.len() <= 256);
    for tab in tabs {
        assert!(!tab.id.is_empty() && origins.is_seven(&tab.url).is_some());
    }
});
