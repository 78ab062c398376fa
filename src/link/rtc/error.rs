//! What can go wrong before a connection is up.

use super::{candidate::CandidateError, sdp::SdpError};

/// A failure of the WebRTC adapter.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RtcError {
    /// The peer's description isn't one that slicc takes.
    #[error("the session description can't be used: {0}")]
    Description(#[from] SdpError),
    /// One of the peer's candidates isn't one.
    #[error("an ICE candidate can't be read: {0}")]
    Candidate(#[from] CandidateError),
    /// A certificate or its key can't be made or read.
    #[error("the link's certificate can't be used: {0}")]
    Certificate(String),
    /// This machine's addresses can't be listed.
    #[error("this machine's network addresses can't be listed: {0}")]
    Addresses(#[source] std::io::Error),
    /// There is no address to listen on.
    #[error("this machine has no network address to link over")]
    NoAddress,
    /// The peer connection can't be set up.
    #[error("the peer connection can't be set up ({step}): {source}")]
    Stack {
        /// The step that failed.
        step: &'static str,
        /// The WebRTC stack's reason.
        source: webrtc::error::Error,
    },
    /// The connection ended before its candidates were gathered.
    #[error("the connection ended while its addresses were gathered")]
    Ended,
}

impl RtcError {
    /// For `map_err`: the step of the set-up that failed.
    pub(super) fn at(step: &'static str) -> impl FnOnce(webrtc::error::Error) -> Self {
        move |source| Self::Stack { step, source }
    }
}
