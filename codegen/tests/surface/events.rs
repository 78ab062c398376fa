//! The toy events: their text, and what is refused.

use codegen::{model::events, render};

use crate::{golden, has};

const TOY: &str = include_str!("toy/bell.schema.json");

#[test]
fn the_toy_gives_the_golden_text() {
    let document = events::parse("bell", "bell.schema.json", TOY).expect("the toy is sound");
    let schemas = [render::events::embedded(&document)];
    let documents = [document];
    golden("events.rs", &render::events::rust::render(&documents, &schemas).expect("the toy can be rendered"));
    golden("events.md", &render::events::markdown::reference(&documents));
}

/// The toy with one text in place of another has this problem.
fn bad(from: &str, to: &str, key: &str, reason: &str) {
    assert!(TOY.contains(from), "the toy has no {from}");
    has(&events::parse("bell", "bell.schema.json", &TOY.replacen(from, to, 1)).expect_err(to), key, reason);
}

#[test]
fn what_becomes_no_type_is_refused() {
    let variant = "$defs.bellEvent.oneOf.0";
    bad("\"maxLength\": 9", "\"format\": \"date\"", &format!("{variant}.properties.note.format"), "doesn't know here");
    bad("\"title\": \"Tone\",", "", "$defs.tone", "has no title");
    bad("\"description\": \"A note.\", ", "", &format!("{variant}.properties.note"), "has no description");
    bad(
        "\"$ref\": \"#/$defs/token\"",
        "\"$ref\": \"#/$defs/coin\"",
        "$defs.bellEvent.token",
        "there is no type `coin`",
    );
    bad("\"title\": \"rest\"", "\"title\": \"pause\"", "$defs.bellEvent.oneOf.1.title", "is not the tag's constant");
    bad("\"required\": [\"e\"]", "\"required\": []", "$defs.bellEvent.oneOf.1.properties.e", "is the tag");
    bad("\"last\", \"type\"]", "\"last\", \"kind\"]", &format!("{variant}.required"), "there is no property `kind`");
    bad("\"times\": [1.5]", "\"times\": [\"x\"]", "$defs.bellEvent.ring-out.examples.0", "doesn't validate");
    bad("[{ \"e\": \"rest\" }]", "[]", "$defs.bellEvent.rest", "has no examples");
    bad("\"const\": \"very_high\"", "\"const\": \"low\"", "$defs.tone.oneOf.1", "`low` is there twice");
    bad("2020-12", "2019-09", "$schema", "is not https://");
    bad("\"$ref\": \"#/$defs/bellEvent\",", "", "(root)", "names no type");
    bad(
        "\"type\": \"string\",\n      \"x-secret\"",
        "\"type\": \"null\",\n      \"x-secret\"",
        "$defs.token",
        "none of the types",
    );
    bad(
        "\"minimum\": 0",
        "\"minimum\": \"0\"",
        "/$defs/bellEvent/oneOf/0/properties/sdpMLineIndex/minimum",
        "JSON Schema",
    );
    has(&events::parse("bell", "bell.schema.json", "{").expect_err("no JSON"), "(file)", "is not JSON");
}
