//! A candidate that is used is one line in a canonical form, on one host's address, and the stack can read it.
#![no_main]

use std::net::IpAddr;

use libfuzzer_sys::fuzz_target;
use rtc::ice::candidate::unmarshal_candidate;
use slicc::link::rtc::candidate::{Verdict, judge};

fuzz_target!(|line: &str| {
    let Ok(Verdict::Use(canonical)) = judge(line) else { return };
    assert_eq!(judge(&canonical), Ok(Verdict::Use(canonical.clone())));
    assert!(unmarshal_candidate(&canonical).is_ok());
    assert!(canonical.bytes().all(|byte| matches!(byte, b' '..=b'~')));
    let address = canonical.split(' ').nth(4).expect("a candidate has an address");
    match address.parse::<IpAddr>() {
        Ok(address) => assert!(!address.is_unspecified() && !address.is_multicast()),
        // So no candidate causes a DNS lookup.
        Err(_) => assert_eq!(address.rsplit_once('.').map(|(_, top)| top), Some("local")),
    }
});
