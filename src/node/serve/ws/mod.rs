//! ws streams: a WebSocket for a program in the page. Section "Link", ws.
//!
//! A stream goes through [`request`] (what may be asked), [`handshake`] (the far end) and [`session`] (messages both ways).
//! [`records`] is what the page's bytes say, [`frames`] what the far end's do, and [`close`] what both say about the end.

pub mod close;
pub mod frames;
pub mod handshake;
pub mod records;
pub mod request;
mod session;
#[cfg(test)]
mod tests;
pub mod utf8;

use std::{sync::Arc, time::Duration};

use hyper_util::rt::TokioIo;
use tokio::time::timeout;

use self::{handshake::OpenError, request::WsRequest};
use super::http::{Connector, tls::Tls};
use crate::{
    generated::link::{ErrorCode, WsOpen, WsOpened, timeouts},
    link::Stream,
};

/// What opens WebSockets for pages.
#[derive(Debug, Clone)]
pub struct Client<C> {
    connector: C,
    tls: Arc<Tls>,
    handshake_limit: Duration,
    close_limit: Duration,
}

impl<C: Connector> Client<C> {
    /// A client that connects through `connector` and verifies as `tls` does.
    pub const fn new(connector: C, tls: Arc<Tls>) -> Self {
        Self { connector, tls, handshake_limit: timeouts::WS_HANDSHAKE, close_limit: timeouts::WS_CLOSE }
    }

    /// The same client with other limits: for the connection and the handshake together, and for the far end's part in a
    /// close.
    #[must_use]
    pub const fn limits(mut self, handshake: Duration, close: Duration) -> Self {
        self.handshake_limit = handshake;
        self.close_limit = close;
        self
    }
}

/// Serves one ws stream until it is over. A page that resets it, or a link that goes down, drops the far end's connection;
/// so does dropping the future.
pub async fn serve<C: Connector>(open: WsOpen, mut stream: Stream, client: &Client<C>) {
    let request = match WsRequest::parse(&open) {
        Ok(request) => request,
        Err(error) => return stream.reset(ErrorCode::Eproto, &error.to_string()),
    };
    // Neither the query, a header, a message nor a close reason, at any level.
    tracing::debug!("ws {}", request.logged);
    let opening = timeout(client.handshake_limit, handshake::open(client, &request));
    let opened = tokio::select! {
        biased;
        // Nothing may come before OPENED, so this is the page's RESET: nobody waits for the far end any more.
        _ = stream.recv() => return,
        opened = opening => opened.unwrap_or_else(|_| Err(OpenError::failed("the far end took too long to answer"))),
    };
    let (socket, protocol) = match opened {
        Ok(opened) => opened,
        Err(error) => return stream.reset(error.code(), &error.to_string()),
    };
    if stream.accept(&WsOpened { protocol }).is_ok() {
        session::run(TokioIo::new(socket), stream, client.close_limit).await;
    }
}
