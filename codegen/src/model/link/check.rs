//! What the shape of `spec/link.toml` alone can't express.

use std::collections::{BTreeMap, BTreeSet};

use super::{Default, FILE, Field, FieldType, Kind, Link, Scalar, Shape, Side, field::Bound, texts::placeholders};
use crate::{
    Problem,
    model::Problems,
    render::text::{pascal, screaming},
};

/// Checks a protocol.
pub(super) fn check(link: &Link) -> Result<(), Vec<Problem>> {
    let mut problems = Problems::new(FILE);
    names(link, &mut problems);
    numbers(link, &mut problems);
    for shape in &link.shape {
        check_shape(link, shape, &mut problems);
    }
    for object in &link.object {
        fields(link, &format!("object.{}", object.name), &object.fields, &mut problems);
    }
    fields(link, "hello.node", &link.hello.node.fields, &mut problems);
    fields(link, "hello.page", &link.hello.page.fields, &mut problems);
    page_hello(link, &mut problems);
    for kind in &link.kind {
        check_kind(link, kind, &mut problems);
    }
    for (index, violation) in link.violation.iter().enumerate() {
        if let Some(code) = &violation.code {
            known_code(link, &format!("violation[{index}].code"), code, &mut problems);
        }
    }
    usage(link, &mut problems);
    problems.finish(())
}

/// Notes names that occur twice, or that would be the same in Rust.
fn unique<'a>(key: &str, names: impl IntoIterator<Item = &'a str>, problems: &mut Problems) {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for name in names {
        if let Some(other) = seen.insert(pascal(name), name) {
            let reason = if other == name { "is there twice".into() } else { format!("is `{other}` in Rust too") };
            problems.add(format!("{key}.{name}"), reason);
        }
    }
}

fn names(link: &Link, problems: &mut Problems) {
    unique("channel", link.channel.iter().map(|it| it.name.as_str()), problems);
    unique("channel", link.channel.iter().map(|it| it.label.as_str()), problems);
    unique("frame", link.frame.iter().map(|it| it.name.as_str()), problems);
    let limits = link.limit.iter().map(|it| it.name.as_str());
    unique("limit", limits.clone().chain(link.timeout.iter().map(|it| it.name.as_str())), problems);
    unique("code", link.code.iter().map(|it| it.name.as_str()), problems);
    unique("cap", link.cap.iter().map(|it| it.name.as_str()), problems);
    unique("shape", link.shape.iter().map(|it| it.name.as_str()), problems);
    let choices = link.choice.iter().map(|it| it.name.as_str());
    unique("object", choices.chain(link.object.iter().map(|it| it.name.as_str())), problems);
    unique("kind", link.kind.iter().map(|it| it.name.as_str()), problems);
    for choice in &link.choice {
        let key = format!("choice.{}.values", choice.name);
        unique(&key, choice.values.iter().map(|it| it.name.as_str()), problems);
        if choice.values.is_empty() {
            problems.add(key, "has no value");
        }
    }
    let constants =
        link.limit.iter().map(|it| ("limit", &it.name)).chain(link.timeout.iter().map(|it| ("timeout", &it.name)));
    let capitals = constants.chain(link.frame.iter().map(|it| ("frame", &it.name)));
    for (key, name) in capitals {
        if *name != screaming(name) {
            problems.add(format!("{key}.{name}"), "must be in capitals");
        }
    }
    for code in &link.code {
        let capitals = code.name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        if !(capitals && code.name.starts_with('E')) {
            problems.add(format!("code.{}", code.name), "must be `E` and capitals");
        }
    }
}

fn numbers(link: &Link, problems: &mut Problems) {
    let mut seen = BTreeMap::new();
    for frame in &link.frame {
        if let Some(other) = seen.insert(frame.number, &frame.name) {
            problems.add(format!("frame.{}.number", frame.name), format!("is the number of {other} too"));
        }
    }
    for limit in &link.limit {
        let max = limit.rust_type.map_or(u64::from(u32::MAX), Scalar::max);
        if limit.value > max {
            problems.add(format!("limit.{}.value", limit.name), format!("is over {max}, the highest of its type"));
        }
    }
    for timeout in &link.timeout {
        if timeout.milliseconds == 0 {
            problems.add(format!("timeout.{}.milliseconds", timeout.name), "is 0");
        }
    }
}

