//! The browser's events, as far as setup needs them. Foreign tabs are dropped here: nothing of them is kept or named.

use serde::Deserialize;

use crate::cdp::{Answer, Event, EventFilter, SessionId, TargetId, Unreadable};

/// What setup subscribes to. The longest event that it needs names a URL (Chrome: 2 MiB) or carries a setup message, whose
/// escapes can take six bytes for one.
pub(super) const FILTER: EventFilter = EventFilter {
    methods: &[
        "Target.targetCreated",
        "Target.targetInfoChanged",
        "Target.targetDestroyed",
        "Target.targetCrashed",
        "Target.detachedFromTarget",
        "Runtime.executionContextCreated",
        "Runtime.executionContextDestroyed",
        "Runtime.executionContextsCleared",
        "Runtime.bindingCalled",
    ],
    max_bytes: 4 << 20,
    queue: 32,
};

/// A page tab, as an event or `Target.getTargets` describes it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetInfo {
    /// Its id, which is its main frame's id too.
    pub target_id: TargetId,
    #[serde(rename = "type")]
    kind: String,
    /// Such as `prerender`, for a page that isn't shown in the tab.
    subtype: Option<String>,
    /// The URL that it shows.
    pub url: String,
    /// Its title.
    #[serde(default)]
    pub title: String,
}

impl TargetInfo {
    /// Whether it is a page that a tab shows.
    pub fn is_page(&self) -> bool {
        self.kind == "page" && self.subtype.is_none()
    }
}

/// The targets in the answer to `Target.getTargets`.
///
/// # Errors
/// When it can't be read.
pub fn targets(answer: &Answer) -> Result<Vec<TargetInfo>, Unreadable> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Targets {
        target_infos: Vec<TargetInfo>,
    }
    answer.read().map(|Targets { target_infos }| target_infos)
}

/// An execution context. Its numeric id is unique only within one renderer process; `unique_id` is unique.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextInfo {
    /// Its numeric id.
    pub id: i64,
    /// The origin of its document, as the browser writes it.
    pub origin: String,
    /// Its unique id.
    pub unique_id: String,
    #[serde(default)]
    aux_data: AuxData,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AuxData {
    is_default: bool,
    frame_id: Option<TargetId>,
}

impl ContextInfo {
    /// Whether this is the page's own context in the tab's main frame, whose frame id is the tab's target id.
    pub fn is_main(&self, tab: &TargetId) -> bool {
        self.aux_data.is_default && self.aux_data.frame_id.as_ref() == Some(tab)
    }
}

/// An event that setup acts on.
#[derive(Debug)]
pub enum SetupEvent {
    /// A page tab is there, or its URL changed.
    Tab(TargetInfo),
    /// A target is gone.
    Destroyed(TargetId),
    /// A target's renderer crashed.
    Crashed(TargetId),
    /// A session is over.
    Detached(SessionId),
    /// An execution context is there.
    Context {
        /// The session with its target.
        session: SessionId,
        /// The context.
        context: ContextInfo,
    },
    /// An execution context is gone.
    ContextGone {
        /// The session with its target.
        session: SessionId,
        /// The context's numeric id.
        id: i64,
    },
    /// All execution contexts of the session are gone.
    ContextsGone {
        /// The session with their target.
        session: SessionId,
    },
    /// A context called the binding.
    Binding {
        /// The session with the context's target.
        session: SessionId,
        /// The context's numeric id.
        context: i64,
        /// The binding's name.
        name: String,
        /// What the page gave it.
        payload: String,
    },
}

/// Reads an event of the browser's, whose content is the page's: `None` for one that setup has no use for, or that can't be
/// read.
pub fn read(event: &Event) -> Option<SetupEvent> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Info {
        target_info: TargetInfo,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Target {
        target_id: TargetId,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Detached {
        session_id: SessionId,
    }
    #[derive(Deserialize)]
    struct Created {
        context: ContextInfo,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Gone {
        execution_context_id: i64,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Called {
        name: String,
        payload: String,
        execution_context_id: i64,
    }
    let read = match (event.method.as_str(), event.session.clone()) {
        ("Target.targetCreated" | "Target.targetInfoChanged", None) => {
            event.read().map(|Info { target_info }| target_info.is_page().then_some(SetupEvent::Tab(target_info)))
        }
        ("Target.targetDestroyed", None) => {
            event.read().map(|Target { target_id }| Some(SetupEvent::Destroyed(target_id)))
        }
        ("Target.targetCrashed", None) => event.read().map(|Target { target_id }| Some(SetupEvent::Crashed(target_id))),
        ("Target.detachedFromTarget", None) => {
            event.read().map(|Detached { session_id }| Some(SetupEvent::Detached(session_id)))
        }
        ("Runtime.executionContextCreated", Some(session)) => {
            event.read().map(|Created { context }| Some(SetupEvent::Context { session, context }))
        }
        ("Runtime.executionContextDestroyed", Some(session)) => {
            event.read().map(|Gone { execution_context_id: id }| Some(SetupEvent::ContextGone { session, id }))
        }
        ("Runtime.executionContextsCleared", Some(session)) => Ok(Some(SetupEvent::ContextsGone { session })),
        ("Runtime.bindingCalled", Some(session)) => event.read().map(|called: Called| {
            let Called { name, payload, execution_context_id: context } = called;
            Some(SetupEvent::Binding { session, context, name, payload })
        }),
        _ => Ok(None),
    };
    read.unwrap_or_else(|_| {
        tracing::debug!("skipped an event that can't be read: {}", event.method);
        None
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// Parameters like a browser's, in which some fields have other types or are missing.
    fn params() -> impl Strategy<Value = Value> {
        let leaf = || {
            prop_oneof![any::<String>().prop_map(Value::from), any::<i64>().prop_map(Value::from), Just(Value::Null)]
        };
        let info = (leaf(), leaf(), leaf()).prop_map(|(id, kind, url)| {
            json!({"targetId": id, "type": kind, "url": url, "subtype": null, "auxData": {"isDefault": true, "frameId": id}})
        });
        (leaf(), leaf(), leaf(), info).prop_map(|(text, id, payload, info)| {
            json!({"targetInfo": info, "context": info, "targetId": text, "sessionId": text, "executionContextId": id,
                "name": text, "payload": payload})
        })
    }

    proptest! {
        #[test]
        fn any_event_is_read_or_skipped(
            method in prop_oneof![9 => prop::sample::select(FILTER.methods).prop_map(str::to_owned), 1 => any::<String>()],
            session in prop::option::of("[A-F0-9]{0,4}"),
            params in params(),
        ) {
            let session = session.map(SessionId);
            let event = Event::new(session.clone(), &method, &params).unwrap();
            if let Some(read) = read(&event) {
                // A page's events come on a session, and what is said of tabs comes on none.
                let of_a_page = matches!(
                    read,
                    SetupEvent::Context { .. }
                        | SetupEvent::ContextGone { .. }
                        | SetupEvent::ContextsGone { .. }
                        | SetupEvent::Binding { .. }
                );
                prop_assert_eq!(of_a_page, session.is_some());
            }
        }
    }
}
