//! What the checks talk to: loopback servers that live as long as their owner.

use std::{
    convert::Infallible,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, LazyLock},
    time::Duration,
};

use async_compression::tokio::write::GzipEncoder;
use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use http_body_util::Full;
use hyper::{Method, Request, Response, StatusCode, body::Incoming, header, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::Serialize;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_util::task::AbortOnDropHandle;

use super::{page, page_server};

/// Connections that each server takes at once; more wait in the listener's queue.
const MAX_CONNECTIONS: usize = 64;
/// Bytes that the source sends and that the page sends to the sink.
pub const THROUGHPUT_BYTES: u64 = 32 * 1024 * 1024;
/// How long an HTTP client may take for its head.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// How long one connection of the TCP servers may last.
const CONNECTION_LIMIT: Duration = Duration::from_mins(2);
const PIECE: usize = 64 * 1024;
/// The subprotocol that the WebSocket server chooses.
const WS_PROTOCOL: &str = "echo.slicc";
/// Bytes of the largest message that the WebSocket server takes.
const MAX_WS_MESSAGE: usize = 4 * 1024 * 1024;

/// What the page may do: run its own scripts and styles, reach the servers in itself through kernel services, and nothing
/// else.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
     connect-src http://*.kernel.localhost:* ws://*.kernel.localhost:*; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The text behind the gzip endpoint: long enough to be worth compressing, with characters of every length.
static HTTP_TEXT: LazyLock<String> =
    LazyLock::new(|| "slicc sends a page’s request, and gets ✓ 🦀 back.\n".repeat(500));

/// The running servers. Dropping them closes every listener and connection.
#[derive(Debug)]
pub struct Servers {
    page: SocketAddr,
    http: SocketAddr,
    echo: SocketAddr,
    source: SocketAddr,
    sink: SocketAddr,
    web_socket: SocketAddr,
    _tasks: Vec<AbortOnDropHandle<()>>,
}

/// What `sliccDoctor.run` is called with.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Config<'a> {
    http_url: String,
    http_text: &'a str,
    ws_url: String,
    ws_protocol: &'a str,
    tcp_host: String,
    tcp_port: u16,
    source_port: u16,
    sink_port: u16,
    throughput_bytes: u64,
    debug_port: u16,
}

impl Servers {
    /// Starts every server on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// When a port can't be had, or the answer of the gzip endpoint can't be compressed.
    pub async fn start() -> io::Result<Self> {
        let mut tasks = Vec::new();
        let compressed = gzip(HTTP_TEXT.as_bytes()).await?;
        let (page_listener, page) = listen().await?;
        tasks.push(serve(page_listener, move |stream| {
            http_connection(stream, move |request| page_answer(request, page))
        }));
        let (http_listener, http) = listen().await?;
        tasks.push(serve(http_listener, move |stream| {
            let compressed = compressed.clone();
            http_connection(stream, move |request| gzip_answer(request, &compressed))
        }));
        let (echo_listener, echo) = listen().await?;
        tasks.push(serve(echo_listener, |stream| tcp_connection(stream, echo_connection)));
        let (source_listener, source) = listen().await?;
        tasks.push(serve(source_listener, |stream| tcp_connection(stream, source_connection)));
        let (sink_listener, sink) = listen().await?;
        tasks.push(serve(sink_listener, |stream| tcp_connection(stream, sink_connection)));
        let (web_socket_listener, web_socket) = listen().await?;
        tasks.push(serve(web_socket_listener, |stream| tcp_connection(stream, web_socket_connection)));
        Ok(Self { page, http, echo, source, sink, web_socket, _tasks: tasks })
    }

    /// The URL of the doctor's page.
    pub fn page_url(&self) -> String {
        format!("{}/", self.page_origin())
    }

    /// The URL of the doctor's page with a server in it.
    pub fn page_with_server_url(&self) -> String {
        format!("{}?kernel={}", self.page_url(), page_server::KERNEL_PORT)
    }

