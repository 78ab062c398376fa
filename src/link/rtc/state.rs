//! What a connection knows of its channels, and how the stack's events become a link's.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::Waker,
    time::{Duration, Instant},
};

use futures_util::stream::FuturesUnordered;
use webrtc::{
    data_channel::{DataChannel, DataChannelEvent, RTCDataChannelMessage},
    error::Error,
    peer_connection::RTCPeerConnectionState,
};

use super::handler::Signal;
use crate::{
    generated::link::limits,
    link::{
        pacing::Pacer,
        transport::{ChannelId, TransportEvent},
    },
    signal::Candidate,
};

/// What a connection waits for.
pub(super) enum Awaited {
    /// A channel's next event; `None` when the stack will have no more.
    Channel(ChannelId, Option<DataChannelEvent>),
    /// The numbers of closed channels can be used again, for this channel.
    Settled(ChannelId),
    /// The stack has created a channel.
    Created(ChannelId, Result<Arc<dyn DataChannel>, Error>),
    /// A channel is closed: from here at this time, or by the peer.
    Closing(Option<Instant>),
    /// The round trip of the path, when one was measured, and after which time to measure again.
    RoundTrip(Option<Duration>, Duration),
}

pub(super) type Wait = Pin<Box<dyn Future<Output = Awaited> + Send>>;

struct Channel {
    stack: Arc<dyn DataChannel>,
    label: String,
    is_open: bool,
    is_closing: bool,
    /// Messages that arrived.
    heard: Arc<AtomicU64>,
    /// Bytes handed over and, when last looked at, not acknowledged.
    outstanding: usize,
}

impl Channel {
    fn new(stack: Arc<dyn DataChannel>, label: String, is_open: bool) -> Self {
        Self { stack, label, is_open, is_closing: false, heard: Arc::default(), outstanding: 0 }
    }
}

/// The mutable part of a connection. Nothing in it waits.
pub(super) struct State {
    channels: HashMap<ChannelId, Channel>,
    /// Channels with outstanding bytes.
    busy: BTreeSet<ChannelId>,
    /// Channels of ours that are being created, with their labels.
    creating: HashMap<ChannelId, String>,
    next_channel: u64,
    /// Channels that there have been.
    total: u64,
    ready: VecDeque<TransportEvent>,
    pub(super) waits: FuturesUnordered<Wait>,
    /// Who polls for events, to be told of a new wait.
    pub(super) waker: Option<Waker>,
    pub(super) pacer: Pacer,
    /// The media section's id, for local candidates.
    pub(super) mid: String,
    pub(super) connected: bool,
    /// When a channel was last closed from here.
    pub(super) last_close: Option<Instant>,
    ended: Option<String>,
    connect_timeout: Duration,
}

impl State {
    pub(super) fn new(now: Instant, mid: String, connect_timeout: Duration) -> Self {
        Self {
            channels: HashMap::new(),
            busy: BTreeSet::new(),
            creating: HashMap::new(),
            next_channel: 0,
            total: 0,
            ready: VecDeque::new(),
            waits: FuturesUnordered::new(),
            waker: None,
            pacer: Pacer::new(now),
            mid,
            connected: false,
            last_close: None,
            ended: None,
            connect_timeout,
        }
    }

    /// The next event that is at hand.
    pub(super) fn pop(&mut self) -> Option<TransportEvent> {
        self.ready.pop_front()
    }

    /// Why the connection is over, once it is.
    pub(super) fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    /// Ends the connection. The first reason stays.
    pub(super) fn end(&mut self, reason: impl Into<String>) {
        if self.ended.is_none() {
            let reason = reason.into();
            tracing::debug!(%reason, "the connection is over");
            self.ended = Some(reason);
        }
    }

    /// No connection came up in time.
    pub(super) fn time_out(&mut self) {
        self.end(format!("no connection within {} s", self.connect_timeout.as_secs_f32()));
    }

