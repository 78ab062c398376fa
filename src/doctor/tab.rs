//! The tab that shows the doctor's page, driven over CDP.

use serde::Deserialize;
use serde_json::{Value, json};
use std::{ops::ControlFlow, time::Duration};

use super::report::CheckResult;
use crate::cdp::{
    CdpError, Client, Endpoint, EndpointError, EventFilter, Events, SessionId,
    message::{TargetId, Unreadable},
};

/// The binding through which the page reports each check as it is done.
const BINDING: &str = "sliccDoctorReport";
/// How long all checks may take together. Each has a limit of its own in the page.
const CHECKS_LIMIT: Duration = Duration::from_mins(5);
/// Events that wait: one for each check.
const QUEUE: usize = 64;
/// The longest report of one check, in bytes.
const MAX_REPORT: usize = 64 * 1024;

/// Why the page could not be driven.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TabError {
    /// The browser can't be connected to.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// A call failed.
    #[error(transparent)]
    Cdp(#[from] CdpError),
    /// The browser or the page answered something else than expected.
    #[error("the page answered something unexpected: {0}")]
    Answer(#[from] Unreadable),
    /// The tab isn't there.
    #[error("the tab with the page is gone")]
    NoTab,
    /// Results of checks didn't arrive.
    #[error("the page did {done} checks, and {reported} of them arrived")]
    Lost {
        /// How many checks were done.
        done: u64,
        /// How many results arrived.
        reported: u64,
    },
    /// The page's script failed.
    #[error("the page failed: {0}")]
    Page(String),
}

/// A tab of a browser.
pub struct Tab {
    client: Client,
    events: Events,
    target: TargetId,
    session: SessionId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: TargetId,
    #[serde(rename = "type")]
    kind: String,
    url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Targets {
    target_infos: Vec<TargetInfo>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: SessionId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    target_id: TargetId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Evaluated {
    result: Returned,
    exception_details: Option<Exception>,
}

/// What a script came to. One that failed has none.
#[derive(Deserialize)]
struct Returned {
    #[serde(default)]
    value: Value,
}

#[derive(Deserialize)]
struct Exception {
    text: String,
}

#[derive(Deserialize)]
struct BindingCalled {
    name: String,
    payload: String,
}

impl Tab {
    /// Attaches to the tab that shows `url`, or opens one.
    ///
    /// # Errors
    /// [`TabError`].
    pub async fn open(endpoint: &Endpoint, url: &str) -> Result<Self, TabError> {
        let filter = EventFilter { methods: &["Runtime.bindingCalled"], max_bytes: MAX_REPORT, queue: QUEUE };
        let (client, events) = Client::connect(endpoint, filter).await?;
        let targets: Targets = client.call(None, "Target.getTargets", json!({})).await?.read()?;
        let shown = targets.target_infos.into_iter().find(|target| target.kind == "page" && target.url == url);
        let target = match shown {
            Some(target) => target.target_id,
            None => client.call(None, "Target.createTarget", json!({ "url": url })).await?.read::<Created>()?.target_id,
        };
        let attach = json!({ "targetId": target, "flatten": true });
        let session = client.call(None, "Target.attachToTarget", attach).await?.read::<Attached>()?.session_id;
        client.call(Some(&session), "Runtime.enable", json!({})).await?;
        Ok(Self { client, events, target, session })
    }

    /// Has the page, which is loaded by now, run its checks, and passes each result on as it comes, until `report` wants no more.
    ///
    /// # Errors
    /// [`TabError`] when the page can't be driven, or when results got lost. A check that fails is a result.
    pub async fn run_checks(
        &mut self,
        config: &str,
        mut report: impl FnMut(CheckResult) -> ControlFlow<()>,
    ) -> Result<(), TabError> {
        // A document that came after the binding can be without it, so the binding comes after the document.
        self.client.call(Some(&self.session), "Runtime.addBinding", json!({ "name": BINDING })).await?;
        let expression = format!("sliccDoctor.run({config}).then(results => results.length)");
        let evaluate = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let done = self.client.call_within(CHECKS_LIMIT, Some(&self.session), "Runtime.evaluate", evaluate);
        let mut done = std::pin::pin!(done);
        let mut reported = 0;
        loop {
            tokio::select! {
                biased;
                event = self.events.next() => {
                    let called: BindingCalled = event?.read()?;
                    if called.name == BINDING {
                        let result = serde_json::from_str(&called.payload).map_err(|_| Unreadable)?;
                        if report(result).is_break() {
                            return Ok(());
                        }
                        reported += 1;
                    }
                }
                answer = &mut done => {
                    let Evaluated { result, exception_details } = answer?.read()?;
                    return match (exception_details, result.value.as_u64()) {
                        (Some(exception), _) => Err(TabError::Page(exception.text)),
                        (None, Some(done)) if done == reported => Ok(()),
                        (None, Some(done)) => Err(TabError::Lost { done, reported }),
                        (None, None) => Err(Unreadable.into()),
                    };
                }
            }
        }
    }

    /// Has the page reach the server in itself through kernel services at this URL.
    ///
    /// # Errors
    /// [`TabError`] when the page can't be driven. A check that fails is a result.
    pub async fn reach_page_server(&self, url: &str) -> Result<CheckResult, TabError> {
        let expression = format!("sliccDoctor.reachPageServer({})", Value::from(url));
        let evaluate = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.client.call_within(CHECKS_LIMIT, Some(&self.session), "Runtime.evaluate", evaluate).await?;
        let Evaluated { result, exception_details } = answer.read()?;
        match exception_details {
            None => Ok(serde_json::from_value(result.value).map_err(|_| Unreadable)?),
            Some(exception) => Err(TabError::Page(exception.text)),
        }
    }

    /// Closes the tab.
    ///
    /// # Errors
    /// [`TabError`] when the browser doesn't.
    pub async fn close(self) -> Result<(), TabError> {
        self.client.call(None, "Target.closeTarget", json!({ "targetId": self.target })).await?;
        Ok(())
    }

    /// Asks the browser to quit. Whether it took the call.
    pub async fn close_browser(self) -> bool {
        self.client.call(None, "Browser.close", json!({})).await.is_ok()
    }
}
