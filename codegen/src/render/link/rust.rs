//! `src/generated/link.rs`.

use std::fmt::Write as _;

use askama::Template;

use super::parse;
use crate::{
    Output, Problem,
    model::link::{Choice, FILE, Field, FieldType, Kind, Link, Op, Shape, Side, StreamChannel, field::Bound},
    render::{
        filters,
        text::{camel, digits, doc, pascal, quoted, rustfmt, snake},
    },
};

/// Every file, formatted: the tables, a file for the types that messages share, a file for each kind, and the readers.
pub fn render(link: &Link) -> Result<Vec<Output>, Vec<Problem>> {
    let mut outputs = Vec::new();
    for (path, source) in sources(link).map_err(|error| problem("src/generated/link.rs", &error))? {
        let text = rustfmt(&source).map_err(|error| problem(&path, &error))?;
        outputs.push(Output::file(path, text));
    }
    Ok(outputs)
}

fn problem(path: &str, reason: &impl ToString) -> Vec<Problem> {
    vec![Problem { file: FILE.into(), key: path.into(), reason: reason.to_string() }]
}

fn sources(link: &Link) -> Result<Vec<(String, String)>, askama::Error> {
    let path = |name: &str| format!("src/generated/link/{name}.rs");
    let mut files = vec![
        ("src/generated/link.rs".to_owned(), tables(link)?),
        (
            path("types"),
            format!(
                "{}{}",
                head("What messages share: choices, objects and both HELLOs.", "use serde::{Deserialize, Serialize};"),
                types(link)?
            ),
        ),
    ];
    for kind in &link.kind {
        let messages = kind_messages(link, kind)?;
        let about = format!("Messages of {} `{}` stream.", article(&kind.name), kind.name);
        let messages = format!("{}{messages}", head(&about, &uses(link, &messages)));
        files.push((path(&module(&kind.name)), messages));
    }
    let shapes = link.shape.iter().map(|shape| shape_function(link, shape)).collect();
    files.push((path("read"), Read { shapes }.render()?));
    Ok(files)
}

/// The `use` lines of a kind's messages: what they mention, and no more.
fn uses(link: &Link, messages: &str) -> String {
    let mentions = |name: &str| {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        messages.match_indices(name).any(|(at, _)| {
            let (before, after) = (&messages[..at], &messages[at + name.len()..]);
            !before.ends_with(word) && !before.ends_with('.') && !before.ends_with("fn ") && !after.starts_with(word)
        })
    };
    let list = |names: &[&str]| names.iter().copied().filter(|name| mentions(name)).collect::<Vec<_>>().join(", ");
    let types =
        link.choice.iter().map(|choice| choice.name.as_str()).chain(link.object.iter().map(|it| it.name.as_str()));
    let tables: Vec<_> = ["Accepted", "Cap", "FieldError", "StreamKind", "limits"].into_iter().chain(types).collect();
    let readers = [
        "as_object",
        "flag",
        "integer",
        "map",
        "object",
        "optional",
        "optional_or_null",
        "pairs",
        "required",
        "shapes",
        "text",
        "texts",
        "truthy",
        "whole",
    ];
    let calls: Vec<_> = readers
        .into_iter()
        .filter(|name| {
            ["(", "::<", "::", ")"].iter().any(|next| messages.contains(&format!("{name}{next}")) && mentions(name))
                || *name == "as_object" && mentions(name)
        })
        .collect();
    format!(
        "use serde::{{{}}};\nuse serde_json::{{Map, Value}};\n\nuse super::{{{}, read::{{{}}}}};",
        list(&["Deserialize", "Serialize"]),
        list(&tables),
        calls.join(", ")
    )
}

/// The module of a kind.
fn module(kind: &str) -> String {
    snake(kind)
}

/// The head of a file: what it is, and what it uses.
fn head(about: &str, uses: &str) -> String {
    format!("//! {about} Generated from spec/link.toml by `cargo codegen`. Do not edit.\n\n{uses}\n\n")
}

#[derive(Template)]
#[template(path = "link_read.rs.jinja", escape = "none")]
struct Read {
    shapes: String,
}

#[derive(Template)]
#[template(path = "link.rs.jinja", escape = "none")]
struct File<'a> {
    link: &'a Link,
    codes: String,
    caps: String,
    listed_by: String,
    kinds: String,
    opened_by: String,
    served: String,
    on_control: String,
    field_code: String,
    refused_op: String,
    cap: String,
    cap_lists: String,
    page_min: u64,
}

