//! The link protocol. Generated from spec/link.toml by `cargo codegen`. Do not edit.

mod agent;
mod browsers;
mod cdp;
mod fs;
mod http;
mod jerk;
mod join;
mod kernel;
mod mounts;
mod read;
mod resolve;
mod ssh;
mod tcp;
mod types;
mod unlink;
mod ws;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::read::{required, text};
pub use self::{
    agent::*, browsers::*, cdp::*, fs::*, http::*, jerk::*, join::*, kernel::*, mounts::*, resolve::*, ssh::*, tcp::*,
    types::*, unlink::*, ws::*,
};

/// The protocol's version, `v` of a HELLO.
pub const VERSION: u32 = 1;

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
    /// Bytes of SCTP receive buffer.
    pub const SCTP_RECEIVE_BUFFER: usize = 4_194_304;
    /// Bytes of one data channel message.
    pub const MESSAGE: usize = 262_144;
    /// Streams that one side may have open at once on a link.
    pub const STREAMS: usize = 4096;
    /// Gaps that a side may leave between the stream ids it uses.
    pub const ID_GAPS: usize = 65_536;
    /// Bytes of stream frames that are held until the peer's HELLO arrives.
    pub const EARLY_BYTES: usize = 1_048_576;
    /// Unacknowledged bytes of the whole link past which a side gives up on a peer that doesn't read.
    pub const UNACKNOWLEDGED: usize = 8_388_608;
    /// Bytes of an http stream's request head.
    pub const HTTP_HEAD: usize = 1_048_576;
    /// Bytes of a request body that are collected to learn its length.
    pub const HTTP_SIZED_BODY: usize = 1_048_576;
    /// Request bodies of more than one DATA frame that are collected at once, over all links of a node; further ones wait
    /// for their turn under the window.
    pub const HTTP_LARGE_BODIES: usize = 64;
    /// Bytes of a response's header lines.
    pub const HTTP_RESPONSE_HEAD: usize = 262_144;
    /// Header lines of a response.
    pub const HTTP_RESPONSE_HEADERS: usize = 1024;
    /// Content codings of one body that are undone.
    pub const HTTP_CODINGS: usize = 5;
    /// Bytes of one message of a ws stream.
    pub const WS_MESSAGE: usize = 67_108_864;
    /// Bytes of the reason in a ws stream's close record.
    pub const WS_CLOSE_REASON: usize = 123;
    /// Bytes of one message of a cdp stream.
    pub const CDP_MESSAGE: usize = 67_108_864;
    /// Bytes of the first request head on a kernel services connection.
    pub const KERNEL_HEAD: usize = 65_536;
    /// Characters of a page's reason that a kernel services answer repeats.
    pub const KERNEL_REASON: usize = 200;
    /// Kernel services connections that may wait for their first request head; past that the oldest is dropped.
    pub const KERNEL_WAITING_HEADS: usize = 256;
    /// Params of one jerk stream.
    pub const JERK_PARAMS: usize = 16;
    /// Bytes of the value of one jerk param.
    pub const JERK_PARAM_VALUE: usize = 256;
    /// Seconds of a lease whose duration isn't asked for.
    pub const JERK_DEFAULT_LEASE: u32 = 3600;
    /// Bytes of one read or write of an fs stream, `maxIo` in HELLO.
    pub const FS_IO: usize = 16_777_216;
    /// Open handles per link and folder.
    pub const FS_HANDLES: usize = 4096;
    /// Paths in one line of a watch; past that the line is `all`.
    pub const FS_WATCH_PATHS: usize = 256;
    /// Bytes of a prompt that goes in the OPEN; a longer one follows it as DATA.
    pub const AGENT_INLINE_PROMPT: usize = 61_440;
    /// Bytes of a prompt.
    pub const AGENT_PROMPT: usize = 16_777_216;
    /// Characters of an agent event's summary.
    pub const AGENT_SUMMARY: usize = 200;
}

