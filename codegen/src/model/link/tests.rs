use std::path::Path;

use super::*;

const TOY: &str = include_str!("../../../tests/toy/spec/link.toml");

fn real() -> Link {
    Link::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).expect("the protocol is sound")
}

/// What is said about the toy protocol with its first `from` replaced.
fn refusal(from: &str, to: &str) -> Vec<String> {
    assert!(TOY.contains(from), "the toy holds {from}");
    let problems = Link::parse(&TOY.replacen(from, to, 1)).expect_err(&format!("{from} -> {to} is refused"));
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn the_toy_is_taken_and_its_placeholders_are_filled_in() {
    let link = Link::parse(TOY).expect("the toy is sound");
    assert_eq!(link.overview, "Two sides pass parcels of at most 1 KiB.");
    assert_eq!(link.rule[0].text, "A door that stays shut for 1 min 30 s stays shut. Then there is 2 min.");
}

#[test]
fn each_mistake_is_refused_by_file_key_and_reason() {
    let cases = [
        ("number = 7", "number = 7\ncolour = 1", "frame.KNOCK.colour: line 27: unknown field `colour`"),
        ("number = 7", "number = 700", "frame.KNOCK.number: line 26: invalid value: integer `700`"),
        ("version = 3", "", "(root): line 1: missing field `version`"),
        ("type = \"u8\"", "type = \"u9\"", "there is no type `u9`"),
        ("listed-by = \"node\"", "listed-by = \"hub\"", "cap.post.listed-by: line 70: unknown variant `hub`"),
        ("name = \"PARCEL\"", "name = \"parcel\"", "limit.parcel: must be in capitals"),
        ("name = \"ESHUT\"", "name = \"SHUT\"", "code.SHUT: must be `E` and capitals"),
        ("name = \"BLINK\"", "name = \"KNOCK\"", "limit.KNOCK: is there twice"),
        ("name = \"bell\"", "name = \"PostExpress\"", "cap.PostExpress: is `post-express` in Rust too"),
        ("milliseconds = 120\n", "milliseconds = 0\n", "timeout.BLINK.milliseconds: is 0"),
        ("{PARCEL}", "{PARCELS}", "overview: there is no limit or time-out `PARCELS`"),
        ("within {BLINK}", "soon", "timeout.BLINK: is referred to by no text: say where it holds"),
        ("codes = [\"ESHUT\"]", "codes = [\"EOPEN\"]", "kind.parcel.resets: there is no code `EOPEN`"),
        ("codes = [\"ESHUT\"]", "codes = [\"EPROTO\"]", "code.ESHUT: is used by no kind and no violation"),
        ("caps = [\"bell\"]", "caps = [\"post\"]", "kind.bell.caps: `post` is a capability of the node"),
        ("caps = [\"bell\"]", "caps = []", "kind.bell.caps: names no capability"),
        (
            "cap = \"post-express\"",
            "cap = \"post-haste\"",
            "kind.desk.op.hurry.cap: there is no capability `post-haste`",
        ),
        (
            "type = \"[Address]\"",
            "type = \"[Street]\"",
            "kind.parcel.open.via.type: there is no object or choice `Street`",
        ),
        ("values = [1, 2, 5]", "values = [1, 2, 500]", "kind.parcel.open.weight: 500 doesn't fit u8"),
        ("default = 2,", "default = 3,", "kind.parcel.open.weight.default: 3 isn't allowed by the field's own bounds"),
        (
            "min = 1, max = \"STAMPS\"",
            "min = 99999, max = \"STAMPS\"",
            "kind.parcel.open.stamps.max: is less than `min`",
        ),
        ("max = \"STAMPS\"", "max = \"SEALS\"", "kind.parcel.open.stamps.max: there is no limit `SEALS`"),
        (
            "key-shape = \"street-name\"",
            "key-shape = \"road\"",
            "kind.parcel.open.labels.key-shape: there is no shape `road`",
        ),
        (
            "first = [\"A-Z\"]",
            "first = [\"Z-A\"]",
            "shape.street-name.first: `Z-A` is neither an ASCII character nor a range",
        ),
        ("number = 9", "number = 1", "kind.parcel.records: must all have numbers, each its own, or none"),
        (
            "\"question\", \"form\"",
            "\"question\", \"letter\"",
            "kind.desk.op.ask.exactly-one: `letter` isn't an optional field of it",
        ),
        ("name = \"clerk\"", "name = \"op\"", "kind.desk.op.ask.open.op: is a name of the protocol"),
        (
            "opened-object = \"Address\"",
            "opened-object = \"Size\"",
            "kind.desk.op.ask.opened-object: there is no object `Size`",
        ),
        ("name = \"bribe\"", "name = \"ask\"", "kind.desk.op.ask: is there twice"),
        (
            "name = \"worth\", type = \"number\"",
            "name = \"worth\", type = \"number\", min = 1",
            "kind.parcel.open.worth: only an integer has `min`, `max` or `values`",
        ),
        (
            "name = \"worth\", type = \"number\"",
            "name = \"worth\", type = \"static\"",
            "kind.parcel.open.worth.type: comes from the peer and can't be static",
        ),
        (
            "name = \"name\", type",
            "name = \"title\", type",
            "hello.page.fields: must be v, role, name and caps, which is what a node reads",
        ),
    ];
    let mut missed = Vec::new();
    for (from, to, expected) in cases {
        let said = refusal(from, to);
        if !said.iter().any(|line| line.starts_with("spec/link.toml: ") && line.contains(expected)) {
            missed.push(format!("{from} -> {to}\nexpected {expected}\nsaid {said:#?}\n"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.concat());
}

#[test]
fn all_problems_of_a_file_are_named_at_once() {
    let text = TOY.replace("name = \"BLINK\"", "name = \"blink\"").replace("caps = [\"bell\"]", "caps = []");
    let problems = Link::parse(&text).expect_err("two mistakes");
    assert!(problems.iter().any(|problem| problem.key == "timeout.blink"), "{problems:?}");
    assert!(problems.iter().any(|problem| problem.key == "kind.bell.caps"), "{problems:?}");
}

#[test]
fn the_protocol_has_its_channels_frames_and_kinds() {
    let link = real();
    let labels: Vec<_> = link.channel.iter().map(|channel| channel.label.as_str()).collect();
    assert_eq!(labels, ["slicc.link.v1", "slicc.link.v1.stream"]);
    let frames: Vec<_> = link.frame.iter().map(|frame| (frame.number, frame.name.as_str())).collect();
    assert_eq!(frames, [(1, "OPEN"), (2, "OPENED"), (3, "DATA"), (4, "END"), (5, "RESET"), (6, "CREDIT")]);
    let names = |side| -> Vec<_> {
        link.kind.iter().filter(|kind| kind.opened_by == side).map(|kind| kind.name.as_str()).collect()
    };
    assert_eq!(names(Side::Page), ["tcp", "resolve", "http", "ws", "ssh", "cdp", "join", "unlink", "jerk", "fs"]);
    assert_eq!(names(Side::Node), ["kernel", "browsers", "mounts", "agent"]);
}

/// A kind moves out of this list with the change that serves it.
#[test]
fn every_kind_is_served_or_listed_as_not_yet() {
    const NOT_YET: &[&str] = &["ssh", "cdp", "browsers", "mounts", "join", "unlink", "jerk", "fs", "agent"];
    let link = real();
    let waiting: Vec<_> = link.kind.iter().filter(|kind| !kind.served).map(|kind| kind.name.as_str()).collect();
    assert_eq!(waiting, NOT_YET);
}

#[test]
fn every_kind_says_how_it_ends_and_a_kind_with_fields_says_what_a_wrong_one_is() {
    for kind in real().kind {
        let codes: Vec<_> = kind.resets.iter().flat_map(|reset| &reset.codes).collect();
        let wrong = kind.wrong_field.clone().unwrap_or_else(|| "EPROTO".into());
        let strict = kind
            .open
            .iter()
            .chain(kind.op.iter().flat_map(|op| &op.open))
            .any(|field| !matches!(field.kind, FieldType::Flag | FieldType::Truthy));
        if strict && kind.opened_by == Side::Page {
            assert!(codes.contains(&&wrong), "{} doesn't list {wrong}", kind.name);
        }
    }
}

#[test]
fn every_text_is_a_sentence_without_a_space_at_its_ends() {
    let mut link = real();
    link.texts(|key, text| {
        assert_eq!(text.trim(), text, "{key}");
        assert!(!text.contains("  "), "{key} has two spaces in a row");
    });
    let docs = link.limit.iter().map(|it| &it.doc).chain(link.timeout.iter().map(|it| &it.doc));
    let docs = docs.chain(link.code.iter().map(|it| &it.doc)).chain(link.cap.iter().map(|it| &it.doc));
    for doc in docs.chain(link.kind.iter().map(|it| &it.doc)) {
        assert!(doc.ends_with('.'), "{doc:?} ends with a full stop");
    }
}
