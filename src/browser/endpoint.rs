//! Where a launched browser answers: `DevToolsActivePort`, its stderr line, and `/json/version` (sections "Browsers" and
//! `slicc launch` of the requirement). All three are foreign text, parsed by pure functions.

use std::{net::Ipv4Addr, time::Duration};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::{Request, StatusCode, header};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::net::TcpStream;

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 64 * 1024;
/// How long one question may take.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);
/// The longest path of a browser's WebSocket, in bytes.
const MAX_PATH: usize = 1024;

/// A browser's debugging endpoint on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The port on 127.0.0.1.
    pub port: u16,
    /// The path of the browser's WebSocket, such as `/devtools/browser/<id>`.
    pub path: String,
}

impl Endpoint {
    /// The base URL for HTTP.
    pub fn http_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The URL of the browser's WebSocket.
    pub fn web_socket_url(&self) -> String {
        format!("ws://127.0.0.1:{}{}", self.port, self.path)
    }
}

/// What `/json/version` says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Version {
    /// Product and version, such as `Chrome/156.0.8078.114`.
    #[serde(rename = "Browser", default)]
    pub browser: String,
    /// The URL of the browser's WebSocket.
    #[serde(rename = "webSocketDebuggerUrl")]
    pub web_socket_debugger_url: String,
}

