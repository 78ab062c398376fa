//! The decisions of setup over CDP, without a socket, a task or a clock: events, answers, replies and time in; calls and
//! signals out. [`super::run`] is its edge.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use serde::Deserialize;
use serde_json::{Value, json};

use super::events::{ContextInfo, SetupEvent, TargetInfo};
use crate::{
    browser::origin::{Origin, SevenOrigins},
    cdp::{Answer, CdpError, SessionId, TargetId},
    generated::link::setup,
    signal::{
        NodeId, Nonce, Notice, Reply, Signal,
        message::{NodeMessage, PageBody, PageMessage, parse},
    },
};

/// Replies that wait for the page. More wait in the node's channel.
const OUTBOX: usize = 64;

/// Names a call, so that its answer finds its way back.
pub(super) type CallId = u64;

/// What the edge has to do.
#[derive(Debug)]
pub(super) enum Output {
    /// Call the browser, and hand the answer to [`Setup::answer`].
    Call { id: CallId, session: Option<SessionId>, method: &'static str, params: Value },
    /// Tell the node.
    Signal(Signal),
    /// Give up: the browser refuses what setup can't do without.
    Failed(CdpError),
}

/// How a pause grows: from 100 ms to 1 s.
#[derive(Debug, Clone, Copy)]
struct Backoff(Duration);

impl Backoff {
    const START: Self = Self(setup::HELLO_RETRY_FIRST);

    /// The end of the pause that starts now.
    fn pause(&mut self, now: Instant) -> Instant {
        let pause = self.0;
        self.0 = (pause * 2).min(setup::HELLO_RETRY_LAST);
        now + pause
    }
}

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
    Attaching { call: CallId, target: TargetId, origin: Origin },
    /// A tab is attached to.
    Attached(Tab),
    /// Setup failed.
    Over,
}

/// The steps from the attached session to the first context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Grant(usize),
    AddBinding,
    EnableRuntime,
}

#[derive(Debug)]
struct Tab {
    target: TargetId,
    session: SessionId,
    /// The step that waits for its answer; `None` once all are done.
    step: Option<(CallId, Step)>,
    /// The origins that have their permissions.
    granted: Vec<Origin>,
    context: Option<Context>,
    /// The tab shows no seven, and the node knows.
    away: bool,
}

#[derive(Debug)]
struct Context {
    id: i64,
    unique_id: String,
    origin: Origin,
    nonce: Nonce,
    hello: Hello,
    backoff: Backoff,
    outbox: VecDeque<Value>,
    delivery: Option<CallId>,
}

#[derive(Debug)]
enum Hello {
    /// The origin's permissions come first; this one waits for its answer.
    Granting { call: CallId, permission: usize },
    /// The call is under way.
    Calling(CallId),
    /// The page wasn't ready.
    Due(Instant),
    /// The page has it.
    Done,
}

/// The state machine of setup over CDP.
#[derive(Debug)]
pub(super) struct Setup {
    origins: SevenOrigins,
    node: NodeId,
    phase: Phase,
    outputs: VecDeque<Output>,
    calls: CallId,
    backoff: Backoff,
    /// The last tab that couldn't be set up. Another seven tab goes first.
    failed: Option<TargetId>,
    told_waiting: bool,
}

impl Setup {
    /// Starts: the first output is a call.
    pub(super) fn new(origins: SevenOrigins, node: NodeId) -> Self {
        let mut setup = Self {
            origins,
            node,
            phase: Phase::Over,
            outputs: VecDeque::new(),
            calls: 0,
            backoff: Backoff::START,
            failed: None,
            told_waiting: false,
        };
        let call = setup.call(None, "Target.setDiscoverTargets", json!({"discover": true}));
        setup.phase = Phase::Discovering { call };
        setup
    }

