//! One link: frames, the multiplexer, streams, and the transport that carries them (section Link).

mod driver;
pub mod frame;
mod handle;
mod ids;
#[cfg(test)]
pub mod memory;
pub mod mux;
pub mod pacing;
mod pages;
mod pieces;
mod relay;
pub mod rtc;
mod shared;
pub mod stream;
#[cfg(test)]
mod stream_tests;
pub mod transport;

pub use driver::{Incoming, LinkEvent};
pub use frame::{Reset, StreamId};
pub use handle::Link;
pub use pages::{LinkedPage, Membership, Pages};
pub use relay::relay;
pub use stream::{RecvHalf, SendHalf, Stream};
