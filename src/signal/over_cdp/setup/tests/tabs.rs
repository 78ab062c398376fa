//! Tabs: which one is taken, and what becomes of it.

use super::*;

#[test]
fn the_first_page_tab_with_an_allowed_origin_is_taken() {
    let mut machine = Machine::discovered();
    let call = machine.expect("Target.getTargets");
    let info = |id: &str, kind: &str, url: &str| json!({"targetId": id, "type": kind, "url": url, "title": "t"});
    let mut prerendered = info("prerender", "page", SEVEN);
    prerendered["subtype"] = json!("prerender");
    machine.answer(
        &call,
        &json!({"targetInfos": [
            info("worker", "service_worker", SEVEN),
            info("frame", "iframe", SEVEN),
            prerendered,
            info("foreign", "page", "https://bank.test/"),
            info("www", "page", "https://www.sliccy.ai/"),
            info("first", "page", "https://lars.sliccy.ai/"),
            info("second", "page", SEVEN),
        ]}),
    );
    machine.attach("first");
    machine.grant("https://lars.sliccy.ai");
}

#[test]
fn an_origin_flag_makes_its_origin_allowed() {
    let mut machine = Machine::discovered();
    machine.list(&[("a", "http://127.0.0.1:8001/"), ("b", "http://127.0.0.1:8000/page")]);
    machine.attach("b");
}

#[test]
fn without_a_tab_slicc_says_once_that_it_waits_and_takes_the_next_one() {
    let mut machine = Machine::discovered();
    machine.list(&[("foreign", "https://bank.test/")]);
    assert_eq!(machine.notices(), [Notice::WaitingForTab]);
    let tab = |url: &str| json!({"targetInfo": {"targetId": "new", "type": "page", "url": url}});
    machine.event(None, "Target.targetCreated", &tab("about:blank"));
    machine.event(None, "Target.targetInfoChanged", &tab("https://bank.test/"));
    assert!(machine.calls.is_empty());
    machine.event(None, "Target.targetInfoChanged", &tab(SEVEN));
    machine.attach("new");
    assert_eq!(machine.notices(), [Notice::WaitingForTab]);
}

#[test]
fn permissions_binding_and_runtime_come_in_this_order() {
    let mut machine = Machine::attached();
    assert!(machine.calls.is_empty() && machine.signals.is_empty());
    machine.context(1, SEVEN, TAB, true);
    machine.hello("unique-1");
    assert_eq!(machine.notices(), [Notice::FoundTab { origin: "https://seven.sliccy.ai".into() }]);
}

#[test]
fn a_reload_ends_the_link_and_starts_the_setup_again() {
    let (mut machine, nonce) = Machine::ready();
    machine.event(Some(SESSION), "Runtime.executionContextsCleared", &json!({}));
    assert_eq!(machine.gone(), std::slice::from_ref(&nonce));
    machine.event(Some(SESSION), "Runtime.executionContextsCleared", &json!({}));
    assert_eq!(machine.gone(), [nonce], "once");
    machine.context(2, SEVEN, TAB, true);
    machine.hello("unique-2");
    assert_eq!(machine.notices(), []);
}

#[test]
fn a_new_context_ends_the_old_ones_link_even_without_word_of_its_end() {
    let (mut machine, nonce) = Machine::ready();
    machine.context(2, SEVEN, TAB, true);
    assert_eq!(machine.gone(), [nonce]);
}

#[test]
fn a_same_document_navigation_changes_nothing() {
    let (mut machine, nonce) = Machine::ready();
    let info = json!({"targetInfo": {"targetId": TAB, "type": "page", "url": "https://seven.sliccy.ai/x#y"}});
    machine.event(None, "Target.targetInfoChanged", &info);
    assert!(machine.signals.is_empty() && machine.calls.is_empty());
    machine.offer(1, &nonce);
    assert_eq!(machine.signals.len(), 1);
}

#[test]
fn a_tab_that_leaves_seven_is_reported_once_without_the_new_origin() {
    let (mut machine, nonce) = Machine::ready();
    for id in 2..4 {
        machine.event(Some(SESSION), "Runtime.executionContextsCleared", &json!({}));
        machine.context(id, "https://bank.test", TAB, true);
    }
    assert_eq!(machine.gone(), std::slice::from_ref(&nonce));
    assert_eq!(machine.notices(), [Notice::TabLeft]);
    assert!(!format!("{:?}", machine.signals).contains("bank"));
    machine.signals.clear();
    machine.offer(3, &nonce);
    assert!(machine.signals.is_empty() && machine.calls.is_empty());
    machine.context(4, SEVEN, TAB, true);
    machine.hello("unique-4");
    assert_eq!(machine.notices(), [Notice::FoundTab { origin: "https://seven.sliccy.ai".into() }]);
}

#[test]
fn another_allowed_origin_in_the_tab_gets_its_permissions_before_its_hello() {
    let (mut machine, _) = Machine::ready();
    machine.context(2, "http://127.0.0.1:8000", TAB, true);
    machine.grant("http://127.0.0.1:8000");
    machine.hello("unique-2");
    machine.context(3, SEVEN, TAB, true);
    machine.hello("unique-3");
    machine.context(4, "http://127.0.0.1:8000", TAB, true);
    machine.hello("unique-4");
}

