//! The shapes of messages and events: `spec/events/*.schema.json`.
//!
//! The files are JSON Schemas, and this reads the part of JSON Schema that becomes a Rust type and nothing else: tagged
//! unions, choices, objects and texts under `$defs`, and in them texts, booleans, numbers, lists and references. A
//! keyword that it doesn't know is a problem, so that no constraint is lost on the way.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Map, Value};

use super::{Problem, Problems, read_text};
use crate::render::text::pascal;

mod parse;

/// The directory with the schemas, relative to the project's root.
pub const DIRECTORY: &str = "spec/events";
/// How the name of a schema's file ends.
const SUFFIX: &str = ".schema.json";

/// One file: the shapes that belong together.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its name, such as `doctor`.
    pub name: String,
    /// The file, relative to the project's root.
    pub file: String,
    /// Its title.
    pub title: String,
    /// What it describes.
    pub description: String,
    /// The types in it, in order.
    pub types: Vec<Definition>,
}

/// A type under `$defs`.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Its name under `$defs`, such as `doctorEvent`.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What it describes.
    pub description: String,
    /// What it consists of.
    pub shape: Shape,
    /// Values that it describes. Those of a tagged union stand at its variants.
    pub examples: Vec<Value>,
}

impl Definition {
    /// Its name as a Rust type.
    pub fn rust(&self) -> String {
        pascal(&self.name)
    }
}

/// What a type consists of.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Objects that a field with a constant tells apart.
    Tagged {
        /// The field.
        tag: String,
        /// The objects, in order.
        variants: Vec<Variant>,
    },
    /// One of several texts.
    Choices(Vec<Choice>),
    /// An object.
    Object(Vec<Field>),
    /// A text of its own kind.
    Text {
        /// Whether it is a secret, which no diagnostic shows.
        secret: bool,
        /// What it has to keep to: keywords and their values.
        constraints: Vec<(String, Value)>,
    },
}

/// One object of a tagged union.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// The constant of its tag.
    pub name: String,
    /// What it says.
    pub description: String,
    /// Its fields without the tag, in order.
    pub fields: Vec<Field>,
    /// Values that it describes.
    pub examples: Vec<Value>,
}

/// One of several texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The text.
    pub name: String,
    /// What it means.
    pub description: String,
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name in JSON.
    pub name: String,
    /// What it holds.
    pub description: String,
    /// What it is.
    pub kind: Kind,
    /// Whether it has to be there.
    pub required: bool,
    /// Whether it may be null.
    pub nullable: bool,
    /// What else it has to keep to: keywords and their values.
    pub constraints: Vec<(String, Value)>,
}

/// What a field is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A text.
    Text,
    /// True or false.
    Boolean,
    /// A number with a fraction.
    Number,
    /// A whole number, with the Rust type that its bounds ask for.
    Integer(&'static str),
    /// A list.
    List(Box<Kind>),
    /// A type under `$defs`.
    Named(String),
}

/// Reads and checks every schema under `root`, in the order of their names.
///
/// # Errors
/// Every problem found.
pub fn read(root: &Path) -> Result<Vec<Document>, Vec<Problem>> {
    let entries = std::fs::read_dir(root.join(DIRECTORY)).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| {
        vec![Problem { file: DIRECTORY.into(), key: "(directory)".into(), reason: format!("cannot be read: {error}") }]
    })?;
    let mut names: Vec<String> = entries
        .iter()
        .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.strip_suffix(SUFFIX)).map(str::to_owned))
        .collect();
    names.sort();
    let (mut documents, mut problems) = (Vec::new(), Vec::new());
    for name in names {
        let file = format!("{DIRECTORY}/{name}{SUFFIX}");
        match read_text(root, &file).and_then(|text| parse(&name, &file, &text)) {
            Ok(document) => documents.push(document),
            Err(more) => problems.extend(more),
        }
    }
    problems.extend(share_types(&mut documents));
    if problems.is_empty() { Ok(documents) } else { Err(problems) }
}

/// Reads and checks the schema `name` from `text` that came from `file`.
///
/// # Errors
/// Every problem found.
pub fn parse(name: &str, file: &str, text: &str) -> Result<Document, Vec<Problem>> {
    let mut problems = Problems::new(file);
    let schema: Value = match serde_json::from_str(text) {
        Ok(schema) => schema,
        Err(error) => {
            problems.add("(file)", format!("is not JSON: {error}"));
            return problems.finish(()).map(|()| unreachable!("a problem was just noted"));
        }
    };
    if let Err(error) = jsonschema::meta::validate(&schema) {
        problems.add(error.instance_path().to_string(), format!("is not a JSON Schema: {error}"));
    }
    let document = parse::document(&mut problems, name, file, &schema);
    for definition in &document.types {
        check_examples(&mut problems, &schema, definition);
    }
    problems.finish(document)
}

/// Two types with one name can't stand in one module. A document can repeat a type of an earlier one word for word, so that
/// its file is whole: then it is the earlier one's.
fn share_types(documents: &mut [Document]) -> Vec<Problem> {
    let mut seen: BTreeMap<String, (String, Definition)> = BTreeMap::new();
    let mut problems = Vec::new();
    for document in documents {
        let file = document.file.clone();
        document.types.retain(|definition| match seen.get(&definition.rust()) {
            Some((_, first)) if first == definition => false,
            Some((other, _)) => {
                problems.push(Problem {
                    file: file.clone(),
                    key: format!("$defs.{}", definition.name),
                    reason: format!("{other} has another type of this name"),
                });
                true
            }
            None => {
                seen.insert(definition.rust(), (file.clone(), definition.clone()));
                true
            }
        });
    }
    problems
}

/// Each type and each variant has an example, and every example validates.
fn check_examples(problems: &mut Problems, schema: &Value, definition: &Definition) {
    let key = format!("$defs.{}", definition.name);
    let validator = match jsonschema::draft202012::new(&subschema(schema, &definition.name)) {
        Ok(validator) => validator,
        Err(error) => return problems.add(key, format!("cannot be compiled: {error}")),
    };
    let mut check = |key: &str, examples: &[Value]| {
        if examples.is_empty() {
            problems.add(key, "has no examples");
        }
        for (index, example) in examples.iter().enumerate() {
            if let Err(error) = validator.validate(example) {
                problems.add(format!("{key}.examples.{index}"), format!("doesn't validate: {error}"));
            }
        }
    };
    match &definition.shape {
        Shape::Tagged { variants, .. } => {
            for variant in variants {
                check(&format!("{key}.{}", variant.name), &variant.examples);
            }
        }
        Shape::Choices(_) => {}
        Shape::Object(_) | Shape::Text { .. } => check(&key, &definition.examples),
    }
}

/// One type of a schema as a schema of its own.
fn subschema(schema: &Value, name: &str) -> Value {
    let mut root = Map::new();
    root.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    root.insert("$ref".into(), format!("#/$defs/{name}").into());
    root.insert("$defs".into(), schema.get("$defs").cloned().unwrap_or_default());
    Value::Object(root)
}
