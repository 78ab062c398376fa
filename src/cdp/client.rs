//! A CDP client over the browser's WebSocket, with flat sessions.
//!
//! Two tasks serve a connection: one writes, one reads. The reader drops what the [`EventFilter`] doesn't want before it
//! parses parameters, hands answers to their calls and puts events into one bounded queue. When the queue is full, the
//! reader waits for its consumer, so that a burst of events (which a page can cause) costs time and no event. A consumer
//! that takes nothing for [`PATIENCE`] loses its queue ([`CdpError::TooManyEvents`]); calls go on. So a consumer that
//! also calls polls both at once (`select!`): one that awaits a call's answer without taking events only makes itself
//! slow, and a queue that it fills up is cut off.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::{
    Sink, SinkExt, Stream, StreamExt,
    stream::{SplitSink, SplitStream},
};
use serde::Serialize;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, timeout, timeout_at},
};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{self, Message, protocol::WebSocketConfig},
};
use tokio_util::sync::{CancellationToken, DropGuard};

pub use super::message::Answer;
use super::{
    connection::Connection,
    endpoint::{Endpoint, EndpointError},
    message::{Event, Incoming, Refusal, SessionId, Unreadable, parse},
};
use crate::generated::link::timeouts;

/// The longest message that is sent or taken, in bytes: 64 MiB of payload, and room for what wraps it.
pub const MAX_MESSAGE: usize = (64 << 20) + (1 << 20);
/// How long the reader waits for the consumer of a full event queue before it cuts the consumer off. It is shorter than a
/// call's time limit, so that calls outlive a stuck consumer.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// Commands that wait to be written. A call waits when there are more.
const OUTGOING: usize = 64;
/// How long the goodbye of the WebSocket may take.
const CLOSING: Duration = Duration::from_secs(1);

/// Which events a consumer wants. Everything else is dropped unparsed.
#[derive(Debug, Clone, Copy)]
pub struct EventFilter {
    /// Methods, such as `Target.targetCreated`.
    pub methods: &'static [&'static str],
    /// The longest event that is kept, in bytes of JSON. Together with `queue` it bounds the memory that events take.
    pub max_bytes: usize,
    /// Events that wait for the consumer; at least 1.
    pub queue: usize,
}

impl EventFilter {
    /// No events at all.
    pub const NONE: Self = Self { methods: &[], max_bytes: 0, queue: 1 };
}

/// A call or a subscription that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CdpError {
    /// The connection is over.
    #[error("the browser closed the connection")]
    Closed,
    /// The browser didn't answer in time. The call may still have an effect.
    #[error("the browser didn't answer {method} within {} s", limit.as_secs())]
    TimedOut {
        /// The call's method.
        method: String,
        /// The time limit.
        limit: Duration,
    },
    /// The browser refused.
    #[error("the browser refused {method}: {message} ({code})")]
    Refused {
        /// The call's method.
        method: String,
        /// CDP's error code.
        code: i64,
        /// The browser's text, cut and cleaned.
        message: String,
    },
    /// The browser's answer has another shape than expected.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The call is longer than [`MAX_MESSAGE`], or can't be written as JSON.
    #[error("the parameters of {method} can't be sent")]
    Unsendable {
        /// The call's method.
        method: String,
    },
    /// The consumer took no event for [`PATIENCE`] while its queue was full.
    #[error("the browser sent more events than slicc could take")]
    TooManyEvents,
}

/// A connection to a browser. Clones share it; it closes once the last one is dropped.
#[derive(Debug, Clone)]
pub struct Client {
    outgoing: mpsc::Sender<String>,
    calls: Arc<Mutex<Calls>>,
    _reader: Arc<DropGuard>,
}

/// The calls that wait for an answer.
#[derive(Debug, Default)]
struct Calls {
    last: i32,
    closed: bool,
    waiting: HashMap<i32, oneshot::Sender<Result<Answer, Refusal>>>,
}

/// Forgets its call when it goes out of scope, whether the call was answered, timed out or was dropped.
struct Waiting<'a> {
    calls: &'a Mutex<Calls>,
    id: i32,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(self.calls).waiting.remove(&self.id);
    }
}

