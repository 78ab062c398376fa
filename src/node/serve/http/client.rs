//! The HTTP client: one connection per request, dialled through the policy. Section "Link", http: upstream.
//!
//! It speaks HTTP/1.1 and HTTP/2, follows no redirect, uses no proxy, and has no cache and no cookies: there is nothing
//! in it that could.

use std::{future::Future, sync::Arc, time::Duration};

use http::{
    HeaderValue, Request, Response, Uri,
    header::{CONTENT_LENGTH, HOST},
};
use hyper::{
    body::Incoming,
    client::conn::{http1, http2},
    rt::Executor,
};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::{Instant, timeout, timeout_at},
};
use tokio_rustls::TlsConnector;
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

use super::{
    body::{BodyWatch, LargeBodies, RequestBody},
    error::FetchError,
    head::{RequestHead, Target},
    tls::Tls,
    wire::{Record, Wire},
};
use crate::{
    generated::link::{ErrorCode, limits, timeouts},
    policy::Dialer,
};

/// Bytes that an HTTP/2 server may have under way. The link's own window is smaller.
const HTTP2_WINDOW: u32 = 1 << 20;

/// Connects to servers. The network policy's dialler is one.
pub trait Connector: Send + Sync {
    /// Connects to a name or an IP literal (without brackets), within `limit`. A failure is a code and a reason that may
    /// go to the page.
    fn connect(
        &self,
        host: &str,
        port: u16,
        limit: Duration,
    ) -> impl Future<Output = Result<TcpStream, (ErrorCode, String)>> + Send;
}

impl Connector for Dialer {
    async fn connect(&self, host: &str, port: u16, limit: Duration) -> Result<TcpStream, (ErrorCode, String)> {
        Self::connect(self, host, port, limit).await.map_err(|error| (error.code(), error.to_string()))
    }
}

/// What fetches for pages. Clones share it.
#[derive(Debug, Clone)]
pub struct Client<C> {
    connector: C,
    tls: Arc<Tls>,
    connect_limit: Duration,
    large_bodies: LargeBodies,
}

impl<C: Connector> Client<C> {
    /// A client that verifies TLS by the system's roots.
    pub fn new(connector: C) -> Self {
        Self::with_tls(connector, Tls::system())
    }

    /// A client with TLS settings of its own.
    pub fn with_tls(connector: C, tls: Tls) -> Self {
        Self {
            connector,
            tls: Arc::new(tls),
            connect_limit: timeouts::HTTP_CONNECT,
            large_bodies: LargeBodies::default(),
        }
    }

    /// The same client with another limit for connecting, TLS included.
    #[must_use]
    pub const fn connect_limit(mut self, limit: Duration) -> Self {
        self.connect_limit = limit;
        self
    }

    /// The turns that large request bodies take to be collected.
    pub const fn large_bodies(&self) -> &LargeBodies {
        &self.large_bodies
    }

    /// Its TLS settings, to be shared.
    pub const fn tls(&self) -> &Arc<Tls> {
        &self.tls
    }

    /// Sends a request and waits for the response's head, however long that takes. Dropping the future, or the
    /// [`Connection`] that it gives, closes the connection.
    pub async fn fetch(
        &self,
        head: &RequestHead,
        (body, watch): (RequestBody, BodyWatch),
        credentialed: bool,
    ) -> Result<(Response<Incoming>, Connection), FetchError> {
        let deadline = Instant::now() + self.connect_limit;
        let record = Record::default();
        let (mut sender, tasks) = timeout_at(deadline, self.open(&head.target, credentialed, &record))
            .await
            .unwrap_or_else(|_| Err(FetchError::new(ErrorCode::Etimedout, "the connection timed out")))?;
        let sent = match &mut sender {
            Sender::Http1(sender) => sender.send_request(http1_request(head, body)?).await,
            Sender::Http2(sender) => sender.send_request(http2_request(head, body)).await,
        };
        match sent {
            Ok(response) => Ok((response, Connection { sender, tasks, watch })),
            Err(_) if watch.wrong_length() => Err(FetchError::other(super::body::BodyError::Length.to_string())),
            Err(error) => Err(FetchError::http(&error, &record)),
        }
    }

