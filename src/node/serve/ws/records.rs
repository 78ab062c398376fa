//! The records of a ws stream: a type (u8), a length (u32, big endian), then the payload, independent of how DATA is cut.
//! Section "Link", ws: bytes and limits. Pure.

use bytes::{Buf, Bytes, BytesMut};

use super::close::{Close, MAX_PAYLOAD, PROTOCOL_ERROR, TOO_BIG};
use crate::generated::link::{WsRecord, limits};

/// Bytes of a record's type and length.
const HEADER: usize = 5;

/// Whether a message is text or binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// UTF-8.
    Text,
    /// Any bytes.
    Binary,
}

impl MessageKind {
    const fn record(self) -> WsRecord {
        match self {
            Self::Text => WsRecord::Text,
            Self::Binary => WsRecord::Binary,
        }
    }
}

/// What a page's bytes say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A part of a message, in order. It is empty only in an empty message.
    Part {
        /// What the message is.
        kind: MessageKind,
        /// Whether the message starts here.
        first: bool,
        /// Whether the message ends here.
        last: bool,
        /// The bytes.
        data: Bytes,
    },
    /// A close record. Nothing that follows counts.
    Close(Option<Close>),
}

/// Why a page's record is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadRecord {
    /// Its header announces a message past [`limits::WS_MESSAGE`].
    #[error("the message is larger than {} bytes", limits::WS_MESSAGE)]
    TooLarge,
    /// Its type isn't one that exists, or it is a close that isn't right.
    #[error("the record is malformed")]
    Malformed,
}

impl BadRecord {
    /// The code that the WebSocket is closed with.
    pub const fn close_code(self) -> u16 {
        match self {
            Self::TooLarge => TOO_BIG,
            Self::Malformed => PROTOCOL_ERROR,
        }
    }
}

/// Reads a page's records as their bytes arrive. It keeps a header or a close that isn't complete (at most 130 bytes), and
/// nothing of a message: what a header announces reserves nothing.
#[derive(Debug, Default)]
pub struct Decoder {
    state: State,
}

#[derive(Debug)]
enum State {
    Header(BytesMut),
    Message { kind: MessageKind, first: bool, left: usize },
    Close { payload: BytesMut, length: usize },
    Over,
}

impl Default for State {
    fn default() -> Self {
        Self::Header(BytesMut::new())
    }
}

impl Decoder {
    /// The next item that `input` completes, taken out of it; `None` once nothing is left of it. After a close or an error
    /// all input is dropped.
    ///
    /// # Errors
    /// [`BadRecord`].
    pub fn next(&mut self, input: &mut Bytes) -> Result<Option<Item>, BadRecord> {
        loop {
            match &mut self.state {
                State::Over => {
                    input.clear();
                    return Ok(None);
                }
                State::Header(header) => {
                    take(input, header, HEADER);
                    let (number, whole) = (header.first().copied(), header.first_chunk::<HEADER>().copied());
                    let Some(number) = number else { return Ok(None) };
                    // A type that doesn't exist needs no length.
                    let Some(record) = WsRecord::from_byte(number) else {
                        return Err(self.refuse(BadRecord::Malformed));
                    };
                    let Some([_, length @ ..]) = whole else { return Ok(None) };
                    let length = u32::from_be_bytes(length);
                    self.state = Self::begin(record, length).map_err(|bad| self.refuse(bad))?;
                    if let State::Message { kind, left: 0, .. } = self.state {
                        self.state = State::default();
                        return Ok(Some(Item::Part { kind, first: true, last: true, data: Bytes::new() }));
                    }
                }
                State::Message { kind, first, left } => {
                    if input.is_empty() {
                        return Ok(None);
                    }
                    let data = input.split_to(input.len().min(*left));
                    *left -= data.len();
                    let (kind, first, last) = (*kind, std::mem::replace(first, false), *left == 0);
                    if last {
                        self.state = State::default();
                    }
                    return Ok(Some(Item::Part { kind, first, last, data }));
                }
                State::Close { payload, length } => {
                    take(input, payload, *length);
                    if payload.len() < *length {
                        return Ok(None);
                    }
                    let close = Close::parse(payload).map_err(|_| self.refuse(BadRecord::Malformed))?;
                    self.state = State::Over;
                    return Ok(Some(Item::Close(close)));
                }
            }
        }
    }

