//! The schemas in spec/events, which everything that slicc prints for programs has to fit.

use std::path::Path;

use serde_json::{Value, json};

/// The text of a schema.
fn source(document: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("spec/events/{document}.schema.json"));
    let text = std::fs::read_to_string(path).expect("the schema is there");
    serde_json::from_str(&text).expect("the schema is JSON")
}

/// Checks a value against one definition of a schema.
///
/// # Panics
/// When it doesn't fit.
pub fn assert_fits(document: &str, definition: &str, value: &Value) {
    let source = source(document);
    assert!(source["$defs"][definition].is_object(), "{document} defines {definition}");
    let schema =
        json!({ "$schema": source["$schema"], "$ref": format!("#/$defs/{definition}"), "$defs": source["$defs"] });
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    if let Err(error) = validator.validate(value) {
        panic!("{value} doesn't fit {document}: {error}");
    }
}

/// Checks a message that slicc sends while a link is set up.
pub fn assert_setup_message(message: &Value) {
    assert_fits("setup", "setupFromNode", message);
}

/// Checks a line of `slicc doctor --json`.
pub fn assert_doctor_event(event: &Value) {
    assert_fits("doctor", "doctorEvent", event);
}

/// Checks the document of `slicc browsers --json`.
pub fn assert_browser_list(document: &Value) {
    assert_fits("browsers", "browserList", document);
}
