//! Messages of `browsers` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Accepted, FieldError, HelloBrowser, StreamKind,
    read::{object, required, whole},
};

/// OPEN of `browsers` streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrowsersOpen {
    /// The whole list, which replaces the one before.
    pub browsers: Vec<HelloBrowser>,
}

impl BrowsersOpen {
    /// Reads the fields of an OPEN, without `kind`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            browsers: required(
                open,
                "browsers",
                "must be a list of objects, HelloBrowser",
                object::<Vec<HelloBrowser>>,
            )?,
        })
    }

    /// The whole OPEN, with `kind`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Browsers, None, self)
    }
}

/// OPENED of `browsers` streams, which has no fields.
pub type BrowsersOpened = Accepted;
