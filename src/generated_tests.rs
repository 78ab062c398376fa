//! Tests of the generated readers: whatever a page sends, they neither panic nor let it past its bounds.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Number, Value, json};

use crate::generated::link::{
    AgentOpen, BrowsersOpen, Cap, ErrorCode, FieldError, FsOp, FsOpen, FsReadOpen, FsStatOpen, HelloBrowser, HttpOpen,
    JerkCreateOpen, JerkOp, JerkOpen, JoinOpen, PageHello, ResolveOpen, Side, StreamKind, TcpOpen, WsOpen, WsRecord,
    limits,
};

/// An OPEN's object.
type Open = Map<String, Value>;

fn open(value: Value) -> Open {
    match value {
        Value::Object(open) => open,
        other => panic!("{other} is no object"),
    }
}

fn said<T: std::fmt::Debug>(result: Result<T, FieldError>) -> String {
    result.expect_err("refused").to_string()
}

/// Names that OPENs know, so that random objects reach every reader.
const NAMES: &[&str] = &[
    "kind",
    "op",
    "host",
    "port",
    "name",
    "family",
    "credentialed",
    "url",
    "protocols",
    "headers",
    "browser",
    "browsers",
    "mounts",
    "mount",
    "readonly",
    "path",
    "from",
    "to",
    "target",
    "size",
    "mode",
    "mtime",
    "write",
    "create",
    "truncate",
    "exclusive",
    "fh",
    "offset",
    "ifMatch",
    "provider",
    "scope",
    "params",
    "duration",
    "lease_id",
    "text",
    "length",
    "whenBusy",
    "thinking",
    "since",
];

/// Texts that some reader takes.
const WORDS: &[&str] = &["", "a", "github", "0", "followUp", "reject", "run", "\u{0}", "é", "../x", "secret-value"];