/// The choices, the objects and both HELLOs.
fn types(link: &Link) -> Result<String, askama::Error> {
    let mut out = String::new();
    for choice in &link.choice {
        out.push_str(&choice_type(choice)?);
        out.push('\n');
    }
    for object in &link.object {
        let shape =
            Struct { link, name: &object.name, doc: &object.doc, fields: &refs(&object.fields), use_: Use::Both };
        out.push_str(&shape.render());
    }
    let node = refs(&link.hello.node.fields);
    let page: Vec<_> = link.hello.page.fields.iter().filter(|field| field.kind != FieldType::Static).collect();
    let node = Struct { link, name: "NodeHello", doc: &link.hello.node.doc, fields: &node, use_: Use::Written };
    let page = Struct { link, name: "PageHello", doc: &link.hello.page.doc, fields: &page, use_: Use::Held };
    out.push_str(&node.render());
    out.push_str(&page.render());
    Ok(out)
}

fn tables(link: &Link) -> Result<String, askama::Error> {
    File {
        link,
        codes: enumeration(
            "ErrorCode",
            "A code that a RESET carries.",
            "The code as it stands on the wire.",
            "Debug, Clone, Copy, PartialEq, Eq, Hash",
            link.code.iter().map(|code| Value::new(&code.name, &code.doc)).collect(),
        )?,
        caps: enumeration(
            "Cap",
            "A capability that a HELLO lists.",
            "The capability as it stands in a HELLO.",
            "Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord",
            link.cap.iter().map(|cap| Value::new(&cap.name, &cap.doc)).collect(),
        )?,
        listed_by: arms(link.cap.iter().map(|cap| (cap.name.as_str(), side(cap.listed_by)))),
        kinds: enumeration(
            "StreamKind",
            "What a stream carries.",
            "The kind as it stands in an OPEN.",
            "Debug, Clone, Copy, PartialEq, Eq, Hash",
            link.kind.iter().map(|kind| Value::new(&kind.name, &kind.doc)).collect(),
        )?,
        opened_by: arms(link.kind.iter().map(|kind| (kind.name.as_str(), side(kind.opened_by)))),
        served: one_of(link.kind.iter().filter(|kind| kind.served)),
        on_control: one_of(link.kind.iter().filter(|kind| kind.channel == StreamChannel::Control)),
        field_code: field_code(link),
        refused_op: refused_op(link),
        cap: arms(link.kind.iter().map(|kind| {
            (kind.name.as_str(), kind.caps.first().map_or_else(String::new, |cap| format!("Cap::{}", pascal(cap))))
        })),
        cap_lists: arms(link.kind.iter().map(|kind| (kind.name.as_str(), cap_list(&kind.caps)))),
        page_min: link.hello.page.fields.iter().find_map(|field| field.min).unwrap_or(0),
    }
    .render()
}

fn refs(fields: &[Field]) -> Vec<&Field> {
    fields.iter().collect()
}

/// A value of an enumeration.
struct Value<'a> {
    name: &'a str,
    doc: &'a str,
    attribute: String,
}