    /// The origin of the doctor's page.
    pub fn page_origin(&self) -> String {
        format!("http://{}", self.page)
    }

    /// What `sliccDoctor.run` is to be called with, as JSON. `debug_port` is the debugging port of the browser that
    /// shows the page.
    pub fn config_json(&self, debug_port: u16) -> String {
        let config = Config {
            http_url: format!("http://{}/gzip", self.http),
            http_text: &HTTP_TEXT,
            ws_url: format!("ws://{}/echo?of=messages", self.web_socket),
            ws_protocol: WS_PROTOCOL,
            tcp_host: self.echo.ip().to_string(),
            tcp_port: self.echo.port(),
            source_port: self.source.port(),
            sink_port: self.sink.port(),
            throughput_bytes: THROUGHPUT_BYTES,
            debug_port,
        };
        serde_json::to_string(&config).expect("strings and numbers always make JSON")
    }
}

async fn listen() -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

async fn gzip(bytes: &[u8]) -> io::Result<Bytes> {
    let mut encoder = GzipEncoder::new(Vec::new());
    encoder.write_all(bytes).await?;
    encoder.shutdown().await?;
    Ok(encoder.into_inner().into())
}

/// Accepts until it is dropped, at most [`MAX_CONNECTIONS`] at once. The connections end with it.
fn serve<F>(listener: TcpListener, connection: impl Fn(TcpStream) -> F + Send + 'static) -> AbortOnDropHandle<()>
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    AbortOnDropHandle::new(tokio::spawn(async move {
        let mut connections = JoinSet::new();
        loop {
            let Ok(permit) = Arc::clone(&free).acquire_owned().await else { return };
            // What has ended is taken out, so that the set stays as small as the semaphore.
            while connections.try_join_next().is_some() {}
            match listener.accept().await {
                Ok((stream, _)) => {
                    let served = connection(stream);
                    connections.spawn(async move {
                        if let Err(error) = served.await {
                            tracing::debug!(%error, "a connection of the self-check ended");
                        }
                        drop(permit);
                    });
                }
                Err(error) => {
                    // Out of file descriptors, say: it may get better when a connection ends.
                    tracing::debug!(%error, "could not accept a connection of the self-check");
                    if connections.join_next().await.is_none() {
                        return;
                    }
                }
            }
        }
    }))
}

async fn http_connection(
    stream: TcpStream,
    answer: impl Fn(&Request<Incoming>) -> Response<Full<Bytes>>,
) -> io::Result<()> {
    let service = service_fn(move |request| {
        let response = answer(&request);
        async move { Ok::<_, Infallible>(response) }
    });
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_LIMIT)
        .serve_connection(TokioIo::new(stream), service)
        .await
        .map_err(io::Error::other)
}

fn plain(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}

/// A file of the page. Another Host is refused: a name that somebody points at 127.0.0.1 must not become the page's
/// origin.
fn page_answer<B>(request: &Request<B>, address: SocketAddr) -> Response<Full<Bytes>> {
    let host = request.headers().get(header::HOST).map(header::HeaderValue::as_bytes);
    if host != Some(address.to_string().as_bytes()) {
        return plain(StatusCode::MISDIRECTED_REQUEST);
    }
    if request.method() != Method::GET {
        return plain(StatusCode::METHOD_NOT_ALLOWED);
    }
    let Some(file) = page::file(request.uri().path()) else { return plain(StatusCode::NOT_FOUND) };
    let headers = [
        (header::CONTENT_TYPE, file.content_type),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    ];
    let mut response = Response::new(Full::from(file.text));
    for (name, value) in headers {
        response.headers_mut().insert(name, header::HeaderValue::from_static(value));
    }
    response
}

fn gzip_answer<B>(request: &Request<B>, compressed: &Bytes) -> Response<Full<Bytes>> {
    if request.method() != Method::GET || request.uri().path() != "/gzip" {
        return plain(StatusCode::NOT_FOUND);
    }
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_ENCODING, "gzip"),
    ];
    let mut response = Response::new(Full::new(compressed.clone()));
    for (name, value) in headers {
        response.headers_mut().insert(name, header::HeaderValue::from_static(value));
    }
    response
}

