//! One connection once its head was read: into the page, or answered by slicc itself.

use std::{io, time::Duration};

use bytes::Bytes;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, timeout, timeout_at},
};

use super::{Streams, answer::Refusal, gate::Verdict, heads::Asked};
use crate::{
    generated::link::{Cap, ErrorCode, KernelOpen, timeouts},
    link::{
        LinkedPage, Pages, Reset, Stream,
        mux::{OpenError, Placement},
        relay,
    },
};

/// How long, and for how many bytes, a browser that was refused may go on sending. Without that, what it still sends would
/// make the system take the answer back.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES: u64 = 1024 * 1024;

/// How long after its first stream broke off a link may still go down: a connection that ends closes its channels one by one.
const LINK_END: Duration = Duration::from_millis(500);

/// Serves a connection to its end.
pub(super) async fn serve(asked: Asked<TcpStream>, pages: Pages, streams: Streams) {
    let Asked { socket, read, verdict, to_head } = asked;
    let stream = match verdict {
        Verdict::Refuse(refusal) => Err(refusal),
        Verdict::Ask(port) => ask(&pages, port).await,
    };
    match stream {
        Ok(stream) => {
            let _counted = Counted::new(streams);
            carry(socket, stream, read).await;
        }
        Err(refusal) => {
            tracing::debug!(status = refusal.status().as_u16(), "a kernel services connection was refused");
            // A browser that is gone needs no answer.
            if let Err(error) = answer(socket, &refusal.response(to_head)).await {
                tracing::debug!(%error, "a kernel services answer was not sent");
            }
        }
    }
}

/// A stream that is told of, until it is dropped.
struct Counted(Streams);

impl Counted {
    fn new(streams: Streams) -> Self {
        streams(true);
        Self(streams)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        (self.0)(false);
    }
}

/// Opens a stream to a port of the kernel of the page that linked last, and waits until that has accepted it. Nothing is
/// read from the browser meanwhile.
///
/// # Errors
/// What the browser is answered instead.
pub(super) async fn ask(pages: &Pages, port: u16) -> Result<Stream, Refusal> {
    let deadline = Instant::now() + timeouts::KERNEL_OPENED;
    for page in pages.offering(Cap::KernelIn) {
        let open = KernelOpen { port }.to_json();
        match timeout_at(deadline, page.link().open(&open, Placement::OwnChannel)).await {
            Ok(Ok(stream)) => return accepted(stream, &page, port, deadline).await,
            // It has gone this moment, so the one that linked before it is the newest.
            Ok(Err(OpenError::NotLinked)) => {}
            Ok(Err(error)) => return Err(Refusal::Failed { port, reason: error.to_string() }),
            Err(_) => return Err(Refusal::NoAnswer { port }),
        }
    }
    Err(Refusal::NoPage)
}

async fn accepted(mut stream: Stream, page: &LinkedPage, port: u16, deadline: Instant) -> Result<Stream, Refusal> {
    match timeout_at(deadline, stream.opened()).await {
        Ok(Ok(_)) => Ok(stream),
        Ok(Err(error)) => {
            let reset = error.get_ref().and_then(|source| source.downcast_ref::<Reset>());
            let Some(reset) = reset else { return Err(Refusal::NoPage) };
            let may_be_the_links_end = reset.code == ErrorCode::Econnreset.as_str();
            if may_be_the_links_end && timeout(LINK_END, page.link().closed()).await.is_ok() {
                return Err(Refusal::NoPage);
            }
            Err(Refusal::from_reset(port, reset))
        }
        Err(_) => {
            stream.reset(ErrorCode::Etimedout, "the port did not answer in time");
            Err(Refusal::NoAnswer { port })
        }
    }
}

/// Carries bytes both ways, what was read so far first.
async fn carry(socket: TcpStream, mut stream: Stream, read: Bytes) {
    // A stream that has failed already ends the relay in the same way.
    drop(stream.send(read).await);
    relay(socket, stream).await;
}

/// Sends an answer and ends the connection, so that the browser gets all of it.
async fn answer(mut socket: TcpStream, response: &[u8]) -> io::Result<()> {
    let answered = async {
        socket.write_all(response).await?;
        socket.shutdown().await?;
        let mut rest = socket.take(LINGER_BYTES);
        tokio::io::copy(&mut rest, &mut tokio::io::sink()).await.map(drop)
    };
    // What a browser sends for longer than that is its own loss.
    timeout(LINGER, answered).await.unwrap_or(Ok(()))
}
