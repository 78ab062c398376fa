//! The multiplexer: the rules of section Link as a state machine, without a socket, a task or a clock.
//!
//! Messages, channel changes, time and local commands go in; [`Output`]s for the transport and [`Event`]s for the streams
//! come out. The same machine plays both roles.

mod state;
#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, VecDeque},
    time::Instant,
};

use bytes::Bytes;
use serde_json::{Map, Value};
use state::{Channel, Phase, StreamState};

use super::{
    frame::{Frame, FrameError, Reset, StreamId},
    ids::{IdError, UsedIds},
    transport::ChannelId,
};
use crate::generated::link::{ErrorCode, FrameType, channels, limits, timeouts};

/// Which side of the link this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The product: it answers, and its streams have even ids.
    Node,
    /// The page, as tests, benchmarks and the self-check play it: it offers, and its streams have odd ids.
    Page,
}

impl Role {
    /// The role as it stands in a HELLO.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Page => "page",
        }
    }

    const fn peer(self) -> Self {
        match self {
            Self::Node => Self::Page,
            Self::Page => Self::Node,
        }
    }

    const fn owns(self, id: StreamId) -> bool {
        match self {
            Self::Node => id.0.is_multiple_of(2),
            Self::Page => !id.0.is_multiple_of(2),
        }
    }
}

/// Where a stream of our own goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// On a channel of its own, or on the control channel when too many of those are open.
    OwnChannel,
    /// On the control channel.
    Control,
}

/// What the transport has to do, in order.
#[derive(Debug, PartialEq, Eq)]
pub enum Output {
    /// Create a channel.
    CreateChannel {
        /// Its number.
        channel: ChannelId,
        /// Its label.
        label: &'static str,
    },
    /// Send a text message.
    Text {
        /// The channel.
        channel: ChannelId,
        /// The message.
        text: String,
    },
    /// Send a binary message.
    Binary {
        /// The channel.
        channel: ChannelId,
        /// The message.
        data: Bytes,
    },
    /// Close a channel, once what was sent on it is out.
    CloseChannel(ChannelId),
}

/// What happened to the link or to a stream.
#[derive(Debug, PartialEq)]
pub enum Event {
    /// The peer's HELLO arrived.
    Linked(Map<String, Value>),
    /// The peer opened a stream. `open` has a `kind`, which is a string.
    Incoming {
        /// The stream.
        stream: StreamId,
        /// The OPEN.
        open: Map<String, Value>,
    },
    /// The peer accepted a stream of ours.
    Opened {
        /// The stream.
        stream: StreamId,
        /// The OPENED.
        opened: Map<String, Value>,
    },
    /// Bytes arrived.
    Data {
        /// The stream.
        stream: StreamId,
        /// The bytes, never empty.
        data: Bytes,
    },
    /// The peer sent its last byte.
    End {
        /// The stream.
        stream: StreamId,
    },
    /// The peer credited bytes, so that more may be sent.
    Credited {
        /// The stream.
        stream: StreamId,
        /// How many bytes.
        bytes: usize,
    },
    /// The stream is over: the peer reset it, broke a rule, or its channel closed.
    Reset {
        /// The stream.
        stream: StreamId,
        /// Why.
        reset: Reset,
    },
    /// The link is over. Nothing follows.
    Closed(CloseReason),
}

