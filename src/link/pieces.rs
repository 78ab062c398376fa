//! A queue of bytes that costs little more than its bytes, however small the pieces are that it is fed with.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

/// Pieces below this size are gathered, so that a peer that sends single bytes can't make each cost an allocation.
const SMALL: usize = 2_048;
/// How much is gathered into one piece.
const GATHERED: usize = 16_384;

/// A first-in first-out queue of bytes.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    whole: VecDeque<Bytes>,
    tail: BytesMut,
    len: usize,
}

impl Pieces {
    /// Bytes in the queue.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds bytes at the end.
    pub(super) fn push(&mut self, data: Bytes) {
        self.len += data.len();
        if data.len() < SMALL {
            self.tail.extend_from_slice(&data);
            if self.tail.len() >= GATHERED {
                self.whole.push_back(self.tail.split().freeze());
            }
        } else {
            if !self.tail.is_empty() {
                self.whole.push_back(self.tail.split().freeze());
            }
            self.whole.push_back(data);
        }
    }

    /// Takes the next piece.
    pub(super) fn pop(&mut self) -> Option<Bytes> {
        let piece = self.whole.pop_front().or_else(|| (!self.tail.is_empty()).then(|| self.tail.split().freeze()))?;
        self.len -= piece.len();
        Some(piece)
    }

    /// Takes up to `max` bytes as one piece.
    pub(super) fn take(&mut self, max: usize) -> Bytes {
        let Some(mut first) = self.pop() else { return Bytes::new() };
        if first.len() >= max || self.len == 0 {
            return self.keep_rest(&mut first, max);
        }
        let mut joined = BytesMut::with_capacity(max.min(first.len() + self.len));
        joined.extend_from_slice(&first);
        while joined.len() < max
            && let Some(mut piece) = self.pop()
        {
            joined.extend_from_slice(&self.keep_rest(&mut piece, max - joined.len()));
        }
        joined.freeze()
    }

    /// Splits `max` bytes off a piece that was popped, and puts the rest back.
    fn keep_rest(&mut self, piece: &mut Bytes, max: usize) -> Bytes {
        let taken = piece.split_to(piece.len().min(max));
        if !piece.is_empty() {
            self.len += piece.len();
            self.whole.push_front(std::mem::take(piece));
        }
        taken
    }

    /// Drops everything. Returns how many bytes that was.
    pub(super) fn clear(&mut self) -> usize {
        self.whole.clear();
        self.tail.clear();
        std::mem::take(&mut self.len)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_come_out_as_they_went_in(
            pushes in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..5_000), 0..20),
            max in 1usize..70_000,
        ) {
            let mut pieces = Pieces::default();
            let mut out = Vec::new();
            for push in &pushes {
                pieces.push(Bytes::copy_from_slice(push));
            }
            let all = pushes.concat();
            prop_assert_eq!(pieces.len(), all.len());
            while pieces.len() > 0 {
                let before = pieces.len();
                let piece = pieces.take(max);
                prop_assert_eq!(piece.len(), before.min(max));
                out.extend_from_slice(&piece);
            }
            prop_assert_eq!(out, all);
            prop_assert!(pieces.pop().is_none());
        }
    }

    #[test]
    fn single_bytes_are_gathered() {
        let mut pieces = Pieces::default();
        for _ in 0..GATHERED * 2 {
            pieces.push(Bytes::from_static(b"x"));
        }
        assert_eq!(pieces.whole.len(), 2);
    }
}
