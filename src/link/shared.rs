//! What a stream and the link's driver share: bounded buffers, and marks that tell the driver which streams have work.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use serde_json::{Map, Value};
use tokio::sync::Notify;

use super::{
    frame::{Reset, StreamId},
    pieces::Pieces,
    stream::into_io,
};
use crate::generated::link::{ErrorCode, limits};

/// The streams that have work for the driver.
#[derive(Debug, Default)]
pub(super) struct Marks {
    streams: Mutex<Vec<StreamId>>,
    notify: Notify,
}

impl Marks {
    /// Resolves once a stream has work.
    pub(super) async fn marked(&self) {
        self.notify.notified().await;
    }

    /// The streams that have work, each once.
    pub(super) fn take(&self) -> Vec<StreamId> {
        std::mem::take(&mut *lock(&self.streams))
    }
}

/// What a stream wants of the driver, apart from its DATA.
#[derive(Debug, Default)]
pub(super) struct Wants {
    pub(super) accept: Option<Bytes>,
    pub(super) credit: usize,
    pub(super) reset: Option<Reset>,
}

/// One stream's shared state.
#[derive(Debug)]
pub(super) struct Shared {
    id: StreamId,
    marks: Arc<Marks>,
    state: Mutex<State>,
    failure: Notify,
}

#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is one independent fact about the stream")]
struct State {
    marked: bool,
    failed: Option<Reset>,
    opened: Option<Map<String, Value>>,
    received: Pieces,
    received_end: bool,
    discard: bool,
    reader: Option<Waker>,
    accept: Option<Bytes>,
    credit: usize,
    queue: Pieces,
    in_flight: usize,
    end: bool,
    writer: Option<Waker>,
    reset: Option<Reset>,
}

/// A panic while one of these locks is held can't leave the plain data behind it half-changed in a harmful way.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wake(waker: &mut Option<Waker>) {
    if let Some(waker) = waker.take() {
        waker.wake();
    }
}

/// The stream's side.
impl Shared {
    pub(super) fn new(id: StreamId, marks: Arc<Marks>) -> Arc<Self> {
        Arc::new(Self { id, marks, state: Mutex::default(), failure: Notify::new() })
    }

    pub(super) fn id(&self) -> StreamId {
        self.id
    }

    fn mark(&self, state: &mut State) {
        if !std::mem::replace(&mut state.marked, true) {
            lock(&self.marks.streams).push(self.id);
            self.marks.notify.notify_one();
        }
    }

    pub(super) fn accept(&self, opened: Bytes) {
        let mut state = lock(&self.state);
        state.accept = Some(opened);
        self.mark(&mut state);
    }

    pub(super) fn poll_opened(&self, context: &mut Context<'_>) -> Poll<Result<Map<String, Value>, Reset>> {
        let mut state = lock(&self.state);
        if let Some(opened) = state.opened.take() {
            return Poll::Ready(Ok(opened));
        }
        if let Some(reset) = &state.failed {
            return Poll::Ready(Err(reset.clone()));
        }
        state.reader = Some(context.waker().clone());
        Poll::Pending
    }

    pub(super) fn poll_receive(&self, context: &mut Context<'_>) -> Poll<Result<Option<Bytes>, Reset>> {
        let mut state = lock(&self.state);
        if let Some(reset) = &state.failed {
            return Poll::Ready(Err(reset.clone()));
        }
        if let Some(data) = state.received.pop() {
            return Poll::Ready(Ok(Some(data)));
        }
        if state.received_end {
            return Poll::Ready(Ok(None));
        }
        state.reader = Some(context.waker().clone());
        Poll::Pending
    }

    pub(super) fn credit(&self, bytes: usize) {
        if bytes > 0 {
            let mut state = lock(&self.state);
            state.credit += bytes;
            self.mark(&mut state);
        }
    }

