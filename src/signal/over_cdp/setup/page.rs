//! One execution context of seven: its nonce, its hello, and the messages to and from it.

use std::{collections::VecDeque, time::Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    super::events::ContextInfo,
    outputs::{Backoff, CallId, Outputs},
};
use crate::{
    browser::origin::Origin,
    cdp::{Answer, CdpError, SessionId},
    generated::{events::SetupFromNode, link::setup},
    signal::{NodeId, Nonce, Reply, Signal, message::parse},
};

/// Replies that wait for the page. More wait in the node's channel.
const OUTBOX: usize = 64;

/// A context that has its hello, or is to have it.
#[derive(Debug)]
pub(super) struct Page {
    session: SessionId,
    /// The id in its renderer process.
    id: i64,
    unique_id: String,
    pub(super) origin: Origin,
    nonce: Nonce,
    greeting: Value,
    hello: Hello,
    backoff: Backoff,
    outbox: VecDeque<Value>,
    delivery: Option<CallId>,
}

#[derive(Debug)]
enum Hello {
    /// The tab's steps come first.
    Waiting,
    /// The origin's permissions come first; this one waits for its answer.
    Granting { call: CallId, permission: usize },
    /// The call is under way.
    Calling(CallId),
    /// The page wasn't ready.
    Due(Instant),
    /// The page has it.
    Done,
}

impl Page {
    /// A page with a fresh nonce. Nothing is called before [`Page::start`].
    pub(super) fn new(session: SessionId, context: ContextInfo, origin: Origin, node: &NodeId) -> Self {
        let nonce = Nonce::mint();
        Self {
            session,
            id: context.id,
            unique_id: context.unique_id,
            origin,
            greeting: to_value(&SetupFromNode::hello(&nonce, node)),
            nonce,
            hello: Hello::Waiting,
            backoff: Backoff::START,
            outbox: VecDeque::new(),
            delivery: None,
        }
    }

    /// Says hello, after the permissions unless they are `granted`.
    pub(super) fn start(&mut self, granted: bool, out: &mut Outputs) {
        if granted {
            self.say_hello(out);
        } else {
            self.hello = Hello::Granting { call: out.grant(&self.origin, 0), permission: 0 };
        }
    }

    pub(super) fn into_nonce(self) -> Nonce {
        self.nonce
    }

    pub(super) fn is_context(&self, id: i64) -> bool {
        self.id == id
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        match self.hello {
            Hello::Due(at) => Some(at),
            _ => None,
        }
    }

    pub(super) fn takes_replies(&self) -> bool {
        self.outbox.len() < OUTBOX
    }

    pub(super) fn is_drained(&self) -> bool {
        self.outbox.is_empty() && self.delivery.is_none()
    }

    /// Takes the answer to a call, if it is one of this page's. True once the origin has its permissions.
    pub(super) fn answer(
        &mut self,
        call: CallId,
        result: Result<Answer, CdpError>,
        now: Instant,
        out: &mut Outputs,
    ) -> bool {
        match self.hello {
            // What the page does with a message doesn't matter, and a context that is gone is an event.
            _ if self.delivery == Some(call) => {
                self.delivery = None;
                self.deliver(out);
            }
            Hello::Granting { call: waiting, permission } if waiting == call => {
                // Permissions are best effort: not every browser knows these names.
                let permission = permission + 1;
                if permission == setup::PERMISSIONS.len() {
                    self.say_hello(out);
                    return true;
                }
                self.hello = Hello::Granting { call: out.grant(&self.origin, permission), permission };
            }
            Hello::Calling(waiting) if waiting == call => {
                let taken = result.is_ok_and(|answer| took_it(&answer));
                self.hello = if taken { Hello::Done } else { Hello::Due(self.backoff.pause(now)) };
            }
            _ => {}
        }
        false
    }

    pub(super) fn say_hello(&mut self, out: &mut Outputs) {
        self.hello = Hello::Calling(self.call(&self.greeting, out));
    }

    /// Takes a reply of the node. One for another context is dropped.
    pub(super) fn reply(&mut self, reply: Reply, out: &mut Outputs) {
        if *reply.nonce() == self.nonce {
            self.outbox.push_back(to_value(&reply.into()));
            self.deliver(out);
        }
    }

    /// Sends the next reply. One at a time, so that they arrive in their order.
    fn deliver(&mut self, out: &mut Outputs) {
        if self.delivery.is_none()
            && let Some(message) = self.outbox.pop_front()
        {
            self.delivery = Some(self.call(&message, out));
        }
    }

    /// A context called the binding. It counts only from this context and with its nonce.
    pub(super) fn binding(&self, context: i64, payload: &str) -> Option<Signal> {
        if context != self.id {
            tracing::debug!("ignored a setup message from another context");
            return None;
        }
        match parse(payload) {
            Ok(message) if message.nonce() == Some(&self.nonce) => return message.into_signal(),
            Ok(_) => tracing::debug!("ignored a setup message without this page's nonce"),
            Err(error) => tracing::debug!("ignored a setup message: {error}"),
        }
        None
    }

    /// Hands the page a message, in the context it is for and in no other.
    fn call(&self, message: &Value, out: &mut Outputs) -> CallId {
        let params = json!({
            "functionDeclaration": deliver_function(),
            "arguments": [{"value": message}],
            "uniqueContextId": self.unique_id,
            "returnByValue": true,
            "silent": true,
        });
        out.call(Some(&self.session), "Runtime.callFunctionOn", params)
    }
}

/// A function that hands the page a message if it can take one, and says whether it could.
fn deliver_function() -> String {
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

fn to_value(message: &SetupFromNode) -> Value {
    serde_json::to_value(message).expect("a message of texts and numbers is JSON")
}