/// The first and the last byte of an entry of a shape: a character, or a range such as `a-z`.
pub(super) fn byte_range(entry: &str) -> Option<(u8, u8)> {
    match entry.as_bytes() {
        [single @ 0x20..=0x7e] => Some((*single, *single)),
        [first @ 0x20..=0x7e, b'-', last @ 0x20..=0x7e] if first < last => Some((*first, *last)),
        _ => None,
    }
}

fn check_shape(link: &Link, shape: &Shape, problems: &mut Problems) {
    let key = format!("shape.{}", shape.name);
    for (part, entries) in [("first", &shape.first), ("rest", &shape.rest)] {
        for entry in entries {
            if byte_range(entry).is_none() {
                problems.add(format!("{key}.{part}"), format!("`{entry}` is neither an ASCII character nor a range"));
            }
        }
    }
    match bound(link, &format!("{key}.max"), &shape.max, problems) {
        Some(max) if max < shape.min => problems.add(format!("{key}.max"), "is less than `min`"),
        _ => {}
    }
}

/// The value of a bound, which may name a limit.
fn bound(link: &Link, key: &str, bound: &Bound, problems: &mut Problems) -> Option<u64> {
    let value = bound.value(link);
    if let (None, Bound::Limit(name)) = (value, bound) {
        problems.add(key, format!("there is no limit `{name}`"));
    }
    value
}

fn known_code(link: &Link, key: &str, name: &str, problems: &mut Problems) {
    if !link.code.iter().any(|code| code.name == name) {
        problems.add(key, format!("there is no code `{name}`"));
    }
}

fn known_cap(link: &Link, key: &str, name: &str, side: Side, problems: &mut Problems) {
    match link.cap.iter().find(|cap| cap.name == name) {
        None => problems.add(key, format!("there is no capability `{name}`")),
        Some(cap) if cap.listed_by != side => {
            problems.add(key, format!("`{name}` is a capability of the {}", cap.listed_by.name()));
        }
        Some(_) => {}
    }
}

fn fields(link: &Link, key: &str, fields: &[Field], problems: &mut Problems) {
    unique(key, fields.iter().map(|field| field.name.as_str()), problems);
    for field in fields {
        check_field(link, &format!("{key}.{}", field.name), field, problems);
    }
}

fn check_field(link: &Link, key: &str, field: &Field, problems: &mut Problems) {
    if let Some(name) = field.kind.named() {
        let object = link.object.iter().any(|object| object.name == name);
        let choice = link.choice.iter().any(|choice| choice.name == name);
        if !object && !choice {
            problems.add(format!("{key}.type"), format!("there is no object or choice `{name}`"));
        }
    }
    let integer = match field.kind {
        FieldType::Integer(scalar) => Some(scalar),
        _ => None,
    };
    let max = field.max.as_ref().and_then(|max| bound(link, &format!("{key}.max"), max, problems));
    let bounded = field.min.is_some() || field.max.is_some() || !field.values.is_empty();
    match integer {
        None if bounded => problems.add(key, "only an integer has `min`, `max` or `values`"),
        Some(_) if (field.min.is_some() || field.max.is_some()) && !field.values.is_empty() => {
            problems.add(format!("{key}.values"), "stands beside `min` or `max`");
        }
        Some(scalar) => {
            let highest = field.values.iter().copied().chain(max).chain(field.min).max().unwrap_or(0);
            if highest > scalar.max() {
                problems.add(key, format!("{highest} doesn't fit {}", scalar.rust()));
            }
            if max.is_some_and(|max| max < field.min.unwrap_or(0)) {
                problems.add(format!("{key}.max"), "is less than `min`");
            }
        }
        None => {}
    }
    let shaped = matches!(field.kind, FieldType::Text | FieldType::Map);
    for (part, shape) in [("shape", &field.shape), ("key-shape", &field.key_shape)] {
        let Some(name) = shape else { continue };
        if link.shape(name).is_none() {
            problems.add(format!("{key}.{part}"), format!("there is no shape `{name}`"));
        }
        if !shaped || (part == "key-shape" && field.kind != FieldType::Map) {
            problems.add(format!("{key}.{part}"), "isn't for this type");
        }
    }
    if let Some(items) = &field.max_items {
        bound(link, &format!("{key}.max-items"), items, problems);
        if field.kind != FieldType::Map {
            problems.add(format!("{key}.max-items"), "isn't for this type");
        }
    }
    if field.non_empty && !matches!(field.kind, FieldType::Text | FieldType::Texts) {
        problems.add(format!("{key}.non-empty"), "isn't for this type");
    }
    if field.optional && field.default.is_some() {
        problems.add(format!("{key}.default"), "stands beside `optional`");
    }
    if matches!(field.kind, FieldType::Flag | FieldType::Truthy) && (field.optional || field.default.is_some()) {
        problems.add(key, "is false when it is missing, and needs no `optional` or `default`");
    }
    default(link, key, field, max, problems);
    if let Some(code) = &field.wrong {
        known_code(link, &format!("{key}.wrong"), code, problems);
    }
}

