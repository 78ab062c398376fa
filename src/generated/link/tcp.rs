//! Messages of `tcp` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    FieldError, StreamKind,
    read::{integer, required, text, whole},
};

/// OPEN of `tcp` streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TcpOpen {
    /// An IP literal or a name.
    pub host: String,
    /// 1 to 65535.
    pub port: u16,
}

impl TcpOpen {
    /// Reads the fields of an OPEN, without `kind`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            host: required(open, "host", "must be a non-empty string", |value| {
                text(value).filter(|it| !it.is_empty())
            })?,
            port: required(open, "port", "must be an integer from 1 to 65535", |value| {
                integer::<u16>(value).filter(|it| *it >= 1)
            })?,
        })
    }

    /// The whole OPEN, with `kind`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Tcp, None, self)
    }
}

/// OPENED of `tcp` streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TcpOpened {
    /// The node's end of the connection, `address:port`.
    pub local_addr: String,
    /// The far end of the connection, `address:port`.
    pub remote_addr: String,
}
