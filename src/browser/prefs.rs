//! The seven prefs and the mark of a clean exit, merged into a profile's `Preferences` (section `slicc launch` of the
//! requirement).
//!
//! A `Preferences` file is the browser's, and slicc knows only a few of its keys. So the file isn't read into values and
//! written again: every part that isn't edited keeps its very bytes, numbers and escapes that no parser would give back
//! included.

mod object;

use std::time::{Duration, SystemTime};

use serde_json::{Value, value::RawValue};

use self::object::Object;
use crate::generated::catalog::{
    launch::{PrefEdit, SEVEN_PREFS},
    profiles::{CLEAN_EXIT, PrefValue},
};

/// The longest `Preferences` that is edited, in bytes. A longer one is left alone.
pub const MAX_PREFERENCES: u64 = 32 << 20;

/// Seconds between 1601, which Chromium counts from, and 1970.
const SECONDS_FROM_1601: u64 = 11_644_473_600;

/// Which edits a launch makes.
#[derive(Debug, Clone, Copy)]
pub struct Edits<'a> {
    /// Whether the seven prefs are merged.
    pub seven: bool,
    /// Hosts of extra allowed origins, whose tabs are kept as seven's are.
    pub extra_hosts: &'a [String],
    /// The time for exceptions that are new.
    pub now: SystemTime,
}

/// What became of a `Preferences` file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// Everything is in it already.
    Complete,
    /// Its new text.
    Changed(String),
    /// It isn't a JSON object, so it is left alone.
    NotAnObject,
}

/// Merges the seven prefs into the text of a `Preferences` file, and marks its last exit clean. `None` stands for a file
/// that isn't there: it gets the seven prefs and nothing else, since it had no exit.
pub fn merge(text: Option<&str>, edits: &Edits<'_>) -> Merged {
    let mut root = match text {
        None => Object::default(),
        Some(text) => match Object::parse(text) {
            Some(root) => root,
            None => return Merged::NotAnObject,
        },
    };
    let mut changed = false;
    if edits.seven {
        for pref in SEVEN_PREFS {
            changed |= at(&mut root, pref.path, &|object, key| apply(object, key, pref.edit, edits));
        }
    }
    if text.is_some() {
        for (path, value) in CLEAN_EXIT {
            changed |= at(&mut root, path, &|object, key| set(object, key, &json(*value)));
        }
    }
    if changed { Merged::Changed(root.to_json()) } else { Merged::Complete }
}

/// Makes an edit in the object that holds the last key of a path. Whether it changed anything. A key on the way that holds
/// something else than an object is kept: what a browser means by it isn't known.
fn at(object: &mut Object, path: &str, edit: &dyn Fn(&mut Object, &str) -> bool) -> bool {
    let Some((key, rest)) = path.split_once('.') else { return edit(object, path) };
    let mut inner = match object.get(key) {
        None => Object::default(),
        Some(raw) => match Object::parse(raw.get()) {
            Some(inner) => inner,
            None => return false,
        },
    };
    at(&mut inner, rest, edit) && object.set(key, &inner.to_json())
}

/// Makes one edit of the catalog. Whether it changed anything. A list or map of exceptions that is none is kept, too.
fn apply(object: &mut Object, key: &str, edit: PrefEdit, edits: &Edits<'_>) -> bool {
    let old = object.get(key);
    match edit {
        PrefEdit::SetBool(value) => set(object, key, &value.into()),
        PrefEdit::SetInteger(value) => set(object, key, &value.into()),
        PrefEdit::Append { patterns, extra_origins } => {
            let list: Option<Vec<Box<RawValue>>> =
                old.map_or(Some(Vec::new()), |raw| serde_json::from_str(raw.get()).ok());
            let Some(mut list) = list else { return false };
            let mut changed = old.is_none();
            for pattern in wanted(patterns, extra_origins, edits) {
                if !list.iter().any(|known| text_of(known).is_some_and(|known| known == pattern)) {
                    changed |= object::raw(&Value::from(pattern)).is_some_and(|raw| {
                        list.push(raw);
                        true
                    });
                }
            }
            changed && serde_json::to_string(&list).is_ok_and(|json| object.set(key, &json))
        }
        PrefEdit::Stamp { patterns, extra_origins } => {
            let map = old.map_or_else(|| Some(Object::default()), |raw| Object::parse(raw.get()));
            let Some(mut map) = map else { return false };
            let mut changed = old.is_none();
            for pattern in wanted(patterns, extra_origins, edits) {
                if map.get(&pattern).is_none() {
                    changed |= map.set(&pattern, &Value::from(chromium_time(edits.now)).to_string());
                }
            }
            changed && object.set(key, &map.to_json())
        }
    }
}

fn json(value: PrefValue) -> Value {
    match value {
        PrefValue::Bool(value) => value.into(),
        PrefValue::Text(value) => value.into(),
    }
}

fn set(object: &mut Object, key: &str, value: &Value) -> bool {
    let same =
        object.get(key).is_some_and(|old| serde_json::from_str::<Value>(old.get()).is_ok_and(|old| old == *value));
    !same && object.set(key, &value.to_string())
}

/// The text that a raw value is.
fn text_of(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

fn wanted(patterns: &[&str], extra_origins: bool, edits: &Edits<'_>) -> Vec<String> {
    let extra = edits.extra_hosts.iter().filter(|_| extra_origins).cloned();
    patterns.iter().map(|pattern| (*pattern).to_owned()).chain(extra).collect()
}

/// A time as Chromium keeps it: microseconds since 1601, in decimal.
fn chromium_time(time: SystemTime) -> String {
    let since_1970 = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    (Duration::from_secs(SECONDS_FROM_1601) + since_1970).as_micros().to_string()
}

#[cfg(test)]
mod tests;
