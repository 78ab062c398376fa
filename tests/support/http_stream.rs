//! The page's side of an http stream (section "Link", http): a request goes out as a head and a body, a response comes back.

use std::io;

use bytes::{Bytes, BytesMut};
use serde::Deserialize;
use serde_json::{Value, json};
use slicc::{
    generated::link::ErrorCode,
    link::{Link, RecvHalf, SendHalf, mux::Placement},
};

use super::native_page::open_on;

/// Bytes of the length before a head.
const LENGTH: usize = 4;
/// Bytes of a response's head that are taken.
const MAX_HEAD: usize = 4 << 20;

/// The head of a response.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Head {
    /// The status code.
    pub status: u16,
    /// The reason phrase.
    pub status_text: String,
    /// Names and values, as they came.
    pub headers: Vec<(String, String)>,
    /// The request's URL.
    pub url: String,
}

impl Head {
    /// The value of the first header with this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The values of all headers with this name.
    pub fn all(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(found, _)| found == name).map(|(_, value)| value.as_str()).collect()
    }
}

/// An open http stream.
#[derive(Debug)]
pub struct HttpStream {
    /// The request's direction.
    pub request: Request,
    /// The response's direction.
    pub response: Response,
}

/// The request's direction of a stream.
#[derive(Debug)]
pub struct Request(SendHalf);

/// The response's direction of a stream.
#[derive(Debug)]
pub struct Response {
    receive: RecvHalf,
    /// What came with the head, or isn't asked for yet.
    rest: Bytes,
    /// What was handed out and isn't credited yet.
    handed_out: usize,
}

impl HttpStream {
    /// Opens a stream.
    ///
    /// # Errors
    /// When the link is down or the node resets the stream.
    pub async fn open(link: &Link) -> io::Result<Self> {
        let (stream, _) = open_on(link, &json!({ "kind": "http" }), Placement::OwnChannel).await?;
        let (receive, send) = stream.split();
        Ok(Self { request: Request(send), response: Response { receive, rest: Bytes::new(), handed_out: 0 } })
    }

    /// Opens a stream and sends a request's head.
    ///
    /// # Errors
    /// As [`HttpStream::open`].
    pub async fn begin(link: &Link, method: &str, url: &str, headers: &[(&str, &str)]) -> io::Result<Self> {
        let mut stream = Self::open(link).await?;
        stream.request.head(&json!({ "url": url, "method": method, "headers": headers })).await?;
        Ok(stream)
    }
}

impl Request {
    /// Sends the head.
    ///
    /// # Errors
    /// When the stream was reset or the link is down.
    pub async fn head(&mut self, head: &Value) -> io::Result<()> {
        let json = head.to_string();
        let length = u32::try_from(json.len()).map_err(io::Error::other)?;
        self.send([&length.to_be_bytes(), json.as_bytes()].concat().into()).await
    }

    /// Sends a piece of the body, waiting for the window.
    ///
    /// # Errors
    /// As [`Request::head`].
    pub async fn send(&mut self, piece: Bytes) -> io::Result<()> {
        self.0.send(piece).await
    }

    /// Says that the body is complete.
    pub fn end(&mut self) {
        self.0.end();
    }

    /// Gives the request up.
    pub fn reset(&self) {
        self.0.reset(ErrorCode::Econnreset, "enough");
    }
}

impl Response {
    /// The next piece of the response; `None` at its end. Taking it credits the piece before.
    ///
    /// # Errors
    /// When the node reset the stream, which the text says, or the link is down.
    pub async fn next(&mut self) -> io::Result<Option<Bytes>> {
        if !self.rest.is_empty() {
            return Ok(Some(std::mem::take(&mut self.rest)));
        }
        let before = std::mem::take(&mut self.handed_out);
        if before > 0 {
            self.receive.credit(before);
        }
        let piece = self.receive.recv().await?;
        self.handed_out = piece.as_ref().map_or(0, Bytes::len);
        Ok(piece)
    }

    /// Reads the head.
    ///
    /// # Errors
    /// As [`Response::next`], and when what comes isn't a head.
    pub async fn head(&mut self) -> io::Result<Head> {
        let mut bytes = BytesMut::new();
        loop {
            if let Some(length) = bytes.first_chunk::<LENGTH>() {
                let end = LENGTH + u32::from_be_bytes(*length) as usize;
                if end > MAX_HEAD {
                    return Err(io::Error::other("a head without measure"));
                }
                if bytes.len() >= end {
                    let head = serde_json::from_slice(&bytes[LENGTH..end])?;
                    self.rest = bytes.split_off(end).freeze();
                    return Ok(head);
                }
            }
            let piece = self.next().await?.ok_or_else(|| io::Error::other("the response ended inside its head"))?;
            bytes.extend_from_slice(&piece);
        }
    }

    /// Reads the body to its end, or to a RESET, whose text comes along.
    pub async fn body(&mut self) -> (Vec<u8>, Option<String>) {
        let mut body = Vec::new();
        loop {
            match self.next().await {
                Ok(Some(piece)) => body.extend_from_slice(&piece),
                Ok(None) => return (body, None),
                Err(reset) => return (body, Some(reset.to_string())),
            }
        }
    }
}

/// A response as a whole.
#[derive(Debug)]
pub struct Fetched {
    /// Its head.
    pub head: Head,
    /// Its body, or what came of it.
    pub body: Vec<u8>,
    /// The RESET that ended it, unless END did.
    pub reset: Option<String>,
}

impl Fetched {
    /// The body as text.
    ///
    /// # Panics
    /// When the response didn't end well, or isn't text.
    pub fn text(&self) -> &str {
        assert_eq!(self.reset, None, "{:?}", self.head);
        std::str::from_utf8(&self.body).expect("text")
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// As [`Fetched::text`], and when it isn't JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(self.text()).expect("JSON")
    }
}

/// One request with a body that is there from the start, and all of its response. A response that is refused before its head is an
/// error with the RESET's text.
///
/// # Errors
/// As [`Response::head`].
pub async fn fetch(link: &Link, method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> io::Result<Fetched> {
    let HttpStream { mut request, mut response } = HttpStream::begin(link, method, url, headers).await?;
    let body = Bytes::copy_from_slice(body);
    let up = async {
        // A server may answer without the whole body; how the stream ended is the response's to say.
        let _ = request.send(body).await;
        request.end();
    };
    let down = async {
        let head = response.head().await?;
        let (body, reset) = response.body().await;
        Ok(Fetched { head, body, reset })
    };
    tokio::join!(up, down).1
}
