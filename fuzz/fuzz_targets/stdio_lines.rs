//! Bytes split into the same lines however they arrive. The first byte is the reader's buffer size; after it, 0xFE stands for
//! a quarter of the longest line, so that too long lines are short inputs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::{
    generated::link::setup,
    signal::lines::{Line, Lines},
};
use tokio::{io::BufReader, runtime};

const RUN: u8 = 0xFE;

fn expected(bytes: &[u8]) -> Vec<Line> {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    let read = |line: &[u8]| match str::from_utf8(line) {
        Ok(text) if text.len() <= setup::MESSAGE => Line::Text(text.to_owned()),
        _ => Line::Unreadable,
    };
    lines.into_iter().map(read).collect()
}

fuzz_target!(|input: &[u8]| {
    let Some((capacity, input)) = input.split_first() else { return };
    let mut bytes = Vec::new();
    for byte in input {
        let room = bytes.len() < 2 * setup::MESSAGE;
        if *byte == RUN && room { bytes.resize(bytes.len() + setup::MESSAGE / 4, b'x') } else { bytes.push(*byte) }
    }
    // Small buffers for small inputs: byte by byte through megabytes is slow and shows nothing new.
    let capacity = (usize::from(*capacity) + 1).max(bytes.len() / 256);
    let mut lines = Lines::new(BufReader::with_capacity(capacity, bytes.as_slice()));
    let runtime = runtime::Builder::new_current_thread().build().expect("a runtime without drivers needs nothing");
    let found = runtime.block_on(async {
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.expect("a slice can be read") {
            found.push(line);
        }
        found
    });
    assert!(found == expected(&bytes));
});
