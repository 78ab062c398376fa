//! `src/generated/events.rs`.

use std::io;

use askama::Template;
use serde_json::Value;

use super::Embedded;
use crate::{
    model::events::{Definition, Document, Field, Kind, Shape},
    render::text::{camel, doc, pascal, quoted, rustfmt, snake},
};

#[derive(Template)]
#[template(path = "events.rs.jinja", escape = "none")]
struct RustTemplate {
    schemas: Vec<SchemaView>,
    definitions: Vec<DefinitionView>,
    present: bool,
}

struct SchemaView {
    name: String,
    title: String,
    include: String,
}

struct DefinitionView {
    document: String,
    definition: String,
    doc: String,
    derives: &'static str,
    attributes: Vec<String>,
    name: String,
    body: Body,
    secret: bool,
}

enum Body {
    Text,
    Struct(Vec<FieldView>),
    Enum(Vec<VariantView>),
}

struct VariantView {
    doc: String,
    attributes: Vec<String>,
    name: String,
    fields: Vec<FieldView>,
}

struct FieldView {
    doc: String,
    attributes: Vec<String>,
    name: String,
    kind: String,
}

/// The documents' types, and the table of schemas.
///
/// # Errors
/// When the template or rustfmt fails, which is a mistake in the generator.
pub fn render(documents: &[Document], schemas: &[Embedded]) -> io::Result<String> {
    let definitions: Vec<_> = documents
        .iter()
        .flat_map(|document| document.types.iter().map(|definition| definition_view(document, definition)))
        .collect();
    let is_present = |field: &FieldView| field.attributes.iter().any(|attribute| attribute.contains("\"present\""));
    let present = definitions.iter().any(|definition| match &definition.body {
        Body::Text => false,
        Body::Struct(fields) => fields.iter().any(is_present),
        Body::Enum(variants) => variants.iter().flat_map(|variant| &variant.fields).any(is_present),
    });
    let schemas = schemas.iter().map(|schema| SchemaView {
        name: quoted(&schema.name),
        title: quoted(&schema.title),
        include: quoted(&format!("../../{}", schema.file)),
    });
    let template = RustTemplate { schemas: schemas.collect(), definitions, present };
    rustfmt(&template.render().map_err(io::Error::other)?)
}

fn definition_view(document: &Document, definition: &Definition) -> DefinitionView {
    let mut attributes = Vec::new();
    let mut secret = false;
    let body = match &definition.shape {
        Shape::Text { secret: is_secret, constraints } => {
            secret = *is_secret;
            attributes.push("serde(transparent)".to_owned());
            attributes.extend(extend(constraints));
            Body::Text
        }
        Shape::Object(fields) => {
            attributes.push("serde(rename_all = \"camelCase\")".to_owned());
            Body::Struct(fields.iter().map(|field| field_view(document, field)).collect())
        }
        Shape::Choices(choices) => {
            attributes.push("serde(rename_all = \"kebab-case\")".to_owned());
            let variants = choices.iter().map(|choice| VariantView {
                doc: doc(&choice.description, 0),
                attributes: rename_variant(&choice.name),
                name: pascal(&choice.name),
                fields: Vec::new(),
            });
            Body::Enum(variants.collect())
        }
        Shape::Tagged { tag, variants } => {
            attributes.push(format!(
                "serde(tag = {}, rename_all = \"kebab-case\", rename_all_fields = \"camelCase\")",
                quoted(tag)
            ));
            let variants = variants.iter().map(|variant| VariantView {
                doc: doc(&variant.description, 0),
                attributes: rename_variant(&variant.name),
                name: pascal(&variant.name),
                fields: variant.fields.iter().map(|field| field_view(document, field)).collect(),
            });
            Body::Enum(variants.collect())
        }
    };
    DefinitionView {
        document: quoted(&document.name),
        definition: quoted(&definition.name),
        doc: doc(&definition.description, 0),
        derives: derives(document, definition, secret),
        attributes,
        name: definition.rust(),
        body,
        secret,
    }
}

