//! A stream of a link, as a service sees it.
//!
//! The stream's state is shared with the link's driver, which runs on the link's own thread. Both directions together
//! never hold more than two windows of bytes.

use std::{
    future::poll_fn,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{
    frame::{Reset, StreamId},
    shared::Shared,
};
use crate::generated::link::ErrorCode;

/// One stream. It implements `AsyncRead` (the peer's END is end of file) and `AsyncWrite` (`shutdown` sends END).
///
/// A dropped stream that hasn't sent END is reset with ECONNRESET. One that has is finished in the background: what the
/// peer still sends is dropped and credited until its END.
#[derive(Debug)]
pub struct Stream {
    receive: RecvHalf,
    send: SendHalf,
}

/// The receiving half of a [`Stream`]. When it is dropped, what the peer still sends is dropped and credited.
#[derive(Debug)]
pub struct RecvHalf {
    owner: Arc<Owner>,
    /// What `poll_read` hasn't given out yet of a received piece.
    rest: Bytes,
    /// What `poll_read` gave out and hasn't credited: it is credited when the reader comes back for more.
    read: usize,
}

/// The sending half of a [`Stream`]. A flush waits until what was sent before is handed to the link, so that a reset that
/// follows can't overtake it.
#[derive(Debug)]
pub struct SendHalf {
    owner: Arc<Owner>,
}

/// Both halves' hold on the stream: the stream is given up when the last of them goes.
#[derive(Debug)]
struct Owner {
    shared: Arc<Shared>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.shared.abandon();
    }
}

impl Stream {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let owner = Arc::new(Owner { shared });
        let receive = RecvHalf { owner: owner.clone(), rest: Bytes::new(), read: 0 };
        Self { receive, send: SendHalf { owner } }
    }

    /// The stream's number.
    pub fn id(&self) -> StreamId {
        self.send.owner.shared.id()
    }

    /// Sends OPENED. Without effect on a stream of our own, and the second time.
    ///
    /// # Errors
    /// When `opened` can't be written as JSON.
    pub fn accept(&mut self, opened: &impl Serialize) -> io::Result<()> {
        self.send.owner.shared.accept(serde_json::to_vec(opened)?.into());
        Ok(())
    }

    /// Waits for the peer's OPENED on a stream of our own.
    ///
    /// # Errors
    /// As [`Stream::recv`].
    pub async fn opened(&mut self) -> io::Result<Map<String, Value>> {
        let shared = &self.receive.owner.shared;
        poll_fn(|context| shared.poll_opened(context)).await.map_err(into_io)
    }

    /// The next piece that the peer sent, at most 64 KiB; `None` after its END. The bytes count against the window until
    /// [`Stream::credit`].
    ///
    /// # Errors
    /// [`io::ErrorKind::ConnectionReset`] once the stream was reset or the link is down. The error's source is a [`Reset`].
    pub async fn recv(&mut self) -> io::Result<Option<Bytes>> {
        self.receive.recv().await
    }

    /// Gives the peer credit for bytes that were written on.
    pub fn credit(&mut self, bytes: usize) {
        self.receive.credit(bytes);
    }

    /// Sends bytes, waiting for the window.
    ///
    /// # Errors
    /// As [`Stream::recv`], and [`io::ErrorKind::BrokenPipe`] after [`Stream::end`].
    pub async fn send(&mut self, data: Bytes) -> io::Result<()> {
        self.send.send(data).await
    }

    /// Sends END once everything before it is out. Idempotent.
    pub fn end(&mut self) {
        self.send.end();
    }

    /// Resets the stream. The message never holds a host path, a secret or content.
    pub fn reset(self, code: ErrorCode, message: &str) {
        self.send.reset(code, message);
    }

    /// Splits the stream, so that both directions can be served at once.
    pub fn split(self) -> (RecvHalf, SendHalf) {
        (self.receive, self.send)
    }
}

impl RecvHalf {
    /// As [`Stream::recv`].
    ///
    /// # Errors
    /// As [`Stream::recv`].
    pub async fn recv(&mut self) -> io::Result<Option<Bytes>> {
        if !self.rest.is_empty() {
            return Ok(Some(std::mem::take(&mut self.rest)));
        }
        let shared = &self.owner.shared;
        poll_fn(|context| shared.poll_receive(context)).await.map_err(into_io)
    }

    /// As [`Stream::credit`].
    pub fn credit(&mut self, bytes: usize) {
        self.owner.shared.credit(bytes);
    }

    /// Resets the whole stream.
    pub fn reset(&self, code: ErrorCode, message: &str) {
        self.owner.shared.reset(Reset::new(code, message));
    }

    /// Resolves once the stream was reset or the link is down, and never otherwise.
    pub async fn failed(&self) -> io::Error {
        let shared = &self.owner.shared;
        into_io(shared.failed().await)
    }
}

impl Drop for RecvHalf {
    fn drop(&mut self) {
        self.owner.shared.discard_rest(self.rest.len() + self.read);
    }
}

impl SendHalf {
    /// As [`Stream::send`].
    ///
    /// # Errors
    /// As [`Stream::send`].
    pub async fn send(&mut self, mut data: Bytes) -> io::Result<()> {
        let shared = &self.owner.shared;
        while !data.is_empty() {
            let room = poll_fn(|context| shared.poll_room(context)).await?;
            shared.queue(data.split_to(room.min(data.len())));
        }
        Ok(())
    }

    /// As [`Stream::end`].
    pub fn end(&mut self) {
        self.owner.shared.end();
    }

    /// Resets the whole stream.
    pub fn reset(&self, code: ErrorCode, message: &str) {
        self.owner.shared.reset(Reset::new(code, message));
    }

    /// Resolves once the stream was reset or the link is down, and never otherwise.
    pub async fn failed(&self) -> io::Error {
        let shared = &self.owner.shared;
        into_io(shared.failed().await)
    }
}

impl AsyncRead for RecvHalf {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let written_on = std::mem::take(&mut self.read);
        if written_on > 0 {
            self.owner.shared.credit(written_on);
        }
        if self.rest.is_empty() {
            match self.owner.shared.poll_receive(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(reset)) => return Poll::Ready(Err(into_io(reset))),
                Poll::Ready(Ok(None)) => return Poll::Ready(Ok(())),
                Poll::Ready(Ok(Some(data))) => self.rest = data,
            }
        }
        let piece = self.rest.len().min(buffer.remaining());
        buffer.put_slice(&self.rest.split_to(piece));
        self.read = piece;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for SendHalf {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        if data.is_empty() {
            return Poll::Ready(Ok(0));
        }
        match self.owner.shared.poll_room(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(room)) => {
                let piece = room.min(data.len());
                self.owner.shared.queue(Bytes::copy_from_slice(&data[..piece]));
                Poll::Ready(Ok(piece))
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.owner.shared.poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.owner.shared.end();
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.receive).poll_read(context, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.send).poll_write(context, data)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.send).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.send).poll_shutdown(context)
    }
}

pub(super) fn into_io(reset: Reset) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, reset)
}
