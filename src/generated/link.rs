//! The link protocol. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::{Deserialize, Serialize};

/// Labels of the data channels.
pub mod channels {
    /// The control channel, which the page creates.
    pub const CONTROL: &str = "slicc.link.v1";
    /// A channel that carries one stream.
    pub const STREAM: &str = "slicc.link.v1.stream";
}

/// Sizes and counts that both sides keep to.
pub mod limits {
    /// Bytes of a frame before its payload: a type (u8) and a stream id (u32, big endian).
    pub const FRAME_HEADER: usize = 5;
    /// Payload bytes of one DATA frame.
    pub const DATA: usize = 65_536;
    /// Payload bytes of an OPEN, OPENED or RESET frame.
    pub const CONTROL_PAYLOAD: usize = 65_536;
    /// Uncredited DATA bytes per stream and direction.
    pub const WINDOW: usize = 262_144;
    /// Stream channels that the node opens before it falls back to the control channel.
    pub const NODE_STREAM_CHANNELS: usize = 256;
    /// Streams that one side may have open at once on a link.
    pub const STREAMS: usize = 4_096;
    /// Gaps that a side may leave between the stream ids it uses.
    pub const ID_GAPS: usize = 65_536;
    /// Bytes of stream frames that are held until the peer's HELLO arrives.
    pub const EARLY_BYTES: usize = 1_048_576;
    /// Bytes of SCTP receive buffer.
    pub const SCTP_RECEIVE_BUFFER: usize = 4_194_304;
    /// Bytes of one data channel message.
    pub const MESSAGE: usize = 262_144;
    /// Bytes of an http stream's request head.
    pub const HTTP_HEAD: usize = 1_048_576;
    /// Bytes of a request body that are collected to learn its length.
    pub const HTTP_SIZED_BODY: usize = 1_048_576;
    /// Bytes of a response's header lines.
    pub const HTTP_RESPONSE_HEAD: usize = 262_144;
    /// Header lines of a response.
    pub const HTTP_RESPONSE_HEADERS: usize = 1_024;
    /// Content codings of one body that are undone.
    pub const HTTP_CODINGS: usize = 8;
}

/// Times after which something is given up.
pub mod timeouts {
    use std::time::Duration;
    /// From the control channel's opening to the peer's HELLO.
    pub const HELLO: Duration = Duration::from_secs(10);
    /// From the offer to a connected peer connection.
    pub const CONNECT: Duration = Duration::from_secs(15);
    /// A tcp stream's dial.
    pub const TCP_DIAL: Duration = Duration::from_secs(30);
    /// A resolve stream's lookup.
    pub const RESOLVE: Duration = Duration::from_secs(30);
    /// For how long a resolve answer may be kept; its `ttl` in seconds.
    pub const RESOLVE_TTL: Duration = Duration::from_secs(30);
    /// An http stream's connection.
    pub const HTTP_CONNECT: Duration = Duration::from_secs(30);
    /// What is left of an http stream's upload, once its response and its request body are over.
    pub const HTTP_LINGER: Duration = Duration::from_secs(30);
    /// One call while a link is set up over CDP.
    pub const SETUP_CALL: Duration = Duration::from_secs(10);
}

/// Setup: how a page and a node exchange offer and answer before there is a link.
pub mod setup {
    use std::time::Duration;
    /// Version in a setup hello.
    pub const VERSION: u32 = 1;
    /// The binding that a page calls with a message's JSON text.
    pub const SEND: &str = "sliccLinkSend";
    /// The page's global function that takes a message.
    pub const RECEIVE: &str = "sliccLinkReceive";
    /// Random bytes of a nonce and of a node id, in base64url.
    pub const ID_BYTES: usize = 16;
    /// Permissions that the tab's origin is granted, best effort.
    pub const PERMISSIONS: &[&str] = &["local-network-access", "local-network", "loopback-network"];
    /// The first pause before a hello is tried again; each next one is twice as long.
    pub const HELLO_RETRY_FIRST: Duration = Duration::from_millis(100);
    /// The longest pause before a hello is tried again.
    pub const HELLO_RETRY_LAST: Duration = Duration::from_secs(1);
    /// Bytes of one message's JSON text.
    pub const MESSAGE: usize = 262_144;
    /// Bytes of an offer's or an answer's SDP.
    pub const SDP: usize = 65_536;
    /// Characters of a bye's reason.
    pub const REASON: usize = 200;
}