    fn begin(record: WsRecord, length: u32) -> Result<State, BadRecord> {
        let length = usize::try_from(length).map_err(|_| BadRecord::TooLarge)?;
        let kind = match record {
            WsRecord::Close if length > MAX_PAYLOAD => return Err(BadRecord::Malformed),
            WsRecord::Close => return Ok(State::Close { payload: BytesMut::new(), length }),
            WsRecord::Text => MessageKind::Text,
            WsRecord::Binary => MessageKind::Binary,
        };
        if length > limits::WS_MESSAGE {
            return Err(BadRecord::TooLarge);
        }
        Ok(State::Message { kind, first: true, left: length })
    }

    fn refuse(&mut self, bad: BadRecord) -> BadRecord {
        self.state = State::Over;
        bad
    }
}

/// Moves bytes from `input` until `buffer` holds `length`.
fn take(input: &mut Bytes, buffer: &mut BytesMut, length: usize) {
    let missing = length.saturating_sub(buffer.len()).min(input.len());
    buffer.extend_from_slice(&input[..missing]);
    input.advance(missing);
}

/// The header of a message's record. `length` is at most [`limits::WS_MESSAGE`].
pub fn message_header(kind: MessageKind, length: usize) -> Bytes {
    header(kind.record(), length)
}

/// A whole close record.
pub fn close_record(close: Option<&Close>) -> Bytes {
    let payload = Close::payload(close);
    [header(WsRecord::Close, payload.len()), payload].concat().into()
}

