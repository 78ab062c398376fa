//! How fields of a peer's messages are read. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{FieldError, StreamKind};

/// Shapes of strings.
pub(super) mod shapes {
    use super::super::limits;

    /// Whether a text is the name of a provider: `^[a-z0-9][a-z0-9-]{0,63}$`.
    pub fn provider(text: &str) -> bool {
        (1..=64).contains(&text.len())
            && made_of(
                text,
                |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9'),
                |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'),
            )
    }

    /// Whether a text is the key of a param: `^[a-z][a-z0-9_]{0,31}$`.
    pub fn param_key(text: &str) -> bool {
        (1..=32).contains(&text.len())
            && made_of(text, |byte| byte.is_ascii_lowercase(), |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
    }

    /// Whether a text is printable ASCII: `^[ -~]{0,256}$`.
    pub fn param_value(text: &str) -> bool {
        text.len() <= limits::JERK_PARAM_VALUE
            && made_of(text, |byte| matches!(byte, b' '..=b'~'), |byte| matches!(byte, b' '..=b'~'))
    }

    /// Whether a text is printable words: `^[!-~][ -~]{0,65535}$`.
    pub fn scope(text: &str) -> bool {
        (1..=limits::CONTROL_PAYLOAD).contains(&text.len())
            && made_of(text, |byte| byte.is_ascii_graphic(), |byte| matches!(byte, b' '..=b'~'))
    }

    /// Whether a text is the id of a lease: printable ASCII without spaces: `^[!-~]{1,256}$`.
    pub fn lease_id(text: &str) -> bool {
        (1..=256).contains(&text.len()) && made_of(text, |byte| byte.is_ascii_graphic(), |byte| byte.is_ascii_graphic())
    }

    /// Whether the first byte of a text and all of the others are as they must be.
    fn made_of(text: &str, first: impl Fn(u8) -> bool, rest: impl Fn(u8) -> bool) -> bool {
        let mut bytes = text.bytes();
        bytes.next().is_none_or(first) && bytes.all(rest)
    }
}

/// A field that must be there.
pub(super) fn required<T>(
    open: &Map<String, Value>,
    field: &'static str,
    problem: &'static str,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Result<T, FieldError> {
    open.get(field).and_then(read).ok_or(FieldError { field, problem })
}

/// A field that may be missing; null isn't missing.
pub(super) fn optional<T>(
    open: &Map<String, Value>,
    field: &'static str,
    problem: &'static str,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Result<Option<T>, FieldError> {
    open.get(field).map(|value| read(value).ok_or(FieldError { field, problem })).transpose()
}

/// A field that may be missing or null.
pub(super) fn optional_or_null<T>(
    open: &Map<String, Value>,
    field: &'static str,
    problem: &'static str,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Result<Option<T>, FieldError> {
    if open.get(field).is_some_and(Value::is_null) { Ok(None) } else { optional(open, field, problem, read) }
}

/// A text.
pub(super) fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// An integer that its type holds.
pub(super) fn integer<T: TryFrom<u64>>(value: &Value) -> Option<T> {
    value.as_u64().and_then(|number| T::try_from(number).ok())
}

/// A list of texts.
pub(super) fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(text).collect()
}

/// A list of pairs of texts.
pub(super) fn pairs(value: &Value) -> Option<Vec<(String, String)>> {
    value
        .as_array()?
        .iter()
        .map(|pair| match pair.as_array()?.as_slice() {
            [name, value] => Some((text(name)?, text(value)?)),
            _ => None,
        })
        .collect()
}

/// An object of texts with at most so many entries, in its order.
pub(super) fn map(
    value: &Value,
    max_items: usize,
    key: impl Fn(&str) -> bool,
    allowed: impl Fn(&str) -> bool,
) -> Option<Vec<(String, String)>> {
    let entries = value.as_object().filter(|entries| entries.len() <= max_items)?;
    entries
        .iter()
        .map(|(name, value)| {
            let value = value.as_str().filter(|value| key(name) && allowed(value))?;
            Some((name.clone(), value.to_owned()))
        })
        .collect()
}

/// A choice or an object.
pub(super) fn object<T: serde::de::DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

/// Whether a field is there and neither false nor null.
pub(super) fn flag(open: &Map<String, Value>, field: &str) -> bool {
    !matches!(open.get(field), None | Some(Value::Null | Value::Bool(false)))
}

/// Whether a field is true as JavaScript sees it.
pub(super) fn truthy(open: &Map<String, Value>, field: &str) -> bool {
    match open.get(field) {
        None | Some(Value::Null) => false,
        Some(Value::Bool(value)) => *value,
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(_) | Value::Object(_)) => true,
    }
}

/// Pairs as the object that they were.
pub(super) fn as_object<S: serde::Serializer>(pairs: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// A whole OPEN: the kind, the operation, the fields.
pub(super) fn whole(kind: StreamKind, op: Option<&str>, fields: &impl Serialize) -> Map<String, Value> {
    let mut open = Map::new();
    open.insert("kind".into(), kind.as_str().into());
    if let Some(op) = op {
        open.insert("op".into(), op.into());
    }
    if let Value::Object(fields) = serde_json::to_value(fields).expect("texts, numbers and lists of them serialize") {
        open.extend(fields);
    }
    open
}