    async fn open(&self, target: &Target, credentialed: bool, record: &Record) -> Result<(Sender, Tasks), FetchError> {
        let tls = if target.tls { Some(self.tls.config(credentialed).await?) } else { None };
        let socket = self
            .connector
            .connect(&target.host, target.port, self.connect_limit)
            .await
            .map_err(|(code, reason)| FetchError::new(code, reason))?;
        let wire = Wire::new(socket, record.clone());
        let Some(tls) = tls else { return handshake(wire, false, record).await };
        let name = ServerName::try_from(target.host.clone())
            .map_err(|_| FetchError::other("the host isn't a name that a certificate can have"))?;
        let secured =
            TlsConnector::from(tls).connect(name, wire).await.map_err(|error| FetchError::tls(&error, record))?;
        let http2 = secured.get_ref().1.alpn_protocol() == Some(b"h2");
        handshake(secured, http2, record).await
    }
}

/// A connection whose response is being read.
#[derive(Debug)]
pub struct Connection {
    sender: Sender,
    tasks: Tasks,
    watch: BodyWatch,
}

impl Connection {
    /// Once the response is over: waits until the server has all of the request body, or doesn't want it.
    pub async fn finish(mut self) {
        self.watch.over().await;
        drop(self.sender);
        // A server that stops reading the end of a request that it has answered gets no more time than this.
        let _ = timeout(timeouts::HTTP_LINGER, self.tasks.done()).await;
    }
}

#[derive(Debug)]
enum Sender {
    Http1(http1::SendRequest<RequestBody>),
    Http2(http2::SendRequest<RequestBody>),
}

/// The tasks of one connection. They end with it.
#[derive(Debug)]
struct Tasks {
    spawner: Spawner,
    _cancel: DropGuard,
}

#[derive(Debug, Clone)]
struct Spawner {
    tracker: TaskTracker,
    cancelled: CancellationToken,
}

impl Tasks {
    fn new() -> Self {
        let cancelled = CancellationToken::new();
        Self { _cancel: cancelled.clone().drop_guard(), spawner: Spawner { tracker: TaskTracker::new(), cancelled } }
    }

    async fn done(&self) {
        self.spawner.tracker.close();
        self.spawner.tracker.wait().await;
    }
}

impl<F> Executor<F> for Spawner
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    fn execute(&self, future: F) {
        self.tracker.spawn(self.cancelled.clone().run_until_cancelled_owned(future));
    }
}

async fn handshake<T>(io: T, http2: bool, record: &Record) -> Result<(Sender, Tasks), FetchError>
where
    T: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let tasks = Tasks::new();
    let io = TokioIo::new(io);
    let sender = if http2 {
        let (sender, connection) = http2::Builder::new(tasks.spawner.clone())
            .initial_stream_window_size(HTTP2_WINDOW)
            .initial_connection_window_size(HTTP2_WINDOW)
            .max_header_list_size(const { limits::HTTP_RESPONSE_HEAD as u32 })
            .handshake(io)
            .await
            .map_err(|error| FetchError::http(&error, record))?;
        tasks.spawner.execute(connection);
        Sender::Http2(sender)
    } else {
        let (sender, connection) = http1::Builder::new()
            .max_header_size(limits::HTTP_RESPONSE_HEAD)
            .max_buf_size(limits::HTTP_RESPONSE_HEAD)
            .max_headers(limits::HTTP_RESPONSE_HEADERS)
            .allow_obsolete_multiline_headers_in_responses(true)
            .handshake(io)
            .await
            .map_err(|error| FetchError::http(&error, record))?;
        tasks.spawner.execute(connection);
        Sender::Http1(sender)
    };
    Ok((sender, tasks))
}

fn http1_request(head: &RequestHead, body: RequestBody) -> Result<Request<RequestBody>, FetchError> {
    let unwritable = |_| FetchError::other("the URL can't be written into a request");
    let authority = head.uri.authority().map_or("", |authority| authority.as_str());
    let host = HeaderValue::from_str(authority).map_err(|_| FetchError::other("the host can't be written"))?;
    let path = head.uri.path_and_query().cloned().map_or_else(|| Uri::from_static("/"), Uri::from);
    let mut request = Request::builder().uri(path).header(HOST, host).body(body).map_err(unwritable)?;
    *request.method_mut() = head.method.clone();
    add_headers(head, &mut request);
    Ok(request)
}

fn http2_request(head: &RequestHead, body: RequestBody) -> Request<RequestBody> {
    let mut request = Request::new(body);
    *request.uri_mut() = head.uri.clone();
    *request.method_mut() = head.method.clone();
    add_headers(head, &mut request);
    request
}

fn add_headers(head: &RequestHead, request: &mut Request<RequestBody>) {
    let length = request.body().length().filter(|_| !head.has_no_body());
    let headers = request.headers_mut();
    headers.extend(head.headers.fields.clone());
    if let Some(length) = length {
        headers.insert(CONTENT_LENGTH, length.into());
    }
}
