//! `docs/link.md`: the protocol's reference.

use std::fmt::Write as _;

use askama::Template;

use super::parse;
use crate::{
    Problem,
    model::link::{Default, FILE, Field, FieldType, Kind, Link, Side, StreamChannel, bytes, duration},
    render::{
        filters,
        text::{markdown_table, wrap},
    },
};

#[derive(Template)]
#[template(path = "link.md.jinja", escape = "none")]
struct Reference<'a> {
    link: &'a Link,
    overview: String,
    rules: String,
    channels: String,
    frames: String,
    limits: String,
    timeouts: String,
    caps: String,
    codes: String,
    resets: Vec<(String, &'a str)>,
    closes: Vec<&'a str>,
    node_hello: String,
    page_hello: String,
    kinds: String,
    types: String,
    overview_of_kinds: String,
}

/// The whole file.
pub fn render(link: &Link) -> Result<String, Vec<Problem>> {
    reference(link)
        .render()
        .map_err(|error| vec![Problem { file: FILE.into(), key: "docs/link.md".into(), reason: error.to_string() }])
}

fn reference(link: &Link) -> Reference<'_> {
    let code = |text: &str| format!("`{text}`");
    let rows = |rows: &mut dyn Iterator<Item = Vec<String>>| rows.collect::<Vec<_>>();
    let channels = rows(&mut link.channel.iter().map(|channel| {
        let by = channel.created_by.iter().map(|side| side.name()).collect::<Vec<_>>().join(", ");
        vec![code(&channel.label), by, channel.doc.clone()]
    }));
    let frames = rows(
        &mut link
            .frame
            .iter()
            .map(|frame| vec![frame.number.to_string(), code(&frame.name), frame.payload.clone(), frame.doc.clone()]),
    );
    let limits = rows(&mut link.limit.iter().map(|limit| {
        let value = if limit.unit == "bytes" { bytes(limit.value) } else { format!("{} {}", limit.value, limit.unit) };
        vec![code(&limit.name), value, limit.doc.clone()]
    }));
    let timeouts =
        rows(&mut link.timeout.iter().map(|it| vec![code(&it.name), duration(it.milliseconds), it.doc.clone()]));
    let caps =
        rows(&mut link.cap.iter().map(|cap| vec![code(&cap.name), cap.listed_by.name().into(), cap.doc.clone()]));
    let codes = rows(&mut link.code.iter().map(|it| vec![code(&it.name), it.doc.clone(), it.text.clone()]));
    let kinds = rows(&mut link.kind.iter().map(|kind| {
        let caps = kind.caps.iter().map(|cap| code(cap)).collect::<Vec<_>>().join(" or ");
        let served = if kind.served { "yes" } else { "not yet" };
        vec![format!("[{0}](#{0})", kind.name), direction(kind.opened_by), caps, served.into(), kind.doc.clone()]
    }));
    let resets = link.violation.iter().filter_map(|it| Some((code(it.code.as_ref()?), it.when.as_str())));
    Reference {
        link,
        overview: wrap(&link.overview, "", 120),
        rules: link.rule.iter().map(|rule| item(&format!("**{}.** {}", rule.topic, rule.text))).collect(),
        channels: markdown_table(&["label", "created by", "what it is"], &channels),
        frames: markdown_table(&["type", "frame", "payload", "what it does"], &frames),
        limits: markdown_table(&["limit", "value", "of what"], &limits),
        timeouts: markdown_table(&["time", "value", "of what"], &timeouts),
        caps: markdown_table(&["capability", "in the HELLO of the", "offers"], &caps),
        codes: markdown_table(&["code", "meaning", "message when there is no better one"], &codes),
        resets: resets.collect(),
        closes: link.violation.iter().filter(|it| it.code.is_none()).map(|it| it.when.as_str()).collect(),
        node_hello: plain_fields(&link.hello.node.fields),
        page_hello: plain_fields(&link.hello.page.fields),
        kinds: link.kind.iter().map(|kind| section(link, kind)).collect(),
        types: types(link),
        overview_of_kinds: markdown_table(&["kind", "direction", "capability", "served", "what it carries"], &kinds),
    }
}

/// A list item, wrapped.
fn item(text: &str) -> String {
    let wrapped = wrap(text, "  ", 120);
    format!("- {}", wrapped.strip_prefix("  ").unwrap_or(&wrapped))
}

fn direction(opened_by: Side) -> String {
    format!("{} → {}", opened_by.name(), opened_by.other().name())
}

/// A table of fields that the other side checks.
fn fields(link: &Link, fields: &[Field]) -> String {
    let row = |field: &Field| {
        vec![format!("`{}`", field.name), constraint(link, field), missing(link, field), field.doc.clone()]
    };
    let rows: Vec<_> = fields.iter().map(row).collect();
    markdown_table(&["field", "type", "when it is missing", "what it is"], &rows)
}

/// A table of fields that nobody checks.
fn plain_fields(fields: &[Field]) -> String {
    let row = |field: &Field| {
        let kind = field.kind.words();
        let falsy = field.kind == FieldType::Bool && field.default.is_some();
        let optional = if field.optional || falsy { format!("{kind}, optional") } else { kind };
        vec![format!("`{}`", field.name), optional, field.doc.clone()]
    };
    let rows: Vec<_> = fields.iter().map(row).collect();
    markdown_table(&["field", "type", "what it is"], &rows)
}