/// Why a link is closed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CloseReason {
    /// No HELLO in time.
    #[error("no HELLO from the {role} within 10 s", role = .0.as_str())]
    NoHello(Role),
    /// The first message isn't a HELLO of the right role and version.
    #[error("the first message of the {role} is not a valid HELLO", role = .0.as_str())]
    BadHello(Role),
    /// A text message after HELLO, or on a stream channel.
    #[error("the {role} sent a text message after HELLO", role = .0.as_str())]
    Text(Role),
    /// A message that isn't a frame.
    #[error("the peer sent {0}")]
    Frame(#[from] FrameError),
    /// An id of the wrong parity.
    #[error("the peer opened a stream with an id of the wrong parity")]
    WrongParity,
    /// An id that was used before.
    #[error("the peer opened a stream with an id it has used before")]
    ReusedId,
    /// Too many gaps between ids.
    #[error("the peer's stream ids are too scattered")]
    ScatteredIds,
    /// A second OPEN on a stream channel.
    #[error("the peer sent a second OPEN on a stream channel")]
    SecondOpen,
    /// Too much arrived before HELLO.
    #[error("the peer sent too much before its HELLO")]
    TooEarly,
    /// The control channel closed.
    #[error("the control channel closed")]
    ControlClosed,
    /// This side closed the link, or its transport did.
    #[error("{0}")]
    Local(String),
}

/// Why a stream of our own can't be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The peer's HELLO isn't there, or the link is closed.
    #[error("the link is not up")]
    NotLinked,
    /// Too many streams of our own are open, or all ids are used.
    #[error("too many streams are open")]
    TooMany,
    /// The OPEN doesn't fit into a frame.
    #[error("the OPEN is larger than a frame")]
    TooLarge,
}

/// The multiplexer of one link.
#[derive(Debug)]
pub struct Mux {
    role: Role,
    hello: String,
    phase: Phase,
    control: Option<ChannelId>,
    channels: HashMap<ChannelId, Channel>,
    own_stream_channels: usize,
    next_channel: u64,
    streams: HashMap<StreamId, StreamState>,
    peer_streams: usize,
    used: UsedIds,
    next_id: Option<u32>,
    early: VecDeque<(ChannelId, Bytes)>,
    early_bytes: usize,
    outputs: VecDeque<Output>,
    events: VecDeque<Event>,
}

impl Mux {
    /// A link whose transport is up. `hello` is our own HELLO, which goes out first. The peer has 10 s for its own.
    pub fn new(role: Role, hello: String, now: Instant) -> Self {
        let mut mux = Self {
            role,
            hello,
            phase: Phase::AwaitingHello { deadline: now + timeouts::HELLO },
            control: None,
            channels: HashMap::new(),
            own_stream_channels: 0,
            next_channel: 1,
            streams: HashMap::new(),
            peer_streams: 0,
            used: UsedIds::default(),
            next_id: Some(if role == Role::Node { 2 } else { 1 }),
            early: VecDeque::new(),
            early_bytes: 0,
            outputs: VecDeque::new(),
            events: VecDeque::new(),
        };
        if role == Role::Page {
            let control = mux.create_channel(channels::CONTROL, None);
            mux.control = Some(control);
        }
        mux
    }

    /// What the transport has to do next.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// What happened next.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// When [`Mux::handle_timeout`] wants to be called.
    pub fn poll_timeout(&self) -> Option<Instant> {
        match self.phase {
            Phase::AwaitingHello { deadline } => Some(deadline),
            Phase::Linked | Phase::Closed => None,
        }
    }

    /// Time has passed.
    pub fn handle_timeout(&mut self, now: Instant) {
        if let Phase::AwaitingHello { deadline } = self.phase
            && now >= deadline
        {
            self.close(CloseReason::NoHello(self.role.peer()));
        }
    }

    /// Whether the link is closed.
    pub fn is_closed(&self) -> bool {
        matches!(self.phase, Phase::Closed)
    }

    /// How many streams are open.
    pub fn stream_count(&self) -> usize {
        self.streams.len()
    }

    /// Whether a stream is open.
    pub fn has_stream(&self, stream: StreamId) -> bool {
        self.streams.contains_key(&stream)
    }

    /// A channel is open: one of ours, or one that the peer created.
    pub fn channel_open(&mut self, channel: ChannelId, label: &str) {
        if self.is_closed() {
            return;
        }
        if let Some(known) = self.channels.get_mut(&channel) {
            known.open = true;
            if self.control == Some(channel) {
                self.send_hello(channel);
            } else if let Some(stream) = known.stream {
                self.send_open(stream);
            }
            return;
        }
        match label {
            channels::CONTROL if self.control.is_none() => {
                self.channels.insert(channel, Channel::peers());
                self.control = Some(channel);
                self.send_hello(channel);
            }
            channels::STREAM => {
                self.channels.insert(channel, Channel::peers());
            }
            _ => self.outputs.push_back(Output::CloseChannel(channel)),
        }
    }

