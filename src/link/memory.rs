//! A transport over memory, and streams over it, for tests.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::{
    Link, LinkEvent, Stream,
    mux::{Placement, Role},
    transport::{ChannelId, Transport, TransportError, TransportEvent},
};
use crate::signal::Candidate;

/// What crosses between the two ends.
enum Wire {
    Create(u64, String),
    Text(u64, String),
    Binary(u64, Bytes),
    Close(u64),
}

/// One end of a transport over memory.
pub struct MemoryTransport {
    to_peer: mpsc::UnboundedSender<Wire>,
    from_peer: tokio::sync::Mutex<mpsc::UnboundedReceiver<Wire>>,
    state: Mutex<State>,
    parity: u64,
    /// Bytes sent, once the peer is said not to acknowledge any.
    unread: AtomicUsize,
    unreadable: bool,
}

#[derive(Default)]
struct State {
    ready: VecDeque<TransportEvent>,
    /// Our number of a channel → its number on the wire, and back.
    wire: HashMap<ChannelId, u64>,
    local: HashMap<u64, ChannelId>,
}

/// Two ends of a transport that is already connected.
pub fn transports() -> (MemoryTransport, MemoryTransport) {
    let ((a, a_queue), (b, b_queue)) = (mpsc::unbounded_channel(), mpsc::unbounded_channel());
    let end = |to_peer, from_peer, parity| MemoryTransport {
        to_peer,
        from_peer: tokio::sync::Mutex::new(from_peer),
        state: Mutex::new(State { ready: [TransportEvent::Connected].into(), ..State::default() }),
        parity,
        unread: AtomicUsize::new(0),
        unreadable: false,
    };
    (end(b, a_queue, 0), end(a, b_queue, 1))
}

impl MemoryTransport {
    /// From now on nothing that this end sends is acknowledged.
    #[must_use]
    pub fn never_acknowledged(mut self) -> Self {
        self.unreadable = true;
        self
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no test panics while it holds this")
    }

    fn put(&self, channel: ChannelId, wire: impl FnOnce(u64) -> Wire) -> Result<(), TransportError> {
        let id = *self.state().wire.get(&channel).ok_or(TransportError::ChannelClosed)?;
        self.to_peer.send(wire(id)).map_err(|_| TransportError::Closed)
    }

    fn take(&self, wire: Wire) -> Option<TransportEvent> {
        let mut state = self.state();
        let known = |id: u64| state.local.get(&id).copied();
        match wire {
            Wire::Create(id, label) => {
                let channel = ChannelId(id * 2);
                state.wire.insert(channel, id);
                state.local.insert(id, channel);
                Some(TransportEvent::ChannelOpen { channel, label })
            }
            Wire::Text(id, text) => Some(TransportEvent::Text { channel: known(id)?, text }),
            Wire::Binary(id, data) => Some(TransportEvent::Binary { channel: known(id)?, data }),
            Wire::Close(id) => {
                let channel = state.local.remove(&id)?;
                state.wire.remove(&channel);
                Some(TransportEvent::ChannelClosed { channel })
            }
        }
    }
}

impl Transport for MemoryTransport {
    async fn next_event(&self) -> TransportEvent {
        loop {
            if let Some(event) = self.state().ready.pop_front() {
                return event;
            }
            let Some(wire) = self.from_peer.lock().await.recv().await else {
                return TransportEvent::Closed { reason: "the peer is gone".to_owned() };
            };
            if let Some(event) = self.take(wire) {
                return event;
            }
        }
    }

    async fn add_candidate(&self, _candidate: Option<Candidate>) -> Result<(), TransportError> {
        Ok(())
    }

    async fn create_channel(&self, channel: ChannelId, label: &str) -> Result<(), TransportError> {
        let id = channel.0 * 2 + self.parity;
        {
            let mut state = self.state();
            state.wire.insert(channel, id);
            state.local.insert(id, channel);
            state.ready.push_back(TransportEvent::ChannelOpen { channel, label: label.to_owned() });
        }
        self.put(channel, |id| Wire::Create(id, label.to_owned()))
    }

    async fn send_text(&self, channel: ChannelId, text: &str) -> Result<(), TransportError> {
        self.put(channel, |id| Wire::Text(id, text.to_owned()))
    }

    async fn send(&self, channel: ChannelId, data: Bytes) -> Result<(), TransportError> {
        if self.unreadable {
            self.unread.fetch_add(data.len(), Ordering::Relaxed);
        }
        self.put(channel, |id| Wire::Binary(id, data))
    }

    async fn close_channel(&self, channel: ChannelId) {
        // A channel that the peer has closed already is closed.
        drop(self.put(channel, Wire::Close));
        let mut state = self.state();
        if let Some(id) = state.wire.remove(&channel) {
            state.local.remove(&id);
            state.ready.push_back(TransportEvent::ChannelClosed { channel });
        }
    }

    async fn send_budget(&self) -> usize {
        usize::MAX
    }

    async fn budget_grown(&self) {}

    fn unacknowledged(&self) -> usize {
        self.unread.load(Ordering::Relaxed)
    }

    fn preferred_data(&self) -> usize {
        crate::generated::link::limits::DATA
    }

    fn round_trip(&self) -> Option<Duration> {
        None
    }

    async fn close(&self) {}
}

/// Two linked ends: the node's, then the page's. They run on the current runtime.
pub async fn links() -> ((Link, mpsc::Receiver<LinkEvent>), (Link, mpsc::Receiver<LinkEvent>)) {
    let (node_transport, page_transport) = transports();
    let hello = |role: Role| json!({ "v": 1, "role": role.as_str(), "caps": [] }).to_string();
    let (node, mut node_events, node_driver) = Link::run(Role::Node, hello(Role::Node), node_transport);
    let (page, mut page_events, page_driver) = Link::run(Role::Page, hello(Role::Page), page_transport);
    tokio::spawn(node_driver);
    tokio::spawn(page_driver);
    assert!(matches!(node_events.recv().await, Some(LinkEvent::Linked(_))));
    assert!(matches!(page_events.recv().await, Some(LinkEvent::Linked(_))));
    ((node, node_events), (page, page_events))
}

/// One stream that the page opened: the node's end, then the page's. The links live as long as the streams do.
pub async fn pair() -> (Stream, Stream) {
    let ((node, mut node_events), (page, mut page_events)) = links().await;
    let open = Map::from_iter([("kind".to_owned(), Value::from("test"))]);
    let page_stream = page.open(&open, Placement::OwnChannel).await.expect("the link is up");
    let Some(LinkEvent::Incoming(incoming)) = node_events.recv().await else { panic!("no stream came in") };
    tokio::spawn(async move {
        // The links are closed by dropping their handles, so this task keeps them until the test's runtime ends.
        let _links = (node, page);
        while node_events.recv().await.is_some() {}
        while page_events.recv().await.is_some() {}
    });
    (incoming.stream, page_stream)
}
