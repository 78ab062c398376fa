//! UTF-8 that arrives in pieces. Pure.

/// Bytes of the longest character.
const CHARACTER: usize = 4;

/// Checks a text piece by piece, and fails at the first byte that no text can go on with.
#[derive(Debug, Default, Clone)]
pub struct Utf8 {
    /// The beginning of a character that isn't complete.
    pending: [u8; CHARACTER],
    length: usize,
}

impl Utf8 {
    /// Takes the next piece. Whether the text can still be UTF-8.
    #[must_use]
    pub fn push(&mut self, mut piece: &[u8]) -> bool {
        while self.length > 0 {
            let Some((&byte, rest)) = piece.split_first() else { return true };
            piece = rest;
            self.pending[self.length] = byte;
            self.length += 1;
            match str::from_utf8(&self.pending[..self.length]) {
                Ok(_) => self.length = 0,
                // Four bytes are never incomplete, so there is room for the next one.
                Err(error) if error.error_len().is_none() => {}
                Err(_) => return false,
            }
        }
        let Err(error) = str::from_utf8(piece) else { return true };
        let rest = &piece[error.valid_up_to()..];
        if error.error_len().is_some() {
            return false;
        }
        self.pending[..rest.len()].copy_from_slice(rest);
        self.length = rest.len();
        true
    }

    /// Whether the text may end here.
    pub const fn is_complete(&self) -> bool {
        self.length == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(pieces: &[&[u8]]) -> bool {
        let mut utf8 = Utf8::default();
        pieces.iter().all(|piece| utf8.push(piece)) && utf8.is_complete()
    }

    #[test]
    fn a_character_may_be_cut_anywhere() {
        assert!(check(&[b"\xf0", b"\x9f", b"\xa6", b"\x80", b"x"]));
        assert!(check(&[b"x\xe2\x82", b"", b"\xac\xc3", b"\xa9"]));
    }

    #[test]
    fn a_text_fails_at_the_first_byte_that_cannot_go_on() {
        let mut utf8 = Utf8::default();
        assert!(utf8.push(b"ok \xf4"));
        assert!(!utf8.push(b"\x90"), "past U+10FFFF");
        for bytes in [&b"\xed\xa0"[..], b"\xc0", b"\xf5", b"\x80", b"\xe0\x80"] {
            assert!(!Utf8::default().push(bytes), "{bytes:?}");
        }
    }

    #[test]
    fn a_text_may_not_end_inside_a_character() {
        assert!(!check(&[b"\xe2\x82"]));
        assert!(check(&[b""]));
    }

    proptest! {
        #[test]
        fn it_agrees_with_the_standard_library_however_it_is_cut(
            bytes in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..24),
                ".{0,12}".prop_map(String::into_bytes),
            ],
            size in 1usize..8,
        ) {
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(check(&pieces), str::from_utf8(&bytes).is_ok());
        }
    }
}