async fn tcp_connection<F>(stream: TcpStream, serve: impl FnOnce(TcpStream) -> F) -> io::Result<()>
where
    F: Future<Output = io::Result<()>>,
{
    stream.set_nodelay(true)?;
    tokio::time::timeout(CONNECTION_LIMIT, serve(stream)).await?
}

/// Sends back what comes, until the client's end.
async fn echo_connection(mut stream: TcpStream) -> io::Result<()> {
    let (mut read, mut write) = stream.split();
    tokio::io::copy(&mut read, &mut write).await?;
    write.shutdown().await
}

/// Sends back every message, under [`WS_PROTOCOL`].
async fn web_socket_connection(stream: TcpStream) -> io::Result<()> {
    let config = WebSocketConfig::default().max_message_size(Some(MAX_WS_MESSAGE)).max_frame_size(Some(MAX_WS_MESSAGE));
    #[allow(clippy::result_large_err, reason = "the library says what a refusal is")]
    let choose = |_request: &Request<()>, mut response: Response<()>| {
        let protocol = header::HeaderValue::from_static(WS_PROTOCOL);
        response.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, protocol);
        Ok(response)
    };
    let accepting = tokio_tungstenite::accept_hdr_async_with_config(stream, choose, Some(config));
    let mut socket = accepting.await.map_err(io::Error::other)?;
    while let Some(message) = socket.next().await {
        let message = message.map_err(io::Error::other)?;
        if message.is_text() || message.is_binary() {
            socket.send(message).await.map_err(io::Error::other)?;
        }
    }
    Ok(())
}

/// Sends [`THROUGHPUT_BYTES`], then ends.
async fn source_connection(mut stream: TcpStream) -> io::Result<()> {
    let piece: Vec<u8> = (0..PIECE).map(|at| at as u8).collect();
    let mut left = usize::try_from(THROUGHPUT_BYTES).map_err(io::Error::other)?;
    while left > 0 {
        let now = left.min(PIECE);
        stream.write_all(&piece[..now]).await?;
        left -= now;
    }
    stream.shutdown().await
}

/// Counts what comes until the client's end, and answers with the count (u64, big endian).
async fn sink_connection(mut stream: TcpStream) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    let mut count: u64 = 0;
    loop {
        match stream.read(&mut piece).await? {
            0 => break,
            read => count += read as u64,
        }
    }
    stream.write_all(&count.to_be_bytes()).await?;
    stream.shutdown().await
}

#[cfg(test)]
mod tests {
    use tokio_tungstenite::tungstenite::{Message, client::IntoClientRequest as _};

    use super::*;

    async fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[tokio::test]
    async fn a_page_file_has_its_type_and_is_never_kept() {
        let servers = Servers::start().await.unwrap();
        for (path, content_type) in [("/", "text/html"), ("/link.js", "text/javascript"), ("/style.css", "text/css")] {
            let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", servers.page);
            let answer = ask(servers.page, &request).await;
            assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
            assert!(answer.contains(&format!("content-type: {content_type}; charset=utf-8\r\n")), "{answer}");
            assert!(answer.contains("cache-control: no-store\r\n"));
        }
    }

    #[tokio::test]
    async fn a_rebound_name_gets_no_page() {
        let servers = Servers::start().await.unwrap();
        let port = servers.page.port();
        for host in ["evil.example".to_owned(), format!("evil.example:{port}"), format!("localhost:{port}")] {
            let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            assert!(ask(servers.page, &request).await.starts_with("HTTP/1.1 421 "));
        }
    }

    #[tokio::test]
    async fn only_get_and_only_the_files() {
        let servers = Servers::start().await.unwrap();
        for (request, status) in [("POST / ", "405"), ("GET /../Cargo.toml ", "404"), ("GET /index.html ", "404")] {
            let request = format!("{request}HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", servers.page);
            assert!(ask(servers.page, &request).await.starts_with(&format!("HTTP/1.1 {status} ")));
        }
    }

