//! The frames of RFC 6455, as a client that has no extensions sends and gets them. Section "Link", ws: bytes, limits and
//! pings. Pure.

use std::collections::VecDeque;

use bytes::{Buf, BufMut, Bytes, BytesMut};

use super::{
    close::{Close, NOT_UTF8, PROTOCOL_ERROR, TOO_BIG},
    records::MessageKind,
    utf8::Utf8,
};

/// Bytes of a control frame's longest payload.
pub const MAX_CONTROL: usize = 125;

/// Bytes of the key that a client masks a frame with.
pub const MASK: usize = 4;

/// Bytes of one block of a message. A message is kept in blocks, so that it never costs much more than its bytes, however it
/// is fragmented, and never has to be copied to grow.
const BLOCK: usize = 64 * 1024;

const FIN: u8 = 0x80;
const RESERVED: u8 = 0x70;
const MASKED: u8 = 0x80;
/// Short lengths that say that a longer one follows: a u16, a u64.
const LENGTH_U16: u8 = 126;
const LENGTH_U64: u8 = 127;

/// What a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Opcode {
    /// Another fragment of a message.
    Continuation = 0,
    /// The first fragment of a text message.
    Text = 1,
    /// The first fragment of a binary message.
    Binary = 2,
    /// A close.
    Close = 8,
    /// A ping.
    Ping = 9,
    /// A pong.
    Pong = 10,
}

impl Opcode {
    const fn from_bits(bits: u8) -> Option<Self> {
        Some(match bits {
            0 => Self::Continuation,
            1 => Self::Text,
            2 => Self::Binary,
            8 => Self::Close,
            9 => Self::Ping,
            10 => Self::Pong,
            _ => return None,
        })
    }

    /// How a message of this kind begins.
    pub const fn beginning(kind: MessageKind) -> Self {
        match kind {
            MessageKind::Text => Self::Text,
            MessageKind::Binary => Self::Binary,
        }
    }

    const fn is_control(self) -> bool {
        matches!(self, Self::Close | Self::Ping | Self::Pong)
    }
}

/// How the far end broke the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A frame that may not be there, or not like this.
    #[error("the far end broke the protocol")]
    Protocol,
    /// A text message that isn't UTF-8.
    #[error("the far end sent a text that isn't UTF-8")]
    NotUtf8,
    /// A message past the limit.
    #[error("the far end sent a message that is too large")]
    TooLarge,
}

impl Fault {
    /// The code that the WebSocket is closed with.
    pub const fn close_code(self) -> u16 {
        match self {
            Self::Protocol => PROTOCOL_ERROR,
            Self::NotUtf8 => NOT_UTF8,
            Self::TooLarge => TOO_BIG,
        }
    }
}

/// A whole message, in blocks.
#[derive(Debug, PartialEq, Eq)]
pub struct Message {
    /// Text or binary.
    pub kind: MessageKind,
    /// Bytes of it.
    pub length: usize,
    /// The bytes, in order.
    pub blocks: VecDeque<Bytes>,
}

/// What the far end's bytes say.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A message.
    Message(Message),
    /// A ping, with what its pong must carry.
    Ping(Bytes),
    /// A pong, which answers nothing of ours.
    Pong,
    /// A close. Nothing that follows counts.
    Close(Option<Close>),
}

/// Reads the far end's frames and puts its messages together. It never holds more than one message, and of that only what
/// has arrived.
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    frame: Option<DataFrame>,
    message: Option<Assembly>,
}

/// The data frame that is being read.
#[derive(Debug, Clone, Copy)]
struct DataFrame {
    left: usize,
    fin: bool,
}

/// The message that is being put together.
#[derive(Debug)]
struct Assembly {
    kind: MessageKind,
    length: usize,
    blocks: VecDeque<Bytes>,
    tail: BytesMut,
    utf8: Utf8,
}

impl Assembly {
    fn new(kind: MessageKind) -> Self {
        Self { kind, length: 0, blocks: VecDeque::new(), tail: BytesMut::new(), utf8: Utf8::default() }
    }

