//! A browser's CDP endpoint: the forms of `--cdp`, and `GET /json/version` (sections "Local setup: slicc attach" and
//! "Browsers" of the requirement).

use std::{fmt, io, net::Ipv4Addr, num::NonZeroU16, time::Duration};

use bytes::Bytes;
use http::{Request, StatusCode, header};
use http_body_util::{BodyExt, Empty, LengthLimitError, Limited};
use hyper_util::rt::TokioIo;
use tokio_util::task::AbortOnDropHandle;
use url::{Host, Url};

use super::{
    connection::Connection,
    version::{BrowserVersion, VersionError, parse_version},
};

/// How long an endpoint has to answer, from the connect to the last byte of the body or of the WebSocket handshake.
pub const ANSWER: Duration = Duration::from_secs(5);
/// Where a browser says what it is.
pub const VERSION: &str = "/json/version";
/// The longest body that is read from an endpoint, in bytes.
pub const MAX_BODY: usize = 1 << 20;

/// A CDP endpoint: an HTTP one that knows where the browser's WebSocket is, or that WebSocket itself.
///
/// Its `Debug` and `Display` leave the path and query out: a WebSocket's path is what lets a program drive the browser.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    secure: bool,
    host: Host,
    port: u16,
    /// Path and query of a WebSocket.
    socket: Option<String>,
}

/// A text that names no CDP endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a CDP endpoint ({problem}); use http://host:port, ws://host:port/devtools/browser/<id>, host:port or a port"
)]
pub struct NotAnEndpoint {
    /// What is wrong with it.
    pub problem: &'static str,
}

/// An endpoint that didn't answer as a browser does.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// It can't be reached, or the connection broke.
    #[error("{endpoint} can't be reached: {source}")]
    Unreachable {
        /// The endpoint, without a path.
        endpoint: String,
        /// Why.
        source: io::Error,
    },
    /// It took too long.
    #[error("{endpoint} didn't answer within {} s", limit.as_secs_f32())]
    TimedOut {
        /// The endpoint, without a path.
        endpoint: String,
        /// The limit.
        limit: Duration,
    },
    /// It speaks no HTTP.
    #[error("{endpoint} doesn't answer like a browser: {source}")]
    Http {
        /// The endpoint, without a path.
        endpoint: String,
        /// Why.
        source: hyper::Error,
    },
    /// It answered with another status. A redirect isn't followed.
    #[error("{endpoint} answered HTTP {status}")]
    Status {
        /// The endpoint, without a path.
        endpoint: String,
        /// The status.
        status: u16,
    },
    /// Its answer is too long.
    #[error("{endpoint} answered with more than {limit} bytes")]
    TooLarge {
        /// The endpoint, without a path.
        endpoint: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// Its answer isn't a browser's.
    #[error("{endpoint} doesn't answer like a browser: {source}")]
    NotABrowser {
        /// The endpoint, without a path.
        endpoint: String,
        /// Why.
        source: VersionError,
    },
    /// The browser names no WebSocket.
    #[error("{endpoint} names no WebSocket of the browser")]
    NoSocket {
        /// The endpoint, without a path.
        endpoint: String,
    },
    /// The WebSocket handshake failed.
    #[error("{endpoint} refused the WebSocket: {problem}")]
    Handshake {
        /// The endpoint, without a path.
        endpoint: String,
        /// Why.
        problem: String,
    },
}