    /// A channel is closed, by either side.
    pub fn channel_closed(&mut self, channel: ChannelId) {
        let Some(gone) = self.channels.remove(&channel) else { return };
        if gone.ours && self.control != Some(channel) {
            self.own_stream_channels -= 1;
        }
        if self.control == Some(channel) {
            self.close(CloseReason::ControlClosed);
        } else if let Some(stream) = gone.stream
            && self.forget(stream).is_some()
        {
            let reset = Reset::new(ErrorCode::Econnreset, "the stream's channel closed");
            self.events.push_back(Event::Reset { stream, reset });
        }
    }

    /// A text message arrived.
    pub fn text(&mut self, channel: ChannelId, text: &str) {
        if self.is_closed() || !self.channels.contains_key(&channel) {
            return;
        }
        let peer = self.role.peer();
        if matches!(self.phase, Phase::Linked) || self.control != Some(channel) {
            return self.close(CloseReason::Text(peer));
        }
        match read_hello(text, peer) {
            None => self.close(CloseReason::BadHello(peer)),
            Some(hello) => {
                self.phase = Phase::Linked;
                self.events.push_back(Event::Linked(hello));
                self.early_bytes = 0;
                for (channel, message) in std::mem::take(&mut self.early) {
                    self.binary(channel, message);
                }
            }
        }
    }

    /// A binary message arrived.
    pub fn binary(&mut self, channel: ChannelId, message: Bytes) {
        if self.is_closed() || self.channels.get(&channel).is_none_or(|known| known.closing) {
            return;
        }
        if matches!(self.phase, Phase::AwaitingHello { .. }) {
            if self.control == Some(channel) {
                return self.close(CloseReason::BadHello(self.role.peer()));
            }
            self.early_bytes += message.len().max(limits::FRAME_HEADER);
            if self.early_bytes > limits::EARLY_BYTES {
                return self.close(CloseReason::TooEarly);
            }
            self.early.push_back((channel, message));
            return;
        }
        match Frame::decode(&message) {
            Ok(frame) if frame.kind == FrameType::Open => self.incoming(channel, &frame),
            Ok(frame) => self.receive(channel, frame),
            Err(error) => self.close(CloseReason::Frame(error)),
        }
    }

    /// Opens a stream of our own. `open` is the OPEN's JSON.
    ///
    /// # Errors
    /// [`OpenError`]; nothing was sent then.
    pub fn open(&mut self, open: Bytes, placement: Placement) -> Result<StreamId, OpenError> {
        let (Phase::Linked, Some(control)) = (&self.phase, self.control) else { return Err(OpenError::NotLinked) };
        if open.len() > limits::CONTROL_PAYLOAD {
            return Err(OpenError::TooLarge);
        }
        if self.streams.len() - self.peer_streams >= limits::STREAMS {
            return Err(OpenError::TooMany);
        }
        let id = self.next_id.ok_or(OpenError::TooMany)?;
        self.next_id = id.checked_add(2);
        let stream = StreamId(id);
        let own_channel = placement == Placement::OwnChannel
            && (self.role == Role::Page || self.own_stream_channels < limits::NODE_STREAM_CHANNELS);
        if own_channel {
            let channel = self.create_channel(channels::STREAM, Some(stream));
            self.own_stream_channels += 1;
            self.streams.insert(stream, StreamState::ours(channel, open));
        } else {
            self.streams.insert(stream, StreamState::ours(control, open));
            self.send_open(stream);
        }
        Ok(stream)
    }

