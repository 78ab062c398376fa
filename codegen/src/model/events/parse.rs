//! JSON Schema as types.

use serde_json::{Map, Value};

use super::{Choice, Definition, Document, Field, Kind, Shape, Variant};
use crate::model::Problems;

/// The dialect that every file names.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// Keywords of a text that its Rust type can't say.
const TEXT_CONSTRAINTS: &[&str] = &["minLength", "maxLength", "pattern"];
/// Keywords of a list that its Rust type can't say.
const LIST_CONSTRAINTS: &[&str] = &["minItems", "maxItems"];

/// An object of the schema, and where it stands.
struct Node<'a> {
    key: String,
    map: &'a Map<String, Value>,
}

impl<'a> Node<'a> {
    fn new(problems: &mut Problems, key: String, value: &'a Value) -> Option<Self> {
        let map = value.as_object();
        if map.is_none() {
            problems.add(key.as_str(), "is not an object");
        }
        map.map(|map| Self { key, map })
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        self.map.get(name).and_then(Value::as_str)
    }

    /// A text for people, which has to be there.
    fn told(&self, problems: &mut Problems, name: &str) -> String {
        let text = self.text(name).unwrap_or_default();
        if text.trim().is_empty() {
            problems.add(self.key.as_str(), format!("has no {name}"));
        }
        text.to_owned()
    }

    /// Every keyword has to be one of these.
    fn only(&self, problems: &mut Problems, known: &[&str]) {
        for name in self.map.keys().filter(|name| !known.contains(&name.as_str())) {
            problems.add(format!("{}.{name}", self.key), "is a keyword that the generator doesn't know here");
        }
    }

    fn examples(&self) -> Vec<Value> {
        self.map.get("examples").and_then(Value::as_array).cloned().unwrap_or_default()
    }

    fn constraints(&self, names: &[&str]) -> Vec<(String, Value)> {
        let found =
            names.iter().filter_map(|name| self.map.get(*name).map(|value| ((*name).to_owned(), value.clone())));
        found.collect()
    }
}

/// The whole file.
pub(super) fn document(problems: &mut Problems, name: &str, file: &str, schema: &Value) -> Document {
    let mut document = Document {
        name: name.into(),
        file: file.into(),
        title: String::new(),
        description: String::new(),
        types: Vec::new(),
    };
    let Some(root) = Node::new(problems, "(root)".into(), schema) else { return document };
    root.only(problems, &["$schema", "title", "description", "anyOf", "$ref", "$defs"]);
    if root.text("$schema") != Some(DIALECT) {
        problems.add("$schema", format!("is not {DIALECT}"));
    }
    document.title = root.told(problems, "title");
    document.description = root.told(problems, "description");
    let definitions = root.map.get("$defs").and_then(Value::as_object);
    let alternatives = root.map.get("anyOf").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut roots = alternatives.iter().chain(root.map.get("$ref").map(|_| schema)).peekable();
    if roots.peek().is_none() {
        problems.add("(root)", "names no type: it has neither a $ref nor an anyOf of them");
    }
    for alternative in roots {
        let target = alternative.get("$ref").and_then(Value::as_str);
        reference(problems, "(root)", target.unwrap_or_default());
    }
    for (name, value) in definitions.into_iter().flatten() {
        if let Some(node) = Node::new(problems, format!("$defs.{name}"), value) {
            document.types.extend(definition(problems, name, &node));
        }
    }
    let names: Vec<_> = document.types.iter().map(|definition| definition.name.clone()).collect();
    for definition in &document.types {
        let fields: Vec<&Field> = match &definition.shape {
            Shape::Tagged { variants, .. } => variants.iter().flat_map(|variant| &variant.fields).collect(),
            Shape::Object(fields) => fields.iter().collect(),
            Shape::Choices(_) | Shape::Text { .. } => Vec::new(),
        };
        for field in fields {
            if let Some(target) = named(&field.kind).filter(|target| !names.iter().any(|name| name == target)) {
                problems.add(
                    format!("$defs.{}.{}", definition.name, field.name),
                    format!("there is no type `{target}` under $defs"),
                );
            }
        }
    }
    document
}

fn named(kind: &Kind) -> Option<&str> {
    match kind {
        Kind::Named(name) => Some(name),
        Kind::List(kind) => named(kind),
        _ => None,
    }
}

