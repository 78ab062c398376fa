//! Messages of `http` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Accepted, FieldError, StreamKind,
    read::{flag, whole},
};

/// OPEN of `http` streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HttpOpen {
    /// The request carries an injected credential. Any value other than false or null counts as true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub credentialed: bool,
}

impl HttpOpen {
    /// Reads the fields of an OPEN, without `kind`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self { credentialed: flag(open, "credentialed") })
    }

    /// The whole OPEN, with `kind`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Http, None, self)
    }
}

/// OPENED of `http` streams, which has no fields.
pub type HttpOpened = Accepted;