    /// Lets go of every channel.
    pub(super) fn clear(&mut self) {
        self.waits.clear();
        self.channels.clear();
        self.creating.clear();
        self.busy.clear();
    }

    /// A channel of ours is to be created.
    pub(super) fn create(&mut self, id: ChannelId, label: &str) {
        self.creating.insert(id, label.to_owned());
    }

    /// The label of a channel that is being created, while it is wanted.
    pub(super) fn creating(&self, id: ChannelId) -> Option<String> {
        self.creating.get(&id).cloned()
    }

    /// Takes a channel that was created. Returns it when nobody wants it any more.
    pub(super) fn take_created(
        &mut self,
        id: ChannelId,
        created: Result<Arc<dyn DataChannel>, Error>,
    ) -> Option<Arc<dyn DataChannel>> {
        let label = self.creating.remove(&id);
        match (label, created) {
            (Some(label), Ok(stack)) => self.add_own(id, &label, stack),
            (Some(_), Err(error)) => {
                tracing::debug!(%error, channel = id.0, "a channel was not created");
                self.ready.push_back(TransportEvent::ChannelClosed { channel: id });
            }
            (None, Ok(stack)) => return Some(stack),
            (None, Err(_)) => {}
        }
        None
    }

    /// Gives up a channel that is being created. Whether it was.
    pub(super) fn give_up_creating(&mut self, id: ChannelId) -> bool {
        let given_up = self.creating.remove(&id).is_some();
        if given_up {
            self.ready.push_back(TransportEvent::ChannelClosed { channel: id });
            if let Some(waker) = self.waker.take() {
                waker.wake();
            }
        }
        given_up
    }

    /// A channel of ours, which is still to open.
    pub(super) fn add_own(&mut self, id: ChannelId, label: &str, stack: Arc<dyn DataChannel>) {
        self.add(id, Channel::new(stack, label.to_owned(), false));
    }

    fn add(&mut self, id: ChannelId, channel: Channel) {
        let stack = Arc::clone(&channel.stack);
        self.total += 1;
        self.channels.insert(id, channel);
        self.wait_for_channel(id, stack);
    }

    fn wait_for_channel(&mut self, id: ChannelId, stack: Arc<dyn DataChannel>) {
        self.wait(Box::pin(async move { Awaited::Channel(id, stack.poll().await) }));
    }

    /// Closes a channel by a wait, unless that is under way. The wait gets a count of the channel's messages.
    pub(super) fn close(&mut self, id: ChannelId, wait: impl FnOnce(Arc<AtomicU64>) -> Wait) {
        if let Some(channel) = self.channels.get_mut(&id)
            && !std::mem::replace(&mut channel.is_closing, true)
        {
            let heard = Arc::clone(&channel.heard);
            self.wait(wait(heard));
        }
    }

