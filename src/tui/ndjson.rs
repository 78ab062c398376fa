//! The NDJSON of `slicc --json`: which events are told, and in which shape (`spec/events/default.schema.json`).

use super::event::SessionEvent;
use crate::{
    generated::{events::SessionLine, link::Cap},
    node::DownReason,
};

/// The version of the lines' shape.
const SCHEMA: u64 = 1;

/// An event as a line of NDJSON; `None` for one that programs aren't told.
pub fn line(event: &SessionEvent) -> Option<SessionLine> {
    let schema = SCHEMA;
    Some(match event.clone() {
        SessionEvent::Discovered { entries } => SessionLine::Discovered { schema, entries },
        SessionEvent::Launched { browser, pid, profile, profile_dir } => SessionLine::Launched {
            schema,
            browser: browser.id,
            name: browser.name,
            version: browser.version.filter(filled),
            role: browser.role,
            pid: pid.into(),
            profile,
            profile_dir,
            cdp: browser.cdp,
            web_socket_debugger_url: browser.web_socket.unwrap_or_default(),
        },
        SessionEvent::Attached { browser, launched } => SessionLine::Attached {
            schema,
            browser: browser.id,
            name: browser.name,
            version: browser.version.filter(filled),
            role: browser.role,
            launched: launched.then_some(true),
            cdp: browser.cdp,
            web_socket_debugger_url: browser.web_socket,
        },
        SessionEvent::Foreign(foreign) => SessionLine::ForeignBrowser {
            schema,
            browser: foreign.id,
            name: foreign.name,
            profile: foreign.profile,
            cdp: foreign.cdp,
            opened_tab: foreign.opened_tab,
        },
        SessionEvent::Linked { peer, tab, caps, policy } => {
            SessionLine::Linked { schema, peer: Some(peer).filter(filled), tab, caps: names(&caps), policy }
        }
        SessionEvent::LinkLost(DownReason::Failed(cause)) => {
            SessionLine::LinkLost { schema, reason: None, message: Some(cause.to_string()).filter(filled) }
        }
        SessionEvent::LinkLost(reason) => {
            SessionLine::LinkLost { schema, reason: Some(reason.to_string()).filter(filled), message: None }
        }
        SessionEvent::BrowserGone { id, name, role } => SessionLine::BrowserGone { schema, browser: id, name, role },
        SessionEvent::BrowserBack { id, name, role } => SessionLine::BrowserBack { schema, browser: id, name, role },
        SessionEvent::Closed { browsers } => SessionLine::Closed { schema, browsers },
        SessionEvent::Error { message, browser } => SessionLine::Error { schema, message, browser },
        SessionEvent::Offering { .. }
        | SessionEvent::WaitingForSeven
        | SessionEvent::Tab { .. }
        | SessionEvent::TabGone
        | SessionEvent::Connecting
        | SessionEvent::StreamOpen { .. }
        | SessionEvent::StreamClose { .. }
        | SessionEvent::Kernel(_)
        | SessionEvent::Status(_) => return None,
    })
}

fn names(caps: &[Cap]) -> Vec<String> {
    caps.iter().map(|cap| cap.as_str().to_owned()).collect()
}