impl<'a> Value<'a> {
    fn new(name: &'a str, doc: &'a str) -> Self {
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

fn enumeration(
    name: &str,
    doc: &str,
    as_str_doc: &str,
    derives: &str,
    values: Vec<Value<'_>>,
) -> Result<String, askama::Error> {
    Enumeration { name, doc, as_str_doc, derives, non_exhaustive: true, values }.render()
}

/// A choice: the peer's enumeration of strings, which serde reads and writes too.
fn choice_type(choice: &Choice) -> Result<String, askama::Error> {
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
fn arms<'a>(names: impl IntoIterator<Item = (&'a str, String)>) -> String {
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
fn side(side: Side) -> String {
    format!("Side::{}", pascal(side.name()))
}

/// A list of capabilities as an expression.
fn cap_list(caps: &[String]) -> String {
    format!("&[{}]", caps.iter().map(|cap| format!("Cap::{}", pascal(cap))).collect::<Vec<_>>().join(", "))
}

/// Whether `self` is one of these kinds.
fn one_of<'a>(kinds: impl Iterator<Item = &'a Kind>) -> String {
    let patterns = kinds.map(|kind| format!("Self::{}", pascal(&kind.name))).collect::<Vec<_>>().join(" | ");
    if patterns.is_empty() { "false".into() } else { format!("matches!(self, {patterns})") }
}

/// The body of `StreamKind::field_code`: the fields with a code of their own first, then the kinds, then EPROTO.
fn field_code(link: &Link) -> String {
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

fn refused_op(link: &Link) -> String {
    let mut arms = String::new();
    for kind in &link.kind {
        for op in &kind.refused_op {
            let (name, code) = (pascal(&kind.name), pascal(&op.code));
            let _ = writeln!(arms, "(Self::{name}, {}) => Some(ErrorCode::{code}),", quoted(&op.name));
        }
    }
    if arms.is_empty() { "let _ = op; None".into() } else { format!("match (self, op) {{\n{arms}_ => None,\n}}") }
}

/// Everything that a kind's messages need.
fn kind_messages(link: &Link, kind: &Kind) -> Result<String, askama::Error> {
    let name = pascal(&kind.name);
    let mut out = records(kind);
    if kind.op.is_empty() {
        let about = format!("OPEN of {} `{}` stream.", article(&kind.name), kind.name);
        let open = Message {
            link,
            kind,
            op: None,
            name: format!("{name}Open"),
            doc: about,
            fields: refs(&kind.open),
            exactly_one: &[],
        };
        out.push_str(&open.render());
        let about = format!("OPENED of {} `{}` stream", article(&kind.name), kind.name);
        if kind.opened.is_empty() {
            let about = doc(&format!("{about}, which has no fields."), 0);
            let _ = writeln!(out, "{about}pub type {name}Opened = Accepted;\n");
        } else {
            let (name, about) = (format!("{name}Opened"), format!("{about}."));
            let opened = Struct { link, name: &name, doc: &about, fields: &refs(&kind.opened), use_: Use::Both };
            out.push_str(&opened.render());
        }
        return Ok(out);
    }
    out.push_str(&op_names(kind)?);
    out.push_str(&op_open(link, kind));
    for op in &kind.op {
        let name = format!("{name}{}", pascal(&op.name));
        let fields = op_fields(kind, op);
        if !fields.is_empty() {
            let doc =
                format!("OPEN of {} `{}` stream with op `{}`. {}", article(&kind.name), kind.name, op.name, op.doc);
            let open = Message {
                link,
                kind,
                op: Some(op),
                name: format!("{name}Open"),
                doc,
                fields,
                exactly_one: &op.exactly_one,
            };
            out.push_str(&open.render());
        }
        let doc = format!("OPENED of {} `{}` stream with op `{}`.", article(&kind.name), kind.name, op.name);
        if !op.opened.is_empty() {
            let opened =
                Struct { link, name: &format!("{name}Opened"), doc: &doc, fields: &refs(&op.opened), use_: Use::Both };
            out.push_str(&opened.render());
        }
        if let Some(object) = &op.opened_object {
            let _ = write!(out, "{}pub type {name}Opened = {object};\n\n", crate::render::text::doc(&doc, 0));
        }
    }
    Ok(out)
}

/// The fields of an op's OPEN: the kind's, then its own.
fn op_fields<'a>(kind: &'a Kind, op: &'a Op) -> Vec<&'a Field> {
    let common = if op.without_common { &[][..] } else { &kind.open };
    common.iter().chain(&op.open).collect()
}

/// `a` or `an`, by the sound of a lower-case name read aloud: `an http`, `an fs`, `an ssh`.
fn article(name: &str) -> &'static str {
    let spelt = ["http", "fs", "ssh"].contains(&name);
    if spelt || name.starts_with(['a', 'e', 'i', 'o']) || name == "unlink" { "an" } else { "a" }
}

/// The type byte of a kind's records.
fn records(kind: &Kind) -> String {
    let Some(_) = kind.records.iter().find(|record| record.number.is_some()) else { return String::new() };
    let name = format!("{}Record", pascal(&kind.name));
    let mut out = doc(&format!("The type byte of a record of {} `{}` stream.", article(&kind.name), kind.name), 0);
    let _ = writeln!(out, "#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]\n#[repr(u8)]\npub enum {name} {{");
    for record in &kind.records {
        let number = record.number.unwrap_or_default();
        let _ = writeln!(out, "{}{} = {number},", doc(&record.doc, 0), pascal(&record.name));
    }
    let _ = writeln!(
        out,
        "}}\n\nimpl {name} {{\n/// The record type with this number.\npub const fn from_byte(byte: u8) -> Option<Self> {{\nmatch byte {{"
    );
    for record in &kind.records {
        let _ = writeln!(out, "{} => Some(Self::{}),", record.number.unwrap_or_default(), pascal(&record.name));
    }
    out.push_str("_ => None,\n}\n}\n}\n\n");
    out
}

/// The enumeration of a kind's ops.
fn op_names(kind: &Kind) -> Result<String, askama::Error> {
    let name = format!("{}Op", pascal(&kind.name));
    let about = format!("An operation of {} `{}` stream.", article(&kind.name), kind.name);
    let values = kind.op.iter().map(|op| Value::new(&op.name, &op.doc)).collect();
    let mut out = enumeration(
        &name,
        &about,
        "The operation as it stands in an OPEN.",
        "Debug, Clone, Copy, PartialEq, Eq, Hash",
        values,
    )?;
    let of_kind = kind.caps.first().map(String::as_str).unwrap_or_default();
    let caps: Vec<_> = kind.op.iter().map(|op| (op.name.as_str(), op.cap.as_deref().unwrap_or(of_kind))).collect();
    // Ops that all need the kind's own capability need no method to say so.
    if caps.iter().any(|(_, cap)| *cap != of_kind) {
        let arms = arms(caps.into_iter().map(|(op, cap)| (op, format!("Cap::{}", pascal(cap)))));
        let _ = writeln!(
            out,
            "\nimpl {name} {{\n/// The capability that offers it.\npub const fn cap(self) -> Cap {{\nmatch self {{\n{arms}}}\n}}\n}}"
        );
    }
    out.push('\n');
    Ok(out)
}

/// The OPEN of a kind with ops: an enumeration of the ops' OPENs.
fn op_open(link: &Link, kind: &Kind) -> String {
    let name = pascal(&kind.name);
    let eq =
        if kind.op.iter().flat_map(|op| op_fields(kind, op)).any(|field| has_float(link, field)) { "" } else { ", Eq" };
    let mut out = doc(&format!("OPEN of {} `{}` stream.", article(&kind.name), kind.name), 0);
    let _ = writeln!(out, "#[derive(Debug, Clone, PartialEq{eq})]\npub enum {name}Open {{");
    let bare = |op: &Op| op_fields(kind, op).is_empty();
    for op in &kind.op {
        let variant = pascal(&op.name);
        let inner = if bare(op) { String::new() } else { format!("({name}{variant}Open)") };
        let _ = writeln!(out, "{}{variant}{inner},", doc(&op.doc, 0));
    }
    let ops: Vec<_> = kind.op.iter().map(|op| op.name.clone()).collect();
    // A list of many is no help.
    let must =
        if ops.len() > 8 { "must be a known operation".into() } else { format!("must be {}", parse::list(&ops)) };
    let _ = writeln!(
        out,
        "}}\n\nimpl {name}Open {{\n/// Reads `op` and the fields of an OPEN, without `kind`.\npub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {{\nlet op = required(open, \"op\", {}, |value| value.as_str().and_then({name}Op::from_name))?;\nOk(match op {{",
        quoted(&must)
    );
    for op in &kind.op {
        let variant = pascal(&op.name);
        let inner = if bare(op) { String::new() } else { format!("({name}{variant}Open::parse(open)?)") };
        let _ = writeln!(out, "{name}Op::{variant} => Self::{variant}{inner},");
    }
    let _ = writeln!(out, "}})\n}}\n\n/// Its operation.\npub const fn op(&self) -> {name}Op {{\nmatch self {{");
    for op in &kind.op {
        let variant = pascal(&op.name);
        let inner = if bare(op) { "" } else { "(_)" };
        let _ = writeln!(out, "Self::{variant}{inner} => {name}Op::{variant},");
    }
    let _ = writeln!(
        out,
        "}}\n}}\n\n/// The whole OPEN, with `kind` and `op`.\npub fn to_json(&self) -> Map<String, Value> {{\nmatch self {{"
    );
    for op in &kind.op {
        let variant = pascal(&op.name);
        let _ = if bare(op) {
            writeln!(out, "Self::{variant} => whole(StreamKind::{name}, Some({}), &Accepted {{}}),", quoted(&op.name))
        } else {
            writeln!(out, "Self::{variant}(open) => open.to_json(),")
        };
    }
    out.push_str("}\n}\n}\n\n");
    out
}

/// An OPEN of the peer: a struct with `parse` and `to_json`.
struct Message<'a> {
    link: &'a Link,
    kind: &'a Kind,
    op: Option<&'a Op>,
    name: String,
    doc: String,
    fields: Vec<&'a Field>,
    exactly_one: &'a [String],
}

