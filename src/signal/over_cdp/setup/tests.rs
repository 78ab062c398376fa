//! Each rule of setup over CDP, without a browser.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{super::events, CallId, Output, Setup};
use crate::{
    browser::origin::{Origin, SevenOrigins},
    cdp::{Answer, CdpError, Event, SessionId},
    generated::link::setup as facts,
    signal::{Candidate, NodeId, Nonce, Notice, Reply, Signal},
};

const SEVEN: &str = "https://seven.sliccy.ai/";
const TAB: &str = "TAB";
const SESSION: &str = "SESSION";

#[derive(Debug)]
struct Call {
    id: CallId,
    session: Option<SessionId>,
    method: &'static str,
    params: Value,
}

/// A machine, and what came out of it.
struct Machine {
    setup: Setup,
    now: Instant,
    node: NodeId,
    calls: Vec<Call>,
    signals: Vec<Signal>,
    failed: Option<CdpError>,
}

impl Machine {
    fn new() -> Self {
        let node = NodeId::mint();
        let extra = vec![Origin::parse("http://127.0.0.1:8000").unwrap()];
        let setup = Setup::new(SevenOrigins::new(extra), node.clone());
        let mut machine =
            Self { setup, now: Instant::now(), node, calls: Vec::new(), signals: Vec::new(), failed: None };
        machine.drain();
        machine
    }

    fn drain(&mut self) {
        while let Some(output) = self.setup.poll_output() {
            match output {
                Output::Call { id, session, method, params } => {
                    self.calls.push(Call { id, session, method, params });
                }
                Output::Signal(signal) => self.signals.push(signal),
                Output::Failed(error) => self.failed = Some(error),
            }
        }
    }

    /// The oldest call, which has to be this one.
    fn expect(&mut self, method: &str) -> Call {
        assert!(!self.calls.is_empty(), "no call, but {method} was expected");
        let call = self.calls.remove(0);
        assert_eq!(call.method, method);
        call
    }

    fn answer(&mut self, call: &Call, result: &Value) {
        self.setup.answer(call.id, Ok(Answer::new(result).unwrap()), self.now);
        self.drain();
    }

    fn refuse(&mut self, call: &Call) {
        let error = CdpError::Refused { method: call.method.into(), code: -32000, message: "no".into() };
        self.setup.answer(call.id, Err(error), self.now);
        self.drain();
    }

    fn time_out(&mut self, call: &Call) {
        let error = CdpError::TimedOut { method: call.method.into(), limit: Duration::from_secs(10) };
        self.setup.answer(call.id, Err(error), self.now);
        self.drain();
    }

    fn event(&mut self, session: Option<&str>, method: &str, params: &Value) {
        let event = Event::new(session.map(|s| SessionId(s.into())), method, params).unwrap();
        if let Some(event) = events::read(&event) {
            self.setup.event(event);
        }
        self.drain();
    }

    fn tick(&mut self, after: Duration) {
        self.now += after;
        self.setup.tick(self.now);
        self.drain();
    }

    fn list(&mut self, tabs: &[(&str, &str)]) {
        let call = self.expect("Target.getTargets");
        let infos: Vec<Value> =
            tabs.iter().map(|(id, url)| json!({"targetId": id, "type": "page", "url": url})).collect();
        self.answer(&call, &json!({"targetInfos": infos}));
    }

    /// Up to the list of tabs.
    fn discovered() -> Self {
        let mut machine = Self::new();
        let call = machine.expect("Target.setDiscoverTargets");
        machine.answer(&call, &json!({}));
        machine
    }

    fn attach(&mut self, target: &str) {
        let call = self.expect("Target.attachToTarget");
        assert_eq!(call.params, json!({"targetId": target, "flatten": true}));
        self.answer(&call, &json!({"sessionId": SESSION}));
    }