fn lock(calls: &Mutex<Calls>) -> MutexGuard<'_, Calls> {
    // Nothing panics while it holds the lock, and the map stays whole in any case.
    calls.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Client {
    /// Connects to the browser behind an endpoint. An HTTP endpoint is asked for its WebSocket first. The handshake has no
    /// `Origin`, which Chrome would refuse, and offers no compression. Each of the two steps has
    /// [`super::endpoint::ANSWER`].
    pub async fn connect(endpoint: &Endpoint, filter: EventFilter) -> Result<(Self, Events), EndpointError> {
        Self::connect_with(endpoint, filter, PATIENCE).await
    }

    async fn connect_with(
        endpoint: &Endpoint,
        filter: EventFilter,
        patience: Duration,
    ) -> Result<(Self, Events), EndpointError> {
        let socket = endpoint.browser_socket().await?;
        let refused = |problem: String| EndpointError::Handshake { endpoint: socket.to_string(), problem };
        let url = socket.socket_url().ok_or_else(|| EndpointError::NoSocket { endpoint: socket.to_string() })?;
        let handshake = async {
            let config =
                WebSocketConfig::default().max_message_size(Some(MAX_MESSAGE)).max_frame_size(Some(MAX_MESSAGE));
            match client_async_with_config(url, socket.connect().await?, Some(config)).await {
                Ok((stream, _response)) => Ok(stream),
                Err(tungstenite::Error::Http(response)) => Err(refused(format!("HTTP {}", response.status()))),
                Err(tungstenite::Error::Io(source)) => {
                    Err(EndpointError::Unreachable { endpoint: socket.to_string(), source })
                }
                // The other texts quote nothing but the error's kind; the URL, which is a key, isn't in them.
                Err(tungstenite::Error::Protocol(error)) => Err(refused(error.to_string())),
                Err(_) => Err(refused("not a WebSocket".to_owned())),
            }
        };
        let stream = socket.in_time(handshake).await?;
        Ok(Self::start(stream, filter, patience))
    }

    fn start(stream: WebSocketStream<Connection>, filter: EventFilter, patience: Duration) -> (Self, Events) {
        let (sink, stream): (SplitSink<_, _>, SplitStream<_>) = stream.split();
        let (outgoing, commands) = mpsc::channel(OUTGOING);
        let (events, receiver) = mpsc::channel(filter.queue.max(1));
        let calls = Arc::new(Mutex::new(Calls::default()));
        let overflowed = Arc::new(AtomicBool::new(false));
        let stop = CancellationToken::new();
        let broken = CancellationToken::new();
        tokio::spawn(write(sink, commands, broken.clone()));
        let reader = Reader {
            calls: Arc::clone(&calls),
            events: Some(events),
            overflowed: Arc::clone(&overflowed),
            filter,
            patience,
        };
        tokio::spawn({
            let stop = stop.clone();
            async move {
                let calls = Arc::clone(&reader.calls);
                tokio::select! {
                    () = reader.read(stream) => {}
                    () = stop.cancelled() => {}
                    () = broken.cancelled() => {}
                }
                let mut calls = lock(&calls);
                calls.closed = true;
                calls.waiting.clear();
            }
        });
        let client = Self { outgoing, calls, _reader: Arc::new(stop.drop_guard()) };
        (client, Events { receiver, overflowed })
    }

    /// Calls the browser, or a session of it, within [`timeouts::SETUP_CALL`].
    pub async fn call(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: impl Serialize,
    ) -> Result<Answer, CdpError> {
        self.call_within(timeouts::SETUP_CALL, session, method, params).await
    }

    /// Calls the browser, or a session of it. Dropping the future forgets the call; the browser may still run it.
    pub async fn call_within(
        &self,
        limit: Duration,
        session: Option<&SessionId>,
        method: &str,
        params: impl Serialize,
    ) -> Result<Answer, CdpError> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Command<'a, P> {
            id: i32,
            method: &'a str,
            params: P,
            #[serde(skip_serializing_if = "Option::is_none")]
            session_id: Option<&'a SessionId>,
        }
        let deadline = Instant::now() + limit;
        let timed_out = |_| CdpError::TimedOut { method: method.to_owned(), limit };
        let (sender, answer) = oneshot::channel();
        let id = self.expect(sender)?;
        let waiting = Waiting { calls: &self.calls, id };
        let command = serde_json::to_string(&Command { id, method, params, session_id: session })
            .ok()
            .filter(|command| command.len() <= MAX_MESSAGE)
            .ok_or_else(|| CdpError::Unsendable { method: method.to_owned() })?;
        timeout_at(deadline, self.outgoing.send(command)).await.map_err(timed_out)?.map_err(|_| CdpError::Closed)?;
        let answer = timeout_at(deadline, answer).await.map_err(timed_out)?;
        drop(waiting);
        match answer {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(Refusal { code, message })) => Err(CdpError::Refused { method: method.to_owned(), code, message }),
            Err(_) => Err(CdpError::Closed),
        }
    }

    /// Takes an id for a call. Chrome wants an int32.
    fn expect(&self, sender: oneshot::Sender<Result<Answer, Refusal>>) -> Result<i32, CdpError> {
        let mut calls = lock(&self.calls);
        if calls.closed {
            return Err(CdpError::Closed);
        }
        loop {
            calls.last = calls.last.checked_add(1).unwrap_or(1);
            if !calls.waiting.contains_key(&calls.last) {
                break;
            }
        }
        let id = calls.last;
        calls.waiting.insert(id, sender);
        Ok(id)
    }
}