/// What a field must be, as its problem says it.
fn constraint(link: &Link, field: &Field) -> String {
    if field.kind.named().is_some() || matches!(field.kind, FieldType::Flag | FieldType::Truthy) {
        return field.kind.words();
    }
    let problem = parse::problem(link, field);
    if let Some(pattern) = problem.strip_prefix("must match ") {
        return format!("string that matches `{pattern}`");
    }
    if let Some(entries) = problem.strip_prefix("must hold ") {
        return format!("object of {entries}");
    }
    let kind = problem.strip_prefix("must be ").unwrap_or(&problem);
    kind.strip_prefix("a ").or_else(|| kind.strip_prefix("an ")).unwrap_or(kind).to_owned()
}

fn missing(link: &Link, field: &Field) -> String {
    match &field.default {
        _ if matches!(field.kind, FieldType::Flag | FieldType::Truthy) => "false".into(),
        None if field.optional && field.kind.is_collection() => "empty".into(),
        None if field.optional => "allowed".into(),
        None => "not allowed".into(),
        Some(Default::Bool(value)) => value.to_string(),
        Some(Default::Number(number)) => number.to_string(),
        Some(Default::Text(name)) if field.kind != FieldType::Text => {
            link.limit(name).map_or_else(String::new, |value| value.to_string())
        }
        Some(Default::Text(text)) if text.is_empty() => "empty".into(),
        Some(Default::Text(text)) => format!("`{text}`"),
    }
}

fn section(link: &Link, kind: &Kind) -> String {
    let mut out = format!("### {}\n\n{}\n", kind.name, wrap(&kind.doc, "", 120));
    let caps = kind.caps.iter().map(|cap| format!("`{cap}`")).collect::<Vec<_>>().join(" or ");
    let channel = match kind.channel {
        StreamChannel::Own => "on a stream channel of its own",
        StreamChannel::Control => "on the control channel",
        StreamChannel::Either => "on a stream channel of its own or on the control channel",
    };
    let served = if kind.served { "" } else { " Not served yet." };
    let about = format!("{}, capability {caps}, {channel}.{served}", direction(kind.opened_by));
    let _ = writeln!(out, "{}", wrap(&about, "", 120));
    let _ = writeln!(out, "{}", wrap(&kind.carries, "", 120));
    if !kind.open.is_empty() {
        let title = if kind.op.is_empty() { "OPEN" } else { "OPEN, beside `op` and its fields" };
        let _ = writeln!(out, "{title}:\n\n{}", fields(link, &kind.open));
    }
    if !kind.opened.is_empty() {
        let _ = writeln!(out, "OPENED:\n\n{}", plain_fields(&kind.opened));
    } else if kind.op.is_empty() {
        out.push_str("OPENED has no fields.\n\n");
    }
    if !kind.records.is_empty() {
        let rows: Vec<_> = kind
            .records
            .iter()
            .map(|record| {
                let number = record.number.map(|number| format!("{number}, {}", record.name));
                let form = record.form.as_ref().map(|form| format!("`{form}`"));
                vec![number.or(form).unwrap_or_else(|| record.name.clone()), record.doc.clone()]
            })
            .collect();
        let _ = writeln!(out, "{}", markdown_table(&["record", "what it is"], &rows));
    }
    for op in &kind.op {
        let cap = op.cap.as_ref().map_or_else(String::new, |cap| format!(" Capability `{cap}`."));
        let _ = writeln!(out, "#### {} {}\n\n{}", kind.name, op.name, wrap(&format!("{}{cap}", op.doc), "", 120));
        if !op.open.is_empty() {
            let _ = writeln!(out, "OPEN:\n\n{}", fields(link, &op.open));
        }
        if op.without_common {
            let names: Vec<_> = kind.open.iter().map(|field| format!("`{}`", field.name)).collect();
            let _ = writeln!(out, "It has no {}.\n", parse::list(&names));
        }
        if let Some(object) = &op.opened_object {
            let _ = writeln!(out, "OPENED is a [{object}](#{}).\n", object.to_lowercase());
        } else if !op.opened.is_empty() {
            let _ = writeln!(out, "OPENED:\n\n{}", plain_fields(&op.opened));
        }
    }
    for op in &kind.refused_op {
        let _ = writeln!(out, "`{}` is refused with `{}`. {}\n", op.name, op.code, op.doc);
    }
    if !kind.resets.is_empty() {
        let rows: Vec<_> = kind
            .resets
            .iter()
            .map(|reset| {
                let codes = reset.codes.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", ");
                vec![codes, reset.when.clone()]
            })
            .collect();
        let _ = writeln!(out, "{}", markdown_table(&["RESET", "when"], &rows));
    }
    for rule in &kind.rules {
        out.push_str(&item(rule));
    }
    if !kind.rules.is_empty() {
        out.push('\n');
    }
    out
}

fn types(link: &Link) -> String {
    let mut out = String::new();
    for choice in &link.choice {
        let rows: Vec<_> = choice.values.iter().map(|it| vec![format!("`{}`", it.name), it.doc.clone()]).collect();
        let _ =
            writeln!(out, "### {}\n\n{}\n\n{}", choice.name, choice.doc, markdown_table(&["value", "meaning"], &rows));
    }
    for object in &link.object {
        let table = plain_fields(&object.fields);
        let _ = writeln!(out, "### {}\n\n{}\n\n{table}", object.name, object.doc);
    }
    out
}