impl Message<'_> {
    fn render(&self) -> String {
        let mut out =
            Struct { link: self.link, name: &self.name, doc: &self.doc, fields: &self.fields, use_: Use::Written }
                .render();
        let without = if self.op.is_some() { "`kind` and `op`" } else { "`kind`" };
        let argument = if self.fields.is_empty() { "_open" } else { "open" };
        let _ = writeln!(
            out,
            "impl {} {{\n/// Reads the fields of an OPEN, without {without}.\npub fn parse({argument}: &Map<String, Value>) -> Result<Self, FieldError> {{",
            self.name
        );
        if let Some(first) = self.exactly_one.first() {
            let names: Vec<_> =
                self.exactly_one.iter().map(|name| format!("open.contains_key({})", quoted(name))).collect();
            let problem = format!("must be the only one of {}", self.exactly_one.join(" and "));
            let _ = writeln!(
                out,
                "if [{}].iter().filter(|there| **there).count() != 1 {{\nreturn Err(FieldError {{ field: {}, problem: {} }});\n}}",
                names.join(", "),
                quoted(first),
                quoted(&problem)
            );
        }
        out.push_str("Ok(Self {\n");
        for field in &self.fields {
            let _ = writeln!(out, "{}: {},", snake(&field.name), parse::expression(self.link, field));
        }
        let op = self.op.map_or_else(|| "None".into(), |op| format!("Some({})", quoted(&op.name)));
        let _ = write!(
            out,
            "}})\n}}\n\n/// The whole OPEN, with {without}.\npub fn to_json(&self) -> Map<String, Value> {{\nwhole(StreamKind::{}, {op}, self)\n}}\n}}\n\n",
            pascal(&self.kind.name)
        );
        out
    }
}