fn values() -> impl Strategy<Value = Value> {
    let ops = FsOp::ALL.iter().map(|op| op.as_str()).chain(JerkOp::ALL.iter().map(|op| op.as_str()));
    let words: Vec<_> = WORDS.iter().copied().chain(ops).chain(["prompt", "abort"]).collect();
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        select(vec![0_u64, 1, 2, 4, 6, 80, 65_535, 65_536, 86_400, 4095, 1 << 53]).prop_map(Value::from),
        any::<f64>().prop_map(|number| Number::from_f64(number).map_or(Value::Null, Value::Number)),
        any::<String>().prop_map(Value::from),
        select(words).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((any::<String>(), inner), 0..4).prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn opens() -> impl Strategy<Value = Open> {
    let name = prop_oneof![9 => select(NAMES).prop_map(str::to_owned), 1 => any::<String>()];
    vec((name, values()), 0..12).prop_map(|entries| entries.into_iter().collect())
}

proptest! {
    #[test]
    fn any_open_is_read_or_refused_and_what_is_read_is_written_the_same(open in opens()) {
        for kind in StreamKind::ALL {
            match kind.checked(&open) {
                Ok(written) => {
                    prop_assert_eq!(written.get("kind").and_then(Value::as_str), Some(kind.as_str()));
                    prop_assert_eq!(kind.checked(&written), Ok(written.clone()));
                }
                Err(error) => {
                    prop_assert!(!error.to_string().contains("secret-value"));
                    prop_assert!(ErrorCode::ALL.contains(&kind.field_code(error.field)));
                }
            }
        }
    }

    #[test]
    fn any_first_message_is_a_hello_or_refused(text in any::<String>(), value in values(), open in opens()) {
        let _ = PageHello::parse(&text);
        let _ = PageHello::parse(&value.to_string());
        let _ = PageHello::parse(&Value::Object(open).to_string());
    }

    #[test]
    fn a_hello_of_a_page_is_taken_whatever_else_it_holds(v in 1_u64.., mut rest in opens(), caps in vec(values(), 0..8)) {
        let strings: Vec<_> = caps.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        rest.insert("v".into(), v.into());
        rest.insert("role".into(), "page".into());
        rest.insert("caps".into(), caps.into());
        let hello = PageHello::parse(&Value::Object(rest).to_string()).expect("a page's hello");
        prop_assert_eq!(hello.v, v);
        prop_assert_eq!(hello.caps, strings);
    }
}

#[test]
fn a_hello_needs_the_role_of_a_page_and_a_version() {
    for refused in ["", "[]", "7", "{}", r#"{"v":1}"#, r#"{"v":1,"role":"node"}"#, r#"{"v":0,"role":"page"}"#] {
        assert!(PageHello::parse(refused).is_err(), "{refused}");
    }
    for refused in [r#"{"v":"1","role":"page"}"#, r#"{"v":1.5,"role":"page"}"#, r#"{"v":-1,"role":"page"}"#] {
        assert!(said(PageHello::parse(refused)).starts_with("v must be"), "{refused}");
    }
    let hello = PageHello::parse(r#"{"v":2,"role":"page","caps":["kernel-in",7,null,"x"],"more":1}"#).expect("a hello");
    assert_eq!((hello.v, hello.name.as_str()), (2, ""));
    assert_eq!(hello.caps, ["kernel-in", "x"]);
    assert!(hello.offers(Cap::KernelIn) && !hello.offers(Cap::Agent));
}

#[test]
fn bounds_of_numbers_are_kept() {
    for port in [json!(0), json!(65_536), json!(-1), json!(80.5), json!("80"), json!(null)] {
        let refusal = said(TcpOpen::parse(&open(json!({ "host": "h", "port": port }))));
        assert_eq!(refusal, "port must be an integer from 1 to 65535");
    }
    assert!(TcpOpen::parse(&open(json!({ "host": "h", "port": 65_535 }))).is_ok());
    assert_eq!(said(TcpOpen::parse(&open(json!({ "host": "", "port": 1 })))), "host must be a non-empty string");
    assert_eq!(said(ResolveOpen::parse(&open(json!({ "name": "n", "family": 5 })))), "family must be 0, 4 or 6");
    assert_eq!(ResolveOpen::parse(&open(json!({ "name": "n" }))).expect("a lookup").family, 0);
    let seal = |duration: u64| JerkOpen::parse(&open(json!({ "op": "seal", "provider": "x", "duration": duration })));
    assert!(seal(1).is_ok() && seal(86_400).is_ok() && seal(0).is_err() && seal(86_401).is_err());
    let read = |size: usize| FsReadOpen::parse(&open(json!({ "mount": "m", "fh": 1, "offset": 0, "size": size })));
    assert!(read(limits::FS_IO).is_ok() && read(limits::FS_IO + 1).is_err());
}

#[test]
fn any_value_but_false_and_null_marks_a_request_as_credentialed() {
    for (value, expected) in [(json!(true), true), (json!(0), true), (json!(""), true), (json!([]), true)]
        .into_iter()
        .chain([(json!(false), false), (Value::Null, false)])
    {
        assert_eq!(HttpOpen::parse(&open(json!({ "credentialed": value }))).expect("taken").credentialed, expected);
    }
    assert!(!HttpOpen::parse(&Map::new()).expect("taken").credentialed);
}

#[test]
fn flags_of_files_are_truthy_as_in_javascript() {
    for (value, expected) in [
        (json!(1), true),
        (json!("no"), true),
        (json!({}), true),
        (json!([]), true),
        (json!(0), false),
        (json!(""), false),
    ] {
        let stat = FsStatOpen::parse(&open(json!({ "mount": "m", "readonly": value }))).expect("taken");
        assert_eq!(stat.readonly, expected, "{value}");
    }
}

#[test]
fn a_missing_or_null_path_is_the_root_and_any_other_wrong_argument_is_einval() {
    for path in [json!({ "mount": "m" }), json!({ "mount": "m", "path": null })] {
        assert_eq!(FsStatOpen::parse(&open(path)).expect("the root").path, "");
    }
    let refusal = FsStatOpen::parse(&open(json!({ "mount": "m", "path": 7 }))).expect_err("refused");
    assert_eq!(StreamKind::Fs.field_code(refusal.field), ErrorCode::Einval);
    let refusal = FsOpen::parse(&open(json!({ "mount": "m", "op": "read", "fh": 0 }))).expect_err("refused");
    assert_eq!(StreamKind::Fs.field_code(refusal.field), ErrorCode::Ebadf);
    let refusal = FsOpen::parse(&open(json!({ "mount": "m", "op": "format" }))).expect_err("refused");
    assert_eq!((refusal.field, StreamKind::Fs.field_code("op")), ("op", ErrorCode::Einval));
    assert_eq!(StreamKind::Tcp.field_code("port"), ErrorCode::Eproto);
}

#[test]
fn jerk_takes_only_well_formed_providers_and_params() {
    let create = |extra: Value| {
        let mut fields = open(json!({ "op": "create", "provider": "git-hub0" }));
        fields.extend(open(extra));
        JerkOpen::parse(&fields)
    };
    assert!(create(json!({ "params": { "user_name": "a b" }, "scope": "repo read:org" })).is_ok());
    for provider in ["", "-x", "X", "a/b", "a b", &"x".repeat(65)] {
        assert!(create(json!({ "provider": provider })).is_err(), "{provider}");
    }
    for params in [json!({ "1a": "x" }), json!({ "a": "line\nfeed" }), json!({ "a": 1 }), json!({ "a": "é" })] {
        assert!(create(json!({ "params": params })).is_err(), "{params}");
    }
    let many = |count: usize| -> Map<String, Value> { (0..count).map(|at| (format!("k{at}"), "v".into())).collect() };
    assert!(create(json!({ "params": many(limits::JERK_PARAMS) })).is_ok());
    assert!(create(json!({ "params": many(limits::JERK_PARAMS + 1) })).is_err());
    let kept = create(json!({ "params": { "b": "2", "a": "1" } })).expect("params in their order").to_json();
    assert_eq!(kept["params"].to_string(), r#"{"b":"2","a":"1"}"#);
    assert_eq!(JerkOp::Unseal.cap(), Cap::JerkSeal);
    assert_eq!(StreamKind::Jerk.refused_op("drop"), Some(ErrorCode::Eacces));
    assert!(JerkCreateOpen::parse(&Map::new()).is_err());
}

#[test]
fn a_prompt_has_either_a_text_or_a_length() {
    let prompt = |fields: Value| {
        let mut all = open(json!({ "op": "prompt", "whenBusy": "steer" }));
        all.extend(open(fields));
        AgentOpen::parse(&all)
    };
    assert!(prompt(json!({ "text": "hi" })).is_ok());
    assert!(prompt(json!({ "length": 70_000, "thinking": true })).is_ok());
    for refused in [json!({}), json!({ "text": "hi", "length": 2 })] {
        assert_eq!(said(prompt(refused)), "text must be the only one of text and length");
    }
    assert_eq!(said(prompt(json!({ "text": "hi", "whenBusy": "wait" }))), "whenBusy must be followUp, steer or reject");
}

#[test]
fn secrets_do_not_show_when_a_message_is_logged() {
    let join = JoinOpen::parse(&open(json!({ "url": "https://hub.example/join/secret-value" }))).expect("a URL");
    assert_eq!(format!("{join:?}"), "JoinOpen { url: … }");
    let prompt = AgentOpen::parse(&open(json!({ "op": "prompt", "text": "secret-value", "whenBusy": "steer" })));
    assert!(!format!("{prompt:?}").contains("secret-value"));
    let ws = WsOpen::parse(&open(json!({ "url": "wss://h/?secret-value", "headers": [["A", "secret-value"]] })));
    assert!(!format!("{ws:?}").contains("secret-value"));
}

#[test]
fn an_update_holds_the_whole_list_in_the_shape_of_hello() {
    let chrome = HelloBrowser { id: "chrome".into(), name: "Chrome".into(), version: "1.2".into(), seven: true };
    let update = BrowsersOpen { browsers: vec![chrome] };
    assert_eq!(
        Value::Object(update.to_json()).to_string(),
        r#"{"kind":"browsers","browsers":[{"id":"chrome","name":"Chrome","version":"1.2","seven":true}]}"#
    );
}

#[test]
fn names_and_numbers_lead_back_to_what_they_name() {
    for kind in StreamKind::ALL {
        assert_eq!(StreamKind::from_name(kind.as_str()), Some(*kind));
        assert!(kind.caps().contains(&kind.cap()));
        assert!(kind.caps().iter().all(|cap| cap.listed_by() != kind.opened_by()), "{kind:?}");
    }
    for code in ErrorCode::ALL {
        assert_eq!(ErrorCode::from_name(code.as_str()), Some(*code));
    }
    for cap in Cap::ALL {
        assert_eq!(Cap::from_name(cap.as_str()), Some(*cap));
    }
    assert_eq!(StreamKind::Kernel.opened_by(), Side::Node);
    assert_eq!((WsRecord::from_byte(8), WsRecord::from_byte(3)), (Some(WsRecord::Close), None));
    assert_eq!(StreamKind::from_name("Tcp"), None);
}