    /// The next thing to do.
    pub(super) fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When [`Setup::tick`] has something to do.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match &self.phase {
            Phase::Pausing { until } => Some(*until),
            Phase::Attached(Tab { context: Some(Context { hello: Hello::Due(at), .. }), .. }) => Some(*at),
            _ => None,
        }
    }

    /// Whether another reply can be taken.
    pub(super) fn takes_replies(&self) -> bool {
        self.context().is_none_or(|context| context.outbox.len() < OUTBOX)
    }

    /// Whether no reply waits for the page.
    pub(super) fn is_drained(&self) -> bool {
        self.context().is_none_or(|context| context.outbox.is_empty() && context.delivery.is_none())
    }

    /// The session to detach from in the end.
    pub(super) fn session(&self) -> Option<&SessionId> {
        match &self.phase {
            Phase::Attached(tab) => Some(&tab.session),
            _ => None,
        }
    }

    fn context(&self) -> Option<&Context> {
        match &self.phase {
            Phase::Attached(tab) => tab.context.as_ref(),
            _ => None,
        }
    }

    /// Takes an event.
    pub(super) fn event(&mut self, event: SetupEvent, now: Instant) {
        match event {
            SetupEvent::Tab(info) => self.tab_seen(info),
            SetupEvent::Destroyed(target) => {
                if matches!(&self.phase, Phase::Attached(tab) if tab.target == target) {
                    self.tab_gone();
                }
            }
            SetupEvent::Detached(session) => {
                if self.session() == Some(&session) {
                    self.tab_gone();
                }
            }
            SetupEvent::Crashed(target) => {
                if let Phase::Attached(tab) = &mut self.phase
                    && tab.target == target
                {
                    // What comes before the tab is reloaded isn't the user leaving seven.
                    tab.away = true;
                    self.context_gone("the seven tab crashed");
                }
            }
            SetupEvent::Context { session, context } => {
                if self.session() == Some(&session) {
                    self.context_seen(context, now);
                }
            }
            SetupEvent::ContextGone { session, id } => {
                if self.session() == Some(&session) && self.context().is_some_and(|context| context.id == id) {
                    self.context_gone(NAVIGATED);
                }
            }
            SetupEvent::ContextsGone { session } => {
                if self.session() == Some(&session) {
                    self.context_gone(NAVIGATED);
                }
            }
            SetupEvent::Binding { session, context, name, payload } => {
                if self.session() == Some(&session) && name == setup::SEND {
                    self.binding(context, &payload);
                }
            }
        }
    }

    /// Takes the answer to a call. One that nothing waits for any more is ignored.
    pub(super) fn answer(&mut self, call: CallId, result: Result<Answer, CdpError>, now: Instant) {
        match &mut self.phase {
            Phase::Discovering { call: waiting } if *waiting == call => match result {
                Ok(_) => self.list(),
                Err(error) => self.fail(error),
            },
            Phase::Listing { call: waiting } if *waiting == call => self.listed(result, now),
            Phase::Attaching { call: waiting, .. } if *waiting == call => self.attached(result, now),
            Phase::Attached(tab) => {
                if let Some((waiting, step)) = tab.step
                    && waiting == call
                {
                    self.step_done(step, &result, now);
                } else {
                    self.context_answer(call, result, now);
                }
            }
            _ => {}
        }
    }

    /// Does what is due.
    pub(super) fn tick(&mut self, now: Instant) {
        if self.deadline().is_none_or(|deadline| deadline > now) {
            return;
        }
        match &self.phase {
            Phase::Pausing { .. } => self.list(),
            _ => self.say_hello(),
        }
    }

    /// Takes a reply of the node. One for a context that is gone is dropped.
    pub(super) fn reply(&mut self, reply: &Reply) {
        if let Phase::Attached(tab) = &mut self.phase
            && let Some(context) = &mut tab.context
            && context.nonce == *reply.nonce()
        {
            context.outbox.push_back(to_value(&NodeMessage::from(reply)));
            self.deliver();
        }
    }

    // Tabs.

    fn list(&mut self) {
        let call = self.call(None, "Target.getTargets", json!({}));
        self.phase = Phase::Listing { call };
    }

    fn listed(&mut self, result: Result<Answer, CdpError>, now: Instant) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Targets {
            target_infos: Vec<TargetInfo>,
        }
        let Ok(Ok(targets)) = result.map(|answer| answer.read::<Targets>()) else {
            return self.pause(now);
        };
        let mut sevens = targets
            .target_infos
            .into_iter()
            .filter(TargetInfo::is_page)
            .filter_map(|info| Some((self.origins.is_seven(&info.url)?, info.target_id)));
        let first = sevens.next();
        let first_failed = first.as_ref().is_some_and(|(_, target)| Some(target) == self.failed.as_ref());
        let chosen = if first_failed { sevens.next().or(first) } else { first };
        match chosen {
            Some((origin, target)) => self.attach(target, origin),
            None => {
                self.phase = Phase::Waiting;
                if !self.told_waiting {
                    self.told_waiting = true;
                    self.notice(Notice::WaitingForTab);
                }
            }
        }
    }

    fn tab_seen(&mut self, info: TargetInfo) {
        if matches!(self.phase, Phase::Waiting)
            && let Some(origin) = self.origins.is_seven(&info.url)
        {
            self.attach(info.target_id, origin);
        }
    }

    fn attach(&mut self, target: TargetId, origin: Origin) {
        let call = self.call(None, "Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        self.phase = Phase::Attaching { call, target, origin };
    }

    fn attached(&mut self, result: Result<Answer, CdpError>, now: Instant) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Attached {
            session_id: SessionId,
        }
        let Phase::Attaching { target, origin, .. } = std::mem::replace(&mut self.phase, Phase::Over) else { return };
        match result.map(|answer| answer.read::<Attached>()) {
            Ok(Ok(Attached { session_id: session })) => {
                let step = Step::Grant(0);
                let call = self.step(&session, &origin, step);
                self.phase = Phase::Attached(Tab {
                    target,
                    session,
                    step: Some((call, step)),
                    granted: vec![origin],
                    context: None,
                    away: false,
                });
            }
            // The tab closed meanwhile, or it hangs.
            _ => {
                self.failed = Some(target);
                self.pause(now);
            }
        }
    }

    fn step(&mut self, session: &SessionId, origin: &Origin, step: Step) -> CallId {
        match step {
            Step::Grant(permission) => self.grant(origin, permission),
            Step::AddBinding => self.call(Some(session), "Runtime.addBinding", json!({"name": setup::SEND})),
            Step::EnableRuntime => self.call(Some(session), "Runtime.enable", json!({})),
        }
    }

    fn step_done(&mut self, step: Step, result: &Result<Answer, CdpError>, now: Instant) {
        let Phase::Attached(tab) = &mut self.phase else { return };
        let next = match (step, result) {
            // Permissions are best effort: not every browser knows these names.
            (Step::Grant(permission), _) if permission + 1 < setup::PERMISSIONS.len() => {
                Some(Step::Grant(permission + 1))
            }
            (Step::Grant(_), _) => Some(Step::AddBinding),
            (Step::AddBinding, Ok(_)) => Some(Step::EnableRuntime),
            (Step::EnableRuntime, Ok(_)) => None,
            (_, Err(_)) => return self.give_tab_up(now),
        };
        let Some(next) = next else {
            tab.step = None;
            return;
        };
        let (session, origin) = (tab.session.clone(), tab.granted[0].clone());
        if next == Step::EnableRuntime {
            self.told_waiting = false;
            self.failed = None;
            self.backoff = Backoff::START;
            self.notice(Notice::FoundTab { origin: origin.to_string() });
        }
        let call = self.step(&session, &origin, next);
        if let Phase::Attached(tab) = &mut self.phase {
            tab.step = Some((call, next));
        }
    }

    /// The tab is there but can't be set up.
    fn give_tab_up(&mut self, now: Instant) {
        self.context_gone("the seven tab doesn't answer");
        if let Phase::Attached(tab) = std::mem::replace(&mut self.phase, Phase::Over) {
            self.call(None, "Target.detachFromTarget", json!({"sessionId": tab.session}));
            self.failed = Some(tab.target);
        }
        self.pause(now);
    }

    fn pause(&mut self, now: Instant) {
        self.phase = Phase::Pausing { until: self.backoff.pause(now) };
    }

    fn tab_gone(&mut self) {
        self.context_gone("the seven tab was closed");
        self.notice(Notice::TabClosed);
        self.list();
    }

    fn fail(&mut self, error: CdpError) {
        self.phase = Phase::Over;
        self.outputs.push_back(Output::Failed(error));
    }

    // Contexts.

    fn context_seen(&mut self, info: ContextInfo, now: Instant) {
        let Phase::Attached(tab) = &self.phase else { return };
        let origin = self.origins.is_seven(&info.origin);
        if !info.is_main(&tab.target) {
            if origin.is_none() {
                self.notice(Notice::IgnoredContext);
            }
            return;
        }
        // A browser tells of the old context's end first; the new one is proof enough.
        self.context_gone(NAVIGATED);
        let Phase::Attached(tab) = &mut self.phase else { return };
        let Some(origin) = origin else {
            if !std::mem::replace(&mut tab.away, true) {
                self.notice(Notice::TabLeft);
            }
            return;
        };
        let came_back = std::mem::replace(&mut tab.away, false);
        let granted = tab.granted.contains(&origin);
        tab.context = Some(Context {
            id: info.id,
            unique_id: info.unique_id,
            origin: origin.clone(),
            nonce: Nonce::mint(),
            hello: Hello::Due(now),
            backoff: Backoff::START,
            outbox: VecDeque::new(),
            delivery: None,
        });
        if came_back {
            self.notice(Notice::FoundTab { origin: origin.to_string() });
        }
        if granted {
            self.say_hello();
        } else {
            let call = self.grant(&origin, 0);
            self.set_hello(Hello::Granting { call, permission: 0 });
        }
    }

    fn context_gone(&mut self, reason: &str) {
        if let Phase::Attached(tab) = &mut self.phase
            && let Some(context) = tab.context.take()
        {
            self.outputs.push_back(Output::Signal(Signal::Gone { nonce: context.nonce, reason: reason.to_owned() }));
        }
    }

    fn context_answer(&mut self, call: CallId, result: Result<Answer, CdpError>, now: Instant) {
        let Phase::Attached(tab) = &mut self.phase else { return };
        let Some(context) = &mut tab.context else { return };
        if context.delivery == Some(call) {
            context.delivery = None;
            return self.deliver();
        }
        match context.hello {
            Hello::Granting { call: waiting, permission } if waiting == call => {
                let (origin, permission) = (context.origin.clone(), permission + 1);
                if permission < setup::PERMISSIONS.len() {
                    let call = self.grant(&origin, permission);
                    self.set_hello(Hello::Granting { call, permission });
                } else {
                    tab.granted.push(origin);
                    self.say_hello();
                }
            }
            Hello::Calling(waiting) if waiting == call => {
                if result.is_ok_and(|answer| took_it(&answer)) {
                    context.hello = Hello::Done;
                    self.deliver();
                } else {
                    context.hello = Hello::Due(context.backoff.pause(now));
                }
            }
            _ => {}
        }
    }

    fn say_hello(&mut self) {
        let Phase::Attached(Tab { context: Some(context), .. }) = &self.phase else { return };
        let message = to_value(&NodeMessage::hello(&context.nonce, &self.node));
        if let Some(call) = self.call_page(message) {
            self.set_hello(Hello::Calling(call));
        }
    }

    fn set_hello(&mut self, hello: Hello) {
        if let Phase::Attached(Tab { context: Some(context), .. }) = &mut self.phase {
            context.hello = hello;
        }
    }

    /// Sends the next reply. One at a time, so that they arrive in their order.
    fn deliver(&mut self) {
        let Phase::Attached(Tab { context: Some(context), .. }) = &mut self.phase else { return };
        if context.delivery.is_some() {
            return;
        }
        let Some(message) = context.outbox.pop_front() else { return };
        let call = self.call_page(message);
        if let Phase::Attached(Tab { context: Some(context), .. }) = &mut self.phase {
            context.delivery = call;
        }
    }

    fn binding(&mut self, context_id: i64, payload: &str) {
        let Some(context) = self.context().filter(|context| context.id == context_id) else {
            tracing::debug!("ignored a setup message from another context");
            return;
        };
        match parse(payload) {
            Ok(Some(PageMessage::Of { nonce, body })) if nonce == context.nonce => {
                self.outputs.push_back(Output::Signal(body.into_signal(nonce)));
            }
            Ok(Some(PageMessage::Of { .. })) => tracing::debug!("ignored a setup message with another nonce"),
            Ok(_) => tracing::debug!("ignored a setup message of another type"),
            Err(error) => tracing::debug!("ignored a setup message: {error}"),
        }
    }

    // Outputs.

    fn notice(&mut self, notice: Notice) {
        self.outputs.push_back(Output::Signal(Signal::Notice(notice)));
    }

    fn grant(&mut self, origin: &Origin, permission: usize) -> CallId {
        let name = setup::PERMISSIONS[permission];
        let params = json!({"permission": {"name": name}, "setting": "granted", "origin": origin.to_string()});
        self.call(None, "Browser.setPermission", params)
    }

    /// Hands a message to the page, in the context it is for and in no other.
    fn call_page(&mut self, message: Value) -> Option<CallId> {
        let Phase::Attached(Tab { session, context: Some(context), .. }) = &self.phase else { return None };
        let params = json!({
            "functionDeclaration": deliver(),
            "arguments": [{"value": message}],
            "uniqueContextId": context.unique_id,
            "returnByValue": true,
            "silent": true,
        });
        let session = session.clone();
        Some(self.call(Some(&session), "Runtime.callFunctionOn", params))
    }

    fn call(&mut self, session: Option<&SessionId>, method: &'static str, params: Value) -> CallId {
        self.calls += 1;
        self.outputs.push_back(Output::Call { id: self.calls, session: session.cloned(), method, params });
        self.calls
    }
}

