//! Bytes split into the same lines however they arrive, and a line that is too long is skipped alone. The first byte is the
//! longest line's length, the second one the reader's buffer size.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::signal::lines::{Line, Lines};
use tokio::{io::BufReader, runtime};

fn expected(bytes: &[u8], limit: usize) -> Vec<Line> {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    let read = |line: &[u8]| match str::from_utf8(line) {
        Ok(text) if text.len() <= limit => Line::Text(text.to_owned()),
        _ => Line::Unreadable,
    };
    lines.into_iter().map(read).collect()
}

fuzz_target!(|input: &[u8]| {
    let [limit, capacity, bytes @ ..] = input else { return };
    let limit = usize::from(*limit);
    let mut lines = Lines::new(BufReader::with_capacity(usize::from(*capacity) + 1, bytes), limit);
    let runtime = runtime::Builder::new_current_thread().build().expect("a runtime without drivers needs nothing");
    let found = runtime.block_on(async {
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.expect("a slice can be read") {
            found.push(line);
        }
        found
    });
    assert_eq!(found, expected(bytes, limit));
});
