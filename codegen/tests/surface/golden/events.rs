//! Messages, events and their schemas. Generated from spec/events by `cargo codegen`. Do not edit.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// A JSON Schema that `slicc schema` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    /// Its name.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Every JSON Schema, in the order of the docs.
pub const SCHEMAS: &[Schema] = &[Schema { name: "bell", title: "Bells", text: include_str!("../../bell.schema.json") }];

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "e", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum BellEvent {
    /// It rings.
    RingOut {
        /// A secret.
        token: Token,
        /// An index.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "u8")]
        #[schemars(extend("maximum" = 9))]
        sdp_m_line_index: Option<u8>,
        /// When.
        times: Vec<f64>,
        /// Its tones.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Vec<Tone>")]
        #[schemars(extend("minItems" = 1))]
        tones: Option<Vec<Tone>>,
        /// The one before.
        #[serde(deserialize_with = "present")]
        last: Option<Tone>,
        /// A note.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("maxLength" = 9))]
        note: Option<String>,
        /// Its type.
        #[schemars(extend("pattern" = "^[a-z]+$"))]
        r#type: String,
    },
    /// It rests.
    Rest,
}

/// How it sounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// Low.
    Low,
    /// Very high.
    #[serde(rename = "very_high")]
    VeryHigh,
}

/// A secret.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("minLength" = 1))]
pub struct Token(pub String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

/// Reads a field that may be null but has to be there: serde takes a missing one for null otherwise.
fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer)
}

/// A type and where its schema stands, so that a test can compare the two.
#[cfg(test)]
pub struct Derived {
    /// The schema's name.
    pub document: &'static str,
    /// The type's name under `$defs`.
    pub definition: &'static str,
    /// The schema that the Rust type has.
    pub schema: fn() -> schemars::Schema,
    /// Reads a value as the Rust type and writes it again.
    pub round_trip: fn(serde_json::Value) -> serde_json::Result<serde_json::Value>,
}

/// Every type above.
#[cfg(test)]
pub const DERIVED: &[Derived] = &[
    Derived {
        document: "bell",
        definition: "bellEvent",
        schema: schema_of::<BellEvent>,
        round_trip: round_trip::<BellEvent>,
    },
    Derived { document: "bell", definition: "tone", schema: schema_of::<Tone>, round_trip: round_trip::<Tone> },
    Derived { document: "bell", definition: "token", schema: schema_of::<Token>, round_trip: round_trip::<Token> },
];

#[cfg(test)]
fn schema_of<T: JsonSchema>() -> schemars::Schema {
    schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

#[cfg(test)]
fn round_trip<T: Serialize + serde::de::DeserializeOwned>(
    value: serde_json::Value,
) -> serde_json::Result<serde_json::Value> {
    serde_json::from_value::<T>(value).and_then(serde_json::to_value)
}
