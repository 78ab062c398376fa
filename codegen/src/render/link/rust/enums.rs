//! Enumerations of names, and what is told by a name.

use std::fmt::Write as _;

use askama::Template;

use crate::{
    model::link::{Choice, Kind, Link, Side},
    render::{
        filters,
        text::{pascal, quoted},
    },
};

/// A value of an enumeration.
pub(super) struct Value<'a> {
    name: &'a str,
    doc: &'a str,
    attribute: String,
}

impl<'a> Value<'a> {
    pub(super) fn new(name: &'a str, doc: &'a str) -> Self {
        Self { name, doc, attribute: String::new() }
    }
}

#[derive(Template)]
#[template(path = "enumeration.rs.jinja", escape = "none")]
struct Enumeration<'a> {
    name: &'a str,
    doc: &'a str,
    as_str_doc: &'a str,
    derives: &'a str,
    non_exhaustive: bool,
    values: Vec<Value<'a>>,
}

pub(super) fn enumeration(
    name: &str,
    doc: &str,
    as_str_doc: &str,
    derives: &str,
    values: Vec<Value<'_>>,
) -> Result<String, askama::Error> {
    Enumeration { name, doc, as_str_doc, derives, non_exhaustive: true, values }.render()
}

/// A choice: the peer's enumeration of strings, which serde reads and writes too.
pub(super) fn choice_type(choice: &Choice) -> Result<String, askama::Error> {
    let rename = |name: &str| format!("#[serde(rename = {})]\n", quoted(name));
    let values = choice
        .values
        .iter()
        .map(|value| Value { attribute: rename(&value.name), ..Value::new(&value.name, &value.doc) });
    Enumeration {
        name: &choice.name,
        doc: &choice.doc,
        as_str_doc: "The text as it stands on the wire.",
        derives: "Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema",
        non_exhaustive: false,
        values: values.collect(),
    }
    .render()
}

/// The arms of a match from names to expressions, one arm for each expression, in the order of the first name.
pub(super) fn arms<'a>(names: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let mut arms: Vec<(String, Vec<String>)> = Vec::new();
    for (name, expression) in names {
        let pattern = format!("Self::{}", pascal(name));
        match arms.iter_mut().find(|(known, _)| *known == expression) {
            Some((_, patterns)) => patterns.push(pattern),
            None => arms.push((expression, vec![pattern])),
        }
    }
    let mut out = String::new();
    for (expression, patterns) in arms {
        let _ = writeln!(out, "{} => {expression},", patterns.join(" | "));
    }
    out
}

/// A side as an expression.
pub(super) fn side(side: Side) -> String {
    format!("Side::{}", pascal(side.name()))
}

/// A list of capabilities as an expression.
pub(super) fn cap_list(caps: &[String]) -> String {
    format!("&[{}]", caps.iter().map(|cap| format!("Cap::{}", pascal(cap))).collect::<Vec<_>>().join(", "))
}

/// Whether `self` is one of these kinds.
pub(super) fn one_of<'a>(kinds: impl Iterator<Item = &'a Kind>) -> String {
    let patterns = kinds.map(|kind| format!("Self::{}", pascal(&kind.name))).collect::<Vec<_>>().join(" | ");
    if patterns.is_empty() { "false".into() } else { format!("matches!(self, {patterns})") }
}

/// The body of `StreamKind::field_code`: the fields with a code of their own first, then the kinds, then EPROTO.
pub(super) fn field_code(link: &Link) -> String {
    let mut arms = String::new();
    for kind in &link.kind {
        let name = pascal(&kind.name);
        let mut own: Vec<(&str, &str)> = Vec::new();
        for field in kind.open.iter().chain(kind.op.iter().flat_map(|op| &op.open)) {
            if let Some(code) = &field.wrong
                && !own.contains(&(&field.name, code))
            {
                own.push((&field.name, code));
            }
        }
        for (field, code) in own {
            let _ = writeln!(arms, "(Self::{name}, {}) => ErrorCode::{},", quoted(field), pascal(code));
        }
        if let Some(code) = &kind.wrong_field {
            let _ = writeln!(arms, "(Self::{name}, _) => ErrorCode::{},", pascal(code));
        }
    }
    if arms.is_empty() {
        return "let _ = field; ErrorCode::Eproto".into();
    }
    format!("match (self, field) {{\n{arms}_ => ErrorCode::Eproto,\n}}")
}

pub(super) fn refused_op(link: &Link) -> String {
    let mut arms = String::new();
    for kind in &link.kind {
        for op in &kind.refused_op {
            let (name, code) = (pascal(&kind.name), pascal(&op.code));
            let _ = writeln!(arms, "(Self::{name}, {}) => Some(ErrorCode::{code}),", quoted(&op.name));
        }
    }
    if arms.is_empty() { "let _ = op; None".into() } else { format!("match (self, op) {{\n{arms}_ => None,\n}}") }
}