    fn grant(&mut self, origin: &str) {
        for name in facts::PERMISSIONS {
            let call = self.expect("Browser.setPermission");
            assert_eq!(call.params, json!({"permission": {"name": name}, "setting": "granted", "origin": origin}));
            // Best effort: a browser that doesn't know the name changes nothing.
            self.refuse(&call);
        }
    }

    /// Attached to the tab, all steps done.
    fn attached() -> Self {
        let mut machine = Self::discovered();
        machine.list(&[(TAB, SEVEN)]);
        machine.attach(TAB);
        machine.grant("https://seven.sliccy.ai");
        machine.enable();
        machine
    }

    fn enable(&mut self) {
        let call = self.expect("Runtime.addBinding");
        assert_eq!(
            (call.session.as_ref().unwrap().0.as_str(), &call.params),
            (SESSION, &json!({"name": "sliccLinkSend"}))
        );
        self.answer(&call, &json!({}));
        let call = self.expect("Runtime.enable");
        assert_eq!(call.session.as_ref().unwrap().0, SESSION);
        self.answer(&call, &json!({}));
        let call = self.expect("Runtime.addBinding");
        self.answer(&call, &json!({}));
    }

    fn context(&mut self, id: i64, origin: &str, frame: &str, default: bool) {
        self.event(
            Some(SESSION),
            "Runtime.executionContextCreated",
            &json!({"context": {"id": id, "origin": origin, "name": "", "uniqueId": format!("unique-{id}"),
                "auxData": {"isDefault": default, "type": "default", "frameId": frame}}}),
        );
    }

    /// The hello that is under way: its call and its nonce.
    fn hello(&mut self, unique: &str) -> (Call, Nonce) {
        let call = self.expect("Runtime.callFunctionOn");
        assert_eq!(call.params["uniqueContextId"], unique);
        let message = &call.params["arguments"][0]["value"];
        assert_eq!((&message["t"], &message["v"]), (&json!("hello"), &json!(1)));
        assert_eq!(message["node"], self.node.as_str());
        let nonce = Nonce(message["nonce"].as_str().unwrap().to_owned());
        (call, nonce)
    }

    /// Attached, with a context that has its hello.
    fn ready() -> (Self, Nonce) {
        let mut machine = Self::attached();
        machine.context(1, SEVEN, TAB, true);
        let (call, nonce) = machine.hello("unique-1");
        machine.answer(&call, &took(true));
        machine.signals.clear();
        (machine, nonce)
    }

    fn bind(&mut self, context: i64, name: &str, payload: &str) {
        self.event(
            Some(SESSION),
            "Runtime.bindingCalled",
            &json!({"name": name, "payload": payload, "executionContextId": context}),
        );
    }

    fn offer(&mut self, context: i64, nonce: &Nonce) {
        self.bind(context, facts::SEND, &json!({"t": "offer", "nonce": nonce.0, "sdp": "v=0"}).to_string());
    }

    fn notices(&self) -> Vec<Notice> {
        let notice = |signal: &Signal| match signal {
            Signal::Notice(notice) => Some(notice.clone()),
            _ => None,
        };
        self.signals.iter().filter_map(notice).collect()
    }

    fn gone(&self) -> Vec<Nonce> {
        let gone = |signal: &Signal| match signal {
            Signal::Gone { nonce, .. } => Some(nonce.clone()),
            _ => None,
        };
        self.signals.iter().filter_map(gone).collect()
    }
}

fn took(value: bool) -> Value {
    json!({"result": {"type": "boolean", "value": value}})
}

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
fn a_context_that_is_there_before_the_binding_waits_for_it() {
    let mut machine = Machine::discovered();
    machine.list(&[(TAB, SEVEN)]);
    machine.attach(TAB);
    machine.grant("https://seven.sliccy.ai");
    let call = machine.expect("Runtime.addBinding");
    machine.answer(&call, &json!({}));
    let enable = machine.expect("Runtime.enable");
    // The document that a tab starts with, before it is the page that its URL promises.
    machine.context(1, "://", TAB, true);
    machine.context(2, SEVEN, TAB, true);
    assert!(machine.calls.is_empty());
    machine.answer(&enable, &json!({}));
    let call = machine.expect("Runtime.addBinding");
    assert!(machine.calls.is_empty());
    machine.answer(&call, &json!({}));
    machine.hello("unique-2");
    assert_eq!(machine.notices(), [Notice::FoundTab { origin: "https://seven.sliccy.ai".into() }]);
}

