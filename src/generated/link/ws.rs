//! Messages of `ws` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    FieldError, StreamKind,
    read::{optional, pairs, required, text, texts, whole},
};

/// The type byte of a record of `ws` streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum WsRecord {
    /// A text message, UTF-8.
    Text = 1,
    /// A binary message.
    Binary = 2,
    /// A close: a code (u16, big endian) and a UTF-8 reason of at most 123 bytes, or nothing for 1005.
    Close = 8,
}

impl WsRecord {
    /// The record type with this number.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Text),
            2 => Some(Self::Binary),
            8 => Some(Self::Close),
            _ => None,
        }
    }
}

/// OPEN of `ws` streams.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct WsOpen {
    /// A ws: or wss: URL without credentials.
    pub url: String,
    /// Subprotocols: tokens, none listed twice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub protocols: Vec<String>,
    /// Headers of the handshake, by the rules of http.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
}

impl std::fmt::Debug for WsOpen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WsOpen")
            .field("url", &format_args!("…"))
            .field("protocols", &self.protocols)
            .field("headers", &format_args!("…"))
            .finish()
    }
}

impl WsOpen {
    /// Reads the fields of an OPEN, without `kind`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            url: required(open, "url", "must be a non-empty string", |value| text(value).filter(|it| !it.is_empty()))?,
            protocols: optional(open, "protocols", "must be a list of strings", texts)?.unwrap_or_default(),
            headers: optional(open, "headers", "must be a list of [name, value] pairs of strings", pairs)?
                .unwrap_or_default(),
        })
    }

    /// The whole OPEN, with `kind`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Ws, None, self)
    }
}

/// OPENED of `ws` streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct WsOpened {
    /// The subprotocol that the far end chose, or nothing.
    pub protocol: String,
}
