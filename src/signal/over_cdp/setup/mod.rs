//! The decisions of setup over CDP, without a socket, a task or a clock: events, answers, replies and time in; calls and
//! signals out. [`super::run`] is its edge.
//!
//! [`Setup`] finds a tab, a `Tab` is attached to it, and a `Page` is the context in it that has a nonce.

mod outputs;
mod page;
mod tab;

#[cfg(test)]
mod tests;

use std::time::Instant;

use serde::Deserialize;
use serde_json::json;

pub(super) use self::outputs::{CallId, Output};
use self::{
    outputs::{Backoff, Outputs},
    page::Page,
    tab::{Progress, Shown, Tab},
};
use super::events::{self, SetupEvent, TargetInfo};
use crate::{
    browser::origin::{Origin, SevenOrigins},
    cdp::{Answer, CdpError, SessionId, TargetId},
    generated::link::setup,
    signal::{NodeId, Notice, Reply},
};

#[derive(Debug)]
enum Phase {
    /// The browser is asked to tell of its targets.
    Discovering { call: CallId },
    /// The browser is asked for its tabs.
    Listing { call: CallId },
    /// A tab couldn't be set up; the browser is asked again later.
    Pausing { until: Instant },
    /// No tab shows seven.
    Waiting,
    /// A tab is being attached to.
    Attaching { call: CallId, target: TargetId, origin: Origin, shown: Shown },
    /// A tab is attached to.
    Attached(Box<Tab>),
    /// Setup failed.
    Over,
}

/// The state machine of setup over CDP.
#[derive(Debug)]
pub(super) struct Setup {
    origins: SevenOrigins,
    node: NodeId,
    phase: Phase,
    out: Outputs,
    backoff: Backoff,
    /// The last tab that couldn't be set up. Another seven tab goes first.
    failed: Option<TargetId>,
    told_waiting: bool,
}

impl Setup {
    /// Starts: the first output is a call.
    pub(super) fn new(origins: SevenOrigins, node: NodeId) -> Self {
        let mut out = Outputs::default();
        let call = out.call(None, "Target.setDiscoverTargets", json!({"discover": true}));
        let phase = Phase::Discovering { call };
        Self { origins, node, phase, out, backoff: Backoff::START, failed: None, told_waiting: false }
    }

    /// The next thing to do.
    pub(super) fn poll_output(&mut self) -> Option<Output> {
        self.out.pop()
    }

