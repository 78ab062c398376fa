//! The server in the page, reached as a program of this machine does: over TCP, through slicc's listener and over the link
//! (section "Kernel services" of the requirement).

use std::{
    convert::Infallible,
    net::Ipv4Addr,
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use http_body_util::{BodyExt, Full, Limited, StreamBody, combinators::BoxBody};
use hyper::{Method, Request, StatusCode, body::Frame, client::conn::http1::SendRequest, header};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_util::task::AbortOnDropHandle;

use super::report::CheckResult;
use crate::generated::events::Figure;

/// The port of the page's kernel that the server in it listens on.
pub const KERNEL_PORT: u16 = 5173;
/// The check's name.
const NAME: &str = "page server";
/// How long the check may take.
const LIMIT: Duration = Duration::from_secs(30);
/// Bytes of each body that is echoed.
const BODY: usize = 1024 * 1024;
/// Bytes of one piece of a body that is sent in chunks.
const PIECE: usize = 48 * 1024;
/// How many requests the figure is the median of.
const REQUESTS: usize = 20;

type Body = BoxBody<Bytes, Infallible>;

/// Why a page server isn't as it should be.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("could not connect: {0}")]
    Connect(#[from] std::io::Error),
    #[error("the HTTP exchange failed: {0}")]
    Http(#[from] hyper::Error),
    #[error("the request can't be made: {0}")]
    Request(#[from] http::Error),
    #[error("an answer broke off: {0}")]
    Answer(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("{request} was answered with {status}: {text}")]
    Status { request: &'static str, status: StatusCode, text: String },
    #[error("{0} was answered with other bytes than were expected")]
    Bytes(&'static str),
    #[error("the WebSocket failed: {0}")]
    WebSocket(#[from] tokio_tungstenite::tungstenite::Error),
}

/// The host that browsers reach the page's server at, and Host of its requests. `listener` is the port of kernel services.
pub fn host(listener: u16) -> String {
    format!("{KERNEL_PORT}.kernel.localhost:{listener}")
}

/// Fetches from the server in the page: requests with and without a body on one connection, then a WebSocket. The figure is
/// what a request takes.
pub async fn check(listener: u16) -> CheckResult {
    let outcome = match timeout(LIMIT, examine(listener)).await {
        Ok(outcome) => outcome.map_err(|problem| problem.to_string()),
        Err(_) => Err(format!("it took more than {} s", LIMIT.as_secs())),
    };
    let name = NAME.to_owned();
    match outcome {
        Ok(request) => {
            let value = (request.as_secs_f64() * 1e5).round() / 100.0;
            CheckResult { name, ok: true, figure: Some(Figure { value, unit: "ms".to_owned() }), reason: None }
        }
        Err(reason) => CheckResult { name, ok: false, figure: None, reason: Some(reason) },
    }
}

async fn examine(listener: u16) -> Result<Duration, Problem> {
    let host = host(listener);
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(connect(listener).await?)).await?;
    let _connection = AbortOnDropHandle::new(tokio::spawn(connection));
    let mut times = Vec::with_capacity(REQUESTS);
    for _ in 0..REQUESTS {
        let start = Instant::now();
        let body = Full::new(Bytes::new()).boxed();
        exchange(&mut sender, "GET", request(&host, Method::GET).body(body)?, host.as_bytes()).await?;
        times.push(start.elapsed());
    }
    let sent: Vec<u8> = (0..BODY).map(|at| (at / 251 + at) as u8).collect();
    let whole = Full::new(Bytes::from(sent.clone())).boxed();
    exchange(&mut sender, "POST", request(&host, Method::POST).body(whole)?, &sent).await?;
    let pieces: Vec<_> = sent.chunks(PIECE).map(|piece| Ok(Frame::data(Bytes::copy_from_slice(piece)))).collect();
    let chunked = BodyExt::boxed(StreamBody::new(futures_util::stream::iter(pieces)));
    exchange(&mut sender, "POST in chunks", request(&host, Method::POST).body(chunked)?, &sent).await?;
    web_socket(&host, listener, &sent).await?;
    times.sort_unstable();
    Ok(times[REQUESTS / 2])
}

async fn connect(listener: u16) -> std::io::Result<TcpStream> {
    let socket = TcpStream::connect((Ipv4Addr::LOCALHOST, listener)).await?;
    socket.set_nodelay(true)?;
    Ok(socket)
}

fn request(host: &str, method: Method) -> http::request::Builder {
    Request::builder().method(method).uri("/").header(header::HOST, host)
}

async fn exchange(
    sender: &mut SendRequest<Body>,
    name: &'static str,
    request: Request<Body>,
    expected: &[u8],
) -> Result<(), Problem> {
    sender.ready().await?;
    let response = sender.send_request(request).await?;
    let status = response.status();
    let body = Limited::new(response.into_body(), 2 * BODY).collect().await.map_err(Problem::Answer)?.to_bytes();
    if status != StatusCode::OK {
        return Err(Problem::Status { request: name, status, text: String::from_utf8_lossy(&body).into_owned() });
    }
    if body == expected { Ok(()) } else { Err(Problem::Bytes(name)) }
}

/// The server greets with its host, in the same piece as the handshake's answer, and then echoes.
async fn web_socket(host: &str, listener: u16, sent: &[u8]) -> Result<(), Problem> {
    let socket = connect(listener).await?;
    let (mut socket, _) = Box::pin(tokio_tungstenite::client_async(format!("ws://{host}/"), socket)).await?;
    let expected = [Message::text(host), Message::text("ping ✓"), Message::binary(sent[..PIECE].to_vec())];
    for (at, message) in expected.into_iter().enumerate() {
        if at > 0 {
            socket.send(message.clone()).await?;
        }
        if socket.next().await.transpose()? != Some(message) {
            return Err(Problem::Bytes("the WebSocket"));
        }
    }
    socket.close(None).await?;
    while socket.next().await.transpose()?.is_some() {}
    Ok(())
}
