//! Messages of `unlink` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Accepted, FieldError, StreamKind, read::whole};

/// OPEN of `unlink` streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnlinkOpen {}

impl UnlinkOpen {
    /// Reads the fields of an OPEN, without `kind`.
    pub fn parse(_open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {})
    }

    /// The whole OPEN, with `kind`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Unlink, None, self)
    }
}

/// OPENED of `unlink` streams, which has no fields.
pub type UnlinkOpened = Accepted;