#[test]
fn a_context_gets_a_hello_with_a_nonce_of_its_own() {
    let (mut machine, first) = Machine::ready();
    machine.event(Some(SESSION), "Runtime.executionContextsCleared", &json!({}));
    machine.context(2, SEVEN, TAB, true);
    let (_, second) = machine.hello("unique-2");
    assert_ne!(first, second);
}

#[test]
fn the_hello_is_retried_from_100_ms_to_1_s_until_the_page_takes_it() {
    let mut machine = Machine::attached();
    machine.context(1, SEVEN, TAB, true);
    let (mut call, nonce) = machine.hello("unique-1");
    for pause in [100, 200, 400, 800, 1000, 1000, 1000] {
        machine.answer(&call, &took(false));
        assert_eq!(machine.setup.deadline().unwrap() - machine.now, Duration::from_millis(pause));
        machine.tick(Duration::from_millis(pause - 1));
        assert!(machine.calls.is_empty());
        machine.tick(Duration::from_millis(1));
        let (next, same) = machine.hello("unique-1");
        assert_eq!(same, nonce);
        call = next;
    }
    machine.answer(&call, &took(true));
    assert_eq!(machine.setup.deadline(), None);
    assert!(machine.calls.is_empty());
}

#[test]
fn a_hello_that_the_page_threw_on_isnt_repeated_and_one_that_failed_is() {
    let mut machine = Machine::attached();
    machine.context(1, SEVEN, TAB, true);
    let (call, _) = machine.hello("unique-1");
    machine.time_out(&call);
    machine.tick(Duration::from_millis(100));
    let (call, _) = machine.hello("unique-1");
    machine.answer(&call, &json!({"result": {"type": "object"}, "exceptionDetails": {"text": "Uncaught"}}));
    assert_eq!(machine.setup.deadline(), None);
}

#[test]
fn an_offer_candidates_and_a_bye_reach_the_node() {
    let (mut machine, nonce) = Machine::ready();
    machine.offer(1, &nonce);
    let candidate = json!({"t": "candidate", "nonce": nonce.0, "candidate": {"candidate": "c", "sdpMid": "0"}});
    machine.bind(1, facts::SEND, &candidate.to_string());
    let end = json!({"t": "candidate", "nonce": nonce.0, "candidate": null});
    machine.bind(1, facts::SEND, &end.to_string());
    let bye = json!({"t": "bye", "nonce": nonce.0, "reason": "bye\u{7}bye"});
    machine.bind(1, facts::SEND, &bye.to_string());
    let [
        Signal::Offer { nonce: of, sdp },
        Signal::Candidate { candidate: Some(_), .. },
        Signal::Candidate { candidate: None, .. },
        Signal::Bye { reason, .. },
    ] = machine.signals.as_slice()
    else {
        panic!("{:?}", machine.signals)
    };
    assert_eq!((of, sdp.as_str(), reason.as_str()), (&nonce, "v=0", "bye bye"));
}

#[test]
fn an_offer_from_an_iframe_is_ignored_even_with_the_right_nonce() {
    let (mut machine, nonce) = Machine::ready();
    machine.context(2, SEVEN, "IFRAME", true);
    machine.context(3, "https://evil.test", "OTHER-IFRAME", true);
    machine.signals.clear();
    machine.offer(2, &nonce);
    machine.offer(3, &nonce);
    assert!(machine.signals.is_empty(), "{:?}", machine.signals);
    assert!(machine.calls.is_empty(), "an iframe gets no hello");
}