/// What serde does with a struct.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It is written.
    Written,
    /// It is written and read, and has a JSON Schema.
    Both,
    /// Neither.
    Held,
}

/// A struct with public fields.
struct Struct<'a> {
    link: &'a Link,
    name: &'a str,
    doc: &'a str,
    fields: &'a [&'a Field],
    use_: Use,
}

impl Struct<'_> {
    fn render(&self) -> String {
        let secret = self.fields.iter().any(|field| field.secret);
        let eq = !self.fields.iter().any(|field| has_float(self.link, field));
        let mut derives = vec!["Clone", "PartialEq"];
        if !secret {
            derives.insert(0, "Debug");
        }
        if eq {
            derives.push("Eq");
        }
        match self.use_ {
            Use::Written => derives.push("Serialize"),
            Use::Both => derives.extend(["Serialize", "Deserialize", "schemars::JsonSchema"]),
            Use::Held => {}
        }
        let mut out = doc(self.doc, 0);
        let _ = writeln!(out, "#[derive({})]", derives.join(", "));
        let bools = self.fields.iter().filter(|field| self.field_type(field) == "bool").count();
        if bools > 3 {
            out.push_str("#[expect(clippy::struct_excessive_bools, reason = \"each is a field on the wire\")]\n");
        }
        let renamed = self.fields.iter().any(|field| snake(&field.name) != field.name);
        if renamed && self.use_ != Use::Held {
            out.push_str("#[serde(rename_all = \"camelCase\")]\n");
        }
        if self.fields.is_empty() {
            let _ = writeln!(out, "pub struct {} {{}}\n", self.name);
            return out;
        }
        let _ = writeln!(out, "pub struct {} {{", self.name);
        for field in self.fields {
            out.push_str(&doc(&field.doc, 0));
            out.push_str(&self.attribute(field, renamed));
            let _ = writeln!(out, "pub {}: {},", snake(&field.name), self.field_type(field));
        }
        out.push_str("}\n\n");
        if secret {
            let _ = writeln!(
                out,
                "impl std::fmt::Debug for {} {{\nfn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {{\nf.debug_struct({})",
                self.name,
                quoted(self.name)
            );
            for field in self.fields {
                let name = snake(&field.name);
                let value = if field.secret { "&format_args!(\"…\")".into() } else { format!("&self.{name}") };
                let _ = writeln!(out, ".field({}, {value})", quoted(&name));
            }
            out.push_str(".finish()\n}\n}\n\n");
        }
        out
    }

    fn attribute(&self, field: &Field, renamed: bool) -> String {
        if self.use_ == Use::Held {
            return String::new();
        }
        let mut parts = Vec::new();
        let derived = if renamed { camel(&snake(&field.name)) } else { snake(&field.name) };
        if derived != field.name {
            parts.push(format!("rename = {}", quoted(&field.name)));
        }
        let falsy = matches!(field.kind, FieldType::Flag | FieldType::Truthy)
            || (field.kind == FieldType::Bool && field.default.is_some());
        let skip = if falsy {
            Some("std::ops::Not::not")
        } else if field.optional && field.kind.is_collection() {
            Some("Vec::is_empty")
        } else if field.optional {
            Some("Option::is_none")
        } else {
            None
        };
        if let Some(skip) = skip {
            if self.use_ == Use::Both {
                parts.push("default".into());
            }
            parts.push(format!("skip_serializing_if = {}", quoted(skip)));
        }
        if field.kind == FieldType::Map {
            parts.push("serialize_with = \"as_object\"".into());
        }
        if parts.is_empty() { String::new() } else { format!("#[serde({})]\n", parts.join(", ")) }
    }

    fn field_type(&self, field: &Field) -> String {
        let plain = match &field.kind {
            FieldType::Text => "String".into(),
            FieldType::Integer(scalar) => scalar.rust().into(),
            FieldType::Number => "f64".into(),
            FieldType::Bool | FieldType::Flag | FieldType::Truthy => "bool".into(),
            FieldType::Texts => "Vec<String>".into(),
            FieldType::Pairs | FieldType::Map => "Vec<(String, String)>".into(),
            FieldType::Static => "&'static str".into(),
            FieldType::Statics => "Vec<&'static str>".into(),
            FieldType::Named(name) => name.clone(),
            FieldType::List(name) => format!("Vec<{name}>"),
        };
        let option = field.optional && !field.kind.is_collection() && self.use_ != Use::Held;
        if option { format!("Option<{plain}>") } else { plain }
    }
}

