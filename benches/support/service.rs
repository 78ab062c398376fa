//! What the streams of a benchmark talk to: bytes without end, a sink, an echo. It works on a TCP connection and, without
//! one in between, on a stream of the link.
//!
//! A client says first what it wants: one byte, and a number of bytes (u64, big endian).

use std::{
    io,
    net::Ipv4Addr,
    sync::atomic::{AtomicU64, Ordering},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
};

/// Sends that many bytes, then ends.
pub const SEND: u8 = b's';
/// Takes that many bytes and answers with one.
pub const TAKE: u8 = b't';
/// Sends back what comes, whatever the number.
pub const ECHO: u8 = b'e';

/// Bytes that every [`TAKE`] of this process together has taken.
pub static TAKEN: AtomicU64 = AtomicU64::new(0);

const PIECE: usize = 64 << 10;

/// What a client says first.
pub fn request(what: u8, bytes: u64) -> Vec<u8> {
    let mut request = vec![what];
    request.extend_from_slice(&bytes.to_be_bytes());
    request
}

/// Serves one client.
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) -> io::Result<()> {
    let what = stream.read_u8().await?;
    let mut left = stream.read_u64().await?;
    let mut piece = vec![0; PIECE];
    match what {
        SEND => {
            while left > 0 {
                let length = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
                stream.write_all(&piece[..length]).await?;
                left -= length as u64;
            }
        }
        TAKE => {
            while left > 0 {
                match stream.read(&mut piece).await? {
                    0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                    length => {
                        TAKEN.fetch_add(length as u64, Ordering::Relaxed);
                        left = left.saturating_sub(length as u64);
                    }
                }
            }
            stream.write_all(b"!").await?;
        }
        _ => loop {
            let length = stream.read(&mut piece).await?;
            if length == 0 {
                break;
            }
            stream.write_all(&piece[..length]).await?;
        },
    }
    stream.shutdown().await?;
    // The peer's end, so that both sides are done with each other.
    while stream.read(&mut piece).await? > 0 {}
    Ok(())
}

/// Serves TCP clients on the returned port of 127.0.0.1 for as long as the runtime runs.
pub async fn listen() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                stream.set_nodelay(true)?;
                // A client that goes away is none of the service's business.
                serve(stream).await
            });
        }
    });
    Ok(port)
}
