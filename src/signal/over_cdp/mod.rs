//! Setup over CDP: finds the seven tab in a running browser, and carries offers and answers between it and the node
//! (section "Setup over CDP" of the requirement).
//!
//! The decisions are in `setup`, which knows neither sockets nor clocks. This file gives it events, answers and time.

pub mod events;
mod setup;

#[cfg(test)]
#[cfg(unix)]
mod chromium_tests;

use std::{collections::VecDeque, future, time::Duration};

use futures_util::{StreamExt, stream::FuturesUnordered};
use serde_json::json;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use self::setup::{Output, Setup};
use super::{Ended, NodeId, Reply, Signal, SignalError, Signaller};
use crate::{
    browser::origin::SevenOrigins,
    cdp::{CdpError, Client, Endpoint, EndpointError, Events},
};

/// How long the farewell may take, in which what waits for the page is delivered.
pub const FAREWELL: Duration = Duration::from_secs(1);

/// A connection to the browser whose tab is to be linked.
#[derive(Debug)]
pub struct OverCdp {
    client: Client,
    events: Events,
    origins: SevenOrigins,
    node: NodeId,
}

impl OverCdp {
    /// Connects to the browser. `endpoint` names its HTTP endpoint or its WebSocket.
    pub async fn connect(endpoint: &Endpoint, origins: SevenOrigins, node: NodeId) -> Result<Self, EndpointError> {
        let (client, events) = Client::connect(endpoint, events::FILTER).await?;
        Ok(Self { client, events, origins, node })
    }

    /// Opens a page in a new tab, unless a tab shows seven. Returns whether it did.
    ///
    /// # Errors
    /// A [`CdpError`] when the browser doesn't list its tabs or opens none.
    pub async fn open_unless_seven(&self, page: &str) -> Result<bool, CdpError> {
        let listed = self.client.call(None, "Target.getTargets", json!({})).await?;
        let tabs = events::targets(&listed)?;
        if tabs.iter().any(|tab| tab.is_page() && self.origins.is_seven(&tab.url).is_some()) {
            return Ok(false);
        }
        self.client.call(None, "Target.createTarget", json!({"url": page})).await?;
        Ok(true)
    }
}

impl Signaller for OverCdp {
    /// Runs setup until `shutdown`, or until the node or the browser is gone.
    ///
    /// Signals and replies never wait for each other: while `signals` is full, replies are still taken, and only the browser's
    /// events wait. After `shutdown`, replies are still delivered until the node drops its sender, for at most
    /// [`FAREWELL`]; so a node says bye by sending it and dropping the sender. Then slicc detaches from the tab, which may
    /// take as long.
    async fn run(
        self,
        signals: mpsc::Sender<Signal>,
        mut replies: mpsc::Receiver<Reply>,
        shutdown: CancellationToken,
    ) -> Result<Ended, SignalError> {
        let OverCdp { client, mut events, origins, node } = self;
        let mut setup = Setup::new(origins, node);
        let mut calls = FuturesUnordered::new();
        let mut backlog = VecDeque::new();
        let mut replies_open = true;
        let mut stopping: Option<Stopping> = None;
        loop {
            while let Some(output) = setup.poll_output() {
                match output {
                    Output::Call { id, session, method, params } => {
                        let client = client.clone();
                        calls.push(async move { (id, client.call(session.as_ref(), method, params).await) });
                    }
                    Output::Signal(signal) => backlog.push_back(signal),
                    Output::Failed(CdpError::Closed) => return Err(SignalError::BrowserClosed),
                    Output::Failed(error) => return Err(SignalError::Browser(error)),
                }
            }
            if let Some(stopping) = stopping {
                // Nobody listens any more.
                backlog.clear();
                if !replies_open && setup.is_drained() {
                    return Ok(detach(&client, events, &setup, stopping.ended).await);
                }
            }
            tokio::select! {
                biased;
                () = shutdown.cancelled(), if stopping.is_none() => stopping = Some(Stopping::now(Ended::Shutdown)),
                ended = Stopping::deadline(stopping) => return Ok(detach(&client, events, &setup, ended).await),
                permit = signals.reserve(), if !backlog.is_empty() => {
                    if let Ok(permit) = permit {
                        if let Some(signal) = backlog.pop_front() {
                            permit.send(signal);
                        }
                    } else {
                        stopping = Some(Stopping::node_gone(&shutdown));
                    }
                }
                Some((id, result)) = calls.next(), if !calls.is_empty() => {
                    if matches!(result, Err(CdpError::Closed)) {
                        return closed(stopping);
                    }
                    setup.answer(id, result, std::time::Instant::now());
                }
                reply = replies.recv(), if replies_open && setup.takes_replies() => {
                    if let Some(reply) = reply {
                        setup.reply(reply);
                    } else {
                        replies_open = false;
                        stopping.get_or_insert_with(|| Stopping::node_gone(&shutdown));
                    }
                }
                event = events.next(), if backlog.is_empty() => match event {
                    // A page that is loaded during the farewell gets no hello any more.
                    Ok(event) => if stopping.is_none() && let Some(event) = events::read(&event) {
                        setup.event(event);
                    },
                    Err(CdpError::Closed) => return closed(stopping),
                    Err(error) => return Err(SignalError::Browser(error)),
                },
                () = until(setup.deadline()), if stopping.is_none() => setup.tick(std::time::Instant::now()),
            }
        }
    }
}

/// A signaller that is about to end.
#[derive(Debug, Clone, Copy)]
struct Stopping {
    ended: Ended,
    deadline: Instant,
}

impl Stopping {
    fn now(ended: Ended) -> Self {
        Self { ended, deadline: Instant::now() + FAREWELL }
    }

    /// A node that stops because it was asked to may be gone before this task sees the request.
    fn node_gone(shutdown: &CancellationToken) -> Self {
        Self::now(if shutdown.is_cancelled() { Ended::Shutdown } else { Ended::NodeGone })
    }

    /// Sleeps until the farewell has taken long enough, or for ever when there is none yet.
    async fn deadline(stopping: Option<Self>) -> Ended {
        match stopping {
            Some(Self { ended, deadline }) => {
                sleep_until(deadline).await;
                ended
            }
            None => future::pending().await,
        }
    }
}

/// A browser that quits while slicc stops is no error.
fn closed(stopping: Option<Stopping>) -> Result<Ended, SignalError> {
    stopping.map(|stopping| stopping.ended).ok_or(SignalError::BrowserClosed)
}

/// Sleeps until a deadline, or for ever without one.
async fn until(deadline: Option<std::time::Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline.into()).await,
        None => future::pending().await,
    }
}

/// Detaches from the tab. The browser does that itself once the connection is closed, so a failure is no loss.
async fn detach(client: &Client, events: Events, setup: &Setup, ended: Ended) -> Ended {
    // Nobody takes events any more, and the answer must not wait behind them.
    drop(events);
    if let Some(session) = setup.session() {
        let params = json!({"sessionId": session});
        if let Err(error) = client.call_within(FAREWELL, None, "Target.detachFromTarget", params).await {
            tracing::debug!("slicc didn't detach from the tab: {error}");
        }
    }
    ended
}
