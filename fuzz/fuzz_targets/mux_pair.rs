//! Two multiplexers against each other under any schedule: no side ever breaks a rule, and once all is delivered, the bytes of
//! each stream that nobody reset have arrived in order, and its END after the last one.
#![no_main]

use std::{
    collections::{BTreeMap, VecDeque},
    time::Instant,
};

use arbitrary::Arbitrary;
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use slicc::{
    generated::link::{ErrorCode, limits},
    link::{
        frame::{Reset, StreamId},
        mux::{Event, Mux, Output, Placement, Role},
        transport::ChannelId,
    },
};

/// What happens next. `side` is the node or the page; small numbers pick among its streams and the channels with messages.
#[derive(Debug, Arbitrary)]
struct Step {
    page: bool,
    action: Action,
}

#[derive(Debug, Arbitrary)]
enum Action {
    Open {
        control: bool,
    },
    Accept(u8),
    Send(u8, u32),
    Credit(u8, u32),
    End(u8),
    Reset(u8),
    /// A message arrives, or several.
    Deliver {
        channel: u8,
        messages: u8,
    },
}

/// One side's view of a stream.
#[derive(Debug, Default)]
struct Half {
    sent: usize,
    got: usize,
    held: usize,
    ended: bool,
    peer_ended: bool,
    over: bool,
}

struct Side {
    mux: Mux,
    streams: BTreeMap<StreamId, Half>,
    /// What is under way to this side: each channel keeps its order, and channels overtake one another.
    inbox: BTreeMap<ChannelId, VecDeque<Output>>,
}