    /// When [`Setup::tick`] has something to do.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match &self.phase {
            Phase::Pausing { until } => Some(*until),
            _ => self.page().and_then(Page::deadline),
        }
    }

    /// Whether another reply can be taken.
    pub(super) fn takes_replies(&self) -> bool {
        self.page().is_none_or(Page::takes_replies)
    }

    /// Whether no reply waits for the page.
    pub(super) fn is_drained(&self) -> bool {
        self.page().is_none_or(Page::is_drained)
    }

    /// The session to detach from in the end.
    pub(super) fn session(&self) -> Option<&SessionId> {
        match &self.phase {
            Phase::Attached(tab) => Some(&tab.session),
            _ => None,
        }
    }

    fn page(&self) -> Option<&Page> {
        match &self.phase {
            Phase::Attached(tab) => tab.page.as_ref(),
            _ => None,
        }
    }

    /// Takes an event.
    pub(super) fn event(&mut self, event: SetupEvent) {
        if let SetupEvent::Tab(info) = event {
            return self.tab_seen(info);
        }
        let Phase::Attached(tab) = &mut self.phase else { return };
        let out = &mut self.out;
        match event {
            SetupEvent::Destroyed(target) if target == tab.target => self.tab_gone(),
            SetupEvent::Detached(session) if session == tab.session => self.tab_gone(),
            SetupEvent::Crashed(target) if target == tab.target => tab.crashed(out),
            SetupEvent::Context { session, context } if session == tab.session => {
                let found = tab.context_seen(context, &self.origins, &self.node, out);
                self.told_waiting &= !found;
            }
            SetupEvent::ContextGone { session, id } if session == tab.session => tab.context_gone(id, out),
            SetupEvent::ContextsGone { session } if session == tab.session => tab.contexts_gone(out),
            SetupEvent::Binding { session, context, name, payload }
                if session == tab.session && name == setup::SEND =>
            {
                if let Some(signal) = tab.page.as_ref().and_then(|page| page.binding(context, &payload)) {
                    out.signal(signal);
                }
            }
            // Other tabs and sessions, and other bindings.
            _ => {}
        }
    }

    /// Takes the answer to a call. One that nothing waits for any more is ignored.
    pub(super) fn answer(&mut self, call: CallId, result: Result<Answer, CdpError>, now: Instant) {
        match &mut self.phase {
            Phase::Discovering { call: waiting } if *waiting == call => match result {
                Ok(_) => self.list(),
                Err(error) => {
                    self.phase = Phase::Over;
                    self.out.fail(error);
                }
            },
            Phase::Listing { call: waiting } if *waiting == call => self.listed(result, now),
            Phase::Attaching { call: waiting, .. } if *waiting == call => self.attached(result, now),
            Phase::Attached(tab) => match tab.answer(call, result, now, &mut self.out) {
                Progress::None => {}
                Progress::Ready => {
                    self.failed = None;
                    self.backoff = Backoff::START;
                }
                Progress::Failed => self.give_tab_up(now),
            },
            _ => {}
        }
    }

    /// Does what is due.
    pub(super) fn tick(&mut self, now: Instant) {
        if self.deadline().is_none_or(|deadline| deadline > now) {
            return;
        }
        match &mut self.phase {
            Phase::Pausing { .. } => self.list(),
            Phase::Attached(tab) => {
                if let Some(page) = &mut tab.page {
                    page.say_hello(&mut self.out);
                }
            }
            _ => {}
        }
    }

    /// Takes a reply of the node. One for a page that is gone is dropped.
    pub(super) fn reply(&mut self, reply: Reply) {
        if let Phase::Attached(tab) = &mut self.phase
            && let Some(page) = &mut tab.page
        {
            page.reply(reply, &mut self.out);
        }
    }

    fn list(&mut self) {
        let call = self.out.call(None, "Target.getTargets", json!({}));
        self.phase = Phase::Listing { call };
    }

    fn listed(&mut self, result: Result<Answer, CdpError>, now: Instant) {
        let Ok(Ok(target_infos)) = result.map(|answer| events::targets(&answer)) else {
            return self.pause(now);
        };
        let mut sevens = target_infos
            .into_iter()
            .filter(TargetInfo::is_page)
            .filter_map(|info| Some((self.origins.is_seven(&info.url)?, info)));
        let first = sevens.next();
        let first_failed = first.as_ref().is_some_and(|(_, info)| Some(&info.target_id) == self.failed.as_ref());
        let chosen = if first_failed { sevens.next().or(first) } else { first };
        if let Some((origin, info)) = chosen {
            return self.attach(info, origin);
        }
        self.phase = Phase::Waiting;
        if !std::mem::replace(&mut self.told_waiting, true) {
            self.out.notice(Notice::WaitingForTab);
        }
    }

    fn tab_seen(&mut self, info: TargetInfo) {
        let Some(origin) = self.origins.is_seven(&info.url) else { return };
        // In every other phase, a tab is at hand, or the list that is under way will hold this one.
        match &mut self.phase {
            Phase::Waiting => self.attach(info, origin),
            Phase::Attaching { target, shown, .. } if *target == info.target_id => *shown = info.into(),
            Phase::Attached(tab) if tab.target == info.target_id => tab.shows(info.into(), &mut self.out),
            _ => {}
        }
    }

    fn attach(&mut self, info: TargetInfo, origin: Origin) {
        let target = info.target_id.clone();
        let call = self.out.call(None, "Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        self.phase = Phase::Attaching { call, target, origin, shown: info.into() };
    }

    fn attached(&mut self, result: Result<Answer, CdpError>, now: Instant) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Attached {
            session_id: SessionId,
        }
        let Phase::Attaching { target, origin, shown, .. } = std::mem::replace(&mut self.phase, Phase::Over) else {
            return;
        };
        let Ok(Ok(Attached { session_id })) = result.map(|answer| answer.read()) else {
            // The tab closed meanwhile, or it hangs.
            self.failed = Some(target);
            return self.pause(now);
        };
        self.phase = Phase::Attached(Box::new(Tab::new(target, session_id, origin, shown, &mut self.out)));
    }

    /// The tab is there but can't be set up.
    fn give_tab_up(&mut self, now: Instant) {
        if let Phase::Attached(mut tab) = std::mem::replace(&mut self.phase, Phase::Over) {
            tab.page_gone("the seven tab doesn't answer", &mut self.out);
            self.out.call(None, "Target.detachFromTarget", json!({"sessionId": tab.session}));
            self.failed = Some(tab.target);
        }
        self.pause(now);
    }

    fn pause(&mut self, now: Instant) {
        self.phase = Phase::Pausing { until: self.backoff.pause(now) };
    }

    fn tab_gone(&mut self) {
        if let Phase::Attached(tab) = &mut self.phase {
            tab.page_gone("the seven tab was closed", &mut self.out);
        }
        self.out.notice(Notice::TabClosed);
        self.list();
    }
}
