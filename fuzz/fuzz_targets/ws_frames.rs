//! A far end's frames come out the same however they are cut. The first byte is the size of a piece; the frames follow.
#![no_main]

use bytes::BytesMut;
use libfuzzer_sys::fuzz_target;
use slicc::node::serve::ws::{
    frames::{Decoder, Event, Fault, MAX_CONTROL},
    records::MessageKind,
};

/// Bytes of the largest message.
const LIMIT: usize = 1000;

fn decode(bytes: &[u8], size: usize) -> (Vec<Event>, Option<Fault>) {
    let (mut decoder, mut input, mut events) = (Decoder::new(LIMIT), BytesMut::new(), Vec::new());
    for piece in bytes.chunks(size) {
        input.extend_from_slice(piece);
        loop {
            match decoder.next(&mut input) {
                Ok(Some(event)) => events.push(event),
                Ok(None) => break,
                Err(fault) => return (events, Some(fault)),
            }
            match events.last() {
                Some(Event::Close(_)) => return (events, None),
                Some(Event::Message(message)) => {
                    let whole = message.blocks.iter().flatten().copied().collect::<Vec<u8>>();
                    assert!(whole.len() == message.length && whole.len() <= LIMIT);
                    assert!(message.kind == MessageKind::Binary || str::from_utf8(&whole).is_ok());
                }
                Some(Event::Ping(payload)) => assert!(payload.len() <= MAX_CONTROL),
                _ => {}
            }
        }
        assert!(input.len() < 2 + MAX_CONTROL, "a decoder leaves less than a control frame");
    }
    (events, None)
}

fuzz_target!(|input: &[u8]| {
    let Some((&size, frames)) = input.split_first() else { return };
    assert_eq!(decode(frames, usize::from(size).max(1)), decode(frames, frames.len().max(1)));
});