/// The type byte of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FrameType {
    /// Opens a stream; the payload is a JSON object with `kind`.
    Open = 1,
    /// Accepts a stream; the payload is a JSON object, or nothing for `{}`.
    Opened = 2,
    /// Bytes of a stream.
    Data = 3,
    /// The sender has no more bytes.
    End = 4,
    /// Ends the stream at once, with `CODE` or `CODE: message`.
    Reset = 5,
    /// The receiver has consumed this many bytes (u32, big endian).
    Credit = 6,
}

impl FrameType {
    /// The frame type with this number.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Open),
            2 => Some(Self::Opened),
            3 => Some(Self::Data),
            4 => Some(Self::End),
            5 => Some(Self::Reset),
            6 => Some(Self::Credit),
            _ => None,
        }
    }
}

/// A code that a RESET carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// Refused by the policy or a gate.
    Eacces,
    /// Too many at once.
    Ebusy,
    /// Nothing listens there.
    Econnrefused,
    /// The connection broke.
    Econnreset,
    /// No route to the host.
    Ehostunreach,
    /// No route to the network.
    Enetunreach,
    /// The name doesn't resolve.
    Enotfound,
    /// The kind isn't served.
    Eopnotsupp,
    /// The peer broke the protocol.
    Eproto,
    /// It took too long.
    Etimedout,
}

impl ErrorCode {
    /// The code as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Eacces => "EACCES",
            Self::Ebusy => "EBUSY",
            Self::Econnrefused => "ECONNREFUSED",
            Self::Econnreset => "ECONNRESET",
            Self::Ehostunreach => "EHOSTUNREACH",
            Self::Enetunreach => "ENETUNREACH",
            Self::Enotfound => "ENOTFOUND",
            Self::Eopnotsupp => "EOPNOTSUPP",
            Self::Eproto => "EPROTO",
            Self::Etimedout => "ETIMEDOUT",
        }
    }
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A capability that a HELLO lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Cap {
    /// tcp and resolve streams.
    Net,
    /// http streams.
    Http,
    /// http streams that carry an injected credential.
    Credentialed,
}

impl Cap {
    /// The capability as it stands in a HELLO.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Net => "net",
            Self::Http => "http",
            Self::Credentialed => "credentialed",
        }
    }
}

/// What a stream carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StreamKind {
    /// A TCP connection.
    Tcp,
    /// A name lookup.
    Resolve,
    /// One HTTP request.
    Http,
}

impl StreamKind {
    /// The kind as it stands in an OPEN.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Resolve => "resolve",
            Self::Http => "http",
        }
    }
    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "tcp" => Some(Self::Tcp),
            "resolve" => Some(Self::Resolve),
            "http" => Some(Self::Http),
            _ => None,
        }
    }
}

/// An OPEN field that is missing, of another type or out of bounds. Its text names the field and never its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct FieldError {
    /// The field's name.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: &'static str,
}

/// OPEN of a `tcp` stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TcpOpen {
    /// An IP literal or a name.
    pub host: String,
    /// 1 to 65535.
    pub port: u16,
}

impl TcpOpen {
    /// Reads the fields of an OPEN, without `kind`.
    pub fn parse(open: &serde_json::Map<String, serde_json::Value>) -> Result<Self, FieldError> {
        let host = match open.get("host") {
            Some(serde_json::Value::String(text)) if !text.is_empty() => text.clone(),
            _ => return Err(FieldError { field: "host", problem: "must be a non-empty string" }),
        };
        let port = match open.get("port").and_then(serde_json::Value::as_u64) {
            Some(n @ 1..=65_535) => n as u16,
            _ => return Err(FieldError { field: "port", problem: "must be an integer from 1 to 65535" }),
        };
        Ok(Self { host, port })
    }
}

