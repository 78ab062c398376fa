//! Pages whose kernel does what a test says, and browsers that are sockets.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::mpsc,
    time::timeout,
};
use tokio_util::task::AbortOnDropHandle;

use super::super::Listeners;
use crate::{
    generated::link::PageHello,
    link::{Link, LinkEvent, Membership, Pages, Stream, memory::links},
};

/// Runs a test, and fails it rather than letting it hang.
pub async fn bounded<T>(future: impl Future<Output = T>) -> T {
    timeout(Duration::from_mins(1), Box::pin(future)).await.expect("the test ends in time")
}

/// A page that is linked, and what the test does in its place.
pub struct Page {
    pub membership: Option<Membership>,
    /// The node's end of the link.
    pub node: Link,
    /// The page's end of the link.
    link: Link,
    streams: mpsc::Receiver<(Map<String, Value>, Stream)>,
    _events: [AbortOnDropHandle<()>; 2],
}

/// The HELLO of a page.
pub fn hello(caps: &[&str]) -> PageHello {
    PageHello { v: 1, name: "test".to_owned(), caps: caps.iter().map(|cap| (*cap).to_owned()).collect() }
}

impl Page {
    pub async fn join(pages: &Pages, caps: &[&str]) -> Self {
        let ((node, mut node_events), (link, mut page_events)) = links().await;
        let membership = Some(pages.join(hello(caps), node.clone()));
        let (sender, streams) = mpsc::channel(16);
        let node_task = tokio::spawn(async move { while node_events.recv().await.is_some() {} });
        let page_task = tokio::spawn(async move {
            while let Some(event) = page_events.recv().await {
                if let LinkEvent::Incoming(incoming) = event
                    && sender.send((incoming.open, incoming.stream)).await.is_err()
                {
                    break;
                }
            }
        });
        let events = [node_task, page_task].map(AbortOnDropHandle::new);
        Self { membership, node, link, streams, _events: events }
    }

    /// The next stream that the node opens: its OPEN as JSON, and itself.
    pub async fn incoming(&mut self) -> (String, Stream) {
        let (open, stream) = self.streams.recv().await.expect("the link is up");
        (Value::Object(open).to_string(), stream)
    }

    /// The next stream, once it was accepted.
    pub async fn accept(&mut self) -> Stream {
        let (_, mut stream) = self.incoming().await;
        stream.accept(&Map::new()).unwrap();
        stream
    }

    /// Whether the node has opened a stream that wasn't taken yet.
    pub fn was_asked(&mut self) -> bool {
        self.streams.try_recv().is_ok()
    }

    /// Ends the link from the page's side.
    pub async fn hang_up(&self) {
        self.link.close("the page goes").await;
    }
}

/// Kernel services that listen.
pub struct Services {
    pub pages: Pages,
    pub port: u16,
    /// Whether each stream opened or ended, in order.
    pub told: mpsc::UnboundedReceiver<bool>,
    _task: AbortOnDropHandle<()>,
}

impl Services {
    pub async fn start() -> Self {
        let pages = Pages::default();
        let listeners = Listeners::bind_free().await.unwrap();
        let port = listeners.port();
        let (tell, told) = mpsc::unbounded_channel();
        let streams = Arc::new(move |open| _ = tell.send(open));
        let task = tokio::spawn(listeners.serve(pages.clone(), streams));
        Self { pages, port, told, _task: AbortOnDropHandle::new(task) }
    }

    /// Services with one page that offers its kernel.
    pub async fn with_page() -> (Self, Page) {
        let services = Self::start().await;
        let page = Page::join(&services.pages, &["kernel-in"]).await;
        (services, page)
    }

    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).await.unwrap()
    }

    /// Sends bytes on a connection of their own.
    pub async fn send(&self, bytes: impl AsRef<[u8]>) -> TcpStream {
        let mut socket = self.connect().await;
        socket.write_all(bytes.as_ref()).await.unwrap();
        socket
    }

    /// Everything that is answered to these bytes.
    pub async fn answer(&self, bytes: impl AsRef<[u8]>) -> String {
        text(&mut self.send(bytes).await).await
    }
}

/// What comes up to the end.
pub async fn text(socket: &mut TcpStream) -> String {
    let mut text = String::new();
    socket.read_to_string(&mut text).await.unwrap();
    text
}

/// A request to a port of the kernel.
pub fn get(port: u16) -> String {
    format!("GET / HTTP/1.1\r\nHost: {port}.kernel.localhost\r\n\r\n")
}

/// What the next bytes of a stream are, up to this many.
pub async fn received(stream: &mut Stream, length: usize) -> String {
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).await.unwrap();
    String::from_utf8(bytes).unwrap()
}