fn header(record: WsRecord, length: usize) -> Bytes {
    let length = u32::try_from(length).expect("a record is at most 64 MiB long");
    let [a, b, c, d] = length.to_be_bytes();
    Bytes::copy_from_slice(&[record as u8, a, b, c, d])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(number: u8, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap();
        [&[number][..], &length.to_be_bytes(), payload].concat()
    }

    fn announcing(number: u8, length: u32) -> Vec<u8> {
        [&[number][..], &length.to_be_bytes()].concat()
    }

    /// Messages and closes, put together again.
    #[derive(Debug, PartialEq, Eq)]
    enum Whole {
        Message(MessageKind, Vec<u8>),
        Close(Option<Close>),
        Bad(BadRecord),
    }

    fn decode(bytes: &[u8], piece: usize) -> Vec<Whole> {
        let mut decoder = Decoder::default();
        let (mut found, mut open) = (Vec::new(), None);
        for piece in bytes.chunks(piece) {
            let mut piece = Bytes::copy_from_slice(piece);
            loop {
                match decoder.next(&mut piece) {
                    Ok(Some(Item::Part { kind, first, last, data })) => {
                        let (known, mut message) = if first {
                            assert!(open.is_none(), "a message starts inside another");
                            (kind, Vec::new())
                        } else {
                            open.take().expect("a message has started")
                        };
                        assert_eq!(known, kind);
                        assert!(!data.is_empty() || (first && last), "only an empty message has an empty part");
                        message.extend_from_slice(&data);
                        if last {
                            found.push(Whole::Message(kind, message));
                        } else {
                            open = Some((kind, message));
                        }
                    }
                    Ok(Some(Item::Close(close))) => found.push(Whole::Close(close)),
                    Ok(None) => break,
                    Err(bad) => found.push(Whole::Bad(bad)),
                }
            }
            assert!(piece.is_empty());
        }
        found
    }

    #[test]
    fn records_are_found_however_data_is_cut() {
        let bytes =
            [record(1, "héé".as_bytes()), record(2, b""), record(2, &[0, 1, 2]), record(8, b"\x03\xe8bye")].concat();
        let close = Close::parse(b"\x03\xe8bye").unwrap();
        for piece in 1..=bytes.len() {
            assert_eq!(
                decode(&bytes, piece),
                [
                    Whole::Message(MessageKind::Text, "héé".into()),
                    Whole::Message(MessageKind::Binary, vec![]),
                    Whole::Message(MessageKind::Binary, vec![0, 1, 2]),
                    Whole::Close(close.clone()),
                ]
            );
        }
    }

    #[test]
    fn what_has_arrived_of_a_message_comes_out_at_once() {
        let mut decoder = Decoder::default();
        let mut input: Bytes = [announcing(1, 3), b"ab".to_vec()].concat().into();
        let part = decoder.next(&mut input).unwrap();
        let data = Bytes::from_static(b"ab");
        assert_eq!(part, Some(Item::Part { kind: MessageKind::Text, first: true, last: false, data }));
        assert_eq!(decoder.next(&mut input), Ok(None));
    }

    #[test]
    fn a_header_that_announces_more_than_64_mib_is_refused_and_64_mib_are_not() {
        let most = u32::try_from(limits::WS_MESSAGE).unwrap();
        for number in [1, 2] {
            assert_eq!(decode(&announcing(number, most + 1), 5), [Whole::Bad(BadRecord::TooLarge)]);
            assert_eq!(decode(&announcing(number, u32::MAX), 1), [Whole::Bad(BadRecord::TooLarge)]);
            assert_eq!(decode(&announcing(number, most), 5), []);
        }
        assert_eq!(BadRecord::TooLarge.close_code(), 1009);
    }

    #[test]
    fn a_record_of_another_type_is_refused_by_its_first_byte() {
        for number in (0..=255).filter(|number| ![1, 2, 8].contains(number)) {
            assert_eq!(decode(&[number], 1), [Whole::Bad(BadRecord::Malformed)], "{number}");
        }
        assert_eq!(BadRecord::Malformed.close_code(), 1002);
    }

    #[test]
    fn a_malformed_close_is_refused() {
        let long = [&[3, 0xe8][..], &[b'x'; 124]].concat();
        for payload in [&[3][..], &[3, 0xed], &[0, 0], &[0x13, 0x88], b"\x03\xe8\xff", &long] {
            assert_eq!(decode(&record(8, payload), 7), [Whole::Bad(BadRecord::Malformed)]);
        }
        // Refused by its header alone.
        assert_eq!(decode(&announcing(8, u32::MAX), 5), [Whole::Bad(BadRecord::Malformed)]);
        assert_eq!(decode(&announcing(8, 126), 5), [Whole::Bad(BadRecord::Malformed)]);
    }

    #[test]
    fn nothing_counts_after_a_close_or_an_error() {
        let after = record(1, b"late");
        assert_eq!(decode(&[record(8, b""), after.clone()].concat(), 3), [Whole::Close(None)]);
        assert_eq!(decode(&[vec![9], after].concat(), 3), [Whole::Bad(BadRecord::Malformed)]);
    }

    #[test]
    fn a_close_without_a_code_is_an_empty_record() {
        assert_eq!(&close_record(None)[..], [8, 0, 0, 0, 0]);
        assert_eq!(&close_record(Some(&Close::with_code(1002)))[..], [8, 0, 0, 0, 2, 3, 0xea]);
        assert_eq!(&message_header(MessageKind::Binary, 258)[..], [2, 0, 0, 1, 2]);
    }

    proptest! {
        #[test]
        fn any_bytes_decode_the_same_however_they_are_cut(
            bytes in prop::collection::vec(any::<u8>(), 0..64),
            size in 1usize..16,
        ) {
            prop_assert_eq!(decode(&bytes, size), decode(&bytes, bytes.len().max(1)));
        }

        #[test]
        fn what_is_encoded_decodes(
            messages in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 0..40)), 0..6),
            size in 1usize..32,
        ) {
            let mut bytes = Vec::new();
            let mut expected = Vec::new();
            for (text, payload) in messages {
                let kind = if text { MessageKind::Text } else { MessageKind::Binary };
                bytes.extend_from_slice(&message_header(kind, payload.len()));
                bytes.extend_from_slice(&payload);
                expected.push(Whole::Message(kind, payload));
            }
            bytes.extend_from_slice(&close_record(None));
            expected.push(Whole::Close(None));
            prop_assert_eq!(decode(&bytes, size), expected);
        }
    }
}
