//! Both ends of a link in one process, each on a thread of its own as in the product. The node's streams are served from
//! memory, so that nothing but the link is measured.

use std::{io, sync::Arc};

use serde_json::{Map, Value, json};
use slicc::{
    generated::link::channels,
    link::{
        Link, LinkEvent, Stream,
        mux::{Placement, Role},
        rtc::{Addresses, Certificate, Config, Connection, Mdns},
        transport::ChannelId,
    },
    signal::Candidate,
};
use tokio::sync::{mpsc, oneshot};

use super::{relay::Relay, service};

/// A linked pair.
pub struct Pair {
    page: Link,
    node: Link,
}

fn config() -> Config {
    let certificate = Certificate::generate(std::time::Duration::from_hours(1)).expect("a certificate");
    let mut config = Config::new(certificate);
    config.addresses = Addresses::Fixed(vec!["127.0.0.1:0".parse().expect("an address")]);
    config.mdns = Mdns::Off;
    config
}

impl Pair {
    /// Links two ends, whose path is the relay when there is one.
    pub async fn link(relay: Option<Arc<Relay>>) -> io::Result<Self> {
        let (offers, offer) = oneshot::channel();
        let (answers, answer) = oneshot::channel();
        let (page, page_events) = Link::spawn(Role::Page, hello("page"), async move || {
            let offered = Connection::offer(config(), ChannelId(1), channels::CONTROL).await;
            let (connection, sdp) = offered.map_err(|error| error.to_string())?;
            offers.send(sdp).map_err(|_| "nobody takes the offer")?;
            let answer: String = answer.await.map_err(|error| error.to_string())?;
            connection.accept_answer(&answer).await.map_err(|error| error.to_string())?;
            Ok(connection)
        })?;
        let (node, node_events) = Link::spawn(Role::Node, hello("node"), async move || {
            let offer: String = offer.await.map_err(|error| error.to_string())?;
            let answered = Connection::answer(config(), &offer).await;
            let (connection, sdp) = answered.map_err(|error| error.to_string())?;
            answers.send(sdp).map_err(|_| "nobody takes the answer")?;
            Ok(connection)
        })?;
        let (linked, up) = oneshot::channel();
        tokio::spawn(follow(page_events, node.clone(), relay.clone(), Some(linked)));
        tokio::spawn(follow(node_events, page.clone(), relay, None));
        up.await.map_err(|_| io::Error::other("the link did not come up"))?;
        Ok(Self { page, node })
    }

    /// Opens a stream of the page's that `service` serves.
    pub async fn open(&self) -> io::Result<Stream> {
        open(&self.page).await
    }

    /// Ends the link.
    pub async fn close(self) {
        self.page.close("the benchmark is over").await;
        self.page.closed().await;
        self.node.closed().await;
    }
}

async fn open(link: &Link) -> io::Result<Stream> {
    let mut open = Map::new();
    open.insert("kind".to_owned(), Value::from("bench"));
    let mut stream = link.open(&open, Placement::OwnChannel).await.map_err(io::Error::other)?;
    stream.opened().await?;
    Ok(stream)
}

fn hello(role: &str) -> String {
    json!({ "v": 1, "role": role, "name": "bench", "caps": [] }).to_string()
}

/// Carries one end's candidates to the other, and serves its streams.
async fn follow(
    mut events: mpsc::Receiver<LinkEvent>,
    peer: Link,
    relay: Option<Arc<Relay>>,
    mut linked: Option<oneshot::Sender<()>>,
) {
    while let Some(event) = events.recv().await {
        match event {
            LinkEvent::Candidate(Some(candidate)) => {
                let line = match &relay {
                    None => Some(candidate.candidate.clone()),
                    Some(relay) => relay.rewrite(&candidate.candidate).expect("a port"),
                };
                if let Some(line) = line {
                    peer.add_candidate(Some(Candidate { candidate: line, ..candidate })).await;
                }
            }
            LinkEvent::Linked(_) => {
                if let Some(linked) = linked.take() {
                    // Whoever waited may have given up.
                    let _ = linked.send(());
                }
            }
            LinkEvent::Incoming(mut incoming) => {
                tokio::spawn(async move {
                    incoming.stream.accept(&json!({}))?;
                    service::serve(incoming.stream).await
                });
            }
            LinkEvent::Candidate(None) => {}
            LinkEvent::Down { .. } => return,
        }
    }
}
