//! The link protocol. Generated from spec/link.toml by `cargo codegen`. Do not edit.

mod bell;
mod desk;
mod parcel;
mod read;
mod types;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::read::{required, text};
pub use self::{bell::*, desk::*, parcel::*, types::*};

/// The protocol's version, `v` of a HELLO.
pub const VERSION: u32 = 3;

/// Labels of the data channels.
pub mod channels {
    /// The only channel.
    pub const MAIN_LINE: &str = "toy.v3";
}

/// Sizes and counts that both sides keep to.
pub mod limits {
    /// Bytes of a parcel.
    pub const PARCEL: usize = 1024;
    /// Stamps on a parcel.
    pub const STAMPS: u32 = 12_345;
}

/// Times after which something is given up, or happens again.
pub mod timeouts {
    use std::time::Duration;
    /// From a knock to the answer.
    pub const KNOCK: Duration = Duration::from_secs(90);
    /// The blink of an eye.
    pub const BLINK: Duration = Duration::from_millis(120);
    /// A nap.
    pub const NAP: Duration = Duration::from_mins(2);
}

/// Setup: how a page and a node exchange offer and answer before there is a link.
pub mod setup {
    use std::time::Duration;
    /// Version in a setup hello.
    pub const VERSION: u32 = 2;
    /// The binding that a page calls with a message's JSON text.
    pub const SEND: &str = "toySend";
    /// The page's global function that takes a message.
    pub const RECEIVE: &str = "toyReceive";
    /// Random bytes of a nonce and of a node id, in base64url.
    pub const ID_BYTES: usize = 8;
    /// Permissions that the tab's origin is granted, best effort.
    pub const PERMISSIONS: &[&str] = &["post"];
    /// The first pause before a hello is tried again; each next one is twice as long.
    pub const HELLO_RETRY_FIRST: Duration = Duration::from_millis(250);
    /// The longest pause before a hello is tried again.
    pub const HELLO_RETRY_LAST: Duration = Duration::from_secs(2);
    /// Bytes of one message's JSON text.
    pub const MESSAGE: usize = 2048;
    /// Bytes of an offer's or an answer's SDP.
    pub const SDP: usize = 1000;
    /// Characters of a bye's reason.
    pub const REASON: usize = 20;
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
    /// Asks to come in.
    Knock = 7,
}

impl FrameType {
    /// The frame type with this number.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            7 => Some(Self::Knock),
            _ => None,
        }
    }
}

/// A code that a RESET carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The door is shut.
    Eshut,
    /// Bad manners.
    Eproto,
}

impl ErrorCode {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[Self::Eshut, Self::Eproto];

    /// The code as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Eshut => "ESHUT",
            Self::Eproto => "EPROTO",
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
            Self::Eshut => "door shut",
            Self::Eproto => "protocol error",
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
    /// Parcels.
    Post,
    /// Parcels by express.
    PostExpress,
    /// The bell.
    Bell,
}

impl Cap {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[Self::Post, Self::PostExpress, Self::Bell];

    /// The capability as it stands in a HELLO.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Post => "post",
            Self::PostExpress => "post-express",
            Self::Bell => "bell",
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
            Self::Post | Self::PostExpress => Side::Node,
            Self::Bell => Side::Page,
        }
    }
}

/// What a stream carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StreamKind {
    /// A parcel.
    Parcel,
    /// The bell rings.
    Bell,
    /// The desk.
    Desk,
}

impl StreamKind {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[Self::Parcel, Self::Bell, Self::Desk];

    /// The kind as it stands in an OPEN.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Parcel => "parcel",
            Self::Bell => "bell",
            Self::Desk => "desk",
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
            Self::Parcel | Self::Desk => Side::Page,
            Self::Bell => Side::Node,
        }
    }

    /// The capability that offers it; the first one where there are two.
    pub const fn cap(self) -> Cap {
        match self {
            Self::Parcel | Self::Desk => Cap::Post,
            Self::Bell => Cap::Bell,
        }
    }

    /// Every capability that offers it: any one of them is enough.
    pub const fn caps(self) -> &'static [Cap] {
        match self {
            Self::Parcel => &[Cap::Post, Cap::PostExpress],
            Self::Bell => &[Cap::Bell],
            Self::Desk => &[Cap::Post],
        }
    }

    /// Whether slicc serves it, or opens it, already.
    pub const fn served(self) -> bool {
        matches!(self, Self::Parcel)
    }

    /// Whether its opener takes the control channel.
    pub const fn on_control(self) -> bool {
        matches!(self, Self::Bell)
    }

    /// The code that a stream of this kind is reset with when this field of its OPEN isn't allowed.
    pub fn field_code(self, field: &str) -> ErrorCode {
        match (self, field) {
            (Self::Parcel, "stamps") => ErrorCode::Eproto,
            (Self::Parcel, _) => ErrorCode::Eshut,
            _ => ErrorCode::Eproto,
        }
    }

    /// The code that an operation is refused with by name.
    pub fn refused_op(self, op: &str) -> Option<ErrorCode> {
        match (self, op) {
            (Self::Desk, "bribe") => Some(ErrorCode::Eshut),
            _ => None,
        }
    }

    /// Reads the OPEN of a stream of this kind, and writes it again with only what the protocol knows of it.
    pub fn checked(self, open: &Map<String, Value>) -> Result<Map<String, Value>, FieldError> {
        Ok(match self {
            Self::Parcel => ParcelOpen::parse(open)?.to_json(),
            Self::Bell => BellOpen::parse(open)?.to_json(),
            Self::Desk => DeskOpen::parse(open)?.to_json(),
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
        let v = required(hello, "v", "must be an integer of at least 2", |value| {
            Value::as_u64(value).filter(|it| *it >= 2)
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