/// `Eq` needs that no field is a number with a fraction, here or in a type that is referred to.
fn derives(document: &Document, definition: &Definition, secret: bool) -> &'static str {
    match &definition.shape {
        Shape::Text { .. } if secret => "Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema",
        Shape::Text { .. } => "Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema",
        Shape::Choices(_) => "Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema",
        _ if has_fraction(document, definition) => "Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema",
        _ => "Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema",
    }
}

fn has_fraction(document: &Document, definition: &Definition) -> bool {
    fn fraction(document: &Document, from: &str, kind: &Kind) -> bool {
        match kind {
            Kind::Number => true,
            Kind::List(kind) => fraction(document, from, kind),
            // A type that refers to itself adds nothing to what it has otherwise.
            Kind::Named(name) if name != from => {
                let target = document.types.iter().find(|other| &other.name == name);
                target.is_some_and(|target| has_fraction(document, target))
            }
            _ => false,
        }
    }
    let mut fields: Vec<&Field> = Vec::new();
    match &definition.shape {
        Shape::Object(own) => fields.extend(own),
        Shape::Tagged { variants, .. } => fields.extend(variants.iter().flat_map(|variant| &variant.fields)),
        Shape::Choices(_) | Shape::Text { .. } => {}
    }
    fields.iter().any(|field| fraction(document, &definition.name, &field.kind))
}

/// serde's kebab case of the variant's name, unless the name in JSON is another one.
fn rename_variant(name: &str) -> Vec<String> {
    let mut kebab = String::new();
    for (index, c) in pascal(name).char_indices() {
        if index > 0 && c.is_uppercase() {
            kebab.push('-');
        }
        kebab.extend(c.to_lowercase());
    }
    if kebab == name { Vec::new() } else { vec![format!("serde(rename = {})", quoted(name))] }
}

fn field_view(document: &Document, field: &Field) -> FieldView {
    let name = snake(&apart(&field.name));
    let mut attributes = Vec::new();
    let mut serde = Vec::new();
    if camel(name.trim_start_matches("r#")) != field.name {
        serde.push(format!("rename = {}", quoted(&field.name)));
    }
    let one = rust_type(&field.kind);
    let optional = field.nullable || !field.required;
    if !field.required {
        serde.push("default, skip_serializing_if = \"Option::is_none\"".to_owned());
    } else if field.nullable {
        serde.push("deserialize_with = \"present\"".to_owned());
    }
    if !serde.is_empty() {
        attributes.push(format!("serde({})", serde.join(", ")));
    }
    if optional && !field.nullable {
        attributes.push(format!("schemars(with = {})", quoted(&one)));
    }
    attributes.extend(extend(&field.constraints));
    let target = match &field.kind {
        Kind::Named(name) => document.types.iter().find(|other| &other.name == name),
        _ => None,
    };
    let description = match target {
        Some(target) if field.description.is_empty() => &target.description,
        _ => &field.description,
    };
    let kind = if optional { format!("Option<{one}>") } else { one };
    FieldView { doc: doc(description, 0), attributes, name, kind }
}

fn rust_type(kind: &Kind) -> String {
    match kind {
        Kind::Text => "String".into(),
        Kind::Boolean => "bool".into(),
        Kind::Number => "f64".into(),
        Kind::Integer(rust) => (*rust).into(),
        Kind::List(kind) => format!("Vec<{}>", rust_type(kind)),
        Kind::Named(name) => pascal(name),
    }
}

/// Keywords that the Rust type can't say.
fn extend(constraints: &[(String, Value)]) -> Option<String> {
    let pairs = constraints.iter().map(|(name, value)| format!("{} = {value}", quoted(name)));
    let pairs = pairs.collect::<Vec<_>>().join(", ");
    (!pairs.is_empty()).then(|| format!("schemars(extend({pairs}))"))
}

/// `sdpMLineIndex` as `sdpM-LineIndex`, so that its words are sdp, m, line and index.
fn apart(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (index, c) in letters.iter().enumerate() {
        let after_upper = index > 0 && letters[index - 1].is_uppercase();
        let before_lower = letters.get(index + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && after_upper && before_lower {
            out.push('-');
        }
        out.push(*c);
    }
    out
}
