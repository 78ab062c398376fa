//! A setup message stays inside its bounds, and a reason that people will read is clean.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::{
    generated::link::setup,
    signal::message::{PageBody, PageMessage, clean_reason, parse},
};

fn assert_clean(reason: &str) {
    assert!(reason.chars().count() <= setup::REASON);
    assert!(!reason.chars().any(char::is_control));
}

fuzz_target!(|message: &str| {
    let clean = clean_reason(message);
    assert_clean(&clean);
    assert_eq!(clean_reason(&clean), clean.trim_end());
    if let Ok(Some(PageMessage::Of { body, .. })) = parse(message) {
        match body {
            PageBody::Offer { sdp } => assert!(sdp.len() <= setup::SDP),
            PageBody::Candidate(candidate) => assert!(candidate.is_none_or(|it| !it.candidate.is_empty())),
            PageBody::Bye { reason } => assert_clean(&reason),
        }
    }
});
