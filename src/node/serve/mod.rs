//! What a node serves: the one place that maps a stream's kind to its service.

pub mod http;
pub mod resolve;
pub mod tcp;
#[cfg(test)]
mod tcp_tests;
pub mod ws;

use serde_json::{Map, Value};

use crate::{
    generated::link::{ErrorCode, FieldError, HttpOpen, ResolveOpen, StreamKind, TcpOpen, WsOpen},
    link::Stream,
    policy::Dialer,
};

/// The services of a node.
pub struct Services {
    dialer: Dialer,
    http: http::Client<Dialer>,
    ws: ws::Client<Dialer>,
}

impl Services {
    /// The services of a node that reaches out through `dialer`.
    pub fn new(dialer: Dialer, http: http::Client<Dialer>) -> Self {
        let ws = ws::Client::new(dialer.clone(), http.tls().clone());
        Self { dialer, http, ws }
    }

    /// Serves one stream to its end. `kind` is `None` for a kind that the protocol doesn't know.
    pub async fn serve(&self, kind: Option<StreamKind>, open: &Map<String, Value>, stream: Stream) {
        match kind {
            Some(StreamKind::Tcp) => {
                if let Some((open, stream)) = checked(TcpOpen::parse(open), stream) {
                    tcp::serve(open, stream, &self.dialer).await;
                }
            }
            Some(StreamKind::Resolve) => {
                if let Some((open, stream)) = checked(ResolveOpen::parse(open), stream) {
                    resolve::serve(open, stream, &self.dialer).await;
                }
            }
            Some(StreamKind::Http) => {
                if let Some((open, stream)) = checked(HttpOpen::parse(open), stream) {
                    http::serve(open, stream, &self.http).await;
                }
            }
            Some(StreamKind::Ws) => {
                if let Some((open, stream)) = checked(WsOpen::parse(open), stream) {
                    ws::serve(open, stream, &self.ws).await;
                }
            }
            _ => stream.reset(ErrorCode::Eopnotsupp, "this node does not serve that kind"),
        }
    }
}

/// Passes on an OPEN whose fields are right, and resets the stream of one whose fields aren't.
fn checked<T>(open: Result<T, FieldError>, stream: Stream) -> Option<(T, Stream)> {
    match open {
        Ok(open) => Some((open, stream)),
        Err(error) => {
            stream.reset(ErrorCode::Eproto, &error.to_string());
            None
        }
    }
}
