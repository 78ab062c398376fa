//! Messages of `desk` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Accepted, Address, Cap, FieldError, StreamKind,
    read::{optional, optional_or_null, required, shapes, text, truthy, whole},
};

/// An operation of `desk` streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeskOp {
    /// Asks.
    Ask,
    /// Asks for speed.
    Hurry,
}

impl DeskOp {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[Self::Ask, Self::Hurry];

    /// The operation as it stands in an OPEN.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Hurry => "hurry",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == name)
    }
}
impl DeskOp {
    /// The capability that offers it.
    pub const fn cap(self) -> Cap {
        match self {
            Self::Ask => Cap::Post,
            Self::Hurry => Cap::PostExpress,
        }
    }
}

/// OPEN of `desk` streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeskOpen {
    /// Asks.
    Ask(DeskAskOpen),
    /// Asks for speed.
    Hurry,
}

impl DeskOpen {
    /// Reads `op` and the fields of an OPEN, without `kind`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        let op = required(open, "op", "must be ask or hurry", |value| value.as_str().and_then(DeskOp::from_name))?;
        Ok(match op {
            DeskOp::Ask => Self::Ask(DeskAskOpen::parse(open)?),
            DeskOp::Hurry => Self::Hurry,
        })
    }

    /// Its operation.
    pub const fn op(&self) -> DeskOp {
        match self {
            Self::Ask(_) => DeskOp::Ask,
            Self::Hurry => DeskOp::Hurry,
        }
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        match self {
            Self::Ask(open) => open.to_json(),
            Self::Hurry => whole(StreamKind::Desk, Some("hurry"), &Accepted {}),
        }
    }
}

/// OPEN of `desk` streams with op `ask`. Asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeskAskOpen {
    /// Who is asked.
    pub clerk: String,
    /// In words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// By number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<u64>,
    /// Not in a whisper.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub loud: bool,
    /// Which way.
    pub path: String,
}

impl DeskAskOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        if [open.contains_key("question"), open.contains_key("form")].iter().filter(|there| **there).count() != 1 {
            return Err(FieldError { field: "question", problem: "must be the only one of question and form" });
        }
        Ok(Self {
            clerk: required(open, "clerk", "must be a string", text)?,
            question: optional(open, "question", "must match ^[A-Z][a-z-]{0,39}$", |value| {
                text(value).filter(|it| shapes::street_name(it))
            })?,
            form: optional(open, "form", "must be an integer that isn't negative", Value::as_u64)?,
            loud: truthy(open, "loud"),
            path: optional_or_null(open, "path", "must be a string", text)?.unwrap_or_default(),
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Desk, Some("ask"), self)
    }
}

/// OPENED of `desk` streams with op `ask`.
pub type DeskAskOpened = Address;
