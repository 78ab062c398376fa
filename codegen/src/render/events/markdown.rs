//! `docs/events.md`.

use std::fmt::Write as _;

use serde_json::Value;

use crate::{
    model::events::{Definition, Document, Field, Kind, Shape},
    render::text::{markdown_table, wrap},
};

/// Columns of a line of the reference.
const WIDTH: usize = 120;

/// The reference of messages and events.
pub fn reference(documents: &[Document]) -> String {
    let mut out = String::from(
        "<!-- Generated from spec/events by `cargo codegen`. Do not edit. -->\n\n# Messages and events\n\nThe shapes of what \
         slicc reads and writes as JSON. `slicc schema <name>` prints the schema of each.\n",
    );
    for document in documents {
        let _ = write!(
            out,
            "\n## {}\n\n{}\n`slicc schema {name}` prints the schema, which is in [{file}](../{file}).\n",
            document.title,
            wrap(&document.description, "", WIDTH),
            name = document.name,
            file = document.file,
        );
        for definition in &document.types {
            out += &section(definition);
        }
    }
    out
}

fn section(definition: &Definition) -> String {
    let mut out = format!("\n### {}\n\n{}", definition.title, wrap(&definition.description, "", WIDTH));
    match &definition.shape {
        Shape::Tagged { tag, variants } => {
            for variant in variants {
                let description = wrap(&variant.description, "", WIDTH);
                let _ = write!(out, "\n#### `\"{tag}\": \"{}\"`\n\n{description}", variant.name);
                out += &fields(&variant.fields);
                out += &examples(&variant.examples);
            }
        }
        Shape::Choices(choices) => {
            let rows: Vec<_> =
                choices.iter().map(|choice| vec![format!("`{}`", choice.name), choice.description.clone()]).collect();
            let _ = write!(out, "\n{}", markdown_table(&["value", "meaning"], &rows));
        }
        Shape::Object(own) => {
            out += &fields(own);
            out += &examples(&definition.examples);
        }
        Shape::Text { .. } => out += &examples(&definition.examples),
    }
    out
}

fn fields(fields: &[Field]) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let rows = fields.iter().map(|field| {
        let mark = if field.required { "" } else { "?" };
        let null = if field.nullable { " or null" } else { "" };
        let constraints =
            field.constraints.iter().map(|(name, value)| format!("; {name} {value}")).collect::<Vec<_>>().concat();
        vec![
            format!("`{}{mark}`", field.name),
            format!("{}{null}{constraints}", kind(&field.kind)),
            if field.description.is_empty() {
                format!("See {}.", kind(&field.kind))
            } else {
                field.description.clone()
            },
        ]
    });
    format!("\n{}", markdown_table(&["field", "type", "meaning"], &rows.collect::<Vec<_>>()))
}

fn kind(kind: &Kind) -> String {
    match kind {
        Kind::Text => "string".into(),
        Kind::Boolean => "boolean".into(),
        Kind::Number => "number".into(),
        Kind::Integer(_) => "integer".into(),
        Kind::List(inner) => format!("list of {}", self::kind(inner)),
        Kind::Named(name) => format!("`{name}`"),
    }
}

fn examples(examples: &[Value]) -> String {
    if examples.is_empty() {
        return String::new();
    }
    let lines: Vec<_> = examples.iter().map(Value::to_string).collect();
    format!("\n```json\n{}\n```\n", lines.join("\n"))
}
