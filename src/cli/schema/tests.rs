//! The schemas are what the Rust types say, and say what their examples show.

use serde_json::{Map, Value, json};

use super::*;
use crate::generated::events::{DERIVED, Derived, Schema};

fn source(name: &str) -> Value {
    let schema: &Schema = SCHEMAS.iter().find(|schema| schema.name == name).unwrap();
    serde_json::from_str(schema.text).unwrap()
}

/// The source of one type as a schema of its own.
fn source_of(derived: &Derived) -> Value {
    let source = source(derived.document);
    json!({ "$schema": source["$schema"], "$ref": format!("#/$defs/{}", derived.definition), "$defs": source["$defs"] })
}

/// A schema without what says nothing about values, with references in place, and with each thing said in one way.
fn normal(schema: &Value, root: &Value) -> Value {
    let Some(fields) = schema.as_object() else { return schema.clone() };
    let mut out = Map::new();
    if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(target.trim_start_matches('#')).unwrap();
        out.extend(normal(target, root).as_object().unwrap().clone());
    }
    for (keyword, value) in fields {
        match keyword.as_str() {
            "$schema" | "$ref" | "$defs" | "title" | "description" | "examples" | "format" | "x-secret" => {}
            "properties" => {
                let properties = value.as_object().unwrap().iter();
                let properties = properties.map(|(name, schema)| (name.clone(), normal(schema, root)));
                out.insert(keyword.clone(), properties.collect::<Map<_, _>>().into());
            }
            "items" => _ = out.insert(keyword.clone(), normal(value, root)),
            "oneOf" | "anyOf" => {
                let schemas = value.as_array().unwrap().iter().map(|schema| normal(schema, root));
                out.insert(keyword.clone(), schemas.collect());
            }
            "required" | "type" if value.is_array() => {
                let mut names: Vec<_> = value.as_array().unwrap().iter().map(ToString::to_string).collect();
                names.sort();
                out.insert(keyword.clone(), names.into());
            }
            _ => _ = out.insert(keyword.clone(), value.clone()),
        }
    }
    if out.contains_key("const") {
        // A constant has one type and lies in every bound.
        out.retain(|keyword, _| keyword == "const");
    }
    out.sort_keys();
    out.into()
}

/// Every example in a schema, with the type that it belongs to.
fn examples(document: &str) -> Vec<(String, Value)> {
    let source = source(document);
    let mut found = Vec::new();
    for (name, definition) in source["$defs"].as_object().into_iter().flatten() {
        let variants = definition["oneOf"].as_array().into_iter().flatten();
        for owner in variants.chain([definition]) {
            found.extend(owner["examples"].as_array().into_iter().flatten().map(|one| (name.clone(), one.clone())));
        }
    }
    found
}

/// The value itself, and the value with one thing wrong or different each.
fn mutations(value: &Value) -> Vec<Value> {
    let others = [json!(null), json!(true), json!(-1), json!(1.5), json!(70_000), json!("x"), json!([]), json!({})];
    let mut all: Vec<Value> = others.to_vec();
    all.push(value.clone());
    for name in value.as_object().into_iter().flat_map(Map::keys) {
        let mut without = value.clone();
        without.as_object_mut().unwrap().remove(name);
        all.push(without);
        for other in mutations(&value[name]) {
            let mut changed = value.clone();
            changed[name] = other;
            all.push(changed);
        }
    }
    let mut more = value.clone();
    if let Some(fields) = more.as_object_mut() {
        fields.insert("x-new".into(), json!({ "added": "later" }));
    }
    all.push(more);
    all
}

#[test]
fn every_type_has_the_schema_that_it_was_generated_from() {
    for derived in DERIVED {
        let source = source_of(derived);
        let own = Value::from((derived.schema)());
        assert_eq!(normal(&own, &own), normal(&source, &source), "{}", derived.definition);
    }
}

