//! The stack's callbacks, turned into signals. They run inside the stack's event loop, so none of them may wait.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::{mpsc, watch};
use webrtc::{
    data_channel::DataChannel,
    peer_connection::{
        PeerConnectionEventHandler, RTCIceConnectionState, RTCIceGatheringState, RTCPeerConnectionIceEvent,
        RTCPeerConnectionState,
    },
};

/// Signals that may wait for the connection. Candidates and states are few; a peer that opens more channels than this
/// before one of them was looked at is up to no good.
pub(super) const MAX_SIGNALS: usize = 4096;

/// What the stack tells.
pub(super) enum Signal {
    /// A local candidate line; `None` at the end of gathering.
    Candidate(Option<String>),
    /// The connection's state.
    State(RTCPeerConnectionState),
    /// The peer opened a channel.
    Channel {
        /// The channel.
        channel: Arc<dyn DataChannel>,
        /// Its label.
        label: String,
    },
    /// The stack's event loop has ended.
    Stopped,
}

/// How far the local candidates are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gathering {
    /// More may come.
    UnderWay,
    /// All are there.
    Complete,
    /// The connection ended.
    Ended,
}

/// The receiver of the stack's callbacks.
pub(super) struct Handler {
    pub(super) signals: mpsc::Sender<Signal>,
    /// Set when a signal found no room.
    pub(super) overflow: Arc<AtomicBool>,
    pub(super) gathering: watch::Sender<Gathering>,
}

impl Handler {
    fn signal(&self, signal: Signal) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.signals.try_send(signal) {
            self.overflow.store(true, Ordering::Relaxed);
        }
    }
}

#[async_trait::async_trait]
impl PeerConnectionEventHandler for Handler {
    async fn on_ice_candidate(&self, event: RTCPeerConnectionIceEvent) {
        match event.candidate.to_json() {
            Ok(candidate) => self.signal(Signal::Candidate(Some(candidate.candidate))),
            Err(error) => tracing::debug!(%error, "a local candidate can't be written"),
        }
    }

    async fn on_ice_connection_state_change(&self, state: RTCIceConnectionState) {
        tracing::debug!(%state, "ICE");
    }

    async fn on_ice_gathering_state_change(&self, state: RTCIceGatheringState) {
        if state == RTCIceGatheringState::Complete {
            self.signal(Signal::Candidate(None));
            self.gathering.send_replace(Gathering::Complete);
        }
    }

    async fn on_connection_state_change(&self, state: RTCPeerConnectionState) {
        tracing::debug!(%state, "peer connection");
        self.signal(Signal::State(state));
    }

    async fn on_data_channel(&self, channel: Arc<dyn DataChannel>) {
        // The stack only just looked the channel up, so its label is there, even if the peer has closed it again.
        match channel.label().await {
            Ok(label) => self.signal(Signal::Channel { channel, label }),
            Err(error) => tracing::debug!(%error, "a channel went before it was announced"),
        }
    }
}
