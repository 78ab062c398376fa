//! The node's engine: signals in, links and replies out.

use std::{io, sync::Arc};

use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{
    events::{DownReason, Event},
    serve::Services,
};
use crate::{
    generated::link::PageHello,
    link::{Incoming, Link, LinkEvent, Membership, Pages, mux::CloseReason},
    signal::{Nonce, Reply, Signal},
};

/// Answers an offer: starts a link with this HELLO, and hands out the answer once there is one.
pub type Connect =
    Box<dyn Fn(String, String, oneshot::Sender<String>) -> io::Result<(Link, mpsc::Receiver<LinkEvent>)> + Send + Sync>;

/// Listens to the node. It is called on the node's own tasks, so it must return quickly and never block.
pub type Listener = Arc<dyn Fn(Event) + Send + Sync>;

/// A node at work for one signaller.
pub struct Engine {
    connect: Connect,
    /// Makes the HELLO of a link that is set up now.
    hello: Box<dyn Fn() -> String + Send + Sync>,
    services: Arc<Services>,
    pages: Pages,
    listener: Listener,
    replies: mpsc::Sender<Reply>,
}

/// The link of the page that offered last.
struct Current {
    nonce: Nonce,
    link: Link,
    events: mpsc::Receiver<LinkEvent>,
    answer: Option<oneshot::Receiver<String>>,
    /// Its place among the linked pages, once its HELLO is there.
    page: Option<Membership>,
}

/// What the engine waits for.
enum Next {
    Signal(Option<Signal>),
    Link(Option<LinkEvent>),
    Answer(Option<String>),
    Shutdown,
}

impl Current {
    async fn next(current: &mut Option<Self>) -> Next {
        let Some(current) = current else { return std::future::pending().await };
        match &mut current.answer {
            Some(answer) => tokio::select! {
                answer = answer => Next::Answer(answer.ok()),
                event = current.events.recv() => Next::Link(event),
            },
            None => Next::Link(current.events.recv().await),
        }
    }
}

impl Engine {
    /// A node that answers offers with `connect`, says `hello` and serves `services`. Its linked pages are in `pages`.
    pub fn new(
        connect: Connect,
        hello: Box<dyn Fn() -> String + Send + Sync>,
        services: Arc<Services>,
        pages: Pages,
        listener: Listener,
        replies: mpsc::Sender<Reply>,
    ) -> Self {
        Self { connect, hello, services, pages, listener, replies }
    }

    /// Answers signals until the signaller is gone or `shutdown` is cancelled. Then the page is told, and the link closed.
    pub async fn run(self, mut signals: mpsc::Receiver<Signal>, shutdown: CancellationToken) {
        let mut current: Option<Current> = None;
        loop {
            let next = tokio::select! {
                biased;
                () = shutdown.cancelled() => Next::Shutdown,
                signal = signals.recv() => Next::Signal(signal),
                next = Current::next(&mut current) => next,
            };
            match next {
                Next::Shutdown | Next::Signal(None) => break,
                Next::Signal(Some(signal)) => self.signal(signal, &mut current).await,
                Next::Answer(answer) => {
                    if let Some(current) = &mut current {
                        current.answer = None;
                        if let Some(sdp) = answer {
                            self.reply(Reply::Answer { nonce: current.nonce.clone(), sdp }, &shutdown).await;
                        }
                    }
                }
                Next::Link(event) => self.link_event(event, &mut current, &shutdown).await,
            }
        }
        if let Some(open) = current {
            let reason = DownReason::Exiting.to_string();
            self.reply(Reply::Bye { nonce: open.nonce.clone(), reason }, &shutdown).await;
            self.close(open, DownReason::Exiting).await;
        }
    }

    fn emit(&self, event: Event) {
        (self.listener)(event);
    }

    async fn reply(&self, reply: Reply, shutdown: &CancellationToken) {
        tokio::select! {
            biased;
            // A signaller that is gone ends the engine through its signals.
            sent = self.replies.send(reply) => drop(sent),
            // One that is stuck must not hold the exit.
            () = shutdown.cancelled() => {}
        }
    }

