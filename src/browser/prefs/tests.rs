use proptest::prelude::*;
use serde_json::json;

use super::*;

/// 2026-01-02T03:04:05.000006Z.
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_micros(1_767_323_045_000_006)
}

const NOW: &str = "13411796645000006";

fn edits() -> Edits<'static> {
    Edits { seven: true, extra_hosts: &[], now: now() }
}

fn merged(text: &str) -> Value {
    match merge(Some(text), &edits()) {
        Merged::Changed(text) => serde_json::from_str(&text).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_missing_file_gets_the_seven_prefs_alone() {
    let Merged::Changed(text) = merge(None, &edits()) else { panic!("nothing to write") };
    let written: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        written,
        json!({
            "tab_freezing_enabled": false,
            "performance_tuning": {
                "tab_freezing": { "enabled": false },
                "high_efficiency_mode": { "state": 0 },
                "tab_discarding": {
                    "exceptions": ["[*.]sliccy.ai"],
                    "exceptions_with_time": { "[*.]sliccy.ai": NOW }
                }
            }
        })
    );
}

#[test]
fn existing_keys_exceptions_and_timestamps_are_kept() {
    let written = merged(
        r#"{"homepage":"https://a.test/","tab_freezing_enabled":true,"performance_tuning":{
            "tab_discarding":{"exceptions":["mine.test"],"exceptions_with_time":{"mine.test":"1","[*.]sliccy.ai":"2"},"x":1},
            "battery_saver_mode":{"state":2}},"profile":{"name":"Me","exit_type":"Crashed","exited_cleanly":false}}"#,
    );
    assert_eq!(written["homepage"], "https://a.test/");
    assert_eq!(written["tab_freezing_enabled"], false);
    let tuning = &written["performance_tuning"];
    assert_eq!(tuning["battery_saver_mode"], json!({ "state": 2 }));
    assert_eq!(
        tuning["tab_discarding"],
        json!({
            "exceptions": ["mine.test", "[*.]sliccy.ai"],
            "exceptions_with_time": { "mine.test": "1", "[*.]sliccy.ai": "2" },
            "x": 1
        })
    );
    assert_eq!(written["profile"], json!({ "name": "Me", "exit_type": "Normal", "exited_cleanly": true }));
}

#[test]
fn a_complete_file_is_not_rewritten() {
    let Merged::Changed(first) = merge(Some("{}"), &edits()) else { panic!("nothing to write") };
    assert_eq!(merge(Some(&first), &edits()), Merged::Complete);
    // Not even when it is written in another way, or later.
    let spaced = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&first).unwrap()).unwrap();
    let later = Edits { now: now() + Duration::from_secs(9), ..edits() };
    assert_eq!(merge(Some(&spaced), &later), Merged::Complete);
}

#[test]
fn a_file_that_is_no_object_is_left_alone() {
    for text in ["", "[]", "null", "3", "{", "{}}", "\"{}\"", "{\"a\":}", "\u{feff}{}"] {
        assert_eq!(merge(Some(text), &edits()), Merged::NotAnObject, "{text:?}");
    }
}

#[test]
fn a_key_of_another_kind_is_kept_as_it_is() {
    let written = merged(
        r#"{"performance_tuning":{"tab_freezing":7,"tab_discarding":{"exceptions":"no","exceptions_with_time":[1]}}}"#,
    );
    assert_eq!(
        written["performance_tuning"],
        json!({
            "tab_freezing": 7,
            "tab_discarding": { "exceptions": "no", "exceptions_with_time": [1] },
            "high_efficiency_mode": { "state": 0 }
        })
    );
}

#[test]
fn what_is_not_edited_keeps_its_bytes() {
    let kept = r#""a":1e400,"b":123456789012345678901234567890,"c":"\ud800 \/","d":[ 1.0 , 1.00 ]"#;
    let Merged::Changed(text) = merge(Some(&format!("{{{kept}}}")), &edits()) else { panic!("nothing to write") };
    assert!(text.starts_with(&format!("{{{kept},")), "{text}");
}

#[test]
fn extra_origins_are_exceptions_too() {
    let hosts = ["seven.test".to_owned()];
    let Merged::Changed(text) = merge(None, &Edits { extra_hosts: &hosts, ..edits() }) else { panic!("nothing") };
    let written: Value = serde_json::from_str(&text).unwrap();
    let discarding = &written["performance_tuning"]["tab_discarding"];
    assert_eq!(discarding["exceptions"], json!(["[*.]sliccy.ai", "seven.test"]));
    assert_eq!(discarding["exceptions_with_time"], json!({ "[*.]sliccy.ai": NOW, "seven.test": NOW }));
}

#[test]
fn without_the_seven_prefs_only_the_exit_is_marked() {
    let edits = Edits { seven: false, ..edits() };
    assert_eq!(merge(None, &edits), Merged::Complete);
    let Merged::Changed(text) = merge(Some(r#"{"x":1}"#), &edits) else { panic!("nothing to write") };
    assert_eq!(text, r#"{"x":1,"profile":{"exit_type":"Normal","exited_cleanly":true}}"#);
}

proptest! {
    #[test]
    fn any_text_is_merged_or_left_alone(text in "\\PC{0,60}", wrap: bool) {
        let text = if wrap { format!("{{\"k\":{text:?},\"performance_tuning\":{{{text}}}}}") } else { text };
        match merge(Some(&text), &edits()) {
            Merged::Changed(merged) => {
                prop_assert!(serde_json::from_str::<serde_json::Map<String, Value>>(&merged).is_ok());
                prop_assert_eq!(merge(Some(&merged), &edits()), Merged::Complete);
            }
            Merged::Complete | Merged::NotAnObject => {}
        }
    }
}
