//! How a WebSocket is closed: the code and the reason. A close record of the link and a close frame of RFC 6455 carry the
//! same payload. Section "Link", ws: limits. Pure.

use std::fmt;

use bytes::{BufMut, Bytes, BytesMut};

use crate::generated::link::limits;

/// The other side broke the protocol.
pub const PROTOCOL_ERROR: u16 = 1002;
/// A text message isn't UTF-8.
pub const NOT_UTF8: u16 = 1007;
/// A message is too big.
pub const TOO_BIG: u16 = 1009;

/// Bytes of the code.
const CODE: usize = 2;

/// Bytes of the longest payload.
pub const MAX_PAYLOAD: usize = CODE + limits::WS_CLOSE_REASON;

/// A payload that no close may have: one byte long, a code that may not be sent, or a reason that is too long or not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the close is malformed")]
pub struct MalformedClose;

/// A close with a code. A close without one (1005) is the `None` of an `Option<Close>`.
#[derive(Clone, PartialEq, Eq)]
pub struct Close {
    code: u16,
    reason: String,
}

impl fmt::Debug for Close {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A reason is content.
        f.debug_struct("Close").field("code", &self.code).field("reason", &format_args!("…")).finish()
    }
}

impl Close {
    /// A close with this code, which must be one that may be sent, and no reason.
    pub const fn with_code(code: u16) -> Self {
        debug_assert!(may_be_sent(code), "the code may be sent");
        Self { code, reason: String::new() }
    }

    /// Reads a payload; an empty one has no code.
    ///
    /// # Errors
    /// [`MalformedClose`].
    pub fn parse(payload: &[u8]) -> Result<Option<Self>, MalformedClose> {
        let Some((code, reason)) = payload.split_first_chunk::<CODE>() else {
            return if payload.is_empty() { Ok(None) } else { Err(MalformedClose) };
        };
        let code = u16::from_be_bytes(*code);
        if !may_be_sent(code) || reason.len() > limits::WS_CLOSE_REASON {
            return Err(MalformedClose);
        }
        let reason = str::from_utf8(reason).map_err(|_| MalformedClose)?.to_owned();
        Ok(Some(Self { code, reason }))
    }

    /// The payload of a close.
    pub fn payload(close: Option<&Self>) -> Bytes {
        let Some(Self { code, reason }) = close else { return Bytes::new() };
        let mut payload = BytesMut::with_capacity(CODE + reason.len());
        payload.put_u16(*code);
        payload.put_slice(reason.as_bytes());
        payload.freeze()
    }

    /// The code.
    pub const fn code(&self) -> u16 {
        self.code
    }

    /// The reason, at most [`limits::WS_CLOSE_REASON`] bytes.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// Whether a close may carry this code: 1000–1003, 1007–1014 and 3000–4999. The others aren't assigned, or stand for closes
/// that nobody sent.
const fn may_be_sent(code: u16) -> bool {
    matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn payload(code: u16, reason: &[u8]) -> Vec<u8> {
        [&code.to_be_bytes()[..], reason].concat()
    }

    #[test]
    fn codes_are_those_that_may_be_sent() {
        for code in [1000, 1001, 1002, 1003, 1007, 1010, 1014, 3000, 3999, 4000, 4999] {
            assert_eq!(Close::parse(&payload(code, b"")).unwrap().unwrap().code(), code);
        }
        for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] {
            assert_eq!(Close::parse(&payload(code, b"")), Err(MalformedClose), "{code}");
        }
    }

    #[test]
    fn an_empty_close_has_no_code_and_one_byte_is_malformed() {
        assert_eq!(Close::parse(b""), Ok(None));
        assert_eq!(Close::parse(&[3]), Err(MalformedClose));
    }

    #[test]
    fn a_reason_is_at_most_123_bytes_of_utf_8() {
        let longest = "é".repeat(61) + "x";
        let close = Close::parse(&payload(1000, longest.as_bytes())).unwrap().unwrap();
        assert_eq!(close.reason(), longest);
        assert_eq!(Close::parse(&payload(1000, &[b'x'; 124])), Err(MalformedClose));
        for reason in [&b"\xff"[..], b"\xed\xa0\x80", b"\xc0\x80", b"\xc3"] {
            assert_eq!(Close::parse(&payload(1000, reason)), Err(MalformedClose));
        }
    }

    #[test]
    fn a_reason_is_never_in_a_debug_text() {
        let close = Close::parse(&payload(1000, b"hunter2")).unwrap();
        assert!(!format!("{close:?}").contains("hunter2"));
    }

    proptest! {
        #[test]
        fn whatever_parses_has_the_same_payload(bytes in prop::collection::vec(any::<u8>(), 0..140)) {
            if let Ok(close) = Close::parse(&bytes) {
                prop_assert_eq!(&Close::payload(close.as_ref())[..], &bytes[..]);
                prop_assert!(bytes.len() <= MAX_PAYLOAD);
            }
        }
    }
}