/// Times after which something is given up, or happens again.
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
    /// A ws stream's connection and handshake.
    pub const WS_HANDSHAKE: Duration = Duration::from_secs(30);
    /// From the page's close record to the far end's answering close.
    pub const WS_CLOSE: Duration = Duration::from_secs(5);
    /// From the node's END of an ssh stream to the page's.
    pub const SSH_END: Duration = Duration::from_secs(10);
    /// A cdp stream's dial and handshake together.
    pub const CDP_DIAL: Duration = Duration::from_secs(10);
    /// How long an event or an answer about a request that the node hasn't seen is held.
    pub const CDP_REQUEST_HOLD: Duration = Duration::from_secs(2);
    /// How long a Page command waits for the node's own session on a touched target.
    pub const CDP_GUARD_READY: Duration = Duration::from_secs(10);
    /// How long an auto-attached target may have no URL before it counts as protected.
    pub const CDP_TARGET_URL: Duration = Duration::from_secs(10);
    /// From the loss of the node's own session to the reset of the stream, unless the browser closes first.
    pub const CDP_LOST_TRACK: Duration = Duration::from_secs(2);
    /// Between two checks of every listed browser's debugging port.
    pub const CDP_CHECK: Duration = Duration::from_secs(2);
    /// From a browsers update to the page's END.
    pub const BROWSERS_UPDATE: Duration = Duration::from_secs(10);
    /// From a mounts update to the page's END.
    pub const MOUNTS_UPDATE: Duration = Duration::from_secs(10);
    /// From a kernel services connection to its complete first request head.
    pub const KERNEL_HEAD_READ: Duration = Duration::from_secs(30);
    /// From a kernel stream's OPEN to the page's answer.
    pub const KERNEL_OPENED: Duration = Duration::from_secs(10);
    /// A jerk stream's create.
    pub const JERK_CREATE: Duration = Duration::from_secs(150);
    /// Any other op of a jerk stream.
    pub const JERK_OP: Duration = Duration::from_mins(1);
    /// How long changes are collected before a watch line goes out.
    pub const FS_WATCH_COALESCE: Duration = Duration::from_millis(50);
    /// Between two tries to start a watcher that failed.
    pub const FS_WATCH_RETRY: Duration = Duration::from_secs(1);
    /// Between two pings of a watch.
    pub const FS_WATCH_PING: Duration = Duration::from_secs(15);
    /// How long a folder's watcher outlives the last watch stream.
    pub const FS_WATCH_LINGER: Duration = Duration::from_secs(5);
    /// From the start of prompt, watch or abort to the page's HELLO.
    pub const AGENT_SETUP: Duration = Duration::from_mins(1);
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

/// One side of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// slicc.
    Node,
    /// The page.
    Page,
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
    /// A message is longer than its limit.
    Emsgsize,
    /// It is in use, or one already runs.
    Ebusy,
    /// There is no such file, folder or browser.
    Enoent,
    /// There is no such handle.
    Ebadf,
    /// An argument isn't allowed.
    Einval,
    /// The host failed in a way that has no code of its own.
    Eio,
    /// The folder, or this call, is read-only.
    Erofs,
    /// The host doesn't do that.
    Eperm,
    /// It exists already.
    Eexist,
    /// It is a directory.
    Eisdir,
    /// It isn't a directory.
    Enotdir,
    /// The directory isn't empty.
    Enotempty,
    /// It is a symbolic link.
    Eloop,
    /// Too many handles are open.
    Emfile,
    /// The file changed since it was opened.
    Estale,
    /// The volume is full.
    Enospc,
    /// The quota is used up.
    Edquot,
    /// The file would be too large.
    Efbig,
    /// A name is too long for the host.
    Enametoolong,
    /// The two paths are on different volumes.
    Exdev,
    /// The file has too many links.
    Emlink,
    /// The host has too many files open.
    Enfile,
    /// The program runs.
    Etxtbsy,
    /// The host is out of memory.
    Enomem,
    /// The device is gone.
    Enodev,
    /// There is nothing behind the special file.
    Enxio,
    /// The host can't do it now.
    Eagain,
    /// The host was interrupted.
    Eintr,
    /// The host doesn't take the bytes of a name.
    Eilseq,
    /// The volume doesn't do that.
    Enotsup,
}

impl ErrorCode {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[
        Self::Eacces,
        Self::Econnrefused,
        Self::Econnreset,
        Self::Ehostunreach,
        Self::Enetunreach,
        Self::Enotfound,
        Self::Eopnotsupp,
        Self::Eproto,
        Self::Etimedout,
        Self::Emsgsize,
        Self::Ebusy,
        Self::Enoent,
        Self::Ebadf,
        Self::Einval,
        Self::Eio,
        Self::Erofs,
        Self::Eperm,
        Self::Eexist,
        Self::Eisdir,
        Self::Enotdir,
        Self::Enotempty,
        Self::Eloop,
        Self::Emfile,
        Self::Estale,
        Self::Enospc,
        Self::Edquot,
        Self::Efbig,
        Self::Enametoolong,
        Self::Exdev,
        Self::Emlink,
        Self::Enfile,
        Self::Etxtbsy,
        Self::Enomem,
        Self::Enodev,
        Self::Enxio,
        Self::Eagain,
        Self::Eintr,
        Self::Eilseq,
        Self::Enotsup,
    ];

