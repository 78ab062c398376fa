//! A node's multiplexer under any sequence of channel changes, messages and local commands: what it sends goes out on open
//! channels only and keeps to the credit rules, what it holds stays inside the windows, and nothing follows the end.
#![no_main]

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use arbitrary::Arbitrary;
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use slicc::{
    generated::link::{ErrorCode, FrameType, channels, limits},
    link::{
        frame::{Frame, Reset, StreamId},
        mux::{CloseReason, Event, Mux, Output, Placement, Role},
        transport::ChannelId,
    },
};

const HELLO: &str = r#"{"v":1,"role":"node"}"#;

/// What the page, the transport or the node does next. Small numbers pick among the channels and streams that there were.
#[derive(Debug, Arbitrary)]
enum Step<'a> {
    /// The page opens a channel.
    PageOpens(Label),
    /// A channel that the node asked for is open.
    Opened(u8),
    /// A channel is closed.
    Closed(u8),
    Text(u8, Text<'a>),
    Frame {
        channel: u8,
        kind: u8,
        stream: u8,
        payload: Payload<'a>,
    },
    Binary(u8, &'a [u8]),
    Accept(u8),
    Send(u8, u32),
    Credit(u8, u32),
    End(u8),
    Reset(u8),
    Open {
        control: bool,
        large: bool,
    },
    Passes {
        milliseconds: u16,
    },
    Close,
}

#[derive(Debug, Arbitrary)]
enum Label {
    Control,
    Stream,
    Other,
}

#[derive(Debug, Arbitrary)]
enum Text<'a> {
    Hello,
    Any(&'a str),
}

#[derive(Debug, Arbitrary)]
enum Payload<'a> {
    /// The OPEN of some kind, or a JSON object that any OPENED is.
    Json,
    Any(&'a [u8]),
    Zeros(u32),
    Number(u32),
}

impl Payload<'_> {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Json => br#"{"kind":"tcp"}"#.to_vec(),
            Self::Any(bytes) => bytes.to_vec(),
            // Past the largest DATA at times.
            Self::Zeros(length) => vec![0; *length as usize % (limits::DATA + 2)],
            Self::Number(number) => number.to_be_bytes().to_vec(),
        }
    }
}

/// A channel as the transport sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Asked for by the node, not open yet.
    Created,
    Open,
    /// The node has closed it, the transport not yet.
    Closing,
    Closed,
}

/// What a peer would know of a stream.
#[derive(Debug, Default)]
struct Seen {
    /// DATA that arrived and wasn't credited.
    held: usize,
    /// DATA that was sent and wasn't credited.
    sent: usize,
    accepted: bool,
    ended_by_peer: bool,
    ended_by_us: bool,
    over: bool,
}

struct Harness {
    mux: Mux,
    now: Instant,
    channels: Vec<(ChannelId, State)>,
    control: Option<ChannelId>,
    streams: HashMap<StreamId, Seen>,
    ids: Vec<StreamId>,
    said_hello: bool,
    linked: bool,
    closed: bool,
}

