//! Structs with public fields.

use std::fmt::Write as _;

use crate::{
    model::link::{Field, FieldType, Link},
    render::text::{camel, doc, quoted, snake},
};

/// What serde does with a struct.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// It is written.
    Written,
    /// It is written and read, and has a JSON Schema.
    Both,
    /// Neither.
    Held,
}

/// A struct with public fields.
pub(super) struct Struct<'a> {
    pub(super) link: &'a Link,
    pub(super) name: &'a str,
    pub(super) doc: &'a str,
    pub(super) fields: &'a [&'a Field],
    pub(super) use_: Use,
}

impl Struct<'_> {
    pub(super) fn render(&self) -> String {
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
pub(super) fn has_float(link: &Link, field: &Field) -> bool {
    let inside = |name: &str| {
        let object = link.object.iter().find(|object| object.name == name);
        object.is_some_and(|object| object.fields.iter().any(|field| field.kind == FieldType::Number))
    };
    field.kind == FieldType::Number || field.kind.named().is_some_and(inside)
}
