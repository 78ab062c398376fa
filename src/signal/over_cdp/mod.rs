//! Setup over CDP: finds the seven tab in a running browser, and carries offers and answers between it and the node
//! (section "Setup over CDP" of the requirement).
//!
//! The decisions are in `setup`, which knows neither sockets nor clocks. This file gives it events, answers and time.

mod events;
mod setup;

#[cfg(all(test, unix))]
mod chromium_tests;
#[cfg(test)]
mod setup_tests;

use std::{collections::VecDeque, future, time::Duration};

use futures_util::{StreamExt, stream::FuturesUnordered};
use serde_json::json;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use self::setup::{Output, Setup};
use super::{Ended, NodeId, Reply, Signal, SignalError};
use crate::{
    browser::origin::SevenOrigins,
    cdp::{CdpError, Client, Endpoint, EndpointError, Events},
};

/// How long the farewell may take: what waits for the page is delivered, and the tab is detached from.
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
}

/// Runs setup until `shutdown`, or until the node or the browser is gone.
///
/// Signals and replies never wait for each other: while `signals` is full, replies are still taken, and only the browser's
/// events wait. After `shutdown`, replies are still delivered until the node drops its sender, for at most [`FAREWELL`];
/// so a node says bye by sending it and dropping the sender. Then slicc detaches from the tab.
pub async fn run(
    config: OverCdp,
    signals: mpsc::Sender<Signal>,
    mut replies: mpsc::Receiver<Reply>,
    shutdown: CancellationToken,
) -> Result<Ended, SignalError> {
    let OverCdp { client, mut events, origins, node } = config;
    let mut setup = Setup::new(origins, node);
    let mut calls = FuturesUnordered::new();
    let mut backlog = VecDeque::new();
    let mut replies_open = true;
    let mut stopping: Option<(Ended, Instant)> = None;
    loop {
        while let Some(output) = setup.poll_output() {
            match output {
                Output::Call { id, session, method, params } => {
                    let client = client.clone();
                    calls.push(async move { (id, client.call(session.as_ref(), method, params).await) });
                }
                Output::Signal(signal) if stopping.is_none() => backlog.push_back(signal),
                // Nobody listens any more.
                Output::Signal(_) => {}
                Output::Failed(CdpError::Closed) => return Err(SignalError::BrowserClosed),
                Output::Failed(error) => return Err(SignalError::Browser(error)),
            }
        }
        if let Some((ended, _)) = stopping
            && !replies_open
            && setup.is_drained()
        {
            break detach(&client, &setup, ended).await;
        }
        tokio::select! {
            biased;
            () = shutdown.cancelled(), if stopping.is_none() => {
                stopping = Some((Ended::Shutdown, Instant::now() + FAREWELL));
                backlog.clear();
            }
            () = until(stopping.map(|(_, deadline)| deadline)) => {
                let ended = stopping.map_or(Ended::Shutdown, |(ended, _)| ended);
                break detach(&client, &setup, ended).await;
            }
            permit = signals.reserve(), if !backlog.is_empty() => match permit {
                Ok(permit) => if let Some(signal) = backlog.pop_front() { permit.send(signal) },
                Err(_) => {
                    stopping = Some((node_gone(&shutdown), Instant::now() + FAREWELL));
                    backlog.clear();
                }
            },
            Some((id, result)) = calls.next(), if !calls.is_empty() => {
                if matches!(result, Err(CdpError::Closed)) {
                    return closed(stopping);
                }
                setup.answer(id, result, std::time::Instant::now());
            }
            reply = replies.recv(), if replies_open && setup.takes_replies() => match reply {
                Some(reply) => setup.reply(&reply),
                None => {
                    replies_open = false;
                    backlog.clear();
                    stopping.get_or_insert((node_gone(&shutdown), Instant::now() + FAREWELL));
                }
            },
            event = events.next(), if backlog.is_empty() => match event {
                // A page that is loaded during the farewell gets no hello any more.
                Ok(event) => if stopping.is_none() && let Some(event) = events::read(&event) {
                    setup.event(event, std::time::Instant::now());
                },
                Err(CdpError::Closed) => return closed(stopping),
                Err(error) => return Err(SignalError::Browser(error)),
            },
            () = until(setup.deadline().map(Instant::from_std)), if stopping.is_none() => setup.tick(std::time::Instant::now()),
        }
    }
}

/// A node that stops because it was asked to may be gone before this task sees the request.
fn node_gone(shutdown: &CancellationToken) -> Ended {
    if shutdown.is_cancelled() { Ended::Shutdown } else { Ended::NodeGone }
}

/// A browser that quits while slicc stops is no error.
fn closed(stopping: Option<(Ended, Instant)>) -> Result<Ended, SignalError> {
    stopping.map(|(ended, _)| ended).ok_or(SignalError::BrowserClosed)
}

/// Sleeps until a deadline, or for ever without one.
async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => future::pending().await,
    }
}

/// Detaches from the tab. The browser does that itself once the connection is closed, so a failure is no loss.
async fn detach(client: &Client, setup: &Setup, ended: Ended) -> Result<Ended, SignalError> {
    if let Some(session) = setup.session() {
        let params = json!({"sessionId": session});
        if let Err(error) = client.call_within(FAREWELL, None, "Target.detachFromTarget", params).await {
            tracing::debug!("slicc didn't detach from the tab: {error}");
        }
    }
    Ok(ended)
}