fn default(link: &Link, key: &str, field: &Field, max: Option<u64>, problems: &mut Problems) {
    let Some(default) = &field.default else { return };
    let key = format!("{key}.default");
    let number = match (&field.kind, default) {
        (FieldType::Text, Default::Text(_)) | (FieldType::Bool, Default::Bool(false)) => return,
        (FieldType::Bool, Default::Bool(true)) => return problems.add(key, "must be false: a missing field is falsy"),
        (FieldType::Integer(_), Default::Number(number)) => *number,
        (FieldType::Integer(_), Default::Text(name)) => match link.limit(name) {
            Some(number) => number,
            None => return problems.add(key, format!("there is no limit `{name}`")),
        },
        _ => return problems.add(key, "isn't of the field's type"),
    };
    let listed = field.values.is_empty() || field.values.contains(&number);
    if !listed || number < field.min.unwrap_or(0) || max.is_some_and(|max| number > max) {
        problems.add(key, format!("{number} isn't allowed by the field's own bounds"));
    }
}

/// The page's HELLO is read by code that knows these four fields.
fn page_hello(link: &Link, problems: &mut Problems) {
    let names: Vec<_> = link.hello.page.fields.iter().map(|field| field.name.as_str()).collect();
    if names != ["v", "role", "name", "caps"] {
        problems.add("hello.page.fields", "must be v, role, name and caps, which is what a node reads");
    }
}

fn check_kind(link: &Link, kind: &Kind, problems: &mut Problems) {
    let key = format!("kind.{}", kind.name);
    let offers = kind.opened_by.other();
    if kind.caps.is_empty() {
        problems.add(format!("{key}.caps"), "names no capability");
    }
    for cap in &kind.caps {
        known_cap(link, &format!("{key}.caps"), cap, offers, problems);
    }
    if let Some(code) = &kind.wrong_field {
        known_code(link, &format!("{key}.wrong-field"), code, problems);
    }
    for reset in &kind.resets {
        for code in &reset.codes {
            known_code(link, &format!("{key}.resets"), code, problems);
        }
    }
    fields(link, &format!("{key}.open"), &kind.open, problems);
    fields(link, &format!("{key}.opened"), &kind.opened, problems);
    for field in kind.open.iter().chain(kind.op.iter().flat_map(|op| &op.open)) {
        if let Some(cap) = &field.cap {
            known_cap(link, &format!("{key}.open.{}.cap", field.name), cap, offers, problems);
        }
        if matches!(field.kind, FieldType::Static | FieldType::Statics) {
            problems.add(format!("{key}.open.{}.type", field.name), "comes from the peer and can't be static");
        }
    }
    let ops = kind.op.iter().map(|op| op.name.as_str());
    unique(&format!("{key}.op"), ops.chain(kind.refused_op.iter().map(|op| op.name.as_str())), problems);
    for op in &kind.refused_op {
        known_code(link, &format!("{key}.refused-op.{}.code", op.name), &op.code, problems);
    }
    if !kind.op.is_empty() && !kind.opened.is_empty() {
        problems.add(format!("{key}.opened"), "belongs to the ops");
    }
    for op in &kind.op {
        let key = format!("{key}.op.{}", op.name);
        let common = if op.without_common { &[][..] } else { &kind.open };
        let all: Vec<_> = common.iter().chain(&op.open).cloned().collect();
        fields(link, &format!("{key}.open"), &all, problems);
        fields(link, &format!("{key}.opened"), &op.opened, problems);
        for name in ["kind", "op"] {
            if all.iter().any(|field| field.name == name) {
                problems.add(format!("{key}.open.{name}"), "is a name of the protocol");
            }
        }
        if let Some(cap) = &op.cap {
            known_cap(link, &format!("{key}.cap"), cap, offers, problems);
        }
        for name in &op.exactly_one {
            if !op.open.iter().any(|field| field.name == *name && field.optional) {
                problems.add(format!("{key}.exactly-one"), format!("`{name}` isn't an optional field of it"));
            }
        }
        match &op.opened_object {
            Some(_) if !op.opened.is_empty() => problems.add(format!("{key}.opened"), "stands beside `opened-object`"),
            Some(name) if !link.object.iter().any(|object| object.name == *name) => {
                problems.add(format!("{key}.opened-object"), format!("there is no object `{name}`"));
            }
            _ => {}
        }
    }
    if kind.op.is_empty() && kind.open.iter().any(|field| field.name == "kind") {
        problems.add(format!("{key}.open.kind"), "is a name of the protocol");
    }
    records(&key, kind, problems);
}