#[allow(clippy::ptr_arg, reason = "Option::filter hands out a reference to what it holds")]
fn filled(text: &String) -> bool {
    !text.is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        generated::{events::SCHEMAS, link::StreamKind},
        link::mux::CloseReason,
        tui::event::{ForeignBrowser, Role, SessionBrowser},
    };

    fn written(event: &SessionEvent) -> Option<Value> {
        let value = serde_json::to_value(line(event)?).unwrap();
        let schema = SCHEMAS.iter().find(|schema| schema.name == "default").unwrap();
        let schema: Value = serde_json::from_str(schema.text).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        if let Err(error) = validator.validate(&value) {
            panic!("{value}: {error}");
        }
        Some(value)
    }

    fn chrome() -> SessionBrowser {
        SessionBrowser {
            id: "chrome".into(),
            name: "Google Chrome".into(),
            version: Some("154.0.8037.98".into()),
            role: Role::Seven,
            cdp: "http://127.0.0.1:53211".into(),
            port: 53211,
            web_socket: Some("ws://127.0.0.1:53211/devtools/browser/0a".into()),
        }
    }

    #[test]
    fn every_event_has_the_documented_fields() {
        let (browser, role) = (chrome(), Role::Extra);
        let caps = vec![Cap::Net, Cap::Http];
        for (event, expected) in [
            (
                SessionEvent::Discovered { entries: Vec::new() },
                json!({"schema": 1, "event": "discovered", "entries": []}),
            ),
            (
                SessionEvent::Launched {
                    browser: browser.clone(),
                    pid: 4242,
                    profile: Some("chrome".into()),
                    profile_dir: Some("/p/chrome".into()),
                },
                json!({"schema": 1, "event": "launched", "browser": "chrome", "name": "Google Chrome",
                    "version": "154.0.8037.98", "role": "seven", "pid": 4242, "profile": "chrome",
                    "profileDir": "/p/chrome", "cdp": "http://127.0.0.1:53211",
                    "webSocketDebuggerUrl": "ws://127.0.0.1:53211/devtools/browser/0a"}),
            ),
            (
                SessionEvent::Attached { browser: browser.clone(), launched: true },
                json!({"schema": 1, "event": "attached", "browser": "chrome", "name": "Google Chrome",
                    "version": "154.0.8037.98", "role": "seven", "launched": true, "cdp": "http://127.0.0.1:53211",
                    "webSocketDebuggerUrl": "ws://127.0.0.1:53211/devtools/browser/0a"}),
            ),
            (
                SessionEvent::Attached {
                    browser: SessionBrowser { version: None, role, web_socket: None, ..browser },
                    launched: false,
                },
                json!({"schema": 1, "event": "attached", "browser": "chrome", "name": "Google Chrome", "role": "extra",
                    "cdp": "http://127.0.0.1:53211"}),
            ),
            (
                SessionEvent::Linked { peer: "seven".into(), tab: Some("https://x/".into()), caps, policy: "p".into() },
                json!({"schema": 1, "event": "linked", "peer": "seven", "tab": "https://x/", "caps": ["net", "http"],
                    "policy": "p"}),
            ),
            (
                SessionEvent::Linked { peer: String::new(), tab: None, caps: Vec::new(), policy: "p".into() },
                json!({"schema": 1, "event": "linked", "caps": [], "policy": "p"}),
            ),
            (
                SessionEvent::LinkLost(DownReason::Exiting),
                json!({"schema": 1, "event": "link-lost", "reason": "slicc is exiting"}),
            ),
            (
                SessionEvent::LinkLost(DownReason::Replaced),
                json!({"schema": 1, "event": "link-lost", "reason": "replaced by a new offer"}),
            ),
            (SessionEvent::LinkLost(DownReason::Bye(String::new())), json!({"schema": 1, "event": "link-lost"})),
            (
                SessionEvent::LinkLost(DownReason::Failed(CloseReason::Local("it broke".into()))),
                json!({"schema": 1, "event": "link-lost", "message": "it broke"}),
            ),
            (
                SessionEvent::BrowserGone { id: "edge".into(), name: "Edge".into(), role },
                json!({"schema": 1, "event": "browser-gone", "browser": "edge", "name": "Edge", "role": "extra"}),
            ),
            (
                SessionEvent::BrowserBack { id: "edge".into(), name: "Edge".into(), role },
                json!({"schema": 1, "event": "browser-back", "browser": "edge", "name": "Edge", "role": "extra"}),
            ),
            (SessionEvent::Closed { browsers: vec![] }, json!({"schema": 1, "event": "closed", "browsers": []})),
            (
                SessionEvent::Error { message: "m".into(), browser: Some("edge".into()) },
                json!({"schema": 1, "event": "error", "message": "m", "browser": "edge"}),
            ),
            (
                SessionEvent::Error { message: "m".into(), browser: None },
                json!({"schema": 1, "event": "error", "message": "m"}),
            ),
        ] {
            assert_eq!(written(&event), Some(expected), "{event:?}");
        }
    }

    #[test]
    fn the_notice_of_a_foreign_browser_is_an_event_and_a_line() {
        let foreign = ForeignBrowser {
            id: "cdp:127.0.0.1:9222".into(),
            name: "Google Chrome".into(),
            profile: Some("default".into()),
            cdp: "http://127.0.0.1:9222".into(),
            opened_tab: true,
        };
        let found = ForeignBrowser { profile: None, opened_tab: false, ..foreign.clone() };
        assert_eq!(
            foreign.line(),
            "using Google Chrome (profile default) at http://127.0.0.1:9222, which slicc didn't launch; opened a new seven \
             tab. Use --browser or --cdp to choose another."
        );
        assert_eq!(
            found.line(),
            "using Google Chrome at http://127.0.0.1:9222, which slicc didn't launch; found a seven tab. Use --browser or \
             --cdp to choose another."
        );
        let expected = json!({"schema": 1, "event": "foreign-browser", "browser": "cdp:127.0.0.1:9222",
            "name": "Google Chrome", "profile": "default", "cdp": "http://127.0.0.1:9222", "openedTab": true});
        assert_eq!(written(&SessionEvent::Foreign(foreign)), Some(expected));
    }

    #[test]
    fn what_only_people_need_is_no_line_for_programs() {
        for event in [
            SessionEvent::WaitingForSeven,
            SessionEvent::Connecting,
            SessionEvent::StreamOpen { kind: StreamKind::Tcp },
            SessionEvent::Tab { url: String::new(), title: "a title".into() },
            SessionEvent::Status("x".into()),
        ] {
            assert_eq!(written(&event), None);
        }
    }
}
