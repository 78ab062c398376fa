//! A stream of a link, as a service sees it.

use std::io;

use bytes::Bytes;
use serde::Serialize;

use crate::generated::link::ErrorCode;

/// One stream. It implements `AsyncRead` (the peer's END is end of file) and `AsyncWrite` (`shutdown` sends END).
/// A dropped stream that isn't over is reset with ECONNRESET.
#[derive(Debug)]
pub struct Stream {
    _private: (),
}

impl Stream {
    /// Sends OPENED.
    pub fn accept(&mut self, _opened: &impl Serialize) -> io::Result<()> {
        unimplemented!("contract")
    }
    /// The next piece that the peer sent, at most 64 KiB; `None` after its END. An error once the stream was reset or the
    /// link is down ([`io::ErrorKind::ConnectionReset`]). The bytes count against the window until [`Stream::credit`].
    pub async fn recv(&mut self) -> io::Result<Option<Bytes>> {
        unimplemented!("contract")
    }
    /// Gives the peer credit for bytes that were written on.
    pub fn credit(&mut self, _bytes: usize) {}
    /// Sends a piece of any size, waiting for the window.
    pub async fn send(&mut self, _data: Bytes) -> io::Result<()> {
        unimplemented!("contract")
    }
    /// Sends END. Idempotent.
    pub fn end(&mut self) {}
    /// Resets the stream. The message never holds a host path, a secret or content.
    pub fn reset(self, _code: ErrorCode, _message: &str) {}
    /// Splits the stream, so that both directions can be served at once. [`RecvHalf`] has `recv` and `credit`, [`SendHalf`] has `send` and `end`;
    /// both have `reset`, which resets the whole stream.
    pub fn split(self) -> (RecvHalf, SendHalf) {
        unimplemented!("contract")
    }
}

/// The receiving half of a [`Stream`].
#[derive(Debug)]
pub struct RecvHalf(());
/// The sending half of a [`Stream`].
#[derive(Debug)]
pub struct SendHalf(());
