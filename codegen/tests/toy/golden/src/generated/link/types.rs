//! What messages share: choices, objects and both HELLOs. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::{Deserialize, Serialize};

/// How large a parcel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub enum Size {
    /// It fits a hand.
    #[serde(rename = "small")]
    Small,
    /// It doesn't.
    #[serde(rename = "x-large")]
    XLarge,
}

impl Size {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[Self::Small, Self::XLarge];

    /// The text as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::XLarge => "x-large",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == name)
    }
}
/// Where a parcel goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    /// The street.
    pub street: String,
    /// The number.
    pub house_number: u16,
    /// Degrees to the north.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latitude: Option<f64>,
}

/// What the node says first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeHello {
    /// The version.
    pub v: u32,
    /// `node`.
    pub role: &'static str,
    /// What it does.
    pub caps: Vec<&'static str>,
    /// Where it lives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<Address>,
}

/// What the page says first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageHello {
    /// The version.
    pub v: u64,
    /// Its name.
    pub name: String,
    /// What it does.
    pub caps: Vec<String>,
}
