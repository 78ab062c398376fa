//! `src/doctor/page/constants.js`: the protocol's facts for the page role.

use crate::{
    model::link::{Kind, Link, StreamChannel},
    render::text::camel,
};

/// A value in JavaScript.
enum Value {
    /// A number or a truth value.
    Plain(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// An object, in its order.
    Object(Vec<(String, Value)>),
}

impl Value {
    fn texts(names: &[String]) -> Self {
        Self::List(names.iter().map(|name| Self::Text(name.clone())).collect())
    }

    /// The value as source: on one line when that fits after `used` columns, else an entry a line.
    fn source(&self, indent: usize, used: usize) -> String {
        let (open, close, entries) = match self {
            Self::Plain(text) => return text.clone(),
            Self::Text(text) => return quoted(text),
            Self::List(values) => ("[", "]", values.iter().map(|value| (String::new(), value)).collect::<Vec<_>>()),
            Self::Object(entries) => {
                ("{", "}", entries.iter().map(|(key, value)| (format!("{}: ", key_source(key)), value)).collect())
            }
        };
        let inline: Vec<_> = entries.iter().map(|(key, value)| format!("{key}{}", value.source(0, 0))).collect();
        let space = if open == "{" { " " } else { "" };
        let line = format!("Object.freeze({open}{space}{}{space}{close})", inline.join(", "));
        if used + line.len() <= 120 && !line.contains('\n') && indent > 2 {
            return line;
        }
        let pad = " ".repeat(indent);
        let lines: String = entries
            .iter()
            .flat_map(|(key, value)| {
                let used = indent + 2 + key.len() + 1;
                [pad.as_str(), "  ", key, &value.source(indent + 2, used), ",\n"].map(str::to_owned)
            })
            .collect();
        format!("Object.freeze({open}\n{lines}{pad}{close})")
    }
}

/// A string literal, with the quotes that need no escape.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\n', "\\n");
    if escaped.contains('\'') { format!("\"{}\"", escaped.replace('"', "\\\"")) } else { format!("'{escaped}'") }
}

fn key_source(key: &str) -> String {
    let bare = key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.chars().all(|c| c.is_ascii_alphanumeric());
    if bare { key.to_owned() } else { quoted(key) }
}

/// The whole file.
pub fn render(link: &Link) -> String {
    let number = |number: u64| Value::Plain(number.to_string());
    let text = |text: &str| Value::Text(text.to_owned());
    let setup = vec![
        ("version".into(), number(link.setup.version.into())),
        ("send".into(), text(&link.setup.send)),
        ("receive".into(), text(&link.setup.receive)),
    ];
    let parts = [
        ("version", number(link.version.into())),
        ("setup", Value::Object(setup)),
        ("channels", object(&link.channel, |it| (camel(&it.name), text(&it.label)))),
        ("frames", object(&link.frame, |it| (it.name.clone(), number(it.number.into())))),
        ("limits", object(&link.limit, |it| (camel(&it.name), number(it.value)))),
        ("timeouts", object(&link.timeout, |it| (camel(&it.name), number(it.milliseconds)))),
        ("caps", object(&link.cap, |it| (it.name.clone(), text(it.listed_by.name())))),
        ("codes", object(&link.code, |it| (it.name.clone(), text(&it.doc)))),
        ("kinds", object(&link.kind, |it| (it.name.clone(), kind(it)))),
    ];
    let facts = Value::Object(parts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect());
    format!(
        "// The link protocol's facts. Generated from spec/link.toml by `cargo codegen`. Do not edit.\n\n\
         /**\n \
         * The names of the setup, channel labels, frame numbers, limits, time-outs in milliseconds, capabilities with the\n \
         * side whose HELLO lists them, error codes with their meaning, and stream kinds.\n \
         */\n\
         export const LINK = {};\n",
        facts.source(0, 0)
    )
}

fn object<T>(items: &[T], entry: impl Fn(&T) -> (String, Value)) -> Value {
    Value::Object(items.iter().map(entry).collect())
}

fn kind(kind: &Kind) -> Value {
    let mut entries = vec![
        ("openedBy".to_owned(), Value::Text(kind.opened_by.name().into())),
        ("caps".into(), Value::texts(&kind.caps)),
        ("control".into(), Value::Plain((kind.channel == StreamChannel::Control).to_string())),
        ("served".into(), Value::Plain(kind.served.to_string())),
    ];
    if !kind.op.is_empty() {
        let ops: Vec<_> = kind.op.iter().map(|op| op.name.clone()).collect();
        entries.push(("ops".into(), Value::texts(&ops)));
    }
    let numbered = kind.records.iter().filter_map(|record| Some((camel(&record.name), record.number?.to_string())));
    let records: Vec<_> = numbered.map(|(name, number)| (name, Value::Plain(number))).collect();
    if !records.is_empty() {
        entries.push(("records".into(), Value::Object(records)));
    }
    Value::Object(entries)
}