/// Whether a field holds a floating-point number, which isn't `Eq`.
fn has_float(link: &Link, field: &Field) -> bool {
    let inside = |name: &str| {
        let object = link.object.iter().find(|object| object.name == name);
        object.is_some_and(|object| object.fields.iter().any(|field| field.kind == FieldType::Number))
    };
    field.kind == FieldType::Number || field.kind.named().is_some_and(inside)
}

/// The function that tells whether a text has a shape.
fn shape_function(link: &Link, shape: &Shape) -> String {
    let class = |entries: &[String]| match entries {
        [range] if range == "a-z" => "|byte| byte.is_ascii_lowercase()".to_owned(),
        [range] if range == "!-~" => "|byte| byte.is_ascii_graphic()".to_owned(),
        entries => {
            let patterns: Vec<_> = entries.iter().map(|entry| byte_pattern(entry)).collect();
            format!("|byte| matches!(byte, {})", patterns.join(" | "))
        }
    };
    let max = match &shape.max {
        Bound::Limit(limit) => format!("limits::{limit}"),
        Bound::Number(max) => digits(*max),
    };
    let length = if shape.min == 0 {
        format!("text.len() <= {max}")
    } else {
        format!("({}..={max}).contains(&text.len())", shape.min)
    };
    let about = format!("Whether a text is {}: `{}`.", shape.doc, parse::pattern(link, shape));
    format!(
        "{}pub fn {}(text: &str) -> bool {{\n{length} && made_of(text, {}, {})\n}}\n\n",
        doc(&about, 0),
        snake(&shape.name),
        class(&shape.first),
        class(&shape.rest)
    )
}

/// An entry of a shape as a pattern for a byte.
fn byte_pattern(entry: &str) -> String {
    let byte = |byte: u8| format!("b{:?}", char::from(byte));
    match entry.as_bytes() {
        [first, b'-', last] => format!("{}..={}", byte(*first), byte(*last)),
        bytes => bytes.iter().map(|it| byte(*it)).collect(),
    }
}
