//! The first bytes of a browser's connection have one verdict whatever the pieces are that they come in, and a port that is asked
//! for stands in the one Host. Eight bytes say how long the pieces are, two are the listener's port.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::{
    generated::link::limits,
    kernel::{
        answer::Refusal,
        gate::{Gate, Verdict, kernel_port},
    },
    link::Reset,
};

fn in_pieces(listener: u16, mut bytes: &[u8], mut sizes: impl Iterator<Item = usize>) -> (Option<Verdict>, usize) {
    let mut gate = Gate::new(listener);
    let mut verdict = gate.decide();
    while verdict.is_none() && !bytes.is_empty() {
        let size = sizes.next().unwrap_or(bytes.len()).clamp(1, bytes.len());
        let (piece, rest) = bytes.split_at(size);
        verdict = gate.push(piece);
        bytes = rest;
    }
    (verdict, gate.into_read().len())
}

fuzz_target!(|input: &[u8]| {
    let Some((sizes, rest)) = input.split_first_chunk::<8>() else { return };
    let Some((listener, bytes)) = rest.split_first_chunk::<2>() else { return };
    let listener = u16::from_be_bytes(*listener);
    let (whole, read) = in_pieces(listener, bytes, std::iter::empty());
    let (cut, _) = in_pieces(listener, bytes, sizes.iter().cycle().map(|size| usize::from(*size)));
    assert_eq!(cut, whole);
    assert!(read <= limits::KERNEL_HEAD && bytes.len() >= read);
    match whole {
        None => assert!(bytes.len() < limits::KERNEL_HEAD),
        Some(Verdict::Ask(port)) => {
            assert!(port > 0 && port != 9222);
            let host = format!("{port}.kernel.localhost");
            assert_eq!(kernel_port(host.as_bytes(), listener), Some(port));
            let head = bytes.to_ascii_lowercase();
            assert!(head.windows(host.len()).any(|window| window == host.as_bytes()));
        }
        Some(Verdict::Refuse(refusal)) => assert_is_one_answer(&refusal),
    }
    assert_is_one_answer(&Refusal::from_reset(listener, &Reset::parse(bytes)));
});

/// Whether an answer is one head of known lines, and a body of the length that it says.
fn assert_is_one_answer(refusal: &Refusal) {
    let response = refusal.response(false);
    let text = std::str::from_utf8(&response).expect("ASCII");
    assert!(text.bytes().all(|byte| matches!(byte, b'\r' | b'\n' | b' '..=b'~')));
    let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
    assert_eq!(head.lines().count(), 6);
    assert!(head.contains(&format!("\r\nContent-Length: {}\r\n", body.len())) && !body.contains(['\r', '\n']));
}
