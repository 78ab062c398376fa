//! What setup asks its edge to do.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    browser::origin::Origin,
    cdp::{CdpError, SessionId},
    generated::link::setup,
    signal::{Notice, Signal},
};

/// Names a call, so that its answer finds its way back.
pub(in crate::signal::over_cdp) type CallId = u64;

/// What the edge has to do.
#[derive(Debug)]
pub(in crate::signal::over_cdp) enum Output {
    /// Call the browser, and hand the answer to [`super::Setup::answer`].
    Call { id: CallId, session: Option<SessionId>, method: &'static str, params: Value },
    /// Tell the node.
    Signal(Signal),
    /// Give up: the browser refuses what setup can't do without.
    Failed(CdpError),
}

/// The outputs that the edge hasn't taken yet. It takes them all after each input.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    queue: VecDeque<Output>,
    calls: CallId,
}

impl Outputs {
    pub(super) fn pop(&mut self) -> Option<Output> {
        self.queue.pop_front()
    }

    pub(super) fn call(&mut self, session: Option<&SessionId>, method: &'static str, params: Value) -> CallId {
        self.calls += 1;
        self.queue.push_back(Output::Call { id: self.calls, session: session.cloned(), method, params });
        self.calls
    }

    /// Grants an origin one of [`setup::PERMISSIONS`].
    pub(super) fn grant(&mut self, origin: &Origin, permission: usize) -> CallId {
        let name = setup::PERMISSIONS[permission];
        let params = json!({"permission": {"name": name}, "setting": "granted", "origin": origin.to_string()});
        self.call(None, "Browser.setPermission", params)
    }

    pub(super) fn signal(&mut self, signal: Signal) {
        self.queue.push_back(Output::Signal(signal));
    }

    pub(super) fn notice(&mut self, notice: Notice) {
        self.signal(Signal::Notice(notice));
    }

    pub(super) fn fail(&mut self, error: CdpError) {
        self.queue.push_back(Output::Failed(error));
    }
}

/// How a pause grows: from 100 ms to 1 s.
#[derive(Debug, Clone, Copy)]
pub(super) struct Backoff(Duration);

impl Backoff {
    pub(super) const START: Self = Self(setup::HELLO_RETRY_FIRST);

    /// The end of the pause that starts now.
    pub(super) fn pause(&mut self, now: Instant) -> Instant {
        let pause = self.0;
        self.0 = (pause * 2).min(setup::HELLO_RETRY_LAST);
        now + pause
    }
}
