//! What a kind's OPEN and OPENED are in Rust.

use std::fmt::Write as _;

use super::{
    enums::{Value, arms, enumeration},
    parse, refs,
    structs::{Struct, Use, has_float},
};
use crate::{
    model::link::{Field, Kind, Link, Op},
    render::text::{doc, pascal, quoted, snake},
};

/// Everything that a kind's messages need.
pub(super) fn kind_messages(link: &Link, kind: &Kind) -> Result<String, askama::Error> {
    let name = pascal(&kind.name);
    let mut out = records(kind);
    if kind.op.is_empty() {
        let about = format!("OPEN of `{}` streams.", kind.name);
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
        let about = format!("OPENED of `{}` streams", kind.name);
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
            let doc = format!("OPEN of `{}` streams with op `{}`. {}", kind.name, op.name, op.doc);
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
        let doc = format!("OPENED of `{}` streams with op `{}`.", kind.name, op.name);
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

/// The type byte of a kind's records.
fn records(kind: &Kind) -> String {
    let Some(_) = kind.records.iter().find(|record| record.number.is_some()) else { return String::new() };
    let name = format!("{}Record", pascal(&kind.name));
    let mut out = doc(&format!("The type byte of a record of `{}` streams.", kind.name), 0);
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
    let about = format!("An operation of `{}` streams.", kind.name);
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
    let mut out = doc(&format!("OPEN of `{}` streams.", kind.name), 0);
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