    pub(super) fn wait(&mut self, wait: Wait) {
        self.waits.push(wait);
        // A set that was empty when it was polled wakes nobody by itself.
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Whether a channel takes messages.
    pub(super) fn is_writable(&self, id: ChannelId) -> bool {
        self.channels.get(&id).is_some_and(|channel| channel.is_open && !channel.is_closing)
    }

    /// The stack's channel of this number.
    pub(super) fn channel(&self, id: ChannelId) -> Option<Arc<dyn DataChannel>> {
        self.channels.get(&id).map(|channel| Arc::clone(&channel.stack))
    }

    /// Channels that there have been so far.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    #[cfg(test)]
    pub(super) fn channel_count(&self) -> usize {
        self.channels.len()
    }

    /// Channels whose outstanding bytes may have been acknowledged.
    pub(super) fn busy(&self) -> Vec<(ChannelId, Arc<dyn DataChannel>)> {
        self.busy.iter().filter_map(|id| Some((*id, self.channel(*id)?))).collect()
    }

    /// Bytes were handed to a channel.
    pub(super) fn sent(&mut self, id: ChannelId, bytes: usize, now: Instant) {
        if let Some(channel) = self.channels.get_mut(&id) {
            channel.outstanding += bytes;
            self.busy.insert(id);
            self.pacer.sent(now, bytes);
        }
    }

    /// So many bytes of a channel are outstanding now.
    pub(super) fn outstanding(&mut self, id: ChannelId, left: usize, now: Instant) {
        if let Some(channel) = self.channels.get_mut(&id) {
            // The stack may count bytes of its own, never fewer than ours.
            let acknowledged = channel.outstanding.saturating_sub(left);
            channel.outstanding -= acknowledged;
            if channel.outstanding == 0 {
                self.busy.remove(&id);
            }
            self.pacer.acknowledged(now, acknowledged);
        }
    }

    /// Takes a signal of the stack. Returns whether the connection came up with it.
    pub(super) fn take_signal(&mut self, signal: Signal) -> bool {
        match signal {
            Signal::Candidate(line) => {
                let candidate = line.map(|candidate| Candidate {
                    candidate,
                    sdp_mid: Some(self.mid.clone()),
                    sdp_m_line_index: Some(0),
                    username_fragment: None,
                });
                self.ready.push_back(TransportEvent::LocalCandidate(candidate));
            }
            Signal::Channel { channel, label } => {
                let id = ChannelId(self.next_channel);
                self.next_channel += 2;
                self.ready.push_back(TransportEvent::ChannelOpen { channel: id, label: label.clone() });
                self.add(id, Channel::new(channel, label, true));
            }
            Signal::State(RTCPeerConnectionState::Connected) if !self.connected => {
                self.connected = true;
                self.ready.push_back(TransportEvent::Connected);
                return true;
            }
            Signal::State(RTCPeerConnectionState::Failed) if self.connected => {
                self.end(format!(
                    "the connection was lost: no sign of the peer for {} s",
                    self.connect_timeout.as_secs_f32()
                ));
            }
            Signal::State(RTCPeerConnectionState::Failed) => self.time_out(),
            Signal::State(RTCPeerConnectionState::Closed) => self.end("the connection was closed"),
            // Disconnected isn't the end: the path may come back.
            Signal::State(_) => {}
            Signal::Stopped => self.end("the connection ended"),
        }
        false
    }

    /// Takes what a channel had to say.
    pub(super) fn take_channel(&mut self, id: ChannelId, event: Option<DataChannelEvent>) {
        let Some(channel) = self.channels.get_mut(&id) else { return };
        match event {
            Some(DataChannelEvent::OnOpen) => {
                if !channel.is_open {
                    channel.is_open = true;
                    let label = channel.label.clone();
                    self.ready.push_back(TransportEvent::ChannelOpen { channel: id, label });
                }
            }
            Some(DataChannelEvent::OnMessage(message)) => {
                channel.heard.fetch_add(1, Ordering::Relaxed);
                self.take_message(id, message);
            }
            // The stack doesn't end a channel's events after this one by itself.
            Some(DataChannelEvent::OnClose) | None => {
                let outstanding = channel.outstanding;
                self.channels.remove(&id);
                self.busy.remove(&id);
                self.pacer.forgotten(outstanding);
                self.ready.push_back(TransportEvent::ChannelClosed { channel: id });
                return;
            }
            Some(DataChannelEvent::OnError) => tracing::debug!(channel = id.0, "a channel reports an error"),
            Some(_) => {}
        }
        if let Some(stack) = self.channel(id) {
            self.wait_for_channel(id, stack);
        }
    }

    fn take_message(&mut self, channel: ChannelId, message: RTCDataChannelMessage) {
        if message.data.len() > limits::MESSAGE {
            self.end(format!("the peer sent a message over {} bytes", limits::MESSAGE));
            return;
        }
        let data = message.data.freeze();
        self.ready.push_back(if message.is_string {
            // Browsers send nothing but UTF-8, and what else arrives is no HELLO either way.
            TransportEvent::Text { channel, text: String::from_utf8_lossy(&data).into_owned() }
        } else {
            TransportEvent::Binary { channel, data }
        });
    }
}