impl Side {
    fn new(role: Role) -> Self {
        let hello = format!(r#"{{"v":1,"role":"{}"}}"#, role.as_str());
        Self { mux: Mux::new(role, hello, Instant::now()), streams: BTreeMap::new(), inbox: BTreeMap::new() }
    }

    fn pick(&self, pick: u8) -> Option<StreamId> {
        self.streams.keys().nth(usize::from(pick) % self.streams.len().max(1)).copied()
    }

    fn half(&mut self, stream: StreamId) -> &mut Half {
        self.streams.get_mut(&stream).expect("a stream that was opened")
    }

    fn deliver(&mut self, pick: u8) {
        let waiting = self.inbox.values().filter(|queue| !queue.is_empty()).count();
        let nth = usize::from(pick) % waiting.max(1);
        let Some((channel, queue)) = self.inbox.iter_mut().filter(|(_, queue)| !queue.is_empty()).nth(nth) else {
            return;
        };
        let message = queue.pop_front().expect("it isn't empty");
        match message {
            Output::CreateChannel { label, .. } => self.mux.channel_open(*channel, label),
            Output::Text { text, .. } => self.mux.text(*channel, &text),
            Output::Binary { data, .. } => self.mux.binary(*channel, data),
            Output::CloseChannel(_) => self.mux.channel_closed(*channel),
        }
        self.events();
    }

    fn events(&mut self) {
        while let Some(event) = self.mux.poll_event() {
            match event {
                Event::Linked(_) | Event::Opened { .. } | Event::Credited { .. } => {}
                Event::Incoming { stream, .. } => assert!(self.streams.insert(stream, Half::default()).is_none()),
                Event::Data { stream, data } => {
                    let half = self.half(stream);
                    assert!(!half.peer_ended && !half.over);
                    for byte in &data {
                        assert_eq!(*byte, content(stream, half.got), "bytes arrive in order");
                        half.got += 1;
                    }
                    half.held += data.len();
                    assert!(half.held <= limits::WINDOW);
                }
                Event::End { stream } => self.half(stream).peer_ended = true,
                Event::Reset { stream, reset } => {
                    assert_ne!(reset.code, "EPROTO", "{reset}");
                    self.half(stream).over = true;
                }
                Event::Closed(reason) => panic!("two well-behaved sides never close the link: {reason}"),
            }
        }
    }

    fn act(&mut self, action: &Action) {
        match *action {
            Action::Open { control } => {
                let placement = if control { Placement::Control } else { Placement::OwnChannel };
                // Refused past the limit.
                if let Ok(stream) = self.mux.open(Bytes::from_static(br#"{"kind":"tcp"}"#), placement) {
                    assert!(self.streams.insert(stream, Half::default()).is_none());
                }
            }
            Action::Accept(pick) => {
                if let Some(stream) = self.pick(pick) {
                    self.mux.accept(stream, b"{}");
                }
            }
            Action::Send(pick, length) => {
                if let Some(stream) = self.pick(pick) {
                    let length = (length as usize).min(self.mux.send_capacity(stream)).min(limits::DATA);
                    let half = self.half(stream);
                    let data: Vec<u8> = (half.sent..half.sent + length).map(|at| content(stream, at)).collect();
                    half.sent += length;
                    if length > 0 {
                        self.mux.send(stream, &data);
                    }
                }
            }
            Action::Credit(pick, bytes) => {
                if let Some(stream) = self.pick(pick) {
                    let half = self.half(stream);
                    let bytes = (bytes as usize).min(half.held);
                    half.held -= bytes;
                    self.mux.credit(stream, bytes);
                }
            }
            Action::End(pick) => {
                if let Some(stream) = self.pick(pick)
                    && self.mux.has_stream(stream)
                {
                    self.half(stream).ended = true;
                    self.mux.end(stream);
                }
            }
            Action::Reset(pick) => {
                if let Some(stream) = self.pick(pick) {
                    if self.mux.has_stream(stream) {
                        self.half(stream).over = true;
                    }
                    self.mux.reset(stream, &Reset::new(ErrorCode::Econnreset, ""));
                }
            }
            Action::Deliver { channel, messages } => {
                for _ in 0..=messages % 8 {
                    self.deliver(channel);
                }
            }
        }
        self.events();
    }
}

/// The byte of a stream at this place, from either side.
fn content(stream: StreamId, at: usize) -> u8 {
    (stream.0 as usize).wrapping_mul(31).wrapping_add(at.wrapping_mul(7)).wrapping_add(at >> 8) as u8
}

/// The peer's number of a channel. Both sides create odd ones.
fn theirs(channel: ChannelId) -> ChannelId {
    ChannelId(channel.0 ^ (1 << 40))
}

/// Puts what one side wants to send under way to the other.
fn collect(from: &mut Side, to: &mut Side) {
    while let Some(output) = from.mux.poll_output() {
        let channel = match &output {
            Output::CreateChannel { channel, .. }
            | Output::Text { channel, .. }
            | Output::Binary { channel, .. }
            | Output::CloseChannel(channel) => *channel,
        };
        match &output {
            Output::CreateChannel { label, .. } => from.mux.channel_open(channel, label),
            Output::CloseChannel(_) => from.mux.channel_closed(channel),
            Output::Text { .. } | Output::Binary { .. } => {}
        }
        to.inbox.entry(theirs(channel)).or_default().push_back(output);
    }
    from.events();
}

fn exchange(sides: &mut [Side; 2]) {
    let [node, page] = sides;
    collect(node, page);
    collect(page, node);
}

fn settle(sides: &mut [Side; 2]) {
    loop {
        exchange(sides);
        let Some(side) = sides.iter_mut().find(|side| side.inbox.values().any(|queue| !queue.is_empty())) else {
            return;
        };
        side.deliver(0);
    }
}

fuzz_target!(|steps: Vec<Step>| {
    let mut sides = [Side::new(Role::Node), Side::new(Role::Page)];
    settle(&mut sides);
    for step in &steps {
        sides[usize::from(step.page)].act(&step.action);
        exchange(&mut sides);
    }
    settle(&mut sides);
    let [node, page] = &sides;
    for (ours, peer) in [(node, page), (page, node)] {
        for (stream, half) in &ours.streams {
            let far = peer.streams.get(stream).expect("every OPEN arrives");
            if !half.over && !far.over {
                assert_eq!(half.sent, far.got, "every byte arrives");
                // An END on a stream that was never accepted waits for its OPENED.
                if far.peer_ended {
                    assert!(half.ended);
                } else if half.ended {
                    assert!(ours.mux.has_stream(*stream));
                }
            }
        }
    }
});
