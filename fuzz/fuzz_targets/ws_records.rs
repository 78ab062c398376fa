//! A page's records come out the same however they are cut. The first byte is the size of a piece; the records follow.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use slicc::{
    generated::link::limits,
    node::serve::ws::{
        close::Close,
        records::{BadRecord, Decoder, Item, MessageKind},
    },
};

#[derive(Debug, PartialEq)]
enum Whole {
    Message(MessageKind, Vec<u8>),
    Unfinished(MessageKind, Vec<u8>),
    Close(Option<Close>),
    Bad(BadRecord),
}

fn decode(bytes: &[u8], size: usize) -> Vec<Whole> {
    let mut decoder = Decoder::default();
    let (mut found, mut open) = (Vec::new(), None);
    for piece in bytes.chunks(size) {
        let mut piece = Bytes::copy_from_slice(piece);
        loop {
            // Nothing counts after a close or an error.
            let over = matches!(found.last(), Some(Whole::Close(_) | Whole::Bad(_)));
            match decoder.next(&mut piece) {
                Ok(None) => break,
                _ if over => panic!("something came after the end"),
                Ok(Some(Item::Part { kind, first, last, data })) => {
                    assert_eq!(first, open.is_none());
                    assert!(!data.is_empty() || (first && last));
                    let (_, message) = open.get_or_insert_with(|| (kind, Vec::new()));
                    message.extend_from_slice(&data);
                    assert!(message.len() <= limits::WS_MESSAGE);
                    if last && let Some((begun, message)) = open.take() {
                        assert_eq!(begun, kind);
                        found.push(Whole::Message(kind, message));
                    }
                }
                Ok(Some(Item::Close(close))) => found.push(Whole::Close(close)),
                Err(bad) => found.push(Whole::Bad(bad)),
            }
        }
        assert!(piece.is_empty(), "a decoder takes all that it is given");
    }
    found.extend(open.map(|(kind, message)| Whole::Unfinished(kind, message)));
    found
}

fuzz_target!(|input: &[u8]| {
    let Some((&size, records)) = input.split_first() else { return };
    assert_eq!(decode(records, usize::from(size).max(1)), decode(records, records.len().max(1)));
});
