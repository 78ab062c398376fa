//! A link, as the node holds it, and the thread that it runs on.

use std::{future::Future, io, thread};

use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use super::{
    Stream,
    driver::{self, Command, LinkEvent},
    mux::{CloseReason, OpenError, Placement, Role},
    transport::Transport,
};
use crate::signal::Candidate;

/// Commands that may wait for a link's driver.
const COMMANDS: usize = 64;
/// Events that may wait for a link's node.
const EVENTS: usize = 64;

/// A link. Dropping every clone of it closes it.
#[derive(Debug, Clone)]
pub struct Link {
    commands: mpsc::Sender<Command>,
}

impl Link {
    /// Starts a link on a thread of its own. `connect` makes the transport there.
    ///
    /// # Errors
    /// When the system has no thread or no reactor to give. A transport that can't be made is a [`LinkEvent::Down`].
    pub fn spawn<T, F, C>(role: Role, hello: String, connect: C) -> io::Result<(Self, mpsc::Receiver<LinkEvent>)>
    where
        T: Transport,
        F: Future<Output = Result<T, String>>,
        C: FnOnce() -> F + Send + 'static,
    {
        let (commands, command_queue) = mpsc::channel(COMMANDS);
        let (events, event_queue) = mpsc::channel(EVENTS);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        thread::Builder::new().name("link".to_owned()).spawn(move || {
            let local = tokio::task::LocalSet::new();
            local.block_on(&runtime, async move {
                match connect().await {
                    Ok(transport) => driver::run(transport, role, hello, command_queue, events).await,
                    Err(reason) => {
                        // The node may be gone already.
                        drop(events.send(LinkEvent::Down { reason: CloseReason::Local(reason) }).await);
                    }
                }
            });
            // What the stack still runs must not hold the thread.
            runtime.shutdown_background();
        })?;
        Ok((Self { commands }, event_queue))
    }

    /// Runs a link over a transport on the current runtime. For tests and for links that live inside one process.
    pub fn run<T>(
        role: Role,
        hello: String,
        transport: T,
    ) -> (Self, mpsc::Receiver<LinkEvent>, impl Future<Output = ()>)
    where
        T: Transport,
    {
        let (commands, command_queue) = mpsc::channel(COMMANDS);
        let (events, event_queue) = mpsc::channel(EVENTS);
        (Self { commands }, event_queue, driver::run(transport, role, hello, command_queue, events))
    }

    /// Hands on one of the peer's candidates. Without effect once the link is down.
    pub async fn add_candidate(&self, candidate: Option<Candidate>) {
        // A link that is down says so in its events.
        drop(self.commands.send(Command::Candidate(candidate)).await);
    }

    /// Opens a stream. `open` has a `kind`.
    ///
    /// # Errors
    /// [`OpenError`], [`OpenError::NotLinked`] also once the link is down.
    pub async fn open(&self, open: &Map<String, Value>, placement: Placement) -> Result<Stream, OpenError> {
        let open = serde_json::to_vec(open).map_err(|_| OpenError::TooLarge)?.into();
        let (reply, stream) = oneshot::channel();
        let sent = self.commands.send(Command::Open { open, placement, reply }).await;
        sent.map_err(|_| OpenError::NotLinked)?;
        stream.await.map_err(|_| OpenError::NotLinked)?
    }

    /// Closes the link. [`LinkEvent::Down`] follows.
    pub async fn close(&self, reason: &str) {
        // A link that is down is closed.
        drop(self.commands.send(Command::Close { reason: reason.to_owned() }).await);
    }

    /// Waits until the link is down. Streams that fail because of that do so afterwards.
    pub async fn closed(&self) {
        self.commands.closed().await;
    }
}
