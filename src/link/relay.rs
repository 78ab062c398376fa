//! Raw bytes between a stream and a socket, both ways (section "Link", "tcp" and "kernel" of the requirement).

use std::io;

use bytes::{Bytes, BytesMut};
use tokio::{
    io::AsyncWriteExt,
    net::{
        TcpStream,
        tcp::{ReadHalf, WriteHalf},
    },
};

use super::{RecvHalf, SendHalf, Stream};
use crate::generated::link::{ErrorCode, limits};

/// A read below this many bytes is copied out of its buffer, so that small reads don't each hold a large one in the window.
const SMALL_READ: usize = limits::DATA / 4;

/// Why bytes stopped before both sides had ended.
enum Broken {
    /// The page reset the stream, or the link is down.
    Page,
    /// The socket failed.
    Socket(io::Error),
}

/// Carries bytes both ways until both sides have ended. The page's END half-closes the socket, and the socket's end of file
/// becomes END. A socket that fails resets the stream with ECONNRESET. A stream that is reset closes the socket at once.
pub async fn relay(mut socket: TcpStream, stream: Stream) {
    let (mut receive, mut send) = stream.split();
    let (mut from_socket, mut to_socket) = socket.split();
    let outcome = tokio::try_join!(upload(&mut receive, &mut to_socket), download(&mut from_socket, &mut send));
    match outcome {
        Ok(((), ())) => {}
        Err(Broken::Socket(error)) => {
            tracing::debug!(%error, "a stream's socket failed");
            send.reset(ErrorCode::Econnreset, "the connection broke");
        }
        Err(Broken::Page) => {
            // The far end must not take what it got so far for all of it, so it gets a reset instead of an end of file.
            if let Err(error) = socket.set_zero_linger() {
                tracing::debug!(%error, "a socket is closed without a reset");
            }
        }
    }
}

/// From the page to the socket. Bytes are credited once the write returned.
async fn upload(receive: &mut RecvHalf, socket: &mut WriteHalf<'_>) -> Result<(), Broken> {
    while let Some(piece) = receive.recv().await.map_err(|_| Broken::Page)? {
        tokio::select! {
            biased;
            _ = receive.failed() => return Err(Broken::Page),
            written = socket.write_all(&piece) => written.map_err(Broken::Socket)?,
        }
        receive.credit(piece.len());
    }
    match socket.shutdown().await {
        // The far end is gone already, and the read says how.
        Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
        outcome => outcome.map_err(Broken::Socket),
    }
}

/// From the socket to the page, within the window.
async fn download(socket: &mut ReadHalf<'_>, send: &mut SendHalf) -> Result<(), Broken> {
    loop {
        tokio::select! {
            biased;
            _ = send.failed() => return Err(Broken::Page),
            ready = socket.readable() => ready.map_err(Broken::Socket)?,
        }
        // An idle connection holds no buffer.
        let mut buffer = BytesMut::with_capacity(limits::DATA);
        match socket.try_read_buf(&mut buffer) {
            Ok(0) => break,
            Ok(read) if read < SMALL_READ => send.send(Bytes::copy_from_slice(&buffer)).await,
            Ok(_) => send.send(buffer.freeze()).await,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
            Err(error) => return Err(Broken::Socket(error)),
        }
        .map_err(|_| Broken::Page)?;
    }
    send.end();
    Ok(())
}
