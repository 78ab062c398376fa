//! Of a description, the stack gets text that slicc wrote: it means the same, and nothing of the page's is smuggled in.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::link::rtc::{
    candidate::{MAX_CANDIDATES, judge},
    sdp::Description,
};

/// Lines of every description that slicc writes.
const LINES: usize = 15;

fuzz_target!(|sdp: &str| {
    let Ok(description) = Description::parse(sdp) else { return };
    assert!(description.candidates.len() <= MAX_CANDIDATES);
    for line in &description.candidates {
        let _ = judge(line);
    }
    let written = description.to_sdp();
    assert_eq!(written.lines().count(), LINES);
    assert!(written.bytes().all(|byte| matches!(byte, b'\r' | b'\n' | b' '..=b'~')));
    let again = Description::parse(&written).expect("what slicc writes, it can read");
    assert_eq!(again, Description { candidates: Vec::new(), end_of_candidates: false, ..description });
});
