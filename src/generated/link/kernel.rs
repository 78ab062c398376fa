//! Messages of `kernel` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Accepted, FieldError, StreamKind,
    read::{integer, required, whole},
};

/// OPEN of `kernel` streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KernelOpen {
    /// The kernel's port.
    pub port: u16,
}

impl KernelOpen {
    /// Reads the fields of an OPEN, without `kind`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            port: required(open, "port", "must be an integer from 1 to 65535", |value| {
                integer::<u16>(value).filter(|it| *it >= 1)
            })?,
        })
    }

    /// The whole OPEN, with `kind`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Kernel, None, self)
    }
}

/// OPENED of `kernel` streams, which has no fields.
pub type KernelOpened = Accepted;
