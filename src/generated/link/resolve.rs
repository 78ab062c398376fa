//! Messages of `resolve` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    FieldError, StreamKind,
    read::{integer, optional, required, text, whole},
};

/// OPEN of `resolve` streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResolveOpen {
    /// A name or an IP literal.
    pub name: String,
    /// 4, 6, or 0 for both.
    pub family: u8,
}

impl ResolveOpen {
    /// Reads the fields of an OPEN, without `kind`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            name: required(open, "name", "must be a non-empty string", |value| {
                text(value).filter(|it| !it.is_empty())
            })?,
            family: optional(open, "family", "must be 0, 4 or 6", |value| {
                integer::<u8>(value).filter(|it| matches!(it, 0 | 4 | 6))
            })?
            .unwrap_or(0),
        })
    }

    /// The whole OPEN, with `kind`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Resolve, None, self)
    }
}

/// OPENED of `resolve` streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ResolveOpened {
    /// The addresses, in the resolver's order.
    pub addresses: Vec<String>,
    /// Seconds for which the answer may be kept: 30 s.
    pub ttl: u32,
}