    /// Accepts a stream of the peer's. `opened` is the OPENED's JSON. Without effect on any other stream.
    pub fn accept(&mut self, stream: StreamId, opened: &[u8]) {
        if let Some(state) = self.streams.get_mut(&stream)
            && !state.ours
            && !state.opened
        {
            state.opened = true;
            let channel = state.channel;
            self.frame(channel, FrameType::Opened, stream, opened);
        }
    }

    /// How many bytes of DATA may be sent now.
    pub fn send_capacity(&self, stream: StreamId) -> usize {
        self.streams.get(&stream).map_or(0, StreamState::send_capacity)
    }

    /// Sends DATA. What exceeds [`Mux::send_capacity`] or one frame is a mistake of the caller and isn't sent.
    pub fn send(&mut self, stream: StreamId, data: &[u8]) {
        debug_assert!(!data.is_empty() && data.len() <= limits::DATA.min(self.send_capacity(stream)));
        if let Some(state) = self.streams.get_mut(&stream)
            && !data.is_empty()
            && data.len() <= limits::DATA.min(state.send_capacity())
        {
            state.uncredited_by_peer += data.len();
            let channel = state.channel;
            self.frame(channel, FrameType::Data, stream, data);
        }
    }

    /// Credits bytes that were consumed.
    pub fn credit(&mut self, stream: StreamId, bytes: usize) {
        if let Some(state) = self.streams.get_mut(&stream) {
            let bytes = bytes.min(state.uncredited_by_us);
            state.uncredited_by_us -= bytes;
            let channel = state.channel;
            if bytes > 0 {
                self.frame(channel, FrameType::Credit, stream, &(bytes as u32).to_be_bytes());
            }
        }
    }

    /// Sends END. On a stream of our own that the peer hasn't accepted yet, END follows its OPENED.
    pub fn end(&mut self, stream: StreamId) {
        let Some(state) = self.streams.get_mut(&stream) else { return };
        state.end_wanted = true;
        if !state.opened || state.sent_end {
            return;
        }
        state.sent_end = true;
        let channel = state.channel;
        self.frame(channel, FrameType::End, stream, &[]);
        self.finish_when_both_ended(stream);
    }

    /// Resets a stream.
    pub fn reset(&mut self, stream: StreamId, reset: &Reset) {
        if let Some(state) = self.streams.get(&stream) {
            if state.open_pending.is_none() {
                self.frame(state.channel, FrameType::Reset, stream, &reset.encode());
            }
            self.forget(stream);
        }
    }

    /// Closes the link. [`Event::Closed`] follows, and every stream is over with it.
    pub fn close(&mut self, reason: CloseReason) {
        if self.is_closed() {
            return;
        }
        self.phase = Phase::Closed;
        self.streams.clear();
        self.early.clear();
        self.events.push_back(Event::Closed(reason));
    }

    fn create_channel(&mut self, label: &'static str, stream: Option<StreamId>) -> ChannelId {
        let channel = ChannelId(self.next_channel);
        self.next_channel += 2;
        self.channels.insert(channel, Channel::ours(stream));
        self.outputs.push_back(Output::CreateChannel { channel, label });
        channel
    }

    fn frame(&mut self, channel: ChannelId, kind: FrameType, stream: StreamId, payload: &[u8]) {
        self.outputs.push_back(Output::Binary { channel, data: Frame::encode(kind, stream, payload) });
    }

    fn send_hello(&mut self, channel: ChannelId) {
        let text = std::mem::take(&mut self.hello);
        self.outputs.push_back(Output::Text { channel, text });
    }

    fn send_open(&mut self, stream: StreamId) {
        if let Some(state) = self.streams.get_mut(&stream)
            && let Some(open) = state.open_pending.take()
        {
            let channel = state.channel;
            self.frame(channel, FrameType::Open, stream, &open);
        }
    }

