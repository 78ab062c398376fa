//! A request head is found, or refused, whatever the pieces are that it comes in. Eight bytes say how long the pieces are; a
//! length, the head and the body follow.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use slicc::{
    generated::link::limits,
    node::serve::http::head::{HeadBuffer, HeadError},
};

/// The head and the body, or that the head isn't complete.
type Found = Result<Option<(Vec<u8>, Vec<u8>)>, HeadError>;

fn in_pieces(mut bytes: Bytes, mut sizes: impl Iterator<Item = usize>) -> Found {
    let mut buffer = HeadBuffer::default();
    while !bytes.is_empty() {
        let size = sizes.next().unwrap_or(bytes.len()).clamp(1, bytes.len());
        if let Some((head, rest)) = buffer.push(bytes.split_to(size))? {
            return Ok(Some((head.to_vec(), [rest, bytes].concat())));
        }
    }
    Ok(None)
}

fuzz_target!(|input: &[u8]| {
    let Some((sizes, bytes)) = input.split_first_chunk::<8>() else { return };
    let bytes = Bytes::copy_from_slice(bytes);
    let whole = in_pieces(bytes.clone(), std::iter::empty());
    let cut = in_pieces(bytes.clone(), sizes.iter().cycle().map(|size| usize::from(*size)));
    assert_eq!(cut, whole);
    if let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        match whole {
            Err(_) => assert!(length > limits::HTTP_HEAD),
            Ok(None) => assert!(rest.len() < length),
            Ok(Some((head, body))) => assert_eq!([head.as_slice(), &body].concat(), rest),
        }
    }
});
