//! Messages of `cdp` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    FieldError, StreamKind,
    read::{required, text, whole},
};

/// OPEN of `cdp` streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CdpOpen {
    /// The id of a browser in the list.
    pub browser: String,
}

impl CdpOpen {
    /// Reads the fields of an OPEN, without `kind`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            browser: required(open, "browser", "must be a non-empty string", |value| {
                text(value).filter(|it| !it.is_empty())
            })?,
        })
    }

    /// The whole OPEN, with `kind`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Cdp, None, self)
    }
}

/// OPENED of `cdp` streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CdpOpened {
    /// The browser's product and version.
    pub product: String,
    /// The version of the DevTools Protocol.
    pub protocol_version: String,
}
