//! The driver of one link: it carries messages between a transport, the multiplexer and the streams.
//!
//! It runs on the link's own thread and never blocks on a service. One fair writer sends the streams' DATA in turns,
//! inside the transport's budget.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
    time::Instant,
};

use bytes::Bytes;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use super::{
    Stream,
    frame::{Reset, StreamId},
    mux::{CloseReason, Event, Mux, OpenError, Output, Placement, Role},
    shared::{Marks, Shared},
    transport::{Transport, TransportEvent},
};
use crate::{
    generated::link::{ErrorCode, limits},
    signal::Candidate,
};

/// What the driver is told.
#[derive(Debug)]
pub(super) enum Command {
    /// One of the peer's candidates.
    Candidate(Option<Candidate>),
    /// Open a stream.
    Open {
        /// The OPEN's JSON.
        open: Bytes,
        /// Where it goes.
        placement: Placement,
        /// Takes the stream.
        reply: oneshot::Sender<Result<Stream, OpenError>>,
    },
    /// Close the link.
    Close {
        /// Why, for people to read.
        reason: String,
    },
}

/// What happens on a link.
#[derive(Debug)]
pub enum LinkEvent {
    /// One of our candidates, or the end of them.
    Candidate(Option<Candidate>),
    /// The peer's HELLO arrived.
    Linked(Map<String, Value>),
    /// The peer opened a stream.
    Incoming(Incoming),
    /// The link is over. Nothing follows.
    Down {
        /// Why.
        reason: CloseReason,
    },
}

/// A stream that the peer opened.
#[derive(Debug)]
pub struct Incoming {
    /// The OPEN; its `kind` is a string.
    pub open: Map<String, Value>,
    /// The stream.
    pub stream: Stream,
}

/// The driver's state.
struct Driver<T> {
    transport: T,
    role: Role,
    hello: String,
    mux: Option<Mux>,
    marks: Arc<Marks>,
    streams: HashMap<StreamId, Arc<Shared>>,
    /// Streams with DATA to send and room in their window, in turn.
    ready: VecDeque<StreamId>,
    queued: HashSet<StreamId>,
    events: mpsc::Sender<LinkEvent>,
    /// Events that found the channel full. Streams bound their number.
    waiting: VecDeque<LinkEvent>,
    starved: bool,
}

/// Drives a link until it is over. `hello` is our own HELLO.
pub(super) async fn run<T: Transport>(
    transport: T,
    role: Role,
    hello: String,
    mut commands: mpsc::Receiver<Command>,
    events: mpsc::Sender<LinkEvent>,
) {
    let marks = Arc::new(Marks::default());
    let mut driver = Driver {
        transport,
        role,
        hello,
        mux: None,
        marks: marks.clone(),
        streams: HashMap::new(),
        ready: VecDeque::new(),
        queued: HashSet::new(),
        events,
        waiting: VecDeque::new(),
        starved: false,
    };
    let reason = loop {
        if let Some(reason) = driver.pump().await {
            break reason;
        }
        let deadline = driver.mux.as_ref().and_then(Mux::poll_timeout);
        let timeout = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                None => std::future::pending().await,
            }
        };
        let events = driver.events.clone();
        tokio::select! {
            event = driver.transport.next_event() => driver.handle(event),
            () = driver.transport.budget_grown(), if driver.starved => driver.starved = false,
            command = commands.recv() => driver.command(command).await,
            () = marks.marked() => driver.serve_marks(),
            permit = events.reserve(), if !driver.waiting.is_empty() => match permit {
                Ok(permit) => if let Some(event) = driver.waiting.pop_front() { permit.send(event) },
                Err(_) => driver.close("the node is gone"),
            },
            () = timeout => if let Some(mux) = &mut driver.mux { mux.handle_timeout(Instant::now()) },
        }
    };
    // Whoever sees a stream fail must be able to tell the link's end from a reset of that stream alone.
    commands.close();
    driver.finish(reason).await;
}

