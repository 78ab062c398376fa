//! Messages of `parcel` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Address, FieldError, Size, StreamKind, limits,
    read::{as_object, flag, integer, map, object, optional, pairs, required, shapes, text, whole},
};

/// The type byte of a record of `parcel` streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ParcelRecord {
    /// The lid.
    Lid = 1,
    /// The rest.
    Base = 9,
}

impl ParcelRecord {
    /// The record type with this number.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Lid),
            9 => Some(Self::Base),
            _ => None,
        }
    }
}

/// OPEN of `parcel` streams.
#[derive(Clone, PartialEq, Serialize)]
pub struct ParcelOpen {
    /// Where it goes.
    pub to: Address,
    /// Where it passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<Vec<Address>>,
    /// How large it is.
    pub size: Size,
    /// Pounds.
    pub weight: u8,
    /// Coins.
    pub worth: f64,
    /// Handle with care.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fragile: bool,
    /// At most 12345 stamps.
    pub stamps: u32,
    /// A note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Labels.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_object")]
    pub labels: Vec<(String, String)>,
    /// From where to where.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub route: Vec<(String, String)>,
}

impl std::fmt::Debug for ParcelOpen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParcelOpen")
            .field("to", &self.to)
            .field("via", &self.via)
            .field("size", &self.size)
            .field("weight", &self.weight)
            .field("worth", &self.worth)
            .field("fragile", &self.fragile)
            .field("stamps", &self.stamps)
            .field("note", &format_args!("…"))
            .field("labels", &self.labels)
            .field("route", &self.route)
            .finish()
    }
}

impl ParcelOpen {
    /// Reads the fields of an OPEN, without `kind`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            to: required(open, "to", "must be an object, Address", object::<Address>)?,
            via: optional(open, "via", "must be a list of objects, Address", object::<Vec<Address>>)?,
            size: required(open, "size", "must be small or x-large", object::<Size>)?,
            weight: optional(open, "weight", "must be 1, 2 or 5", |value| {
                integer::<u8>(value).filter(|it| matches!(it, 1 | 2 | 5))
            })?
            .unwrap_or(2),
            worth: required(open, "worth", "must be a number", Value::as_f64)?,
            fragile: flag(open, "fragile"),
            stamps: required(open, "stamps", "must be an integer from 1 to 12345", |value| {
                integer::<u32>(value).filter(|it| (1..=limits::STAMPS).contains(it))
            })?,
            note: optional(open, "note", "must be a string", text)?,
            labels: optional(
                open,
                "labels",
                "must hold at most 3 strings, from ^[A-Z][a-z-]{0,39}$ to ^[!-~]{0,1024}$",
                |value| map(value, 3, shapes::street_name, shapes::stamp),
            )?
            .unwrap_or_default(),
            route: optional(open, "route", "must be a list of [name, value] pairs of strings", pairs)?
                .unwrap_or_default(),
        })
    }

    /// The whole OPEN, with `kind`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Parcel, None, self)
    }
}

/// OPENED of `parcel` streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParcelOpened {
    /// Its number.
    pub tracking_id: String,
    /// Whether it is late.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
}
