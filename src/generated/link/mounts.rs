//! Messages of `mounts` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Accepted, FieldError, HelloMount, StreamKind,
    read::{object, required, whole},
};

/// OPEN of `mounts` streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MountsOpen {
    /// The whole list, which replaces the one before.
    pub mounts: Vec<HelloMount>,
}

impl MountsOpen {
    /// Reads the fields of an OPEN, without `kind`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mounts: required(open, "mounts", "must be a list of objects, HelloMount", object::<Vec<HelloMount>>)?,
        })
    }

    /// The whole OPEN, with `kind`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Mounts, None, self)
    }
}

/// OPENED of `mounts` streams, which has no fields.
pub type MountsOpened = Accepted;