    #[tokio::test]
    async fn the_gzip_answer_is_compressed() {
        let servers = Servers::start().await.unwrap();
        let request = format!("GET /gzip HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", servers.http);
        let answer = ask(servers.http, &request).await;
        assert!(answer.contains("content-encoding: gzip\r\n"));
        assert!(answer.len() < HTTP_TEXT.len() / 4);
    }

    #[tokio::test]
    async fn the_source_sends_and_the_sink_counts() {
        let servers = Servers::start().await.unwrap();
        let mut source = TcpStream::connect(servers.source).await.unwrap();
        let sent = tokio::io::copy(&mut source, &mut tokio::io::sink()).await.unwrap();
        assert_eq!(sent, THROUGHPUT_BYTES);
        let mut sink = TcpStream::connect(servers.sink).await.unwrap();
        sink.write_all(&vec![7; 1_000_001]).await.unwrap();
        sink.shutdown().await.unwrap();
        assert_eq!(sink.read_u64().await.unwrap(), 1_000_001);
    }

    #[tokio::test]
    async fn the_web_socket_sends_back_every_message_under_its_subprotocol() {
        let servers = Servers::start().await.unwrap();
        let stream = TcpStream::connect(servers.web_socket).await.unwrap();
        let mut request = format!("ws://{}/", servers.web_socket).into_client_request().unwrap();
        request.headers_mut().insert("sec-websocket-protocol", header::HeaderValue::from_static(WS_PROTOCOL));
        let (mut socket, response) = tokio_tungstenite::client_async(request, stream).await.unwrap();
        assert_eq!(response.headers()["sec-websocket-protocol"], WS_PROTOCOL);
        for message in [Message::text("h\u{e9}"), Message::binary(vec![7; 100_000])] {
            socket.send(message.clone()).await.unwrap();
            assert_eq!(socket.next().await.unwrap().unwrap(), message);
        }
    }

    #[tokio::test]
    async fn connections_end_with_their_owner() {
        let servers = Servers::start().await.unwrap();
        let (page, echo) = (servers.page, servers.echo);
        let mut stream = TcpStream::connect(echo).await.unwrap();
        stream.write_all(b"x").await.unwrap();
        assert_eq!(stream.read_u8().await.unwrap(), b'x');
        drop(servers);
        // A reset is an end as well.
        assert_eq!(stream.read(&mut [0; 1]).await.unwrap_or(0), 0);
        assert!(TcpStream::connect(page).await.is_err());
    }

    #[tokio::test]
    async fn more_connections_than_the_limit_wait() {
        let servers = Servers::start().await.unwrap();
        let mut held = Vec::new();
        for _ in 0..MAX_CONNECTIONS {
            let mut stream = TcpStream::connect(servers.echo).await.unwrap();
            stream.write_all(b"x").await.unwrap();
            assert_eq!(stream.read_u8().await.unwrap(), b'x');
            held.push(stream);
        }
        let mut waiting = TcpStream::connect(servers.echo).await.unwrap();
        waiting.write_all(b"y").await.unwrap();
        let early = tokio::time::timeout(Duration::from_millis(100), waiting.read_u8()).await;
        assert!(early.is_err(), "the connection past the limit was served");
        held.pop();
        assert_eq!(waiting.read_u8().await.unwrap(), b'y');
    }

    #[tokio::test]
    async fn the_config_names_every_server() {
        let servers = Servers::start().await.unwrap();
        let config: serde_json::Value = serde_json::from_str(&servers.config_json(9222)).unwrap();
        assert_eq!(config["tcpHost"], "127.0.0.1");
        assert_eq!(config["debugPort"], 9222);
        assert_eq!(config["throughputBytes"], THROUGHPUT_BYTES);
        assert_eq!(config["httpUrl"], format!("http://{}/gzip", servers.http));
        assert_eq!(config["wsUrl"], format!("ws://{}/echo?of=messages", servers.web_socket));
    }
}