#[test]
fn an_offer_from_an_isolated_world_or_another_session_is_ignored() {
    let (mut machine, nonce) = Machine::ready();
    machine.context(2, SEVEN, TAB, false);
    machine.offer(2, &nonce);
    let call = json!({"name": facts::SEND, "executionContextId": 1,
        "payload": json!({"t": "offer", "nonce": nonce.0, "sdp": "v=0"}).to_string()});
    machine.event(Some("WORKER"), "Runtime.bindingCalled", &call);
    machine.event(None, "Runtime.bindingCalled", &call);
    machine.bind(1, "anotherBinding", &json!({"t": "offer", "nonce": nonce.0, "sdp": "v=0"}).to_string());
    assert!(machine.signals.is_empty(), "{:?}", machine.signals);
}

#[test]
fn a_stale_and_a_forged_nonce_are_ignored() {
    let (mut machine, stale) = Machine::ready();
    machine.event(Some(SESSION), "Runtime.executionContextsCleared", &json!({}));
    // Numeric ids start over in another renderer process, so the id alone proves nothing.
    machine.context(1, SEVEN, TAB, true);
    machine.hello("unique-1");
    machine.signals.clear();
    machine.offer(1, &stale);
    machine.offer(1, &Nonce::mint());
    machine.offer(1, &Nonce(String::new()));
    assert!(machine.signals.is_empty(), "{:?}", machine.signals);
}

#[test]
fn an_offer_from_a_context_that_is_gone_is_ignored() {
    let (mut machine, nonce) = Machine::ready();
    machine.event(Some(SESSION), "Runtime.executionContextDestroyed", &json!({"executionContextId": 1}));
    machine.signals.clear();
    machine.offer(1, &nonce);
    assert!(machine.signals.is_empty(), "{:?}", machine.signals);
}

#[test]
fn huge_and_broken_payloads_are_ignored() {
    let (mut machine, nonce) = Machine::ready();
    let huge = json!({"t": "offer", "nonce": nonce.0, "sdp": "x".repeat(facts::SDP + 1)}).to_string();
    for payload in ["", "null", "{", r#"{"t":"offer"}"#, huge.as_str(), &" ".repeat(facts::MESSAGE + 1)] {
        machine.bind(1, facts::SEND, payload);
    }
    for params in [json!({}), json!([]), json!({"name": 1}), json!({"name": facts::SEND, "payload": {}})] {
        machine.event(Some(SESSION), "Runtime.bindingCalled", &params);
    }
    assert!(machine.signals.is_empty(), "{:?}", machine.signals);
}

#[test]
fn a_page_cant_ask_for_a_hello_or_play_the_node() {
    let (mut machine, nonce) = Machine::ready();
    for t in ["hello", "answer"] {
        machine.bind(1, facts::SEND, &json!({"t": t, "nonce": nonce.0, "sdp": "v=0"}).to_string());
    }
    assert!(machine.signals.is_empty() && machine.calls.is_empty());
}

