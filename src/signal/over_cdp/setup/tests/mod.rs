//! Each rule of setup over CDP, without a browser.

mod pages;
mod tabs;

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
    /// The URLs and titles that were told.
    shown: Vec<(String, String)>,
    failed: Option<CdpError>,
}

impl Machine {
    fn new() -> Self {
        let node = NodeId::mint();
        let extra = vec![Origin::parse("http://127.0.0.1:8000").unwrap()];
        let setup = Setup::new(SevenOrigins::new(extra), node.clone());
        let (calls, signals, shown) = (Vec::new(), Vec::new(), Vec::new());
        let mut machine = Self { setup, now: Instant::now(), node, calls, signals, shown, failed: None };
        machine.drain();
        machine
    }

    fn drain(&mut self) {
        while let Some(output) = self.setup.poll_output() {
            match output {
                Output::Call { id, session, method, params } => {
                    self.calls.push(Call { id, session, method, params });
                }
                Output::Signal(Signal::Notice(Notice::Tab { url, title })) => self.shown.push((url, title)),
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