/// Why an endpoint gave no version.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// Nothing listens, or the connection broke.
    #[error("the debugging port doesn't answer: {0}")]
    Io(#[from] std::io::Error),
    /// What listens speaks no HTTP.
    #[error("the debugging port speaks no HTTP: {0}")]
    Http(#[from] hyper::Error),
    /// It took more than five seconds.
    #[error("the debugging port didn't answer in time")]
    TimedOut,
    /// Another status than 200; redirects aren't followed.
    #[error("the debugging port answered /json/version with HTTP {0}")]
    Status(StatusCode),
    /// The answer is longer than 64 KiB or breaks off.
    #[error("the answer to /json/version is too long or incomplete")]
    Body,
    /// The answer isn't the document that a browser sends.
    #[error("the answer to /json/version isn't a browser's")]
    Document,
}

/// Parses the text of a `DevToolsActivePort` file: the port, then the WebSocket's path. `None` when it isn't whole, as
/// while the browser writes it.
pub fn parse_active_port(text: &str) -> Option<Endpoint> {
    let mut lines = text.lines();
    let port = lines.next()?.trim().parse().ok().filter(|port| *port != 0)?;
    let path = lines.next()?.trim();
    is_path(path).then(|| Endpoint { port, path: path.to_owned() })
}

/// Parses a line of stderr, `DevTools listening on ws://127.0.0.1:<port>/devtools/browser/<id>`. Only a loopback address
/// counts.
pub fn parse_listening_line(line: &str) -> Option<Endpoint> {
    let (_, url) = line.split_once("DevTools listening on ")?;
    let url = url::Url::parse(url.trim()).ok()?;
    let loopback = match url.host()? {
        url::Host::Ipv4(address) => address.is_loopback(),
        url::Host::Ipv6(_) | url::Host::Domain(_) => false,
    };
    let port = url.port().filter(|port| *port != 0)?;
    (url.scheme() == "ws" && loopback && is_path(url.path())).then(|| Endpoint { port, path: url.path().to_owned() })
}

/// Parses the body of `/json/version`.
pub fn parse_version(body: &[u8]) -> Option<Version> {
    serde_json::from_slice(body).ok()
}

/// Whether a version names this WebSocket path. Its host is only an echo of the question's, so it doesn't count.
pub fn names_path(version: &Version, path: &str) -> bool {
    url::Url::parse(&version.web_socket_debugger_url).is_ok_and(|url| url.scheme() == "ws" && url.path() == path)
}

fn is_path(text: &str) -> bool {
    text.starts_with('/') && text.len() <= MAX_PATH && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Asks the port on 127.0.0.1 for `/json/version`: one request, no redirect, no proxy.
///
/// # Errors
/// An [`EndpointError`] that says what is there instead of a browser.
pub async fn version(port: u16) -> Result<Version, EndpointError> {
    match tokio::time::timeout(ANSWER_LIMIT, get_version(port)).await {
        Ok(result) => result,
        Err(_) => Err(EndpointError::TimedOut),
    }
}

async fn get_version(port: u16) -> Result<Version, EndpointError> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let request = Request::get("/json/version")
        .header(header::HOST, format!("127.0.0.1:{port}"))
        .header(header::CONNECTION, "close")
        .body(Empty::<Bytes>::new())
        .expect("the request is made of constants and a number");
    let exchange = async {
        let response = sender.send_request(request).await?;
        if response.status() != StatusCode::OK {
            return Err(EndpointError::Status(response.status()));
        }
        let body = Limited::new(response.into_body(), MAX_ANSWER).collect().await.map_err(|_| EndpointError::Body)?;
        parse_version(&body.to_bytes()).ok_or(EndpointError::Document)
    };
    // The connection has to be driven while the exchange runs; when it ends first, the exchange says how.
    let driven = async {
        let ended = connection.await;
        tracing::trace!(?ended, "connection to the debugging port ended");
        std::future::pending().await
    };
    tokio::select! {
        result = exchange => result,
        never = driven => never,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpListener,
    };

    use super::*;

    #[test]
    fn a_whole_active_port_file_is_read() {
        let endpoint = parse_active_port("9222\n/devtools/browser/a-b\n").unwrap();
        assert_eq!(endpoint.web_socket_url(), "ws://127.0.0.1:9222/devtools/browser/a-b");
    }

    #[test]
    fn half_an_active_port_file_is_not_an_endpoint() {
        for text in
            ["", "9222", "9222\n", "9222\ndevtools", "0\n/a", "70000\n/a", "x\n/a", "9222\n/a b", "9222\n/a\u{1b}["]
        {
            assert_eq!(parse_active_port(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_listening_line_counts_on_loopback_only() {
        let line = "DevTools listening on ws://127.0.0.1:41233/devtools/browser/0a";
        assert_eq!(parse_listening_line(line).unwrap().port, 41233);
        for line in [
            "DevTools listening on ws://10.0.0.1:41233/devtools/browser/0a",
            "DevTools listening on wss://127.0.0.1:41233/devtools/browser/0a",
            "DevTools listening on ws://localhost:41233/x",
            "DevTools listening on ",
            "listening on ws://127.0.0.1:1/x",
        ] {
            assert_eq!(parse_listening_line(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn an_endpoint_from_any_text_makes_a_valid_url(text in "(?s)[0-9]{0,6}\n?/?.{0,80}") {
            if let Some(endpoint) = parse_active_port(&text) {
                let url = url::Url::parse(&endpoint.web_socket_url()).unwrap();
                prop_assert_eq!(url.host_str(), Some("127.0.0.1"));
            }
        }

        #[test]
        fn no_stderr_line_panics(text in "(DevTools listening on )?(?s).{0,200}") {
            if let Some(endpoint) = parse_listening_line(&text) {
                prop_assert!(endpoint.port != 0 && endpoint.path.starts_with('/'));
            }
        }

        #[test]
        fn no_version_body_panics(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            if let Some(version) = parse_version(&body) {
                names_path(&version, "/");
            }
        }
    }

    /// Answers one request with this text.
    async fn answering(answer: Vec<u8>) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1024];
            let _ = stream.read(&mut request).await.unwrap();
            // The client may hang up first; that is what some tests are about.
            let _ = stream.write_all(&answer).await;
        });
        port
    }

    #[tokio::test]
    async fn a_redirect_is_not_followed() {
        let port =
            answering(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n".to_vec())
                .await;
        assert!(matches!(version(port).await, Err(EndpointError::Status(StatusCode::FOUND))));
    }

    #[tokio::test]
    async fn an_endless_answer_is_cut_off() {
        let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", MAX_ANSWER + 1).into_bytes();
        answer.resize(answer.len() + MAX_ANSWER + 1, b' ');
        assert!(matches!(version(answering(answer).await).await, Err(EndpointError::Body)));
    }

    #[tokio::test]
    async fn a_port_without_http_is_an_error() {
        assert!(matches!(version(answering(b"SSH-2.0-x\r\n".to_vec()).await).await, Err(EndpointError::Http(_))));
    }
}