/// OPENED of a `tcp` stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TcpOpened {
    /// The node's end of the connection, `address:port`.
    pub local_addr: String,
    /// The far end of the connection, `address:port`.
    pub remote_addr: String,
}

/// OPEN of a `resolve` stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResolveOpen {
    /// A name or an IP literal.
    pub name: String,
    /// 4, 6, or 0 for both.
    pub family: u8,
}

impl ResolveOpen {
    /// Reads the fields of an OPEN, without `kind`.
    pub fn parse(open: &serde_json::Map<String, serde_json::Value>) -> Result<Self, FieldError> {
        let name = match open.get("name") {
            Some(serde_json::Value::String(text)) if !text.is_empty() => text.clone(),
            _ => return Err(FieldError { field: "name", problem: "must be a non-empty string" }),
        };
        let family = match open.get("family") {
            None => 0,
            Some(value) => match value.as_u64() {
                Some(n @ (0 | 4 | 6)) => n as u8,
                _ => return Err(FieldError { field: "family", problem: "must be 0, 4 or 6" }),
            },
        };
        Ok(Self { name, family })
    }
}

/// OPENED of a `resolve` stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolveOpened {
    /// The addresses, in the resolver's order.
    pub addresses: Vec<String>,
    /// Seconds for which the answer may be kept.
    pub ttl: u32,
}

/// OPEN of an `http` stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HttpOpen {
    /// The request carries an injected credential. Any value other than false or null counts as true.
    pub credentialed: bool,
}

impl HttpOpen {
    /// Reads the fields of an OPEN, without `kind`.
    pub fn parse(open: &serde_json::Map<String, serde_json::Value>) -> Result<Self, FieldError> {
        let credentialed =
            !matches!(open.get("credentialed"), None | Some(serde_json::Value::Null | serde_json::Value::Bool(false)));
        Ok(Self { credentialed })
    }
}

/// OPENED of an `http` stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpOpened {}

/// The node's HELLO.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeHello {
    /// Protocol version, 1.
    pub v: u32,
    /// `node`.
    pub role: &'static str,
    /// The link's name.
    pub name: String,
    /// This machine's short host name, or the name given.
    pub host: String,
    /// slicc's version.
    pub version: String,
    /// `local` or `remote`.
    pub mode: &'static str,
    /// The random id of this process.
    pub node: String,
    /// Capabilities.
    pub caps: Vec<&'static str>,
    /// What the node routes.
    pub routes: HelloRoutes,
    /// The policy that the node keeps.
    pub policy: HelloPolicy,
}

/// `routes` of the node's HELLO.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HelloRoutes {
    /// Always empty so far.
    pub prefixes: Vec<String>,
    /// Whether the node is an exit.
    pub exit: bool,
}

/// `policy` of the node's HELLO.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HelloPolicy {
    /// The --allow rules.
    pub allow: Vec<String>,
    /// The --deny rules, the protected ports on loopback and the browser endpoints.
    pub deny: Vec<String>,
    /// The default and the rules on top of it, for people.
    pub summary: String,
}

/// The page's HELLO, as far as the node reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageHello {
    /// Protocol version, at least 1.
    pub v: u64,
    /// The page's name, empty when it gave none.
    pub name: String,
    /// Capabilities; those that aren't strings are left out.
    pub caps: Vec<String>,
}

impl PageHello {
    /// Reads a HELLO whose role and version were checked.
    pub fn from_map(hello: &serde_json::Map<String, serde_json::Value>) -> Self {
        let text =
            |value: Option<&serde_json::Value>| value.and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        Self {
            v: hello.get("v").and_then(serde_json::Value::as_u64).unwrap_or(1),
            name: text(hello.get("name")),
            caps: hello
                .get("caps")
                .and_then(serde_json::Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(|cap| cap.as_str().map(str::to_owned))
                .collect(),
        }
    }
}