impl Endpoint {
    /// Reads one of `http(s)://host:port`, `ws(s)://host:port/…`, `host:port` and a bare port, which is one on 127.0.0.1.
    pub fn parse(text: &str) -> Result<Self, NotAnEndpoint> {
        let refuse = |problem| Err(NotAnEndpoint { problem });
        if text.is_empty() {
            return refuse("it is empty");
        }
        if text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
            return refuse("it holds a space, a control character or a backslash");
        }
        if text.bytes().all(|b| b.is_ascii_digit()) {
            return match text.parse() {
                Ok(port) => Ok(Self::on_loopback(port)),
                Err(_) => refuse("a port is a number from 1 to 65535"),
            };
        }
        let url = if text.contains("://") {
            Url::parse(text)
        } else if text.contains(['/', '?', '#', '@']) || !has_port(text) {
            return refuse("without a scheme it must be host:port");
        } else {
            Url::parse(&format!("http://{text}"))
        };
        let Ok(url) = url else { return refuse("it isn't a URL") };
        let (secure, socket) = match url.scheme() {
            "http" => (false, false),
            "https" => (true, false),
            "ws" => (false, true),
            "wss" => (true, true),
            _ => return refuse("its scheme isn't http, https, ws or wss"),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("it holds a user name or a password");
        }
        if url.fragment().is_some() {
            return refuse("it holds a fragment");
        }
        let (Some(host), Some(port @ 1..)) = (url.host(), url.port_or_known_default()) else {
            return refuse("it has no host, or port 0");
        };
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        if !socket && path != "/" {
            return refuse("an http endpoint has no path");
        }
        Ok(Self { secure, host: host.to_owned(), port, socket: socket.then(|| path.to_owned()) })
    }

    /// The HTTP endpoint on this port of 127.0.0.1.
    pub fn on_loopback(port: NonZeroU16) -> Self {
        Self { secure: false, host: Host::Ipv4(Ipv4Addr::LOCALHOST), port: port.get(), socket: None }
    }

    /// The HTTP endpoint on the host and port of this one: of a WebSocket, where its `/json/version` is.
    #[must_use]
    pub fn http(&self) -> Self {
        Self { socket: None, ..self.clone() }
    }

    /// The same endpoint with `localhost` and `::1` written as 127.0.0.1.
    #[must_use]
    pub fn on_one_loopback(self) -> Self {
        let is_loopback = match &self.host {
            Host::Domain(name) => name == "localhost",
            Host::Ipv6(address) => address.is_loopback(),
            Host::Ipv4(_) => false,
        };
        if is_loopback { Self { host: Host::Ipv4(Ipv4Addr::LOCALHOST), ..self } } else { self }
    }

    /// The port, which the network policy protects.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The host, which the network policy resolves and protects.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Whether this is the browser's WebSocket itself.
    pub fn is_socket(&self) -> bool {
        self.socket.is_some()
    }

    /// Whether both are WebSockets with the same path, and so of the same browser. The host and the port that a browser
    /// names are only an echo of how it was asked, so they don't count.
    pub fn has_path_of(&self, other: &Self) -> bool {
        self.socket.is_some() && self.socket == other.socket
    }

    /// Asks the endpoint for `/json/version`. A WebSocket endpoint is asked on its host and port.
    pub async fn version(&self) -> Result<BrowserVersion, EndpointError> {
        let body = self.get(VERSION).await?;
        parse_version(&body).map_err(|source| EndpointError::NotABrowser { endpoint: self.to_string(), source })
    }

    /// The browser's WebSocket: this endpoint as it is, or the one that `/json/version` names.
    pub async fn browser_socket(&self) -> Result<Self, EndpointError> {
        if self.is_socket() {
            return Ok(self.clone());
        }
        let socket = self.version().await?.web_socket_debugger_url;
        socket.ok_or_else(|| EndpointError::NoSocket { endpoint: self.to_string() })
    }

    /// Gets a path over HTTP/1.1: straight to the endpoint, no proxy, no redirect, at most [`MAX_BODY`] bytes in
    /// [`ANSWER`]. Any status but 200 is an error.
    pub async fn get(&self, path: &str) -> Result<Bytes, EndpointError> {
        self.get_within(path, ANSWER, MAX_BODY).await
    }

    /// As [`Endpoint::get`], with other limits: on the time until the last byte, and on the bytes.
    pub async fn get_within(&self, path: &str, limit: Duration, max: usize) -> Result<Bytes, EndpointError> {
        self.within(limit, self.get_unbounded(path, max)).await
    }

    /// Whether the port takes a TCP connection, which is closed at once with nothing sent.
    pub async fn connects(&self, limit: Duration) -> bool {
        let connected = tokio::time::timeout(limit, Connection::open(&self.host, self.port, false));
        matches!(connected.await, Ok(Ok(_)))
    }

    async fn get_unbounded(&self, path: &str, max: usize) -> Result<Bytes, EndpointError> {
        let http = |source| EndpointError::Http { endpoint: self.to_string(), source };
        let connection = self.connect().await?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(connection)).await.map_err(http)?;
        let _driver = AbortOnDropHandle::new(tokio::spawn(connection));
        let request = Request::get(path)
            .header(header::HOST, self.authority())
            .body(Empty::<Bytes>::new())
            .map_err(|error| self.unreachable(io::Error::other(error)))?;
        let response = sender.send_request(request).await.map_err(http)?;
        if response.status() != StatusCode::OK {
            return Err(EndpointError::Status { endpoint: self.to_string(), status: response.status().as_u16() });
        }
        match Limited::new(response.into_body(), max).collect().await {
            Ok(body) => Ok(body.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => {
                Err(EndpointError::TooLarge { endpoint: self.to_string(), limit: max })
            }
            Err(error) => Err(self.unreachable(io::Error::other(error))),
        }
    }

    /// Runs an exchange with the endpoint under the time limit [`ANSWER`].
    pub(super) async fn in_time<T>(
        &self,
        exchange: impl Future<Output = Result<T, EndpointError>>,
    ) -> Result<T, EndpointError> {
        self.within(ANSWER, exchange).await
    }

    async fn within<T>(
        &self,
        limit: Duration,
        exchange: impl Future<Output = Result<T, EndpointError>>,
    ) -> Result<T, EndpointError> {
        match tokio::time::timeout(limit, exchange).await {
            Ok(result) => result,
            Err(_) => Err(EndpointError::TimedOut { endpoint: self.to_string(), limit }),
        }
    }

    pub(super) async fn connect(&self) -> Result<Connection, EndpointError> {
        Connection::open(&self.host, self.port, self.secure).await.map_err(|source| self.unreachable(source))
    }

    /// The URL of the WebSocket. It lets a program drive the browser, so it goes into a handshake, and to a user who asks
    /// where the browser is, and nowhere else.
    pub fn socket_url(&self) -> Option<String> {
        let scheme = if self.secure { "wss" } else { "ws" };
        self.socket.as_ref().map(|path| format!("{scheme}://{}{path}", self.authority()))
    }

    fn unreachable(&self, source: io::Error) -> EndpointError {
        EndpointError::Unreachable { endpoint: self.to_string(), source }
    }

    fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

