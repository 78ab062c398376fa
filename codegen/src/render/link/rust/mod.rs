//! `src/generated/link.rs` and the files below it.

mod enums;
mod messages;
mod shapes;
mod structs;

use askama::Template;

use self::{
    enums::{Value, arms, cap_list, choice_type, enumeration, field_code, one_of, refused_op, side},
    messages::kind_messages,
    shapes::shape_function,
    structs::{Struct, Use},
};
use super::parse;
use crate::{
    Output, Problem,
    model::link::{FILE, Field, FieldType, Link, StreamChannel},
    render::{
        filters,
        text::{pascal, rustfmt, snake},
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
        let about = format!("Messages of `{}` streams.", kind.name);
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