#[test]
fn a_context_on_another_origin_gets_no_hello_and_isnt_named() {
    let (mut machine, _) = Machine::ready();
    machine.context(2, "https://evil.test", "IFRAME", true);
    machine.context(3, "chrome-extension://abc", TAB, false);
    assert_eq!(machine.notices(), [Notice::IgnoredContext, Notice::IgnoredContext]);
    assert!(machine.calls.is_empty());
    assert!(!format!("{:?}", machine.signals).contains("evil"));
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
fn replies_go_to_the_same_context_one_after_the_other() {
    let (mut machine, nonce) = Machine::ready();
    machine.setup.reply(&Reply::Answer { nonce: nonce.clone(), sdp: "v=0".into() });
    let candidate = Candidate { candidate: "c".into(), sdp_mid: None, sdp_m_line_index: None, username_fragment: None };
    machine.setup.reply(&Reply::Candidate { nonce: nonce.clone(), candidate: Some(candidate) });
    machine.setup.reply(&Reply::Bye { nonce: nonce.clone(), reason: "exit".into() });
    machine.drain();
    for t in ["answer", "candidate", "bye"] {
        assert!(!machine.setup.is_drained());
        let call = machine.expect("Runtime.callFunctionOn");
        assert!(machine.calls.is_empty(), "one at a time");
        assert_eq!(call.params["uniqueContextId"], "unique-1");
        let message = &call.params["arguments"][0]["value"];
        assert_eq!((&message["t"], &message["nonce"]), (&json!(t), &json!(nonce.0)));
        // What the page does with it doesn't matter.
        machine.refuse(&call);
    }
    assert!(machine.setup.is_drained());
}

#[test]
fn a_reply_for_a_context_that_is_gone_is_dropped() {
    let (mut machine, stale) = Machine::ready();
    machine.context(2, SEVEN, TAB, true);
    let (call, _) = machine.hello("unique-2");
    machine.answer(&call, &took(true));
    machine.setup.reply(&Reply::Answer { nonce: stale, sdp: "v=0".into() });
    machine.drain();
    assert!(machine.calls.is_empty() && machine.setup.is_drained());
}

#[test]
fn a_page_that_takes_nothing_makes_the_node_wait() {
    let (mut machine, nonce) = Machine::ready();
    let mut taken = 0;
    while machine.setup.takes_replies() {
        machine.setup.reply(&Reply::Candidate { nonce: nonce.clone(), candidate: None });
        taken += 1;
        assert!(taken < 1000, "the outbox has no bound");
    }
    machine.context(2, SEVEN, TAB, true);
    assert!(machine.setup.takes_replies(), "a new context starts with an empty outbox");
}

fn arbitrary_event() -> impl Strategy<Value = (Option<&'static str>, &'static str, Value)> {
    let target = prop::sample::select(vec![TAB, "OTHER"]);
    let session = prop::sample::select(vec![Some(SESSION), Some("OTHER"), None]);
    let url = prop::sample::select(vec![SEVEN, "https://evil.test/", "about:blank", ""]);
    let method = prop::sample::select(events::FILTER.methods);
    (session, method, target, url, 0..4i64, any::<bool>()).prop_map(|(session, method, target, url, id, default)| {
        let params = json!({
            "targetInfo": {"targetId": target, "type": "page", "url": url},
            "targetId": target,
            "sessionId": if target == TAB { SESSION } else { "OTHER" },
            "context": {"id": id, "origin": url, "uniqueId": id.to_string(),
                "auxData": {"isDefault": default, "frameId": target}},
            "executionContextId": id,
            "name": facts::SEND,
            "payload": r#"{"t":"offer","nonce":"forged","sdp":"v=0"}"#,
        });
        (session, method, params)
    })
}

proptest! {
    #[test]
    fn no_sequence_of_events_forges_an_offer_or_names_a_foreign_origin(
        events in prop::collection::vec((arbitrary_event(), any::<bool>()), 0..60)
    ) {
        let (mut machine, _) = Machine::ready();
        for ((session, method, params), answered) in events {
            machine.event(session, method, &params);
            if answered && !machine.calls.is_empty() {
                let call = machine.calls.remove(0);
                let result = match call.method {
                    "Target.getTargets" => json!({"targetInfos": [{"targetId": TAB, "type": "page", "url": SEVEN}]}),
                    "Target.attachToTarget" => json!({"sessionId": SESSION}),
                    _ => took(true),
                };
                machine.answer(&call, &result);
            }
            machine.tick(Duration::from_secs(1));
        }
        for signal in &machine.signals {
            let forged = matches!(signal, Signal::Offer { .. });
            prop_assert!(!forged, "a forged offer");
            let named = format!("{signal:?}").contains("evil");
            prop_assert!(!named, "a foreign origin");
        }
        // Each context that was announced is gone at most once.
        let gone = machine.gone();
        let unique: std::collections::HashSet<_> = gone.iter().collect();
        prop_assert_eq!(unique.len(), gone.len());
    }
}