    /// The code as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Eacces => "EACCES",
            Self::Econnrefused => "ECONNREFUSED",
            Self::Econnreset => "ECONNRESET",
            Self::Ehostunreach => "EHOSTUNREACH",
            Self::Enetunreach => "ENETUNREACH",
            Self::Enotfound => "ENOTFOUND",
            Self::Eopnotsupp => "EOPNOTSUPP",
            Self::Eproto => "EPROTO",
            Self::Etimedout => "ETIMEDOUT",
            Self::Emsgsize => "EMSGSIZE",
            Self::Ebusy => "EBUSY",
            Self::Enoent => "ENOENT",
            Self::Ebadf => "EBADF",
            Self::Einval => "EINVAL",
            Self::Eio => "EIO",
            Self::Erofs => "EROFS",
            Self::Eperm => "EPERM",
            Self::Eexist => "EEXIST",
            Self::Eisdir => "EISDIR",
            Self::Enotdir => "ENOTDIR",
            Self::Enotempty => "ENOTEMPTY",
            Self::Eloop => "ELOOP",
            Self::Emfile => "EMFILE",
            Self::Estale => "ESTALE",
            Self::Enospc => "ENOSPC",
            Self::Edquot => "EDQUOT",
            Self::Efbig => "EFBIG",
            Self::Enametoolong => "ENAMETOOLONG",
            Self::Exdev => "EXDEV",
            Self::Emlink => "EMLINK",
            Self::Enfile => "ENFILE",
            Self::Etxtbsy => "ETXTBSY",
            Self::Enomem => "ENOMEM",
            Self::Enodev => "ENODEV",
            Self::Enxio => "ENXIO",
            Self::Eagain => "EAGAIN",
            Self::Eintr => "EINTR",
            Self::Eilseq => "EILSEQ",
            Self::Enotsup => "ENOTSUP",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == name)
    }
}

impl ErrorCode {
    /// The message when there is no better one: what the host's C library would say, in lower case.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Eacces => "permission denied",
            Self::Econnrefused => "connection refused",
            Self::Econnreset => "connection reset by peer",
            Self::Ehostunreach => "host is unreachable",
            Self::Enetunreach => "network is unreachable",
            Self::Enotfound => "name not found",
            Self::Eopnotsupp => "operation not supported",
            Self::Eproto => "protocol error",
            Self::Etimedout => "connection timed out",
            Self::Emsgsize => "message too long",
            Self::Ebusy => "resource busy or locked",
            Self::Enoent => "no such file or directory",
            Self::Ebadf => "bad file descriptor",
            Self::Einval => "invalid argument",
            Self::Eio => "i/o error",
            Self::Erofs => "read-only file system",
            Self::Eperm => "operation not permitted",
            Self::Eexist => "file already exists",
            Self::Eisdir => "illegal operation on a directory",
            Self::Enotdir => "not a directory",
            Self::Enotempty => "directory not empty",
            Self::Eloop => "too many symbolic links encountered",
            Self::Emfile => "too many open files",
            Self::Estale => "file changed since it was opened",
            Self::Enospc => "no space left on device",
            Self::Edquot => "disk quota exceeded",
            Self::Efbig => "file too large",
            Self::Enametoolong => "name too long",
            Self::Exdev => "cross-device link not permitted",
            Self::Emlink => "too many links",
            Self::Enfile => "file table overflow",
            Self::Etxtbsy => "text file is busy",
            Self::Enomem => "not enough memory",
            Self::Enodev => "no such device",
            Self::Enxio => "no such device or address",
            Self::Eagain => "resource temporarily unavailable",
            Self::Eintr => "interrupted system call",
            Self::Eilseq => "illegal byte sequence",
            Self::Enotsup => "operation not supported on socket",
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
    /// ws streams.
    Ws,
    /// ssh streams; HELLO has `sshHostKey`.
    Ssh,
    /// cdp streams; HELLO has `browsers`.
    Cdp,
    /// fs streams; HELLO has `mounts`.
    Fs,
    /// jerk streams for status and sign-ins; HELLO has `jerk`.
    Jerk,
    /// jerk streams that seal and unseal leases.
    JerkSeal,
    /// join and unlink streams of a node that follows a tray.
    Join,
    /// unlink streams of a node that was paired on loopback.
    UnlinkLoopback,
    /// kernel streams.
    KernelIn,
    /// browsers updates.
    Browsers,
    /// mounts updates.
    Mounts,
    /// agent streams: the page allows remote control.
    Agent,
}

