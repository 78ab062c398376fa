//! Frames: `type u8 | stream id u32 BE | payload` (section Link, item Frames).

use bytes::{BufMut, Bytes, BytesMut};

use crate::generated::link::{ErrorCode, FrameType, limits};

/// The number of a stream: odd when the page opened it, even when the node did, never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId(pub u32);

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// What it says.
    pub kind: FrameType,
    /// The stream it belongs to.
    pub stream: StreamId,
    /// The rest of the message.
    pub payload: Bytes,
}

/// A message that isn't a frame. Each variant closes the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// Fewer bytes than a header has.
    #[error("a short frame")]
    Short,
    /// A type that the protocol doesn't know.
    #[error("a frame of unknown type")]
    UnknownType,
    /// Stream id 0.
    #[error("a frame for stream 0")]
    StreamZero,
    /// DATA of more than 64 KiB.
    #[error("a DATA larger than 64 KiB")]
    DataTooLarge,
    /// END with a payload.
    #[error("an END with a payload")]
    EndPayload,
    /// CREDIT whose payload isn't 4 bytes.
    #[error("a CREDIT that isn't 4 bytes")]
    CreditPayload,
}

impl Frame {
    /// Reads one message.
    ///
    /// # Errors
    /// [`FrameError`] for a short or malformed frame.
    pub fn decode(message: &Bytes) -> Result<Self, FrameError> {
        let (head, _) = message.split_first_chunk::<{ limits::FRAME_HEADER }>().ok_or(FrameError::Short)?;
        let kind = FrameType::from_byte(head[0]).ok_or(FrameError::UnknownType)?;
        let stream = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
        if stream == 0 {
            return Err(FrameError::StreamZero);
        }
        let payload = message.slice(limits::FRAME_HEADER..);
        match kind {
            FrameType::Data if payload.len() > limits::DATA => Err(FrameError::DataTooLarge),
            FrameType::End if !payload.is_empty() => Err(FrameError::EndPayload),
            FrameType::Credit if payload.len() != 4 => Err(FrameError::CreditPayload),
            _ => Ok(Self { kind, stream: StreamId(stream), payload }),
        }
    }

    /// Writes a frame as one message.
    pub fn encode(kind: FrameType, stream: StreamId, payload: &[u8]) -> Bytes {
        let mut message = BytesMut::with_capacity(limits::FRAME_HEADER + payload.len());
        message.put_u8(kind as u8);
        message.put_u32(stream.0);
        message.put_slice(payload);
        message.freeze()
    }

    /// The number in a CREDIT.
    pub(crate) fn credit(&self) -> usize {
        self.payload.first_chunk::<4>().map_or(0, |bytes| u32::from_be_bytes(*bytes) as usize)
    }
}

/// Why a stream was reset: a code and a message, as they stand in a RESET.
///
/// The code is the peer's text when the peer reset the stream, so it may be one that the protocol doesn't list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}{separator}{message}", separator = if message.is_empty() { "" } else { ": " })]
pub struct Reset {
    /// The code.
    pub code: String,
    /// The message, possibly empty.
    pub message: String,
}

impl Reset {
    /// A reset with one of the protocol's codes.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code: code.as_str().to_owned(), message: message.into() }
    }

    /// Reads the payload of a RESET: `CODE`, `CODE: message`, or nothing for ECONNRESET.
    pub fn parse(payload: &[u8]) -> Self {
        let text = String::from_utf8_lossy(payload);
        let (code, message) = text.split_once(": ").unwrap_or((&text, ""));
        let code = if code.is_empty() { ErrorCode::Econnreset.as_str() } else { code };
        Self { code: code.to_owned(), message: message.to_owned() }
    }

    /// The payload of a RESET, cut to what a frame may carry.
    pub fn encode(&self) -> Vec<u8> {
        let mut text = self.to_string();
        if text.len() > limits::CONTROL_PAYLOAD {
            let end = (0..=limits::CONTROL_PAYLOAD).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            text.truncate(end);
        }
        text.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(bytes: &[u8]) -> Result<Frame, FrameError> {
        Frame::decode(&Bytes::copy_from_slice(bytes))
    }

    #[test]
    fn malformed_frames_are_named() {
        assert_eq!(decode(&[]), Err(FrameError::Short));
        assert_eq!(decode(&[3, 0, 0, 0]), Err(FrameError::Short));
        assert_eq!(decode(&[0, 0, 0, 0, 1]), Err(FrameError::UnknownType));
        assert_eq!(decode(&[7, 0, 0, 0, 1]), Err(FrameError::UnknownType));
        assert_eq!(decode(&[3, 0, 0, 0, 0, 1]), Err(FrameError::StreamZero));
        assert_eq!(decode(&[4, 0, 0, 0, 1, 9]), Err(FrameError::EndPayload));
        assert_eq!(decode(&[6, 0, 0, 0, 1, 0, 0, 1]), Err(FrameError::CreditPayload));
        let large = [&[3, 0, 0, 0, 1], vec![0; limits::DATA + 1].as_slice()].concat();
        assert_eq!(decode(&large), Err(FrameError::DataTooLarge));
    }

    #[test]
    fn a_reset_splits_at_the_first_colon_and_space() {
        let reset = Reset::parse(b"EACCES: a: b");
        assert_eq!((reset.code.as_str(), reset.message.as_str()), ("EACCES", "a: b"));
        assert_eq!(Reset::parse(b"").code, "ECONNRESET");
        assert_eq!(Reset::parse(b"EPROTO").to_string(), "EPROTO");
    }

    #[test]
    fn a_long_reset_is_cut_at_a_character() {
        let reset = Reset::new(ErrorCode::Eproto, "ä".repeat(limits::CONTROL_PAYLOAD));
        let payload = reset.encode();
        assert!(payload.len() <= limits::CONTROL_PAYLOAD && std::str::from_utf8(&payload).is_ok());
    }

    proptest! {
        #[test]
        fn what_is_encoded_decodes_to_itself(kind in 1u8..=3, id in 1u32.., payload in proptest::collection::vec(any::<u8>(), 0..100)) {
            let kind = FrameType::from_byte(kind).expect("1 to 3 are frame types");
            let message = Frame::encode(kind, StreamId(id), &payload);
            prop_assert_eq!(Frame::decode(&message), Ok(Frame { kind, stream: StreamId(id), payload: payload.into() }));
        }

        #[test]
        fn no_bytes_make_the_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = decode(&bytes);
            let _ = Reset::parse(&bytes);
        }
    }
}