#[test]
fn a_closed_tab_ends_the_link_and_slicc_looks_for_another() {
    let (mut machine, nonce) = Machine::ready();
    machine.event(None, "Target.detachedFromTarget", &json!({"sessionId": SESSION, "targetId": TAB}));
    machine.event(None, "Target.targetDestroyed", &json!({"targetId": TAB}));
    assert_eq!((machine.gone(), machine.notices()), (vec![nonce], vec![Notice::TabClosed]));
    machine.list(&[]);
    assert_eq!(machine.notices(), [Notice::TabClosed, Notice::WaitingForTab]);
    let info = json!({"targetInfo": {"targetId": "next", "type": "page", "url": SEVEN}});
    machine.event(None, "Target.targetCreated", &info);
    machine.attach("next");
}

#[test]
fn other_tabs_that_close_or_crash_change_nothing() {
    let (mut machine, _) = Machine::ready();
    machine.event(None, "Target.targetDestroyed", &json!({"targetId": "OTHER"}));
    machine.event(None, "Target.targetCrashed", &json!({"targetId": "OTHER"}));
    machine.event(None, "Target.detachedFromTarget", &json!({"sessionId": "OTHER"}));
    assert!(machine.signals.is_empty() && machine.calls.is_empty());
}

#[test]
fn a_crashed_tab_ends_the_link_and_links_again_once_it_is_reloaded() {
    let (mut machine, nonce) = Machine::ready();
    machine.event(None, "Target.targetCrashed", &json!({"targetId": TAB, "status": "crashed"}));
    assert_eq!(machine.gone(), [nonce]);
    machine.context(1, "://", TAB, true);
    assert_eq!(machine.notices(), []);
    machine.context(2, SEVEN, TAB, true);
    machine.hello("unique-2");
}

#[test]
fn a_tab_that_closes_while_slicc_attaches_doesnt_stop_it() {
    let mut machine = Machine::discovered();
    machine.list(&[(TAB, SEVEN)]);
    let call = machine.expect("Target.attachToTarget");
    machine.refuse(&call);
    assert!(machine.failed.is_none());
    machine.tick(Duration::from_millis(100));
    machine.list(&[("next", SEVEN)]);
    machine.attach("next");
    let call = machine.expect("Browser.setPermission");
    machine.event(None, "Target.detachedFromTarget", &json!({"sessionId": SESSION}));
    machine.refuse(&call);
    machine.list(&[]);
    assert_eq!(machine.notices(), [Notice::TabClosed, Notice::WaitingForTab]);
}

#[test]
fn a_tab_that_hangs_is_left_for_another_seven_tab() {
    let mut machine = Machine::discovered();
    machine.list(&[(TAB, SEVEN), ("next", SEVEN)]);
    machine.attach(TAB);
    machine.grant("https://seven.sliccy.ai");
    let call = machine.expect("Runtime.addBinding");
    machine.time_out(&call);
    let call = machine.expect("Target.detachFromTarget");
    assert_eq!(call.params, json!({"sessionId": SESSION}));
    machine.tick(Duration::from_millis(100));
    machine.list(&[(TAB, SEVEN), ("next", SEVEN)]);
    machine.attach("next");
}

#[test]
fn the_only_tab_is_tried_again_with_growing_pauses() {
    let mut machine = Machine::discovered();
    for pause in [100, 200, 400, 800, 1000, 1000] {
        machine.list(&[(TAB, SEVEN)]);
        let call = machine.expect("Target.attachToTarget");
        machine.time_out(&call);
        machine.tick(Duration::from_millis(pause - 1));
        assert!(machine.calls.is_empty());
        machine.tick(Duration::from_millis(1));
    }
    assert_eq!(machine.notices(), []);
}

#[test]
fn a_browser_that_doesnt_tell_of_its_tabs_is_an_error() {
    let mut machine = Machine::new();
    let call = machine.expect("Target.setDiscoverTargets");
    machine.refuse(&call);
    assert!(matches!(machine.failed, Some(CdpError::Refused { .. })));
}

#[test]
fn the_url_and_title_of_the_seven_tab_are_told_when_they_change_and_those_of_no_other() {
    let mut machine = Machine::discovered();
    let info = |id: &str, url: &str, title: &str| json!({"targetId": id, "type": "page", "url": url, "title": title});
    let call = machine.expect("Target.getTargets");
    machine
        .answer(&call, &json!({"targetInfos": [info("foreign", "https://bank.test/", "money"), info(TAB, SEVEN, "")]}));
    assert_eq!(machine.shown, [], "not before it is attached");
    let changed = |info: Value| json!({ "targetInfo": info });
    machine.event(None, "Target.targetInfoChanged", &changed(info(TAB, SEVEN, "seven")));
    machine.attach(TAB);
    let seven = |title: &str| (SEVEN.to_owned(), title.to_owned());
    assert_eq!(machine.shown, [seven("seven")]);
    for (id, url, title) in [
        (TAB, SEVEN, "seven"),
        ("foreign", "https://bank.test/", "more money"),
        ("other", SEVEN, "another seven"),
        (TAB, "https://bank.test/", "money"),
        (TAB, SEVEN, "busy"),
    ] {
        machine.event(None, "Target.targetInfoChanged", &changed(info(id, url, title)));
    }
    assert_eq!(machine.shown, [seven("seven"), seven("busy")]);
}