fn definition(problems: &mut Problems, name: &str, node: &Node<'_>) -> Option<Definition> {
    let shape = if let Some(alternatives) = node.map.get("oneOf").and_then(Value::as_array) {
        node.only(problems, &["title", "description", "oneOf"]);
        if alternatives.iter().all(|alternative| alternative.get("const").is_some_and(Value::is_string)) {
            Shape::Choices(choices(problems, node, alternatives))
        } else {
            tagged(problems, node, alternatives)?
        }
    } else if node.text("type") == Some("object") {
        node.only(problems, &["title", "description", "type", "properties", "required", "examples"]);
        Shape::Object(fields(problems, node, None))
    } else if node.text("type") == Some("string") {
        let known = ["title", "description", "type", "examples", "x-secret"];
        node.only(problems, &[&known, TEXT_CONSTRAINTS].concat());
        Shape::Text {
            secret: node.map.get("x-secret") == Some(&Value::Bool(true)),
            constraints: node.constraints(TEXT_CONSTRAINTS),
        }
    } else {
        problems.add(node.key.as_str(), "is none of the types that the generator knows: oneOf, object, string");
        return None;
    };
    Some(Definition {
        name: name.into(),
        title: node.told(problems, "title"),
        description: node.told(problems, "description"),
        shape,
        examples: node.examples(),
    })
}

fn choices(problems: &mut Problems, node: &Node<'_>, alternatives: &[Value]) -> Vec<Choice> {
    let mut choices: Vec<Choice> = Vec::new();
    for (index, value) in alternatives.iter().enumerate() {
        let Some(choice) = Node::new(problems, format!("{}.oneOf.{index}", node.key), value) else { continue };
        choice.only(problems, &["const", "description", "type"]);
        let name = choice.text("const").unwrap_or_default().to_owned();
        if choices.iter().any(|other| other.name == name) {
            problems.add(choice.key.as_str(), format!("`{name}` is there twice"));
        }
        choices.push(Choice { name, description: choice.told(problems, "description") });
    }
    choices
}

fn tagged(problems: &mut Problems, node: &Node<'_>, alternatives: &[Value]) -> Option<Shape> {
    let is_tag = |value: &Value| value.get("const").is_some_and(Value::is_string);
    let first = alternatives.first().and_then(|value| value.get("properties")).and_then(Value::as_object);
    let Some((tag, _)) = first.and_then(|fields| fields.iter().find(|(_, value)| is_tag(value))) else {
        problems.add(format!("{}.oneOf.0", node.key), "has no field with a constant that tells it apart");
        return None;
    };
    let mut variants: Vec<Variant> = Vec::new();
    for (index, value) in alternatives.iter().enumerate() {
        let Some(variant) = Node::new(problems, format!("{}.oneOf.{index}", node.key), value) else { continue };
        variant.only(problems, &["title", "description", "type", "properties", "required", "examples"]);
        let name = value["properties"][tag]["const"].as_str().unwrap_or_default().to_owned();
        if name.is_empty() || !required(&variant).contains(&tag.as_str()) {
            problems.add(format!("{}.properties.{tag}", variant.key), "is the tag: a constant that is required");
        }
        if variants.iter().any(|other| other.name == name) {
            problems.add(variant.key.as_str(), format!("`{name}` is there twice"));
        }
        if variant.text("type") != Some("object") {
            problems.add(format!("{}.type", variant.key), "is not object");
        }
        if variant.told(problems, "title") != name {
            problems.add(format!("{}.title", variant.key), format!("is not the tag's constant `{name}`"));
        }
        variants.push(Variant {
            name,
            description: variant.told(problems, "description"),
            fields: fields(problems, &variant, Some(tag)),
            examples: variant.examples(),
        });
    }
    Some(Shape::Tagged { tag: tag.clone(), variants })
}

fn required<'a>(node: &Node<'a>) -> Vec<&'a str> {
    let names = node.map.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    names.iter().filter_map(Value::as_str).collect()
}

/// The fields of an object, without its tag.
fn fields(problems: &mut Problems, node: &Node<'_>, tag: Option<&str>) -> Vec<Field> {
    let properties = node.map.get("properties").and_then(Value::as_object);
    let required = required(node);
    for name in &required {
        if properties.is_none_or(|properties| !properties.contains_key(*name)) {
            problems.add(format!("{}.required", node.key), format!("there is no property `{name}`"));
        }
    }
    let mut fields = Vec::new();
    for (name, value) in properties.into_iter().flatten().filter(|(name, _)| Some(name.as_str()) != tag) {
        let Some(property) = Node::new(problems, format!("{}.properties.{name}", node.key), value) else { continue };
        fields.extend(field(problems, name, &property, required.contains(&name.as_str())));
    }
    fields
}