impl Cap {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[
        Self::Net,
        Self::Http,
        Self::Credentialed,
        Self::Ws,
        Self::Ssh,
        Self::Cdp,
        Self::Fs,
        Self::Jerk,
        Self::JerkSeal,
        Self::Join,
        Self::UnlinkLoopback,
        Self::KernelIn,
        Self::Browsers,
        Self::Mounts,
        Self::Agent,
    ];

    /// The capability as it stands in a HELLO.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Net => "net",
            Self::Http => "http",
            Self::Credentialed => "credentialed",
            Self::Ws => "ws",
            Self::Ssh => "ssh",
            Self::Cdp => "cdp",
            Self::Fs => "fs",
            Self::Jerk => "jerk",
            Self::JerkSeal => "jerk-seal",
            Self::Join => "join",
            Self::UnlinkLoopback => "unlink-loopback",
            Self::KernelIn => "kernel-in",
            Self::Browsers => "browsers",
            Self::Mounts => "mounts",
            Self::Agent => "agent",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == name)
    }
}

impl Cap {
    /// Whose HELLO lists it.
    pub const fn listed_by(self) -> Side {
        match self {
            Self::Net
            | Self::Http
            | Self::Credentialed
            | Self::Ws
            | Self::Ssh
            | Self::Cdp
            | Self::Fs
            | Self::Jerk
            | Self::JerkSeal
            | Self::Join
            | Self::UnlinkLoopback => Side::Node,
            Self::KernelIn | Self::Browsers | Self::Mounts | Self::Agent => Side::Page,
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
    /// A WebSocket.
    Ws,
    /// One SSH connection to the node's SSH server.
    Ssh,
    /// One client of a listed browser's DevTools Protocol.
    Cdp,
    /// A connection to a port of the page's kernel.
    Kernel,
    /// The list of browsers changed.
    Browsers,
    /// The list of shared folders changed.
    Mounts,
    /// The page's new join URL.
    Join,
    /// The page lets go of the node.
    Unlink,
    /// One call of the host's slicc-jerk.
    Jerk,
    /// One operation on a shared folder.
    Fs,
    /// The page's agent, driven from this machine.
    Agent,
}

impl StreamKind {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[
        Self::Tcp,
        Self::Resolve,
        Self::Http,
        Self::Ws,
        Self::Ssh,
        Self::Cdp,
        Self::Kernel,
        Self::Browsers,
        Self::Mounts,
        Self::Join,
        Self::Unlink,
        Self::Jerk,
        Self::Fs,
        Self::Agent,
    ];

    /// The kind as it stands in an OPEN.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Resolve => "resolve",
            Self::Http => "http",
            Self::Ws => "ws",
            Self::Ssh => "ssh",
            Self::Cdp => "cdp",
            Self::Kernel => "kernel",
            Self::Browsers => "browsers",
            Self::Mounts => "mounts",
            Self::Join => "join",
            Self::Unlink => "unlink",
            Self::Jerk => "jerk",
            Self::Fs => "fs",
            Self::Agent => "agent",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == name)
    }
}

impl StreamKind {
    /// Who opens it.
    pub const fn opened_by(self) -> Side {
        match self {
            Self::Tcp
            | Self::Resolve
            | Self::Http
            | Self::Ws
            | Self::Ssh
            | Self::Cdp
            | Self::Join
            | Self::Unlink
            | Self::Jerk
            | Self::Fs => Side::Page,
            Self::Kernel | Self::Browsers | Self::Mounts | Self::Agent => Side::Node,
        }
    }

    /// The capability that offers it; the first one where there are two.
    pub const fn cap(self) -> Cap {
        match self {
            Self::Tcp | Self::Resolve => Cap::Net,
            Self::Http => Cap::Http,
            Self::Ws => Cap::Ws,
            Self::Ssh => Cap::Ssh,
            Self::Cdp => Cap::Cdp,
            Self::Kernel => Cap::KernelIn,
            Self::Browsers => Cap::Browsers,
            Self::Mounts => Cap::Mounts,
            Self::Join | Self::Unlink => Cap::Join,
            Self::Jerk => Cap::Jerk,
            Self::Fs => Cap::Fs,
            Self::Agent => Cap::Agent,
        }
    }

