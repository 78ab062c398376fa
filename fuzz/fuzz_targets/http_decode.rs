//! A body's codings are undone, or it is broken, whatever the pieces are that it comes in. The first byte is the size of the
//! pieces, the first line after it the Content-Encoding, the rest the body. Of what comes out, 256 KiB are read.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use slicc::{
    generated::link::limits,
    node::serve::http::decode::{Coding, Plan, plan, undo},
};
use tokio::{
    io::{AsyncReadExt, BufReader},
    runtime::{self, Runtime},
};

/// Bytes of a decoded body that are read: a bomb never ends.
const READ: u64 = 256 << 10;

fn decoded(runtime: &Runtime, body: &[u8], codings: &[Coding], piece: usize) -> Option<Vec<u8>> {
    let source = BufReader::with_capacity(piece, Cursor::new(body.to_vec()));
    let mut out = Vec::new();
    let read = runtime.block_on(undo(source, codings).take(READ).read_to_end(&mut out));
    read.is_ok().then_some(out)
}

fuzz_target!(|input: &[u8]| {
    let Some((piece, input)) = input.split_first() else { return };
    let line = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (encoding, body) = (&input[..line], input.get(line + 1..).unwrap_or_default());
    let Plan::Undo(codings) = plan([encoding]) else { return };
    assert!((1..=limits::HTTP_CODINGS).contains(&codings.len()));
    let runtime = runtime::Builder::new_current_thread().build().expect("a runtime without drivers needs nothing");
    let whole = decoded(&runtime, body, &codings, body.len().max(1));
    let cut = decoded(&runtime, body, &codings, usize::from(*piece) + 1);
    match (&whole, &cut) {
        // A fault right behind the last byte that is read shows in one of them at most.
        (Some(out), None) | (None, Some(out)) => assert_eq!(out.len() as u64, READ, "the pieces made a difference"),
        _ => assert!(whole == cut, "the pieces made a difference"),
    }
    if body.is_empty() {
        assert_eq!(whole.as_deref(), Some(&[][..]));
    }
});
