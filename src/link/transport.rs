//! What the driver needs of a peer connection. `rtc` provides it over WebRTC, tests over memory.

use std::{future::Future, time::Duration};

use bytes::Bytes;

use crate::signal::Candidate;

/// A data channel, numbered by whoever sees it first: the transport for channels that the peer opens, the driver for
/// its own. The two number spaces don't meet: the transport hands out even numbers, the driver odd ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChannelId(pub u64);

/// What happens on a peer connection.
#[derive(Debug)]
pub enum TransportEvent {
    /// A local candidate, or the end of gathering.
    LocalCandidate(Option<Candidate>),
    /// ICE and DTLS are up.
    Connected,
    /// A channel is open: the peer's, or one of ours.
    ChannelOpen {
        /// The channel.
        channel: ChannelId,
        /// Its label.
        label: String,
    },
    /// A channel is closed, by either side.
    ChannelClosed {
        /// The channel.
        channel: ChannelId,
    },
    /// A text message.
    Text {
        /// The channel it came on.
        channel: ChannelId,
        /// The message.
        text: String,
    },
    /// A binary message.
    Binary {
        /// The channel it came on.
        channel: ChannelId,
        /// The message.
        data: Bytes,
    },
    /// The connection is over.
    Closed {
        /// Why, for people to read.
        reason: String,
    },
}

/// A transport failure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// The channel isn't open any more.
    #[error("the channel is closed")]
    ChannelClosed,
    /// The connection isn't there any more.
    #[error("the connection is closed")]
    Closed,
    /// The WebRTC stack refused.
    #[error("{0}")]
    Stack(String),
}

/// A peer connection that carries data channels. It lives on one thread, so its futures need not be `Send`, and its methods
/// take `&self`, so that a driver can wait for an event and for budget at the same time. Only one [`Transport::next_event`]
/// may wait at a time.
pub trait Transport {
    /// The next event. Dropping the future loses nothing. [`TransportEvent::Closed`] is the last one: it comes again each time.
    fn next_event(&self) -> impl Future<Output = TransportEvent>;
    /// Takes one of the peer's candidates, or the end of them.
    fn add_candidate(&self, candidate: Option<Candidate>) -> impl Future<Output = Result<(), TransportError>>;
    /// Creates an ordered, reliable channel under this number. [`TransportEvent::ChannelOpen`] follows.
    fn create_channel(&self, channel: ChannelId, label: &str) -> impl Future<Output = Result<(), TransportError>>;
    /// Queues a text message.
    fn send_text(&self, channel: ChannelId, text: &str) -> impl Future<Output = Result<(), TransportError>>;
    /// Queues a binary message.
    fn send(&self, channel: ChannelId, data: Bytes) -> impl Future<Output = Result<(), TransportError>>;
    /// Closes a channel, once everything sent on it has arrived. It takes no more messages from here, still delivers the
    /// peer's, and [`TransportEvent::ChannelClosed`] follows, which may take a second or two when the peer doesn't close it too.
    fn close_channel(&self, channel: ChannelId) -> impl Future<Output = ()>;
    /// Bytes of DATA that the driver may hand to [`Transport::send`] now, so that the association's unacknowledged bytes
    /// stay under their cap. 0 when so little is left that it isn't worth a message.
    fn send_budget(&self) -> impl Future<Output = usize>;
    /// Resolves once [`Transport::send_budget`] isn't 0. Dropping the future loses nothing.
    fn budget_grown(&self) -> impl Future<Output = ()>;
    /// Bytes that were sent and that the peer hasn't acknowledged, as far as is known.
    fn unacknowledged(&self) -> usize;
    /// The payload size that DATA frames should have now, at most the protocol's limit.
    fn preferred_data(&self) -> usize;
    /// The lowest round trip seen, once one was measured.
    fn round_trip(&self) -> Option<Duration>;
    /// Closes the connection.
    fn close(&self) -> impl Future<Output = ()>;
}