fn field(problems: &mut Problems, name: &str, node: &Node<'_>, required: bool) -> Option<Field> {
    let mut nullable = false;
    let mut constraints = Vec::new();
    let kind = if let Some(alternatives) = node.map.get("anyOf").and_then(Value::as_array) {
        node.only(problems, &["description", "anyOf"]);
        nullable = true;
        let target = match alternatives.as_slice() {
            [one, null] if null["type"] == "null" => one.get("$ref").and_then(Value::as_str),
            _ => None,
        };
        reference(problems, &format!("{}.anyOf", node.key), target.unwrap_or_default())?
    } else if let Some(target) = node.text("$ref") {
        node.only(problems, &["description", "$ref"]);
        reference(problems, &node.key, target)?
    } else if let Some(constant) = node.map.get("const") {
        node.only(problems, &["description", "const"]);
        if !constant.is_u64() {
            problems.add(format!("{}.const", node.key), "is neither the tag nor a whole number");
        }
        constraints.push(("const".to_owned(), constant.clone()));
        Kind::Integer("u64")
    } else {
        let mut types = match node.map.get("type") {
            Some(Value::String(name)) => vec![name.as_str()],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        nullable = types.contains(&"null");
        types.retain(|name| *name != "null");
        simple(problems, node, &types, &mut constraints)?
    };
    // A reference without a description of its own is described by what it refers to.
    let description = match (&kind, node.text("description")) {
        (Kind::Named(_), None) => String::new(),
        _ => node.told(problems, "description"),
    };
    Some(Field { name: name.into(), description, kind, required, nullable, constraints })
}

fn simple(
    problems: &mut Problems,
    node: &Node<'_>,
    types: &[&str],
    constraints: &mut Vec<(String, Value)>,
) -> Option<Kind> {
    let known = |more: &[&'static str]| [&["description", "type"], more].concat();
    match types {
        ["string"] => {
            node.only(problems, &known(TEXT_CONSTRAINTS));
            constraints.extend(node.constraints(TEXT_CONSTRAINTS));
            Some(Kind::Text)
        }
        ["boolean"] => {
            node.only(problems, &known(&[]));
            Some(Kind::Boolean)
        }
        ["number"] => {
            node.only(problems, &known(&["minimum", "maximum"]));
            constraints.extend(node.constraints(&["minimum", "maximum"]));
            Some(Kind::Number)
        }
        ["integer"] => {
            node.only(problems, &known(&["minimum", "maximum"]));
            Some(integer(node, constraints))
        }
        ["array"] => {
            node.only(problems, &[known(LIST_CONSTRAINTS), vec!["items"]].concat());
            constraints.extend(node.constraints(LIST_CONSTRAINTS));
            let items = Node::new(problems, format!("{}.items", node.key), node.map.get("items")?)?;
            let mut inner = Vec::new();
            let kind = match (items.text("$ref"), items.text("type")) {
                (Some(target), _) => reference(problems, &items.key, target),
                (None, Some(kind)) => simple(problems, &items, &[kind], &mut inner),
                (None, None) => None,
            };
            if kind.is_none() || !inner.is_empty() {
                problems.add(items.key.as_str(), "is not a plain type or a $ref");
            }
            kind.map(|kind| Kind::List(Box::new(kind)))
        }
        _ => {
            problems.add(format!("{}.type", node.key), "is not one type that the generator knows, or that and null");
            None
        }
    }
}

/// The smallest Rust type that has the bounds, and the bounds that no type has.
fn integer(node: &Node<'_>, constraints: &mut Vec<(String, Value)>) -> Kind {
    let bound = |name: &str| node.map.get(name).and_then(Value::as_i64);
    let (rust, least, greatest) = match (bound("minimum"), bound("maximum")) {
        (Some(0..), Some(max)) if max <= i64::from(u8::MAX) => ("u8", Some(0), Some(i64::from(u8::MAX))),
        (Some(0..), Some(max)) if max <= i64::from(u16::MAX) => ("u16", Some(0), Some(i64::from(u16::MAX))),
        (Some(0..), Some(max)) if max <= i64::from(u32::MAX) => ("u32", Some(0), None),
        (Some(0..), _) => ("u64", Some(0), None),
        _ => ("i64", None, None),
    };
    for (name, said) in [("minimum", least), ("maximum", greatest)] {
        if bound(name) != said {
            constraints.extend(node.constraints(&[name]));
        }
    }
    Kind::Integer(rust)
}

fn reference(problems: &mut Problems, key: &str, target: &str) -> Option<Kind> {
    let name = target.strip_prefix("#/$defs/").filter(|name| !name.is_empty());
    if name.is_none() {
        problems.add(key, "is not a $ref to a type under $defs");
    }
    name.map(|name| Kind::Named(name.to_owned()))
}