/// The events of a connection.
#[derive(Debug)]
pub struct Events {
    receiver: mpsc::Receiver<Event>,
    overflowed: Arc<AtomicBool>,
}

impl Events {
    /// The next event: [`CdpError::Closed`] once the connection is over, [`CdpError::TooManyEvents`] once the consumer was
    /// too slow. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Event, CdpError> {
        match self.receiver.recv().await {
            Some(event) => Ok(event),
            None if self.overflowed.load(Ordering::Acquire) => Err(CdpError::TooManyEvents),
            None => Err(CdpError::Closed),
        }
    }
}

struct Reader {
    calls: Arc<Mutex<Calls>>,
    events: Option<mpsc::Sender<Event>>,
    overflowed: Arc<AtomicBool>,
    filter: EventFilter,
    patience: Duration,
}

impl Reader {
    async fn read(mut self, mut stream: impl Stream<Item = Result<Message, tungstenite::Error>> + Unpin) {
        while let Some(message) = stream.next().await {
            match message {
                Ok(Message::Text(text)) => self.take(&text).await,
                // Chrome sends no binary messages, and the stream answers pings and a close itself.
                Ok(_) => {}
                Err(error) => {
                    tracing::debug!("the browser's connection broke: {}", kind(&error));
                    return;
                }
            }
        }
    }

    async fn take(&mut self, text: &str) {
        match parse(text) {
            Ok(Incoming::Answer { id, result }) => {
                let sender = lock(&self.calls).waiting.remove(&id);
                if let Some(sender) = sender {
                    // A call that was dropped meanwhile has nobody to tell.
                    let _ = sender.send(result);
                }
            }
            Ok(Incoming::Event(event)) => self.queue(event, text.len()).await,
            Err(_) => tracing::debug!("skipped a message of the browser that can't be read"),
        }
    }

    async fn queue(&mut self, event: Event, bytes: usize) {
        if !self.filter.methods.contains(&event.method.as_str()) {
            return;
        }
        if bytes > self.filter.max_bytes {
            tracing::debug!("skipped an event that is too long: {}", event.method);
            return;
        }
        let Some(events) = &self.events else { return };
        match timeout(self.patience, events.send(event)).await {
            Ok(Ok(())) => {}
            // The consumer is gone.
            Ok(Err(_)) => self.events = None,
            Err(_) => {
                self.overflowed.store(true, Ordering::Release);
                self.events = None;
            }
        }
    }
}

/// An error's kind. Its full text could quote what was received.
fn kind(error: &tungstenite::Error) -> &'static str {
    match error {
        tungstenite::Error::Io(_) => "the socket failed",
        tungstenite::Error::Capacity(_) => "a message is too long",
        tungstenite::Error::Utf8(_) => "a message isn't UTF-8",
        _ => "the WebSocket protocol was broken",
    }
}

async fn write(
    mut sink: impl Sink<Message, Error = tungstenite::Error> + Unpin,
    mut commands: mpsc::Receiver<String>,
    broken: CancellationToken,
) {
    // The reader must not wait for answers to commands that can't be written any more.
    let _broken = broken.drop_guard_ref();
    while let Some(command) = commands.recv().await {
        if let Err(error) = sink.send(Message::text(command)).await {
            tracing::debug!("the browser's connection broke: {}", kind(&error));
            return;
        }
    }
    // Nobody waits for the goodbye, and a browser that doesn't take it loses the connection anyway.
    let _ = timeout(CLOSING, sink.close()).await;
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