/// Whether a `host:port` ends in a port.
fn has_port(text: &str) -> bool {
    text.rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()))
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match (self.is_socket(), self.secure) {
            (false, false) => "http",
            (false, true) => "https",
            (true, false) => "ws",
            (true, true) => "wss",
        };
        write!(f, "{scheme}://{}:{}", self.host, self.port)
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;

    fn shown(text: &str) -> String {
        Endpoint::parse(text).unwrap().to_string()
    }

    #[test]
    fn every_form_of_an_endpoint_is_taken() {
        assert_eq!(shown("9222"), "http://127.0.0.1:9222");
        assert_eq!(shown("localhost:9222"), "http://localhost:9222");
        assert_eq!(shown("[::1]:9222"), "http://[::1]:9222");
        assert_eq!(shown("http://MyHost.Test:9400"), "http://myhost.test:9400");
        assert_eq!(shown("https://browser.test"), "https://browser.test:443");
        assert_eq!(shown("ws://127.0.0.1:9222/devtools/browser/aaa"), "ws://127.0.0.1:9222");
        assert_eq!(Endpoint::parse("http://127.0.0.1:9222/").unwrap().port(), 9222);
    }

    #[test]
    fn a_websocket_url_is_used_as_it_is() {
        let endpoint = Endpoint::parse("wss://browser.test/some/where?key=1").unwrap();
        assert_eq!(endpoint.socket_url().unwrap(), "wss://browser.test:443/some/where?key=1");
    }

    #[test]
    fn the_path_of_a_websocket_tells_a_browser_from_another() {
        let parse = |text| Endpoint::parse(text).unwrap();
        let mine = parse("ws://127.0.0.1:9222/devtools/browser/mine");
        assert!(mine.has_path_of(&parse("ws://localhost/devtools/browser/mine")));
        assert!(!mine.has_path_of(&parse("ws://127.0.0.1:9222/devtools/browser/other")));
        assert!(!parse("9222").has_path_of(&parse("9222")));
    }

    #[test]
    fn a_websocket_path_is_never_shown() {
        let endpoint = Endpoint::parse("ws://127.0.0.1:9222/devtools/browser/secret?key=secret").unwrap();
        assert!(!format!("{endpoint} {endpoint:?}").contains("secret"));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "0",
            "65536",
            "99999999999",
            "host",
            "host:",
            ":9222",
            "host:9222/json",
            "ftp://host:21",
            "file:///etc/passwd",
            "http://",
            "http://host:0",
            "http://user:password@host:9222",
            "http://host:9222/json/version",
            "http://host:9222/?query",
            "http://host:9222/#fragment",
            "ws://host:9222/\tpath",
            "http://ho st:9222",
            "http:\\\\host:9222",
        ] {
            assert!(Endpoint::parse(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_and_a_read_one_reads_again(text in "\\PC{0,40}") {
            if let Ok(endpoint) = Endpoint::parse(&text) {
                prop_assert!(endpoint.port() > 0);
                let again = endpoint.socket_url().unwrap_or_else(|| endpoint.to_string());
                prop_assert_eq!(Endpoint::parse(&again).unwrap(), endpoint);
            }
        }

        #[test]
        fn host_and_port_survive(host in "[a-z]{1,10}(\\.[a-z]{1,5})?", port in 1..=u16::MAX) {
            let endpoint = Endpoint::parse(&format!("{host}:{port}")).unwrap();
            prop_assert_eq!(endpoint.host().to_string(), host);
            prop_assert_eq!(endpoint.port(), port);
        }
    }

    /// Serves one answer on loopback, and returns the endpoint and what was asked.
    async fn serve(answer: Vec<u8>) -> (Endpoint, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let endpoint = Endpoint::parse(&listener.local_addr().unwrap().port().to_string()).unwrap();
        let asked = tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                request.push(socket.read_u8().await.unwrap());
            }
            // The client may hang up on an answer that is too long.
            let _ = socket.write_all(&answer).await;
            String::from_utf8(request).unwrap()
        });
        (endpoint, asked)
    }

    #[test]
    fn every_loopback_is_written_in_one_way() {
        let one = |text: &str| Endpoint::parse(text).unwrap().on_one_loopback().to_string();
        for text in ["localhost:9222", "[::1]:9222", "127.0.0.1:9222", "9222", "http://LOCALHOST:9222"] {
            assert_eq!(one(text), "http://127.0.0.1:9222");
        }
        assert_eq!(one("ws://[::1]:9222/a"), "ws://127.0.0.1:9222");
        assert_eq!(one("[2001:db8::5]:9400"), "http://[2001:db8::5]:9400");
        assert_eq!(one("localhost.test:9400"), "http://localhost.test:9400");
    }

    #[tokio::test]
    async fn a_connect_sends_nothing() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let endpoint = Endpoint::parse(&listener.local_addr().unwrap().port().to_string()).unwrap();
        let (connects, read) = tokio::join!(endpoint.connects(ANSWER), async {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut read = Vec::new();
            let _ = socket.read_to_end(&mut read).await;
            read
        });
        assert!(connects);
        assert_eq!(read, b"");
        drop(listener);
        assert!(!endpoint.connects(ANSWER).await);
    }

    #[tokio::test]
    async fn version_names_the_socket() {
        let body = r#"{"Browser":"Chrome/156.0","webSocketDebuggerUrl":"ws://127.0.0.1:9222/devtools/browser/a"}"#;
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let (endpoint, asked) = serve(answer.into_bytes()).await;
        let socket = endpoint.browser_socket().await.unwrap();
        assert_eq!(socket.socket_url().unwrap(), "ws://127.0.0.1:9222/devtools/browser/a");
        let asked = asked.await.unwrap().to_lowercase();
        assert!(asked.starts_with("get /json/version http/1.1\r\n"), "{asked}");
        assert!(asked.contains(&format!("host: 127.0.0.1:{}\r\n", endpoint.port())), "{asked}");
        assert!(!asked.contains("origin:"), "{asked}");
    }

    #[tokio::test]
    async fn a_redirect_is_no_answer() {
        let answer = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
        let (endpoint, _asked) = serve(answer.to_vec()).await;
        assert!(matches!(endpoint.version().await, Err(EndpointError::Status { status: 302, .. })));
    }

    #[tokio::test]
    async fn an_endless_body_is_cut_off() {
        let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", MAX_BODY + 1).into_bytes();
        answer.resize(answer.len() + MAX_BODY + 1, b' ');
        let (endpoint, _asked) = serve(answer).await;
        assert!(matches!(endpoint.version().await, Err(EndpointError::TooLarge { .. })));
    }

    #[tokio::test]
    async fn a_closed_port_is_an_error_that_names_the_endpoint() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let error = Endpoint::parse(&port.to_string()).unwrap().version().await.unwrap_err();
        assert!(error.to_string().contains(&format!("http://127.0.0.1:{port}")), "{error}");
    }
}
