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

/// Every example in a schema, with its type and the schema of the object that it shows.
fn examples(document: &str) -> Vec<(&'static Derived, Value, Value)> {
    let source = source(document);
    let mut found = Vec::new();
    for (name, definition) in source["$defs"].as_object().into_iter().flatten() {
        let derived =
            DERIVED.iter().find(|derived| derived.document == document && derived.definition == name).unwrap();
        let variants = definition["oneOf"].as_array().into_iter().flatten();
        for owner in variants.chain([definition]) {
            let examples = owner["examples"].as_array().into_iter().flatten();
            found.extend(examples.map(|example| (derived, owner.clone(), example.clone())));
        }
    }
    found
}

#[test]
fn every_type_has_the_schema_that_it_was_generated_from() {
    for derived in DERIVED {
        let source = source_of(derived);
        let own = Value::from((derived.schema)());
        assert_eq!(normal(&own, &own), normal(&source, &source), "{}", derived.definition);
    }
}

// That every example validates is the generator's check.
#[test]
fn every_example_goes_through_its_type_unchanged() {
    for document in SCHEMAS.iter().filter(|schema| schema.name != "catalog") {
        let examples = examples(document.name);
        assert!(!examples.is_empty(), "{}", document.name);
        for (derived, _, mut example) in examples {
            let written = (derived.round_trip)(example.clone()).unwrap();
            if let Value::Object(fields) = &mut example {
                // A null that may be left out is left out.
                fields.retain(|name, value| !value.is_null() || written.get(name).is_some());
            }
            assert_eq!(written, example, "{}", derived.definition);
        }
    }
}

#[test]
fn a_type_wants_what_its_schema_requires_and_nothing_else() {
    for document in SCHEMAS.iter().filter(|schema| schema.name != "catalog") {
        for (derived, owner, example) in examples(document.name) {
            let required = owner["required"].as_array().cloned().unwrap_or_default();
            for name in example.as_object().into_iter().flat_map(Map::keys) {
                let mut without = example.clone();
                without.as_object_mut().unwrap().remove(name);
                let taken = (derived.round_trip)(without.clone()).is_ok();
                assert_eq!(taken, !required.contains(&json!(name)), "{}: {without}", derived.definition);
            }
            let mut more = example;
            if let Some(fields) = more.as_object_mut() {
                fields.insert("added".into(), json!({ "in": "a later version" }));
            }
            assert!((derived.round_trip)(more.clone()).is_ok(), "{}: {more}", derived.definition);
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
    assert_eq!(failure.hints, ["name one of doctor, setup, catalog"]);
}