#[test]
fn every_example_validates_and_goes_through_its_type_unchanged() {
    for document in SCHEMAS.iter().filter(|schema| schema.name != "catalog") {
        let examples = examples(document.name);
        assert!(!examples.is_empty(), "{}", document.name);
        let whole = jsonschema::validator_for(&source(document.name)).unwrap();
        for (definition, example) in examples {
            let derived = DERIVED.iter().find(|derived| derived.definition == definition).unwrap();
            assert!(jsonschema::is_valid(&source_of(derived), &example), "{definition}: {example}");
            let written = (derived.round_trip)(example.clone()).unwrap();
            let shown: Map<_, _> = match &example {
                // A null that may be left out is left out.
                Value::Object(fields) => {
                    let kept = fields.iter().filter(|(name, value)| !value.is_null() || written.get(name).is_some());
                    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
                }
                other => {
                    assert_eq!(&written, other, "{definition}");
                    continue;
                }
            };
            assert_eq!(written, Value::from(shown), "{definition}");
            // What a schema of alternatives names is what its file describes; other types are parts of those.
            let alternatives = DERIVED.iter().filter(|other| other.document == document.name);
            if derived.definition.starts_with(document.name) && alternatives.count() > 1 {
                assert!(whole.is_valid(&example), "{definition}: {example}");
            }
        }
    }
}

#[test]
fn what_one_schema_refuses_the_other_refuses_too() {
    for derived in DERIVED {
        let source = jsonschema::validator_for(&source_of(derived)).unwrap();
        let own = jsonschema::validator_for(&Value::from((derived.schema)())).unwrap();
        for (_, example) in examples(derived.document).iter().filter(|(name, _)| name == derived.definition) {
            for value in mutations(example) {
                assert_eq!(source.is_valid(&value), own.is_valid(&value), "{}: {value}", derived.definition);
                // A type may be more lenient than its schema, never stricter: a peer that keeps to the schema is read.
                if source.is_valid(&value) {
                    assert!((derived.round_trip)(value.clone()).is_ok(), "{}: {value}", derived.definition);
                }
            }
        }
    }
}

#[test]
fn a_candidate_that_is_missing_is_not_the_end_of_them() {
    let derived = DERIVED.iter().find(|derived| derived.definition == "setupFromPage").unwrap();
    assert!((derived.round_trip)(json!({ "t": "candidate", "nonce": "n", "candidate": null })).is_ok());
    assert!((derived.round_trip)(json!({ "t": "candidate", "nonce": "n" })).is_err());
}

#[test]
fn no_diagnostic_shows_a_nonce() {
    let nonce = crate::generated::events::Nonce("secret".into());
    assert_eq!(format!("{nonce:?}"), "…");
}

#[test]
fn schemas_are_listed_and_printed_by_name() {
    let list = text(None).unwrap();
    assert_eq!(list.lines().count(), SCHEMAS.len());
    for schema in SCHEMAS {
        assert!(list.contains(schema.name));
        assert_eq!(text(Some(schema.name)).unwrap(), schema.text);
    }
}

#[test]
fn an_unknown_schema_names_those_that_there_are() {
    let failure = text(Some("a\nb")).unwrap_err();
    assert_eq!(failure.message, r#"there is no schema "a\nb""#);
    let names: Vec<_> = SCHEMAS.iter().map(|schema| schema.name).collect();
    assert_eq!(failure.hints, [format!("name one of {}", names.join(", "))]);
}

#[test]
fn the_catalogs_schema_is_strict_and_takes_the_catalog() {
    let catalog: Value = serde_json::from_str(include_str!("../../../catalog/catalog.json")).unwrap();
    let validator = jsonschema::validator_for(&source("catalog")).unwrap();
    assert!(validator.is_valid(&catalog));
    let mut more = catalog;
    more["seven"]["labels"] = json!([]);
    assert!(!validator.is_valid(&more));
}