impl<T: Transport> Driver<T> {
    fn close(&mut self, reason: &str) {
        let reason = CloseReason::Local(reason.to_owned());
        // Before the connection is up there is no multiplexer that could be closed, so one is made to say so.
        let (role, now) = (self.role, Instant::now());
        self.mux.get_or_insert_with(|| Mux::new(role, String::new(), now)).close(reason);
    }

    fn handle(&mut self, event: TransportEvent) {
        match event {
            TransportEvent::LocalCandidate(candidate) => self.emit(LinkEvent::Candidate(candidate)),
            TransportEvent::Connected => {
                if self.mux.is_none() {
                    self.mux = Some(Mux::new(self.role, std::mem::take(&mut self.hello), Instant::now()));
                }
            }
            TransportEvent::Closed { reason } => self.close(&reason),
            other => {
                let Some(mux) = &mut self.mux else { return };
                match other {
                    TransportEvent::ChannelOpen { channel, label } => mux.channel_open(channel, &label),
                    TransportEvent::ChannelClosed { channel } => mux.channel_closed(channel),
                    TransportEvent::Text { channel, text } => mux.text(channel, &text),
                    TransportEvent::Binary { channel, data } => mux.binary(channel, data),
                    _ => {}
                }
            }
        }
    }

    async fn command(&mut self, command: Option<Command>) {
        match command {
            None => self.close("closed"),
            Some(Command::Close { reason }) => self.close(&reason),
            Some(Command::Candidate(candidate)) => {
                // A candidate that can't be used is one path less, not the end of the link.
                if let Err(error) = self.transport.add_candidate(candidate).await {
                    tracing::debug!(%error, "a candidate of the page was not taken");
                }
            }
            Some(Command::Open { open, placement, reply }) => {
                let opened = match &mut self.mux {
                    Some(mux) => mux.open(open, placement),
                    None => Err(OpenError::NotLinked),
                };
                let stream = opened.map(|id| Stream::new(self.add(id)));
                // A caller that is gone drops the stream, which resets it.
                drop(reply.send(stream));
            }
        }
    }

    fn add(&mut self, id: StreamId) -> Arc<Shared> {
        let shared = Shared::new(id, self.marks.clone());
        self.streams.insert(id, shared.clone());
        shared
    }

    fn emit(&mut self, event: LinkEvent) {
        self.waiting.push_back(event);
        while let Ok(permit) = self.events.try_reserve() {
            let Some(event) = self.waiting.pop_front() else { break };
            permit.send(event);
        }
    }

    /// Does what streams have asked for.
    fn serve_marks(&mut self) {
        for id in self.marks.take() {
            let (Some(shared), Some(mux)) = (self.streams.get(&id).cloned(), &mut self.mux) else { continue };
            let wants = shared.take_wants();
            if let Some(opened) = wants.accept {
                mux.accept(id, &opened);
            }
            if wants.credit > 0 {
                mux.credit(id, wants.credit);
            }
            if let Some(reset) = wants.reset {
                mux.reset(id, &reset);
                self.streams.remove(&id);
                continue;
            }
            self.schedule(id, &shared);
        }
    }

    /// Puts a stream in the writer's queue, or sends its END when nothing precedes it.
    fn schedule(&mut self, id: StreamId, shared: &Shared) {
        let Some(mux) = &mut self.mux else { return };
        match shared.has_output() {
            (true, _) => {
                if mux.send_capacity(id) > 0 && self.queued.insert(id) {
                    self.ready.push_back(id);
                }
            }
            (false, true) => {
                mux.end(id);
                self.drop_finished(id);
            }
            (false, false) => {}
        }
    }

    fn drop_finished(&mut self, id: StreamId) {
        if self.mux.as_ref().is_none_or(|mux| !mux.has_stream(id)) {
            self.streams.remove(&id);
        }
    }