    async fn signal(&self, signal: Signal, current: &mut Option<Current>) {
        match signal {
            Signal::Notice(notice) => self.emit(Event::Notice(notice)),
            Signal::Offer { nonce, sdp } => {
                if let Some(open) = current.take() {
                    self.close(open, DownReason::Replaced).await;
                }
                self.emit(Event::Connecting);
                let (answer, answered) = oneshot::channel();
                match (self.connect)(sdp, (self.hello)(), answer) {
                    Ok((link, events)) => {
                        *current = Some(Current { nonce, link, events, answer: Some(answered), page: None });
                    }
                    Err(error) => {
                        let reason = DownReason::Failed(CloseReason::Local(format!("cannot start a link: {error}")));
                        self.emit(Event::LinkDown { reason });
                    }
                }
            }
            Signal::Candidate { nonce, candidate } => {
                if let Some(open) = current.as_ref().filter(|open| open.nonce == nonce) {
                    open.link.add_candidate(candidate).await;
                }
            }
            Signal::Bye { nonce, reason } => self.end(current, &nonce, DownReason::Bye(reason)).await,
            Signal::Gone { nonce, reason } => self.end(current, &nonce, DownReason::Gone(reason)).await,
        }
    }

    async fn end(&self, current: &mut Option<Current>, nonce: &Nonce, reason: DownReason) {
        if let Some(open) = current.take_if(|open| open.nonce == *nonce) {
            self.close(open, reason).await;
        }
    }

    async fn close(&self, open: Current, reason: DownReason) {
        let Current { mut events, link, page, .. } = open;
        // Nothing new is opened on it.
        drop(page);
        link.close(&reason.to_string()).await;
        drop(link);
        // The driver flushes, closes its connection and then hangs up; both are quick and don't depend on the peer.
        while events.recv().await.is_some() {}
        self.emit(Event::LinkDown { reason });
    }

    async fn link_event(&self, event: Option<LinkEvent>, current: &mut Option<Current>, shutdown: &CancellationToken) {
        let Some(open) = current else { return };
        match event {
            Some(LinkEvent::Candidate(candidate)) => {
                // The page takes candidates after the answer, so the answer goes first.
                if let Some(answer) = open.answer.take()
                    && let Ok(sdp) = answer.await
                {
                    self.reply(Reply::Answer { nonce: open.nonce.clone(), sdp }, shutdown).await;
                }
                self.reply(Reply::Candidate { nonce: open.nonce.clone(), candidate }, shutdown).await;
            }
            Some(LinkEvent::Linked(hello)) => match PageHello::read(&hello) {
                Ok(peer) => {
                    open.page = Some(self.pages.join(peer.clone(), open.link.clone()));
                    self.emit(Event::Linked { peer });
                }
                // The multiplexer lets a version such as 1.5 pass, and this doesn't.
                Err(error) => open.link.close(&format!("the page's HELLO is wrong: {error}")).await,
            },
            Some(LinkEvent::Incoming(incoming)) => self.serve(incoming),
            Some(LinkEvent::Down { reason }) => {
                self.emit(Event::LinkDown { reason: DownReason::Failed(reason) });
                *current = None;
            }
            None => {
                let reason = CloseReason::Local("the link's thread ended".to_owned());
                self.emit(Event::LinkDown { reason: DownReason::Failed(reason) });
                *current = None;
            }
        }
    }

    fn serve(&self, incoming: Incoming) {
        let (services, listener) = (self.services.clone(), self.listener.clone());
        tokio::spawn(async move {
            let Incoming { open, stream } = incoming;
            let kind = kind_of(&open);
            if let Some(kind) = kind {
                listener(Event::StreamOpen { kind });
            }
            services.serve(kind, &open, stream).await;
            if let Some(kind) = kind {
                listener(Event::StreamClose { kind });
            }
        });
    }
}

fn kind_of(open: &Map<String, Value>) -> Option<crate::generated::link::StreamKind> {
    open.get("kind").and_then(Value::as_str).and_then(crate::generated::link::StreamKind::from_name)
}
