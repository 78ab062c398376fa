//! `src/doctor/page/constants.js`: the protocol's facts for the page role.

use std::fmt::Write as _;

use crate::{
    model::link::{Link, StreamChannel},
    render::text::{camel, quoted},
};

/// The whole file.
pub fn render(link: &Link) -> String {
    let object = |entries: Vec<(String, String)>| {
        let mut out = "Object.freeze({\n".to_owned();
        for (key, value) in entries {
            let bare =
                key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.chars().all(|c| c.is_ascii_alphanumeric());
            let key = if bare { key } else { quoted(&key) };
            let _ = writeln!(out, "    {key}: {value},");
        }
        out.push_str("  })");
        out
    };
    let list = |names: &mut dyn Iterator<Item = &str>| {
        format!("Object.freeze([{}])", names.map(quoted).collect::<Vec<_>>().join(", "))
    };
    let kinds = link.kind.iter().map(|kind| {
        let mut value = format!(
            "Object.freeze({{ openedBy: {}, caps: {}, control: {}, served: {}",
            quoted(kind.opened_by.name()),
            list(&mut kind.caps.iter().map(String::as_str)),
            kind.channel == StreamChannel::Control,
            kind.served
        );
        if !kind.op.is_empty() {
            let _ = write!(value, ", ops: {}", list(&mut kind.op.iter().map(|op| op.name.as_str())));
        }
        if kind.records.iter().any(|record| record.number.is_some()) {
            let numbered =
                kind.records.iter().filter_map(|record| Some(format!("{}: {}", camel(&record.name), record.number?)));
            let _ = write!(value, ", records: Object.freeze({{ {} }})", numbered.collect::<Vec<_>>().join(", "));
        }
        (kind.name.clone(), format!("{value} }})"))
    });
    let setup = [("send", &link.setup.send), ("receive", &link.setup.receive)];
    let setup = setup.into_iter().map(|(key, name)| (key.to_owned(), quoted(name)));
    let version = ("version".to_owned(), link.setup.version.to_string());
    let parts = [
        ("version", link.version.to_string()),
        ("setup", object(std::iter::once(version).chain(setup).collect())),
        ("channels", object(link.channel.iter().map(|it| (camel(&it.name), quoted(&it.label))).collect())),
        ("frames", object(link.frame.iter().map(|it| (it.name.clone(), it.number.to_string())).collect())),
        ("limits", object(link.limit.iter().map(|it| (camel(&it.name), it.value.to_string())).collect())),
        ("timeouts", object(link.timeout.iter().map(|it| (camel(&it.name), it.milliseconds.to_string())).collect())),
        ("caps", object(link.cap.iter().map(|it| (it.name.clone(), quoted(it.listed_by.name()))).collect())),
        ("codes", object(link.code.iter().map(|it| (it.name.clone(), quoted(&it.doc))).collect())),
        ("kinds", object(kinds.collect())),
    ];
    let mut out =
        "// The link protocol's facts. Generated from spec/link.toml by `cargo codegen`. Do not edit.\n\n".to_owned();
    out.push_str(
        "/**\n * The names of the setup, channel labels, frame numbers, limits, time-outs in milliseconds, capabilities with the side whose HELLO lists\n * them, error codes with their meaning, and stream kinds.\n */\nexport const LINK = Object.freeze({\n",
    );
    for (key, value) in parts {
        let _ = writeln!(out, "  {key}: {value},");
    }
    out.push_str("});\n");
    out
}
