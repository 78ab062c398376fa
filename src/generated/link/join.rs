//! Messages of `join` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Accepted, FieldError, StreamKind,
    read::{required, text, whole},
};

/// OPEN of `join` streams.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct JoinOpen {
    /// A join URL on the hub that the node follows.
    pub url: String,
}

impl std::fmt::Debug for JoinOpen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JoinOpen").field("url", &format_args!("…")).finish()
    }
}

impl JoinOpen {
    /// Reads the fields of an OPEN, without `kind`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            url: required(open, "url", "must be a non-empty string", |value| text(value).filter(|it| !it.is_empty()))?,
        })
    }

    /// The whole OPEN, with `kind`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Join, None, self)
    }
}

/// OPENED of `join` streams, which has no fields.
pub type JoinOpened = Accepted;
