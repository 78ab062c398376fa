//! A setup message stays inside its bounds, and a reason that people will read is clean.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::{
    generated::{events::SetupFromPage, link::setup},
    signal::message::{clean_reason, parse},
};

fn assert_clean(reason: &str) {
    assert!(reason.chars().count() <= setup::REASON);
    assert!(!reason.chars().any(char::is_control));
}

fuzz_target!(|message: &str| {
    let clean = clean_reason(message);
    assert_clean(&clean);
    assert_eq!(clean_reason(&clean), clean.trim_end());
    if let Ok(message) = parse(message) {
        match &message {
            SetupFromPage::Hello => {}
            SetupFromPage::Offer { sdp, .. } => assert!(sdp.len() <= setup::SDP),
            SetupFromPage::Candidate { candidate, .. } => {
                assert!(candidate.as_ref().is_none_or(|it| !it.candidate.is_empty()));
            }
            SetupFromPage::Bye { reason, .. } => assert_clean(reason.as_deref().unwrap_or_default()),
        }
        assert_eq!(message.nonce().is_some(), message.into_signal().is_some());
    }
});
