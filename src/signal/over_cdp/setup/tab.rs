//! A tab that slicc is attached to: the steps that come first, and the page in its main frame.

use std::time::Instant;

use serde_json::json;

use super::{
    super::events::{ContextInfo, TargetInfo},
    outputs::{CallId, Outputs},
    page::Page,
};
use crate::{
    browser::origin::{Origin, SevenOrigins},
    cdp::{Answer, CdpError, SessionId, TargetId},
    generated::link::setup,
    signal::{NodeId, Notice, Signal},
};

/// Why a page is gone in most cases.
const NAVIGATED: &str = "the page was reloaded or left";

/// What people see of a tab.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    url: String,
    title: String,
}

impl From<TargetInfo> for Shown {
    fn from(info: TargetInfo) -> Self {
        Self { url: info.url, title: info.title }
    }
}

#[derive(Debug)]
pub(super) struct Tab {
    pub(super) target: TargetId,
    pub(super) session: SessionId,
    /// The origin that the tab was chosen for.
    origin: Origin,
    /// The step that waits for its answer; `None` once all are done. No page gets its hello before.
    step: Option<(CallId, Step)>,
    /// The origins that have their permissions.
    granted: Vec<Origin>,
    pub(super) page: Option<Page>,
    /// The tab shows no seven, as far as the node knows.
    away: bool,
    /// What it showed of seven last.
    shown: Shown,
}

/// The steps from the attached session to the first hello.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Grant(usize),
    AddBinding,
    EnableRuntime,
    /// The binding again: a tab that changes its process between the two steps before this one (it is just being opened)
    /// loses it. Once Runtime is enabled, the browser keeps it through every navigation.
    KeepBinding,
}

impl Step {
    const FIRST: Self = Self::Grant(0);

    fn next(self) -> Option<Self> {
        match self {
            Self::Grant(permission) if permission + 1 < setup::PERMISSIONS.len() => Some(Self::Grant(permission + 1)),
            Self::Grant(_) => Some(Self::AddBinding),
            Self::AddBinding => Some(Self::EnableRuntime),
            Self::EnableRuntime => Some(Self::KeepBinding),
            Self::KeepBinding => None,
        }
    }
}

/// What an answer means for the tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// Nothing that others need to know.
    None,
    /// The tab's steps are done.
    Ready,
    /// The tab can't be set up.
    Failed,
}

impl Tab {
    /// A tab that was attached to. Its first step is called.
    pub(super) fn new(target: TargetId, session: SessionId, origin: Origin, shown: Shown, out: &mut Outputs) -> Self {
        let (step, page, granted) = (None, None, Vec::new());
        let mut tab = Self { target, session, origin, step, granted, page, away: true, shown: Shown::default() };
        tab.begin(Step::FIRST, out);
        tab.shows(shown, out);
        tab
    }

    /// Notes what the tab shows, which is a URL of seven.
    pub(super) fn shows(&mut self, shown: Shown, out: &mut Outputs) {
        if self.shown != shown {
            out.notice(Notice::Tab { url: shown.url.clone(), title: shown.title.clone() });
            self.shown = shown;
        }
    }

    fn begin(&mut self, step: Step, out: &mut Outputs) {
        let call = match step {
            Step::Grant(permission) => out.grant(&self.origin, permission),
            Step::AddBinding | Step::KeepBinding => {
                out.call(Some(&self.session), "Runtime.addBinding", json!({"name": setup::SEND}))
            }
            Step::EnableRuntime => out.call(Some(&self.session), "Runtime.enable", json!({})),
        };
        self.step = Some((call, step));
    }

    /// Takes the answer to a call.
    pub(super) fn answer(
        &mut self,
        call: CallId,
        result: Result<Answer, CdpError>,
        now: Instant,
        out: &mut Outputs,
    ) -> Progress {
        if let Some((waiting, step)) = self.step
            && waiting == call
        {
            // Permissions are best effort: not every browser knows these names.
            if result.is_err() && !matches!(step, Step::Grant(_)) {
                return Progress::Failed;
            }
            if let Some(next) = step.next() {
                self.begin(next, out);
                return Progress::None;
            }
            self.step = None;
            self.granted.push(self.origin.clone());
            self.start_page(out);
            return Progress::Ready;
        }
        if let Some(page) = &mut self.page
            && page.answer(call, result, now, out)
        {
            self.granted.push(page.origin.clone());
        }
        Progress::None
    }

    fn start_page(&mut self, out: &mut Outputs) {
        if self.step.is_none()
            && let Some(page) = &mut self.page
        {
            page.start(self.granted.contains(&page.origin), out);
        }
    }

    /// A context is there. True when the tab shows seven now and didn't before.
    pub(super) fn context_seen(
        &mut self,
        context: ContextInfo,
        origins: &SevenOrigins,
        node: &NodeId,
        out: &mut Outputs,
    ) -> bool {
        let origin = origins.is_seven(&context.origin);
        if !context.is_main(&self.target) {
            if origin.is_none() {
                out.notice(Notice::IgnoredContext);
            }
            return false;
        }
        // A browser tells of the old context's end first; the new one is proof enough.
        self.page_gone(NAVIGATED, out);
        let Some(origin) = origin else {
            if !std::mem::replace(&mut self.away, true) {
                out.notice(Notice::TabLeft);
            }
            return false;
        };
        let found = std::mem::replace(&mut self.away, false);
        if found {
            out.notice(Notice::FoundTab { origin: origin.to_string() });
        }
        self.page = Some(Page::new(self.session.clone(), context, origin, node));
        self.start_page(out);
        found
    }

    /// A context is gone, the page or another.
    pub(super) fn context_gone(&mut self, id: i64, out: &mut Outputs) {
        if self.page.as_ref().is_some_and(|page| page.is_context(id)) {
            self.page_gone(NAVIGATED, out);
        }
    }

    /// Every context of the tab is gone.
    pub(super) fn contexts_gone(&mut self, out: &mut Outputs) {
        self.page_gone(NAVIGATED, out);
    }

    /// The page is gone, if there was one.
    pub(super) fn page_gone(&mut self, reason: &str, out: &mut Outputs) {
        if let Some(page) = self.page.take() {
            out.signal(Signal::Gone { nonce: page.into_nonce(), reason: reason.to_owned() });
        }
    }

    /// The tab's renderer crashed. What it shows until it is reloaded isn't the user leaving seven.
    pub(super) fn crashed(&mut self, out: &mut Outputs) {
        self.away = true;
        self.page_gone("the seven tab crashed", out);
    }
}
