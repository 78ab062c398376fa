//! A message is a frame or closes the link; a RESET's text is read whatever it holds.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use slicc::link::frame::{Frame, Reset};

fuzz_target!(|message: &[u8]| {
    if let Ok(frame) = Frame::decode(&Bytes::copy_from_slice(message)) {
        assert_eq!(Frame::encode(frame.kind, frame.stream, &frame.payload), message);
    }
    let reset = Reset::parse(message);
    assert!(!reset.code.is_empty());
});