fn records(key: &str, kind: &Kind, problems: &mut Problems) {
    let numbers: BTreeSet<_> = kind.records.iter().filter_map(|record| record.number).collect();
    if !numbers.is_empty() && numbers.len() != kind.records.len() {
        problems.add(format!("{key}.records"), "must all have numbers, each its own, or none");
    }
    unique(&format!("{key}.records"), kind.records.iter().map(|record| record.name.as_str()), problems);
}

/// Every code, capability, limit, time-out, shape, choice and object is used, and every placeholder has a value.
fn usage(link: &Link, problems: &mut Problems) {
    let mut used: BTreeSet<String> = BTreeSet::new();
    link.clone().texts(|key, text| {
        for name in placeholders(text) {
            if link.quantity(&name).is_none() {
                problems.add(key, format!("there is no limit or time-out `{name}`"));
            }
            used.insert(name);
        }
    });
    for limit in &link.limit {
        if !used.contains(&limit.name) {
            problems.add(format!("limit.{}", limit.name), "is referred to by no text: say where it holds");
        }
    }
    for timeout in &link.timeout {
        if !used.contains(&timeout.name) {
            problems.add(format!("timeout.{}", timeout.name), "is referred to by no text: say where it holds");
        }
    }
    let resets = link.kind.iter().flat_map(|kind| kind.resets.iter().flat_map(|reset| &reset.codes));
    let codes: BTreeSet<_> =
        resets.chain(link.violation.iter().filter_map(|violation| violation.code.as_ref())).collect();
    for code in &link.code {
        if !codes.contains(&code.name) {
            problems.add(format!("code.{}", code.name), "is used by no kind and no violation");
        }
    }
    let all_fields = || {
        let objects = link.object.iter().flat_map(|object| &object.fields);
        let hellos = link.hello.node.fields.iter().chain(&link.hello.page.fields);
        let kinds = link.kind.iter().flat_map(|kind| kind.open.iter().chain(&kind.opened));
        let ops = link.kind.iter().flat_map(|kind| &kind.op).flat_map(|op| op.open.iter().chain(&op.opened));
        objects.chain(hellos).chain(kinds).chain(ops)
    };
    let of_kinds =
        link.kind.iter().flat_map(|kind| kind.caps.iter().chain(kind.op.iter().filter_map(|op| op.cap.as_ref())));
    let caps: BTreeSet<_> = of_kinds.chain(all_fields().filter_map(|field| field.cap.as_ref())).collect();
    for cap in &link.cap {
        if !caps.contains(&cap.name) {
            problems.add(format!("cap.{}", cap.name), "is used by no kind");
        }
    }
    let shapes: BTreeSet<_> = all_fields().flat_map(|field| field.shape.iter().chain(&field.key_shape)).collect();
    for shape in &link.shape {
        if !shapes.contains(&shape.name) {
            problems.add(format!("shape.{}", shape.name), "is used by no field");
        }
    }
    let whole = link.kind.iter().flat_map(|kind| &kind.op).filter_map(|op| op.opened_object.as_deref());
    let types: BTreeSet<_> = all_fields().filter_map(|field| field.kind.named()).chain(whole).collect();
    let objects = link.object.iter().map(|object| &object.name);
    for name in objects.chain(link.choice.iter().map(|choice| &choice.name)) {
        if !types.contains(name.as_str()) {
            problems.add(format!("object.{name}"), "is used by no field");
        }
    }
}
