//! Fields of messages: their types and bounds.

use serde::Deserialize;

use super::Link;

/// A field of a message.
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file")]
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Field {
    /// Its name on the wire.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: FieldType,
    /// What it is.
    pub doc: String,
    /// Whether it may be missing.
    #[serde(default)]
    pub optional: bool,
    /// What it is when it is missing.
    #[serde(default)]
    pub default: Option<Default>,
    /// Whether null counts as missing.
    #[serde(default)]
    pub null_is_missing: bool,
    /// The lowest number.
    #[serde(default)]
    pub min: Option<u64>,
    /// The highest number: itself, or a limit's name.
    #[serde(default)]
    pub max: Option<Bound>,
    /// The only numbers that are allowed.
    #[serde(default)]
    pub values: Vec<u64>,
    /// Whether a string or a list must hold something.
    #[serde(default)]
    pub non_empty: bool,
    /// The shape of a string, or of a map's values.
    #[serde(default)]
    pub shape: Option<String>,
    /// The shape of a map's keys.
    #[serde(default)]
    pub key_shape: Option<String>,
    /// The most entries of a map: a number or a limit's name.
    #[serde(default)]
    pub max_items: Option<Bound>,
    /// The capability that it takes.
    #[serde(default)]
    pub cap: Option<String>,
    /// The code for a value that isn't allowed, when it isn't the kind's.
    #[serde(default)]
    pub wrong: Option<String>,
    /// Whether its value never shows in a log.
    #[serde(default)]
    pub secret: bool,
}

/// A number, or the name of a limit.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Bound {
    /// The number.
    Number(u64),
    /// The limit's name.
    Limit(String),
}

impl Bound {
    /// The number.
    pub fn value(&self, link: &Link) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Limit(name) => link.limit(name),
        }
    }
}

/// What a field is when it is missing.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Default {
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(u64),
    /// A text or, for a number, the name of a limit.
    Text(String),
}

/// A Rust integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scalar {
    /// 8 bits.
    U8,
    /// 16 bits.
    U16,
    /// 32 bits.
    U32,
    /// 64 bits.
    U64,
}

impl Scalar {
    /// Its Rust name.
    pub const fn rust(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
        }
    }

    /// Its highest value.
    pub const fn max(self) -> u64 {
        match self {
            Self::U8 => u8::MAX as u64,
            Self::U16 => u16::MAX as u64,
            Self::U32 => u32::MAX as u64,
            Self::U64 => u64::MAX,
        }
    }
}

/// The type of a field.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum FieldType {
    /// A text.
    Text,
    /// An integer from 0.
    Integer(Scalar),
    /// A number.
    Number,
    /// true or false.
    Bool,
    /// Anything but false and null is true.
    Flag,
    /// True as in JavaScript.
    Truthy,
    /// A list of texts.
    Texts,
    /// A list of pairs of texts.
    Pairs,
    /// An object of texts, in its order.
    Map,
    /// A text that the node itself holds.
    Static,
    /// A list of texts that the node itself holds.
    Statics,
    /// A choice or an object.
    Named(String),
    /// A list of objects.
    List(String),
}

impl TryFrom<String> for FieldType {
    type Error = String;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(|c| c.is_ascii_alphanumeric())
        };
        Ok(match name.as_str() {
            "string" => Self::Text,
            "u8" => Self::Integer(Scalar::U8),
            "u16" => Self::Integer(Scalar::U16),
            "u32" => Self::Integer(Scalar::U32),
            "u64" => Self::Integer(Scalar::U64),
            "number" => Self::Number,
            "bool" => Self::Bool,
            "flag" => Self::Flag,
            "truthy" => Self::Truthy,
            "strings" => Self::Texts,
            "pairs" => Self::Pairs,
            "map" => Self::Map,
            "static" => Self::Static,
            "statics" => Self::Statics,
            name if is_name(name) => Self::Named(name.to_owned()),
            name => match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
                Some(name) if is_name(name) => Self::List(name.to_owned()),
                _ => return Err(format!("there is no type `{name}`")),
            },
        })
    }
}

impl FieldType {
    /// The choice or object that it names.
    pub fn named(&self) -> Option<&str> {
        match self {
            Self::Named(name) | Self::List(name) => Some(name),
            _ => None,
        }
    }

    /// Whether it is a list or a map, which is empty when it is missing.
    pub const fn is_collection(&self) -> bool {
        matches!(self, Self::Texts | Self::Pairs | Self::Map | Self::Statics)
    }

    /// What it is, in the words of the docs.
    pub fn words(&self) -> String {
        match self {
            Self::Text | Self::Static => "string".into(),
            Self::Integer(_) => "integer".into(),
            Self::Number => "number".into(),
            Self::Bool => "boolean".into(),
            Self::Flag => "flag".into(),
            Self::Truthy => "truthy".into(),
            Self::Texts | Self::Statics => "list of strings".into(),
            Self::Pairs => "list of pairs".into(),
            Self::Map => "object of strings".into(),
            Self::Named(name) => format!("[{name}](#{})", name.to_lowercase()),
            Self::List(name) => format!("list of [{name}](#{})", name.to_lowercase()),
        }
    }
}