impl Harness {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            mux: Mux::new(Role::Node, HELLO.to_owned(), now),
            now,
            channels: Vec::new(),
            control: None,
            streams: HashMap::new(),
            ids: Vec::new(),
            said_hello: false,
            linked: false,
            closed: false,
        }
    }

    fn channel(&self, pick: u8) -> Option<ChannelId> {
        self.channels.get(usize::from(pick) % self.channels.len().max(1)).map(|(id, _)| *id)
    }

    fn state(&mut self, channel: ChannelId) -> &mut State {
        self.channels
            .iter_mut()
            .find(|(id, _)| *id == channel)
            .map(|(_, state)| state)
            .expect("a channel that there is")
    }

    fn stream(&self, pick: u8) -> Option<StreamId> {
        self.ids.get(usize::from(pick) % self.ids.len().max(1)).copied()
    }

    fn apply(&mut self, step: &Step) {
        match step {
            Step::PageOpens(label) => {
                let channel = ChannelId(2 * self.channels.len() as u64);
                let label = match label {
                    Label::Control => channels::CONTROL,
                    Label::Stream => channels::STREAM,
                    Label::Other => "other",
                };
                self.channels.push((channel, State::Open));
                if label == channels::CONTROL && self.control.is_none() && !self.closed {
                    self.control = Some(channel);
                }
                self.mux.channel_open(channel, label);
            }
            Step::Opened(pick) => {
                if let Some(channel) = self.channel(*pick)
                    && *self.state(channel) == State::Created
                {
                    *self.state(channel) = State::Open;
                    self.mux.channel_open(channel, channels::STREAM);
                }
            }
            Step::Closed(pick) => {
                if let Some(channel) = self.channel(*pick) {
                    *self.state(channel) = State::Closed;
                    self.mux.channel_closed(channel);
                }
            }
            Step::Text(pick, text) => {
                let text = match text {
                    Text::Hello => r#"{"v":1,"role":"page","caps":["kernel-in"]}"#,
                    Text::Any(text) => text,
                };
                self.message(*pick, |mux, channel| mux.text(channel, text));
            }
            Step::Frame { channel, kind, stream, payload } => {
                let mut bytes = vec![kind % 7];
                bytes.extend_from_slice(&u32::from(*stream).to_be_bytes());
                bytes.extend_from_slice(&payload.bytes());
                self.message(*channel, |mux, channel| mux.binary(channel, bytes.into()));
            }
            Step::Binary(pick, bytes) => {
                self.message(*pick, |mux, channel| mux.binary(channel, Bytes::copy_from_slice(bytes)));
            }
            Step::Accept(pick) => {
                if let Some(stream) = self.stream(*pick) {
                    self.mux.accept(stream, b"{}");
                }
            }
            Step::Send(pick, length) => {
                if let Some(stream) = self.stream(*pick) {
                    let length = (*length as usize).min(self.mux.send_capacity(stream)).min(limits::DATA);
                    if length > 0 {
                        self.mux.send(stream, &vec![0; length]);
                    }
                }
            }
            Step::Credit(pick, bytes) => {
                if let Some(stream) = self.stream(*pick) {
                    self.mux.credit(stream, *bytes as usize);
                }
            }
            Step::End(pick) => {
                if let Some(stream) = self.stream(*pick) {
                    self.mux.end(stream);
                }
            }
            Step::Reset(pick) => {
                if let Some(stream) = self.stream(*pick) {
                    self.mux.reset(stream, &Reset::new(ErrorCode::Econnreset, "ä".repeat(usize::from(*pick) * 300)));
                    assert!(!self.mux.has_stream(stream));
                }
            }
            Step::Open { control, large } => {
                let size = if *large { limits::CONTROL_PAYLOAD + 1 } else { 10 };
                let placement = if *control { Placement::Control } else { Placement::OwnChannel };
                if let Ok(stream) = self.mux.open(Bytes::from(vec![b' '; size]), placement) {
                    assert!(self.linked && !large && stream.0.is_multiple_of(2));
                    assert!(self.streams.insert(stream, Seen::default()).is_none(), "a new id");
                    self.ids.push(stream);
                }
            }
            Step::Passes { milliseconds } => {
                self.now += Duration::from_millis(u64::from(*milliseconds));
                self.mux.handle_timeout(self.now);
                assert!(self.mux.poll_timeout().is_none_or(|at| at > self.now), "nothing is overdue");
            }
            Step::Close => self.mux.close(CloseReason::Local("the test is over".to_owned())),
        }
    }

    /// A message on a channel that delivers some: one that is closing still does, and one that is closed no more.
    fn message(&mut self, pick: u8, deliver: impl FnOnce(&mut Mux, ChannelId)) {
        if let Some(channel) = self.channel(pick)
            && matches!(*self.state(channel), State::Open | State::Closing)
        {
            deliver(&mut self.mux, channel);
        }
    }

    fn check(&mut self) {
        let was_closed = self.closed;
        // In the order in which they came about, a frame follows the events that it depends on.
        let events: Vec<_> = std::iter::from_fn(|| self.mux.poll_event()).collect();
        let outputs: Vec<_> = std::iter::from_fn(|| self.mux.poll_output()).collect();
        assert!(!was_closed || (events.is_empty() && outputs.is_empty()), "nothing follows the end");
        for event in events {
            self.event(event);
        }
        for output in outputs {
            self.output(output);
        }
        assert_eq!(self.closed, self.mux.is_closed());
        let open = self.streams.iter().filter(|(id, _)| self.mux.has_stream(**id)).count();
        assert_eq!(open, self.mux.stream_count());
        for (id, seen) in &self.streams {
            assert!(seen.held <= limits::WINDOW && seen.sent <= limits::WINDOW, "{id:?}: {seen:?}");
            if self.mux.has_stream(*id) {
                assert!(!seen.over);
                assert_eq!(
                    self.mux.send_capacity(*id),
                    if seen.accepted && !seen.ended_by_us { limits::WINDOW - seen.sent } else { 0 }
                );
            }
        }
    }

    fn event(&mut self, event: Event) {
        assert!(!self.closed, "nothing follows the end");
        match event {
            Event::Linked(hello) => {
                assert!(!self.linked && hello.get("role").is_some_and(|role| role == "page"));
                self.linked = true;
            }
            Event::Incoming { stream, open } => {
                assert!(self.linked && !stream.0.is_multiple_of(2) && open["kind"].is_string());
                assert!(self.streams.insert(stream, Seen::default()).is_none(), "a new id");
                self.ids.push(stream);
            }
            Event::Opened { stream, .. } => {
                assert!(stream.0.is_multiple_of(2));
                let seen = self.live(stream);
                assert!(!seen.accepted);
                seen.accepted = true;
            }
            Event::Data { stream, data } => {
                let seen = self.live(stream);
                assert!(seen.accepted && !seen.ended_by_peer && !data.is_empty() && data.len() <= limits::DATA);
                seen.held += data.len();
            }
            Event::End { stream } => {
                let seen = self.live(stream);
                assert!(seen.accepted && !seen.ended_by_peer);
                seen.ended_by_peer = true;
            }
            Event::Credited { stream, bytes } => {
                let seen = self.live(stream);
                assert!((1..=seen.sent).contains(&bytes));
                seen.sent -= bytes;
            }
            Event::Reset { stream, reset } => {
                assert!(!reset.code.is_empty());
                self.live(stream).over = true;
            }
            Event::Closed(_) => self.closed = true,
        }
    }

    fn live(&mut self, stream: StreamId) -> &mut Seen {
        let seen = self.streams.get_mut(&stream).expect("a stream that there is");
        assert!(!seen.over, "{stream:?} is over");
        seen
    }

    fn output(&mut self, output: Output) {
        match output {
            Output::CreateChannel { channel, label } => {
                assert!(self.linked && label == channels::STREAM && !channel.0.is_multiple_of(2));
                assert!(self.channels.iter().all(|(id, _)| *id != channel), "a new number");
                self.channels.push((channel, State::Created));
                let ours =
                    self.channels.iter().filter(|(id, state)| !id.0.is_multiple_of(2) && *state != State::Closed);
                assert!(ours.count() <= limits::NODE_STREAM_CHANNELS);
            }
            Output::Text { channel, text } => {
                assert!(
                    self.control == Some(channel) && text == HELLO && !self.said_hello,
                    "one HELLO, and no other text"
                );
                assert_eq!(*self.state(channel), State::Open);
                self.said_hello = true;
            }
            Output::CloseChannel(channel) => {
                assert_ne!(self.control, Some(channel));
                let state = self.state(channel);
                assert!(matches!(state, State::Created | State::Open), "a channel is closed once");
                *state = State::Closing;
            }
            Output::Binary { channel, data } => {
                assert_eq!(*self.state(channel), State::Open, "frames go out on open channels");
                assert!(self.said_hello && self.linked);
                self.sent(&Frame::decode(&data).expect("what goes out is a frame"));
            }
        }
    }

    fn sent(&mut self, frame: &Frame) {
        let length = frame.payload.len();
        let Some(seen) = self.streams.get_mut(&frame.stream) else {
            assert_eq!(frame.kind, FrameType::Reset, "an OPEN that was refused got no further");
            return;
        };
        match frame.kind {
            FrameType::Open => assert!(frame.stream.0.is_multiple_of(2)),
            FrameType::Opened => {
                assert!(!frame.stream.0.is_multiple_of(2) && !seen.accepted);
                seen.accepted = true;
            }
            FrameType::Data => {
                assert!(seen.accepted && !seen.ended_by_us && (1..=limits::DATA).contains(&length));
                seen.sent += length;
            }
            FrameType::End => {
                assert!(seen.accepted && !seen.ended_by_us);
                seen.ended_by_us = true;
            }
            FrameType::Credit => {
                let bytes = u32::from_be_bytes(frame.payload[..].try_into().expect("four bytes")) as usize;
                assert!((1..=seen.held).contains(&bytes), "no more is credited than is held");
                seen.held -= bytes;
            }
            FrameType::Reset => {
                assert!(length <= limits::CONTROL_PAYLOAD && str::from_utf8(&frame.payload).is_ok());
                seen.over = true;
            }
        }
    }
}

fuzz_target!(|steps: Vec<Step>| {
    let mut harness = Harness::new();
    for step in &steps {
        harness.apply(step);
        harness.check();
    }
});
