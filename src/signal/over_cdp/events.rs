//! The browser's events, as far as setup needs them. Foreign tabs are dropped here: nothing of them is kept or named.

use serde::Deserialize;

use crate::cdp::{Event, EventFilter, SessionId, TargetId};

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
pub(super) struct TargetInfo {
    pub target_id: TargetId,
    #[serde(rename = "type")]
    kind: String,
    /// Such as `prerender`, for a page that isn't shown in the tab.
    subtype: Option<String>,
    pub url: String,
}

impl TargetInfo {
    pub(super) fn is_page(&self) -> bool {
        self.kind == "page" && self.subtype.is_none()
    }
}

/// An execution context. Its numeric id is unique only within one renderer process; `unique_id` is unique.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextInfo {
    pub id: i64,
    pub origin: String,
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
    pub(super) fn is_main(&self, tab: &TargetId) -> bool {
        self.aux_data.is_default && self.aux_data.frame_id.as_ref() == Some(tab)
    }
}

/// An event that setup acts on.
#[derive(Debug)]
pub(super) enum SetupEvent {
    /// A page tab is there, or its URL changed.
    Tab(TargetInfo),
    /// A target is gone.
    Destroyed(TargetId),
    /// A target's renderer crashed.
    Crashed(TargetId),
    /// A session is over.
    Detached(SessionId),
    /// An execution context is there.
    Context { session: SessionId, context: ContextInfo },
    /// An execution context is gone.
    ContextGone { session: SessionId, id: i64 },
    /// All execution contexts of the session are gone.
    ContextsGone { session: SessionId },
    /// A context called the binding.
    Binding { session: SessionId, context: i64, name: String, payload: String },
}

/// Reads an event; `None` for one that setup has no use for, or that can't be read.
pub(super) fn read(event: &Event) -> Option<SetupEvent> {
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