    /// Every capability that offers it: any one of them is enough.
    pub const fn caps(self) -> &'static [Cap] {
        match self {
            Self::Tcp | Self::Resolve => &[Cap::Net],
            Self::Http => &[Cap::Http],
            Self::Ws => &[Cap::Ws],
            Self::Ssh => &[Cap::Ssh],
            Self::Cdp => &[Cap::Cdp],
            Self::Kernel => &[Cap::KernelIn],
            Self::Browsers => &[Cap::Browsers],
            Self::Mounts => &[Cap::Mounts],
            Self::Join => &[Cap::Join],
            Self::Unlink => &[Cap::Join, Cap::UnlinkLoopback],
            Self::Jerk => &[Cap::Jerk],
            Self::Fs => &[Cap::Fs],
            Self::Agent => &[Cap::Agent],
        }
    }

    /// Whether slicc serves it, or opens it, already.
    pub const fn served(self) -> bool {
        matches!(self, Self::Tcp | Self::Resolve | Self::Http | Self::Ws | Self::Kernel)
    }

    /// Whether its opener takes the control channel.
    pub const fn on_control(self) -> bool {
        matches!(self, Self::Resolve | Self::Browsers | Self::Mounts | Self::Join | Self::Unlink)
    }

    /// The code that a stream of this kind is reset with when this field of its OPEN isn't allowed.
    pub fn field_code(self, field: &str) -> ErrorCode {
        match (self, field) {
            (Self::Fs, "fh") => ErrorCode::Ebadf,
            (Self::Fs, _) => ErrorCode::Einval,
            _ => ErrorCode::Eproto,
        }
    }

    /// The code that an operation is refused with by name.
    pub fn refused_op(self, op: &str) -> Option<ErrorCode> {
        match (self, op) {
            (Self::Jerk, "drop") => Some(ErrorCode::Eacces),
            _ => None,
        }
    }

    /// Reads the OPEN of a stream of this kind, and writes it again with only what the protocol knows of it.
    pub fn checked(self, open: &Map<String, Value>) -> Result<Map<String, Value>, FieldError> {
        Ok(match self {
            Self::Tcp => TcpOpen::parse(open)?.to_json(),
            Self::Resolve => ResolveOpen::parse(open)?.to_json(),
            Self::Http => HttpOpen::parse(open)?.to_json(),
            Self::Ws => WsOpen::parse(open)?.to_json(),
            Self::Ssh => SshOpen::parse(open)?.to_json(),
            Self::Cdp => CdpOpen::parse(open)?.to_json(),
            Self::Kernel => KernelOpen::parse(open)?.to_json(),
            Self::Browsers => BrowsersOpen::parse(open)?.to_json(),
            Self::Mounts => MountsOpen::parse(open)?.to_json(),
            Self::Join => JoinOpen::parse(open)?.to_json(),
            Self::Unlink => UnlinkOpen::parse(open)?.to_json(),
            Self::Jerk => JerkOpen::parse(open)?.to_json(),
            Self::Fs => FsOpen::parse(open)?.to_json(),
            Self::Agent => AgentOpen::parse(open)?.to_json(),
        })
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

/// OPENED without fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Accepted {}

impl PageHello {
    /// Reads the page's first message. Fields that the node doesn't know are ignored, and entries of `caps` that aren't
    /// strings are left out.
    pub fn parse(message: &str) -> Result<Self, FieldError> {
        let Ok(Value::Object(hello)) = serde_json::from_str(message) else {
            return Err(FieldError { field: "HELLO", problem: "must be a JSON object" });
        };
        Self::read(&hello)
    }

    /// Reads the page's first message once it is an object, as [`PageHello::parse`] does.
    pub fn read(hello: &Map<String, Value>) -> Result<Self, FieldError> {
        if hello.get("role").and_then(Value::as_str) != Some("page") {
            return Err(FieldError { field: "role", problem: "must be page" });
        }
        let v = required(hello, "v", "must be an integer of at least 1", |value| {
            Value::as_u64(value).filter(|it| *it >= 1)
        })?;
        let name = hello.get("name").and_then(text).unwrap_or_default();
        let listed = hello.get("caps").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        Ok(Self { v, name, caps: listed.iter().filter_map(text).collect() })
    }

    /// Whether the page lists this capability.
    pub fn offers(&self, cap: Cap) -> bool {
        self.caps.iter().any(|listed| listed == cap.as_str())
    }
}