    fn incoming(&mut self, channel: ChannelId, frame: &Frame) {
        let stream = frame.stream;
        if self.role.owns(stream) {
            return self.close(CloseReason::WrongParity);
        }
        match self.used.insert(stream.0) {
            Ok(()) => {}
            Err(IdError::Reused) => return self.close(CloseReason::ReusedId),
            Err(IdError::TooScattered) => return self.close(CloseReason::ScatteredIds),
        }
        if self.control != Some(channel)
            && let Some(known) = self.channels.get_mut(&channel)
            && known.stream.replace(stream).is_some()
        {
            return self.close(CloseReason::SecondOpen);
        }
        let refusal = if self.peer_streams >= limits::STREAMS {
            Some(Reset::new(ErrorCode::Ebusy, "too many streams are open"))
        } else if frame.payload.len() > limits::CONTROL_PAYLOAD {
            Some(Reset::new(ErrorCode::Eproto, "an OPEN larger than 64 KiB"))
        } else {
            None
        };
        let open = match (refusal, read_object(&frame.payload)) {
            (None, Some(open)) if open.get("kind").is_some_and(Value::is_string) => Ok(open),
            (refusal, _) => {
                Err(refusal.unwrap_or_else(|| Reset::new(ErrorCode::Eproto, "an OPEN without a JSON kind")))
            }
        };
        self.streams.insert(stream, StreamState::peers(channel));
        self.peer_streams += 1;
        match open {
            Ok(open) => self.events.push_back(Event::Incoming { stream, open }),
            Err(reset) => self.reset(stream, &reset),
        }
    }

    fn receive(&mut self, channel: ChannelId, frame: Frame) {
        let stream = frame.stream;
        let Some(state) = self.streams.get_mut(&stream).filter(|state| state.channel == channel) else { return };
        let outcome = match frame.kind {
            FrameType::Opened => state.opened(&frame.payload).map(|opened| Some(Event::Opened { stream, opened })),
            FrameType::Data => {
                state.data(frame.payload.len()).map(|()| Some(Event::Data { stream, data: frame.payload }))
            }
            FrameType::End => state.end().map(|()| Some(Event::End { stream })),
            FrameType::Credit => {
                let bytes = frame.credit();
                state.credited(bytes).map(|()| Some(Event::Credited { stream, bytes }))
            }
            FrameType::Reset => {
                self.forget(stream);
                Ok(Some(Event::Reset { stream, reset: Reset::parse(&frame.payload) }))
            }
            FrameType::Open => Ok(None),
        };
        match outcome {
            Ok(event) => self.events.extend(event),
            Err(violation) => {
                let reset = Reset::new(ErrorCode::Eproto, violation);
                self.reset(stream, &reset);
                self.events.push_back(Event::Reset { stream, reset });
                return;
            }
        }
        match frame.kind {
            FrameType::Opened if self.streams.get(&stream).is_some_and(|state| state.end_wanted) => self.end(stream),
            FrameType::End => self.finish_when_both_ended(stream),
            _ => {}
        }
    }

    fn finish_when_both_ended(&mut self, stream: StreamId) {
        if self.streams.get(&stream).is_some_and(|state| state.sent_end && state.got_end) {
            self.forget(stream);
        }
    }

    /// Drops a stream and closes its own channel.
    fn forget(&mut self, stream: StreamId) -> Option<StreamState> {
        let state = self.streams.remove(&stream)?;
        if !state.ours {
            self.peer_streams -= 1;
        }
        if self.control != Some(state.channel)
            && let Some(channel) = self.channels.get_mut(&state.channel)
            && !channel.closing
        {
            channel.closing = true;
            self.outputs.push_back(Output::CloseChannel(state.channel));
        }
        Some(state)
    }
}

fn read_object(bytes: &[u8]) -> Option<Map<String, Value>> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

fn read_hello(text: &str, role: Role) -> Option<Map<String, Value>> {
    let hello = read_object(text.as_bytes())?;
    let right_role = hello.get("role").and_then(Value::as_str) == Some(role.as_str());
    let right_version = hello.get("v").and_then(Value::as_f64).is_some_and(|v| v >= 1.0);
    (right_role && right_version).then_some(hello)
}
