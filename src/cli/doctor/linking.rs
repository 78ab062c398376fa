//! The node that links the page, exactly as `slicc attach` does.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{error::Elapsed, timeout},
};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::AbortOnDropHandle,
};

use crate::{
    browser::origin::{Origin, SevenOrigins},
    cdp::Endpoint,
    cli::Failure,
    doctor::servers::Servers,
    generated::link::timeouts,
    kernel::{Listeners, Place},
    node::{self, Event, LocalNode, Options},
    signal::{Ended, OverCdp, SignalError},
};

/// How long the link may take, from the hello that the page has to load for.
const LINK_LIMIT: Duration = Duration::from_secs(30);

/// A node at work for the page. Dropping it ends the link without waiting for that.
pub(super) struct Linking {
    linked: watch::Receiver<bool>,
    stop: DropGuard,
    session: JoinHandle<Result<Ended, SignalError>>,
    kernel_port: u16,
    _kernel_services: Option<AbortOnDropHandle<()>>,
}

impl Linking {
    /// Starts a node that takes the page's offer and no other's.
    pub(super) async fn start(endpoint: &Endpoint, servers: &Servers) -> Result<Self, Failure> {
        let listeners = Listeners::bind_free().await;
        let listeners = listeners.map_err(|error| Failure::failed(format!("cannot listen on 127.0.0.1: {error}")))?;
        let kernel_port = listeners.port();
        let options = Options { kernel: Some(Place::Listening(listeners)), ..Options::default() };
        let mut node = LocalNode::new(options).map_err(Failure::failed)?;
        node.protect_browser("browser", endpoint).await;
        let origins = SevenOrigins::only(Origin::parse(&servers.page_origin()).map_err(Failure::failed)?);
        let signaller = OverCdp::connect(endpoint, origins, node.id().clone()).await.map_err(Failure::no_browser)?;
        let (linked_sender, linked) = watch::channel(false);
        let listener = move |event| match event {
            Event::Linked { .. } => drop(linked_sender.send_replace(true)),
            Event::LinkDown { reason } => tracing::debug!(%reason, "the link is down"),
            _ => {}
        };
        let listener: node::Listener = Arc::new(listener);
        let kernel_services = node.start_kernel_services(&listener);
        let stop = CancellationToken::new();
        let session = node::session(&node, signaller, listener, stop.clone());
        Ok(Self {
            linked,
            stop: stop.drop_guard(),
            session: tokio::spawn(session),
            kernel_port,
            _kernel_services: kernel_services,
        })
    }

    /// The local port of kernel services.
    pub(super) fn kernel_port(&self) -> u16 {
        self.kernel_port
    }

    /// Waits for the link. One that doesn't come up is what the page's first check reports.
    pub(super) async fn linked(&mut self) {
        if timeout(LINK_LIMIT, self.linked.wait_for(|linked| *linked)).await.is_err() {
            tracing::debug!("the page isn't linked");
        }
    }

    /// Resolves when the node can't go on, because the browser is gone.
    pub(super) async fn ended(&mut self) {
        drop((&mut self.session).await);
    }

    /// Says bye to the page and ends the link.
    pub(super) async fn stop(self) {
        drop(self.stop);
        if self.session.is_finished() {
            return;
        }
        match timeout(timeouts::SETUP_CALL, self.session).await {
            Ok(Ok(Ok(_))) => {}
            Ok(Ok(Err(error))) => tracing::debug!(%error, "the link ended with an error"),
            Ok(Err(error)) => tracing::debug!(%error, "the node broke"),
            Err(Elapsed { .. }) => tracing::debug!("the link did not end in time"),
        }
    }
}
