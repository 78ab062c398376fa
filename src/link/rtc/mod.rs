//! A link's peer connection over WebRTC: it implements [`Transport`] on top of the crate `webrtc`.
//!
//! Everything that a page sends is read here first (see [`sdp`] and [`candidate`]): the stack gets text that slicc wrote.
//! A connection belongs on a current-thread runtime. Its stack keeps the memory of a closed channel when two threads
//! contend for it, and the cap on unacknowledged bytes relies on the order in which one thread runs its tasks.

pub mod candidate;
mod certificate;
mod config;
mod connection;
mod error;
mod handler;
#[cfg(test)]
#[path = "../../../tests/support/relay.rs"]
mod relay;
mod runtime;
pub mod sdp;
mod setup;
mod socket;
mod state;
#[cfg(test)]
mod tests;

pub use certificate::{Certificate, Fingerprint};
pub use config::{Addresses, Config, MAX_ADDRESSES, Mdns};
pub use connection::Connection;
pub use error::RtcError;

#[cfg(doc)]
use super::transport::Transport;
