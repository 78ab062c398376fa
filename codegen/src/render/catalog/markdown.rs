//! `docs/catalog.md`.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::{
    model::catalog::{Browser, Confidence, Confidences, Described},
    render::text::{markdown_table, wrap},
};

/// Columns of a line of the reference.
const WIDTH: usize = 120;

/// The reference of the catalog. What each field means stands in the schema, so it comes from there.
pub fn reference(described: &Described) -> String {
    let Described { catalog, value, schema } = described;
    let mut out = String::from(
        "<!-- Generated from catalog/catalog.json by `cargo codegen`. Do not edit. -->\n\n# Catalog of browsers and \
         origins\n\n",
    );
    out += &wrap(
        "What slicc knows about browsers, and which origins are seven's. The data is in \
         [catalog/catalog.json](../catalog/catalog.json), and `slicc schema catalog` prints its schema. A fact with † is \
         widely known and unchecked, and one with ‡ is a guess.",
        "",
        WIDTH,
    );
    let _ = writeln!(out, "\nslicc drives Chromium {} and later.", catalog.min_chromium_major);
    let _ = write!(out, "\n## Browsers\n\n{}", wrap("In the order in which slicc prefers them.", "", WIDTH));
    let rows = catalog.browsers.iter().map(|browser| {
        let made_for = [("macOS", browser.macos.is_some()), ("Windows", browser.windows.is_some())];
        let made_for = made_for.into_iter().chain([("Linux", browser.linux.is_some())]);
        let systems = made_for.filter_map(|(system, made)| made.then_some(system)).collect::<Vec<_>>().join(", ");
        let mark = |path: &str| mark(&browser.confidence, path);
        vec![
            format!("`{}`", browser.id),
            browser.name.clone(),
            format!("{}{}", browser.channel, mark("channel")),
            format!("`{}`{}", browser.product_kind, mark("productKind")),
            systems,
        ]
    });
    let head = ["id", "name", "channel", "kind", "systems"];
    let _ = write!(out, "\n{}", markdown_table(&head, &rows.collect::<Vec<_>>()));
    for (index, browser) in catalog.browsers.iter().enumerate() {
        out += &browser_section(browser, &value["browsers"][index], schema);
    }
    for (key, title) in [
        ("electron", "Electron apps"),
        ("places", "Places"),
        ("discovery", "Discovery"),
        ("ranking", "Ranking"),
        ("productKinds", "Kinds of browsers"),
        ("profiles", "Profiles"),
        ("processScan", "Process list"),
        ("launch", "Launch"),
        ("seven", "Seven's origins"),
        ("protectedOrigins", "Protected origins"),
        ("privatePaths", "Private paths"),
    ] {
        if let Some(section) = value.get(key).and_then(Value::as_object) {
            let about = schema["$defs"][key]["description"].as_str().unwrap_or_default();
            let _ = write!(out, "\n## {title}\n\n{}", wrap(about, "", WIDTH));
            out += &facts(section, &schema["$defs"][key]["properties"], "", &confidences(section));
        }
    }
    out
}

fn browser_section(browser: &Browser, value: &Value, schema: &Value) -> String {
    let mut out = format!("\n### {}\n", browser.name);
    if !browser.aliases.is_empty() {
        let also = browser.aliases.join(", ");
        let _ = writeln!(out, "\nAlso called {also}{}.", mark(&browser.confidence, "aliases"));
    }
    for (key, title) in [("macos", "macOS"), ("windows", "Windows"), ("linux", "Linux")] {
        if let Some(system) = value.get(key).and_then(Value::as_object) {
            let properties = &schema["$defs"][key]["properties"];
            let _ = write!(out, "\n{title}:\n{}", facts(system, properties, &format!("{key}."), &browser.confidence));
        }
    }
    out
}

/// A table of an object's facts, with what the schema says about each. The facts of an object in it have rows of their own,
/// and a list of objects has a table of its own.
fn facts(fields: &Map<String, Value>, properties: &Value, prefix: &str, confidences: &Confidences) -> String {
    let mut rows = Vec::new();
    let mut lists = String::new();
    rows_of(fields, properties, prefix, "", confidences, &mut rows, &mut lists);
    if rows.is_empty() {
        return lists;
    }
    format!("\n{}{lists}", markdown_table(&["fact", "value", "meaning"], &rows))
}

fn rows_of(
    fields: &Map<String, Value>,
    properties: &Value,
    prefix: &str,
    parent: &str,
    confidences: &Confidences,
    rows: &mut Vec<Vec<String>>,
    lists: &mut String,
) {
    for (name, value) in fields.iter().filter(|(name, _)| *name != "confidence") {
        let about = &properties[name];
        let meaning = about["description"].as_str().unwrap_or_default();
        let shown = format!("{parent}{name}");
        let path = format!("{prefix}{name}");
        match value {
            Value::Object(inner) if about["properties"].is_object() => {
                let (prefix, parent) = (format!("{path}."), format!("{shown}."));
                rows_of(inner, &about["properties"], &prefix, &parent, confidences, rows, lists);
            }
            Value::Array(items) if items.len() > 1 && items.iter().all(Value::is_object) => {
                let _ = write!(lists, "\n{}", wrap(&format!("`{shown}`: {meaning}"), "", WIDTH));
                *lists += &list(items, &path, confidences);
            }
            _ => rows.push(vec![format!("`{shown}`"), fact(value, &path, confidences), meaning.to_owned()]),
        }
    }
}

/// A table of a list's objects, with a column for each of their facts.
fn list(items: &[Value], path: &str, confidences: &Confidences) -> String {
    let objects: Vec<_> = items.iter().filter_map(Value::as_object).collect();
    let mut columns: Vec<&str> = Vec::new();
    for name in objects.iter().flat_map(|object| object.keys()).filter(|name| *name != "confidence") {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    let rows = objects.iter().enumerate().map(|(index, object)| {
        let own = self::confidences(object);
        let cell = |(at, name): (usize, &&str)| {
            let value = object.get(*name).map(|value| {
                let text = fact(value, &format!("{path}.{index}.{name}"), confidences);
                text + mark(&own, name)
            });
            // A mark on the whole object stands at its first fact.
            let whole = if at == 0 { mark(confidences, &format!("{path}.{index}")) } else { "" };
            value.unwrap_or_default() + whole
        };
        columns.iter().enumerate().map(cell).collect::<Vec<_>>()
    });
    format!("\n{}", markdown_table(&columns, &rows.collect::<Vec<_>>()))
}

/// A fact with its mark, and those of the facts in it.
fn fact(value: &Value, path: &str, confidences: &Confidences) -> String {
    let text = match value {
        Value::Array(items) if items.is_empty() => "none".into(),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items
                .map(|(index, item)| fact(item, &format!("{path}.{index}"), confidences))
                .collect::<Vec<_>>()
                .join(", ")
        }
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| *name != "confidence");
            let fields =
                fields.map(|(name, value)| format!("{name} {}", fact(value, &format!("{path}.{name}"), confidences)));
            format!("({})", fields.collect::<Vec<_>>().join("; "))
        }
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    };
    text + mark(confidences, path)
}

fn mark(confidences: &Confidences, path: &str) -> &'static str {
    match confidences.get(path) {
        Some(Confidence::Known) => "†",
        Some(Confidence::Guess) => "‡",
        None => "",
    }
}

fn confidences(section: &Map<String, Value>) -> Confidences {
    // The catalog was read before, so the marks are known to be marks.
    section.get("confidence").and_then(|marks| serde_json::from_value(marks.clone()).ok()).unwrap_or_default()
}