    pub(super) fn poll_room(&self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut state = lock(&self.state);
        if let Some(reset) = &state.failed {
            return Poll::Ready(Err(into_io(reset.clone())));
        }
        if state.end {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::BrokenPipe, "the stream was ended")));
        }
        let room = limits::WINDOW - state.queue.len() - state.in_flight;
        if room > 0 {
            return Poll::Ready(Ok(room));
        }
        state.writer = Some(context.waker().clone());
        Poll::Pending
    }

    /// Queues bytes that [`Shared::poll_room`] has found room for.
    pub(super) fn queue(&self, data: Bytes) {
        let mut state = lock(&self.state);
        state.queue.push(data);
        self.mark(&mut state);
    }

    /// Resolves once everything queued was handed to the link.
    pub(super) fn poll_flush(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = lock(&self.state);
        if let Some(reset) = &state.failed {
            return Poll::Ready(Err(into_io(reset.clone())));
        }
        if state.queue.len() == 0 {
            return Poll::Ready(Ok(()));
        }
        state.writer = Some(context.waker().clone());
        Poll::Pending
    }

    pub(super) fn end(&self) {
        let mut state = lock(&self.state);
        if !std::mem::replace(&mut state.end, true) {
            self.mark(&mut state);
        }
    }

    pub(super) fn reset(&self, reset: Reset) {
        let mut state = lock(&self.state);
        if state.failed.is_none() {
            state.failed = Some(reset.clone());
            state.reset = Some(reset);
            self.mark(&mut state);
            self.release(&mut state);
        }
    }

    /// The service has dropped the stream.
    pub(super) fn abandon(&self) {
        if !lock(&self.state).end {
            self.reset(Reset::new(ErrorCode::Econnreset, "the stream was dropped"));
        }
    }

    /// The service reads no more: what arrived and what will arrive is credited unread.
    pub(super) fn discard_rest(&self, read: usize) {
        let mut state = lock(&self.state);
        state.discard = true;
        state.credit += read + state.received.clear();
        if state.credit > 0 {
            self.mark(&mut state);
        }
    }

    pub(super) async fn failed(&self) -> Reset {
        loop {
            let failure = self.failure.notified();
            if let Some(reset) = &lock(&self.state).failed {
                return reset.clone();
            }
            failure.await;
        }
    }

    fn release(&self, state: &mut State) {
        state.queue.clear();
        state.received.clear();
        wake(&mut state.reader);
        wake(&mut state.writer);
        self.failure.notify_waiters();
    }
}

/// The driver's side.
impl Shared {
    pub(super) fn take_wants(&self) -> Wants {
        let mut state = lock(&self.state);
        state.marked = false;
        Wants { accept: state.accept.take(), credit: std::mem::take(&mut state.credit), reset: state.reset.take() }
    }

    pub(super) fn set_opened(&self, opened: Map<String, Value>) {
        let mut state = lock(&self.state);
        state.opened = Some(opened);
        wake(&mut state.reader);
    }

    /// Takes in what the peer sent. Returns the bytes to credit at once, because nobody will read them.
    pub(super) fn push(&self, data: Bytes) -> usize {
        let mut state = lock(&self.state);
        if state.discard {
            return data.len();
        }
        state.received.push(data);
        wake(&mut state.reader);
        0
    }

    pub(super) fn push_end(&self) {
        let mut state = lock(&self.state);
        state.received_end = true;
        wake(&mut state.reader);
    }

    pub(super) fn credited(&self, bytes: usize) {
        let mut state = lock(&self.state);
        state.in_flight = state.in_flight.saturating_sub(bytes);
        wake(&mut state.writer);
    }

    pub(super) fn fail(&self, reset: Reset) {
        let mut state = lock(&self.state);
        if state.failed.is_none() {
            state.failed = Some(reset);
            self.release(&mut state);
        }
    }

    /// Whether bytes wait to be sent, or an END that nothing precedes.
    pub(super) fn has_output(&self) -> (bool, bool) {
        let state = lock(&self.state);
        (state.queue.len() > 0, state.end)
    }

    /// Takes at most `max` bytes of what waits to be sent.
    pub(super) fn take_data(&self, max: usize) -> Bytes {
        let mut state = lock(&self.state);
        let taken = state.queue.take(max);
        state.in_flight += taken.len();
        if state.queue.len() == 0 {
            // A writer that flushes waits for this.
            wake(&mut state.writer);
        }
        taken
    }
}