    fn extend(&mut self, mut data: &[u8]) -> Result<(), Fault> {
        if self.kind == MessageKind::Text && !self.utf8.push(data) {
            return Err(Fault::NotUtf8);
        }
        self.length += data.len();
        while !data.is_empty() {
            let (now, rest) = data.split_at(data.len().min(BLOCK - self.tail.len()));
            self.tail.extend_from_slice(now);
            if self.tail.len() == BLOCK {
                self.blocks.push_back(self.tail.split().freeze());
            }
            data = rest;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Message, Fault> {
        if !self.utf8.is_complete() {
            return Err(Fault::NotUtf8);
        }
        if !self.tail.is_empty() {
            self.blocks.push_back(self.tail.freeze());
        }
        Ok(Message { kind: self.kind, length: self.length, blocks: self.blocks })
    }
}

/// A frame's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    opcode: Opcode,
    fin: bool,
    length: u64,
    /// Bytes of the header itself.
    size: usize,
}

impl Header {
    /// Reads the header that `input` begins with; `None` while it isn't complete. What can't be right any more fails before
    /// it is complete.
    fn parse(input: &[u8]) -> Result<Option<Self>, Fault> {
        let Some(&[first, second]) = input.first_chunk::<2>() else { return Ok(None) };
        let opcode = Opcode::from_bits(first & 0x0F).ok_or(Fault::Protocol)?;
        let fin = first & FIN != 0;
        // A server that masks isn't one.
        if first & RESERVED != 0 || second & MASKED != 0 {
            return Err(Fault::Protocol);
        }
        let short = second & !MASKED;
        if opcode.is_control() && (!fin || usize::from(short) > MAX_CONTROL) {
            return Err(Fault::Protocol);
        }
        let rest = &input[2..];
        let (length, size) = match short {
            LENGTH_U16 => match rest.first_chunk() {
                Some(bytes) => (u64::from(u16::from_be_bytes(*bytes)), 4),
                None => return Ok(None),
            },
            LENGTH_U64 => match rest.first_chunk() {
                Some(bytes) => (u64::from_be_bytes(*bytes), 10),
                None => return Ok(None),
            },
            _ => (u64::from(short), 2),
        };
        // The length must have its shortest form, and no sign.
        let shortest = match size {
            4 => length > 125,
            10 => length > u64::from(u16::MAX) && length >> 63 == 0,
            _ => true,
        };
        if !shortest {
            return Err(Fault::Protocol);
        }
        Ok(Some(Self { opcode, fin, length, size }))
    }
}

impl Decoder {
    /// A decoder of messages of at most `limit` bytes.
    pub const fn new(limit: usize) -> Self {
        Self { limit, frame: None, message: None }
    }

    /// The next event that `input` completes, taken out of it; `None` once more bytes are needed. What is left of `input`
    /// then is less than a control frame.
    ///
    /// # Errors
    /// [`Fault`]. Nothing that follows counts.
    pub fn next(&mut self, input: &mut BytesMut) -> Result<Option<Event>, Fault> {
        loop {
            if let Some(frame) = self.frame {
                let data = input.split_to(input.len().min(frame.left));
                let left = frame.left - data.len();
                self.frame = Some(DataFrame { left, ..frame });
                if let Some(message) = &mut self.message {
                    message.extend(&data)?;
                }
                if left > 0 {
                    return Ok(None);
                }
                self.frame = None;
                if frame.fin
                    && let Some(message) = self.message.take()
                {
                    return Ok(Some(Event::Message(message.finish()?)));
                }
            }
            let Some(header) = Header::parse(input)? else { return Ok(None) };
            if header.opcode.is_control() {
                return Self::control(header, input);
            }
            self.begin(header)?;
            input.advance(header.size);
        }
    }

    fn control(header: Header, input: &mut BytesMut) -> Result<Option<Event>, Fault> {
        let length = usize::try_from(header.length).map_err(|_| Fault::Protocol)?;
        let Some(payload) = input[header.size..].get(..length) else { return Ok(None) };
        let event = match header.opcode {
            Opcode::Close => Event::Close(Close::parse(payload).map_err(|_| Fault::Protocol)?),
            Opcode::Ping => Event::Ping(Bytes::copy_from_slice(payload)),
            _ => Event::Pong,
        };
        input.advance(header.size + length);
        Ok(Some(event))
    }

