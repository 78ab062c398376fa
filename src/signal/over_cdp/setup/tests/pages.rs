//! Pages: hellos, messages and replies.

use super::*;

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
fn replies_go_to_the_same_context_one_after_the_other() {
    let (mut machine, nonce) = Machine::ready();
    machine.setup.reply(Reply::Answer { nonce: nonce.clone(), sdp: "v=0".into() });
    let candidate = Candidate { candidate: "c".into(), sdp_mid: None, sdp_m_line_index: None, username_fragment: None };
    machine.setup.reply(Reply::Candidate { nonce: nonce.clone(), candidate: Some(candidate) });
    machine.setup.reply(Reply::Bye { nonce: nonce.clone(), reason: "exit".into() });
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
    machine.setup.reply(Reply::Answer { nonce: stale, sdp: "v=0".into() });
    machine.drain();
    assert!(machine.calls.is_empty() && machine.setup.is_drained());
}

#[test]
fn a_page_that_takes_nothing_makes_the_node_wait() {
    let (mut machine, nonce) = Machine::ready();
    let mut taken = 0;
    while machine.setup.takes_replies() {
        machine.setup.reply(Reply::Candidate { nonce: nonce.clone(), candidate: None });
        taken += 1;
        assert!(taken < 1000, "the outbox has no bound");
    }
    machine.context(2, SEVEN, TAB, true);
    assert!(machine.setup.takes_replies(), "a new context starts with an empty outbox");
}
