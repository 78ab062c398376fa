//! One WebSocket connection on one stream: each message is a record of a u32 big endian length and that many bytes.

use std::io;

use bytes::{Buf, Bytes, BytesMut};
use futures_util::{SinkExt, StreamExt};
use slicc::link::Stream;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

fn broken(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

/// Bridges a stream and a connection that a WebSocket client opened.
///
/// # Errors
/// When either side breaks.
pub async fn bridge(stream: Stream, socket: TcpStream) -> io::Result<()> {
    let (mut sink, mut source) = tokio_tungstenite::accept_async(socket).await.map_err(broken)?.split();
    let (mut receive, mut send) = stream.split();
    let up = async {
        while let Some(message) = source.next().await {
            match message.map_err(broken)? {
                message @ (Message::Text(_) | Message::Binary(_)) => {
                    let data = message.into_data();
                    let length = u32::try_from(data.len()).map_err(broken)?;
                    send.send(Bytes::copy_from_slice(&length.to_be_bytes())).await?;
                    send.send(data).await?;
                }
                Message::Close(_) => break,
                _ => {}
            }
        }
        send.end();
        Ok::<_, io::Error>(())
    };
    let down = async {
        let mut buffer = BytesMut::new();
        while let Some(data) = receive.recv().await? {
            buffer.extend_from_slice(&data);
            receive.credit(data.len());
            while let Some(header) = buffer.first_chunk::<4>() {
                let length = u32::from_be_bytes(*header) as usize;
                if buffer.len() < 4 + length {
                    break;
                }
                buffer.advance(4);
                let text = String::from_utf8(buffer.split_to(length).to_vec()).map_err(broken)?;
                sink.send(Message::text(text)).await.map_err(broken)?;
            }
        }
        sink.close().await.map_err(broken)
    };
    tokio::try_join!(up, down).map(drop)
}