    fn begin(&mut self, header: Header) -> Result<(), Fault> {
        let message = match (header.opcode, self.message.take()) {
            (Opcode::Continuation, Some(message)) => message,
            (Opcode::Text, None) => Assembly::new(MessageKind::Text),
            (Opcode::Binary, None) => Assembly::new(MessageKind::Binary),
            _ => return Err(Fault::Protocol),
        };
        let left = usize::try_from(header.length).map_err(|_| Fault::TooLarge)?;
        if left > self.limit - message.length {
            return Err(Fault::TooLarge);
        }
        self.frame = Some(DataFrame { left, fin: header.fin });
        self.message = Some(message);
        Ok(())
    }
}

/// Appends a client's frame to `out`: its header, `mask`, and the payload under it.
pub fn encode(out: &mut BytesMut, opcode: Opcode, fin: bool, mask: [u8; MASK], payload: &[u8]) {
    out.reserve(10 + MASK + payload.len());
    out.put_u8(opcode as u8 | if fin { FIN } else { 0 });
    match (u8::try_from(payload.len()), u16::try_from(payload.len())) {
        (Ok(length @ 0..=125), _) => out.put_u8(MASKED | length),
        (_, Ok(length)) => {
            out.put_u8(MASKED | LENGTH_U16);
            out.put_u16(length);
        }
        _ => {
            out.put_u8(MASKED | LENGTH_U64);
            out.put_u64(payload.len() as u64);
        }
    }
    out.put_slice(&mask);
    let start = out.len();
    out.put_slice(payload);
    for chunk in out[start..].chunks_mut(MASK) {
        for (byte, key) in chunk.iter_mut().zip(mask) {
            *byte ^= key;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;
    use tokio_tungstenite::tungstenite::protocol::{
        WebSocketConfig,
        frame::{FrameSocket, coding::OpCode},
    };

    use super::*;

    const LIMIT: usize = 1000;

    /// A server's frame.
    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![first];
        match payload.len() {
            length @ 0..=125 => bytes.push(length as u8),
            length @ 126..=0xFFFF => {
                bytes.push(126);
                bytes.put_u16(length as u16);
            }
            length => {
                bytes.push(127);
                bytes.put_u64(length as u64);
            }
        }
        bytes.extend_from_slice(payload);
        bytes
    }

    fn decode(bytes: &[u8], piece: usize) -> (Vec<Event>, Option<Fault>) {
        let (mut decoder, mut input, mut events) = (Decoder::new(LIMIT), BytesMut::new(), Vec::new());
        for piece in bytes.chunks(piece) {
            input.extend_from_slice(piece);
            loop {
                match decoder.next(&mut input) {
                    Ok(Some(event)) => events.push(event),
                    Ok(None) => break,
                    Err(fault) => return (events, Some(fault)),
                }
                if matches!(events.last(), Some(Event::Close(_))) {
                    return (events, None);
                }
            }
            assert!(input.len() < 2 + MAX_CONTROL, "a decoder leaves less than a control frame");
        }
        (events, None)
    }

    fn message(kind: MessageKind, bytes: &[u8]) -> Event {
        let blocks = (!bytes.is_empty()).then(|| Bytes::copy_from_slice(bytes)).into_iter().collect();
        Event::Message(Message { kind, length: bytes.len(), blocks })
    }

    fn fault(bytes: &[u8]) -> Option<Fault> {
        let (events, fault) = decode(bytes, bytes.len());
        assert_eq!(events, []);
        fault
    }

    #[test]
    fn fragments_are_put_together_and_control_frames_may_come_between_them() {
        let bytes = [
            frame(0x01, b"he\xc3"),
            frame(0x89, b"ping"),
            frame(0x00, b""),
            frame(0x8A, b"pong"),
            frame(0x80, b"\xa9"),
            frame(0x82, &[7; 300]),
            frame(0x88, b"\x03\xe8bye"),
        ]
        .concat();
        for piece in 1..=bytes.len() {
            let (events, fault) = decode(&bytes, piece);
            assert_eq!(fault, None);
            assert_eq!(
                events,
                [
                    Event::Ping(Bytes::from_static(b"ping")),
                    Event::Pong,
                    message(MessageKind::Text, "heé".as_bytes()),
                    message(MessageKind::Binary, &[7; 300]),
                    Event::Close(Close::parse(b"\x03\xe8bye").unwrap()),
                ]
            );
        }
    }

    #[test]
    fn what_breaks_the_protocol_is_1002() {
        let broken: &[&[u8]] = &[
            &[0xC1, 0], // reserved bits
            &[0xA1, 0],
            &[0x91, 0],
            &[0x83, 0], // opcodes that nobody has defined
            &[0x8B, 0],
            &[0x81, 0x80], // a mask
            &[0x80, 0],    // a continuation of nothing
            &[0x00, 0],
            &[0x01, 0, 0x81, 0], // a message inside a message
            &[0x01, 0, 0x02, 0],
            &[0x09, 0], // control frames in fragments
            &[0x08, 0],
            &[0x89, 126], // or too long
            &[0x88, 127],
            &[0x88, 1, 3], // malformed closes
            &[0x88, 2, 3, 0xED],
            &[0x88, 3, 3, 0xE8, 0xFF],
            &[0x82, 126, 0, 125], // lengths that aren't in their shortest form
            &[0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
            &[0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0],
        ];
        for bytes in broken {
            assert_eq!(fault(bytes), Some(Fault::Protocol), "{bytes:?}");
        }
        assert_eq!(Fault::Protocol.close_code(), 1002);
    }

    #[test]
    fn a_text_that_is_not_utf_8_is_1007_before_its_frame_is_complete() {
        assert_eq!(fault(&[0x81, 100, b'a', 0xF4, 0x90]), Some(Fault::NotUtf8));
        assert_eq!(fault(&[0x01, 1, 0xE2, 0x80, 1, b'a']), Some(Fault::NotUtf8));
        assert_eq!(fault(&[0x81, 2, 0xE2, 0x82]), Some(Fault::NotUtf8), "cut off");
        assert_eq!(decode(&[0x82, 1, 0xFF], 3), (vec![message(MessageKind::Binary, b"\xff")], None));
        assert_eq!(Fault::NotUtf8.close_code(), 1007);
    }

    #[test]
    fn a_message_past_the_limit_is_1009_by_a_header_alone() {
        assert_eq!(decode(&frame(0x82, &[1; LIMIT]), 4096).1, None);
        assert_eq!(fault(&[0x82, 126, 3, 0xE9]), Some(Fault::TooLarge));
        assert_eq!(fault(&[0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]), Some(Fault::TooLarge));
        let fragments = [frame(0x02, &[1; LIMIT]), frame(0x00, b""), vec![0x80, 1]].concat();
        assert_eq!(fault(&fragments), Some(Fault::TooLarge));
        assert_eq!(Fault::TooLarge.close_code(), 1009);
    }

    #[test]
    fn a_header_reserves_nothing() {
        let mut decoder = Decoder::new(1 << 30);
        let mut input = BytesMut::from(&[0x82, 127, 0, 0, 0, 0, 0x3F, 0xFF, 0xFF, 0xFF, 1][..]);
        assert_eq!(decoder.next(&mut input), Ok(None));
        assert!(decoder.message.unwrap().tail.capacity() <= 64);
        assert!(input.capacity() <= 64);
    }

    #[test]
    fn a_message_of_single_bytes_costs_its_bytes() {
        let (mut decoder, length) = (Decoder::new(1 << 20), 3 * BLOCK + 1);
        let mut input = BytesMut::from(&frame(0x02, b"x")[..]);
        for _ in 2..length {
            input.extend_from_slice(&frame(0x00, b"x"));
        }
        input.extend_from_slice(&frame(0x80, b"x"));
        let Ok(Some(Event::Message(message))) = decoder.next(&mut input) else { panic!("no message") };
        assert_eq!((message.length, message.blocks.len()), (length, 4));
    }

    proptest! {
        #[test]
        fn any_bytes_decode_the_same_however_they_are_cut(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(0x81), Just(0x80), Just(1), Just(0)], 0..80),
            size in 1usize..16,
        ) {
            let (whole, whole_fault) = decode(&bytes, bytes.len().max(1));
            let (cut, cut_fault) = decode(&bytes, size);
            prop_assert_eq!(whole, cut);
            prop_assert_eq!(whole_fault, cut_fault);
        }

        #[test]
        fn another_implementation_reads_what_is_encoded(
            payload in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..300),
                Just(vec![7; 0xFFFF]),
                Just(vec![7; 0x10000]),
            ],
            mask in any::<[u8; MASK]>(),
            fin in any::<bool>(),
        ) {
            let mut out = BytesMut::new();
            encode(&mut out, Opcode::Binary, fin, mask, &payload);
            let mut socket = FrameSocket::new(Cursor::new(out.to_vec()));
            let mut frame = socket.read(WebSocketConfig::default().max_frame_size).unwrap().unwrap();
            prop_assert_eq!(frame.header().mask, Some(mask));
            prop_assert_eq!(frame.header().is_final, fin);
            prop_assert_eq!(frame.header().opcode, OpCode::from(2));
            frame.header_mut().mask = None;
            let unmasked: Vec<u8> = frame.payload().iter().zip(mask.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
            prop_assert_eq!(unmasked, payload);
        }
    }
}
