//! One link: frames, the multiplexer, streams, and the transport that carries them.

pub mod pacing;
pub mod rtc;
pub mod stream;
pub mod transport;

pub use stream::Stream;