    /// Moves everything that can move. Returns the reason once the link is over.
    async fn pump(&mut self) -> Option<CloseReason> {
        loop {
            let closed = self.take_events();
            self.flush().await;
            if closed.is_none() && self.transport.unacknowledged() > limits::UNACKNOWLEDGED {
                self.close("the peer does not read what it is sent");
                continue;
            }
            if closed.is_none() && self.waiting.len() > limits::STREAMS {
                self.close("the peer opens streams faster than they can be served");
                continue;
            }
            if closed.is_some() {
                return closed;
            }
            if !self.write().await {
                return None;
            }
        }
    }

    fn take_events(&mut self) -> Option<CloseReason> {
        while let Some(event) = self.mux.as_mut().and_then(Mux::poll_event) {
            match event {
                Event::Linked(hello) => self.emit(LinkEvent::Linked(hello)),
                Event::Incoming { stream, open } => {
                    let stream = Stream::new(self.add(stream));
                    self.emit(LinkEvent::Incoming(Incoming { open, stream }));
                }
                Event::Opened { stream, opened } => {
                    if let Some(shared) = self.streams.get(&stream).cloned() {
                        shared.set_opened(opened);
                        self.schedule(stream, &shared);
                    }
                }
                Event::Data { stream, data } => {
                    let unread = self.streams.get(&stream).map_or(data.len(), |shared| shared.push(data));
                    if let Some(mux) = &mut self.mux {
                        mux.credit(stream, unread);
                    }
                }
                Event::End { stream } => {
                    if let Some(shared) = self.streams.get(&stream) {
                        shared.push_end();
                    }
                    self.drop_finished(stream);
                }
                Event::Credited { stream, bytes } => {
                    if let Some(shared) = self.streams.get(&stream).cloned() {
                        shared.credited(bytes);
                        self.schedule(stream, &shared);
                    }
                }
                Event::Reset { stream, reset } => {
                    if let Some(shared) = self.streams.remove(&stream) {
                        shared.fail(reset);
                    }
                }
                Event::Closed(reason) => return Some(reason),
            }
        }
        None
    }

    /// Hands the multiplexer's messages to the transport.
    async fn flush(&mut self) {
        while let Some(output) = self.mux.as_mut().and_then(Mux::poll_output) {
            let sent = match output {
                Output::CreateChannel { channel, label } => self.transport.create_channel(channel, label).await,
                Output::Text { channel, text } => self.transport.send_text(channel, &text).await,
                Output::Binary { channel, data } => self.transport.send(channel, data).await,
                Output::CloseChannel(channel) => {
                    self.transport.close_channel(channel).await;
                    Ok(())
                }
            };
            // The channel's or the connection's end comes as an event of its own.
            if let Err(error) = sent {
                tracing::debug!(%error, "a message was not sent");
            }
        }
    }

    /// Sends one piece of DATA of the stream whose turn it is. Returns whether it did.
    async fn write(&mut self) -> bool {
        if self.ready.is_empty() || self.starved {
            return false;
        }
        if self.transport.send_budget().await == 0 {
            self.starved = true;
            return false;
        }
        let (Some(id), Some(mux)) = (self.ready.pop_front(), &mut self.mux) else { return false };
        self.queued.remove(&id);
        if let Some(shared) = self.streams.get(&id).cloned() {
            let max = mux.send_capacity(id).min(self.transport.preferred_data()).min(limits::DATA);
            let data = shared.take_data(max);
            if !data.is_empty() {
                mux.send(id, &data);
            }
            self.schedule(id, &shared);
        }
        true
    }

    async fn finish(mut self, reason: CloseReason) {
        self.flush().await;
        let reset = Reset::new(ErrorCode::Econnreset, "the link is down");
        for shared in self.streams.values() {
            shared.fail(reset.clone());
        }
        self.transport.close().await;
        // Nobody may be listening any more, and then there is nobody to tell.
        for event in self.waiting.drain(..).chain([LinkEvent::Down { reason }]) {
            if self.events.send(event).await.is_err() {
                break;
            }
        }
    }
}