/// Why a context is gone in most cases.
const NAVIGATED: &str = "the page was reloaded or left";

/// A function that hands the page a message if it can take one, and says whether it could.
fn deliver() -> String {
    format!(
        "function (message) {{ const receive = globalThis.{}; if (typeof receive !== 'function') {{ return false; }} \
         receive(message); return true; }}",
        setup::RECEIVE
    )
}

/// Whether the page's function was there. One that threw was.
fn took_it(answer: &Answer) -> bool {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Called {
        result: Remote,
        exception_details: Option<serde::de::IgnoredAny>,
    }
    #[derive(Deserialize)]
    struct Remote {
        value: Option<Value>,
    }
    answer
        .read::<Called>()
        .is_ok_and(|called| called.exception_details.is_some() || called.result.value == Some(Value::Bool(true)))
}

fn to_value(message: &NodeMessage<'_>) -> Value {
    serde_json::to_value(message).expect("a message of texts and numbers is JSON")
}

impl PageBody {
    /// The signal that the message is for the node.
    pub(in crate::signal) fn into_signal(self, nonce: Nonce) -> Signal {
        match self {
            Self::Offer { sdp } => Signal::Offer { nonce, sdp },
            Self::Candidate(candidate) => Signal::Candidate { nonce, candidate },
            Self::Bye { reason } => Signal::Bye { nonce, reason },
        }
    }
}
