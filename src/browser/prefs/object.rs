//! A JSON object whose values stay the text that they were.

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
    ser::{Serialize, SerializeMap, Serializer},
};
use serde_json::{Value, value::RawValue};

/// Keys and raw values in their order. A key that stands there twice keeps standing there twice; the last one counts, as
/// it does for Chromium.
#[derive(Debug, Default)]
pub(super) struct Object(Vec<(String, Box<RawValue>)>);

impl Object {
    /// Reads an object; `None` when the text is anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().rev().find(|(known, _)| known == key).map(|(_, value)| &**value)
    }

    /// Sets a key to a JSON text. `false` when the text is no JSON.
    pub(super) fn set(&mut self, key: &str, json: &str) -> bool {
        let Ok(value) = RawValue::from_string(json.to_owned()) else { return false };
        match self.0.iter_mut().rev().find(|(known, _)| known == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
        true
    }

    /// The object as text.
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("keys are texts and values are JSON, so the object can be written")
    }
}

/// A value as raw text.
pub(super) fn raw(value: &Value) -> Option<Box<RawValue>> {
    serde_json::value::to_raw_value(value).ok()
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Object;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Object, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Object(entries))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
