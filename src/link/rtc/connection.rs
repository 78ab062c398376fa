//! One peer connection.

use std::{
    cell::{Cell, RefCell},
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use rtc::shared::error::Error;
use tokio::sync::{mpsc, watch};
use webrtc::{
    data_channel::DataChannel,
    peer_connection::{PeerConnection, StatsSelector},
};

use super::{
    RtcError,
    handler::{Gathering, Signal},
    runtime::{Arrivals, StackRuntime},
    state::{Awaited, State, Wait},
};
use crate::{
    link::transport::{ChannelId, Transport, TransportError, TransportEvent},
    signal::Candidate,
};

/// The round trip is read this often at most, since reading it costs time that grows with the channels of a lifetime.
const ROUND_TRIP: Duration = Duration::from_secs(1);
/// The share of time that reading the round trip may take: one in so many.
const ROUND_TRIP_SHARE: u32 = 100;
/// The round trip isn't measured any more once the connection has had so many channels: the report that it is read from lists
/// every one that ever was, and of the round trip only the lowest counts.
const MEASURED_CHANNELS: u64 = 1_000;
/// Acknowledgements are looked for at least this often, whether a packet arrived or not.
const LOOK: Duration = Duration::from_millis(10);
/// A channel is closed from here once it was silent for this long and everything sent on it was acknowledged.
///
/// The stack throws away what it holds of a channel that is closed, and worse: a message that arrives on a channel closed
/// here can't be read any more, takes messages of other channels in its packet with it, and keeps the peer's side of the
/// channel from ever closing. A page closes the channel of a finished stream itself, which has none of this, so it gets the
/// time to.
pub(super) const LINGER: Duration = Duration::from_secs(1);
/// The same for a connection that plays the page, so that it is the first to close, as a page is. When both ends close a
/// channel at once, its number can be given to a new channel while the old one's end is still under way.
pub(super) const PAGE_LINGER: Duration = Duration::from_millis(100);
/// No channel is created for this long after one was closed from here: the stack would give it the closed one's number,
/// and what is still under way of the old close (its answer, or a repeated request) would close the new channel. Four round
/// trips, when that is longer.
const SETTLE: Duration = Duration::from_secs(1);

/// A peer connection over WebRTC. [`Transport`] has what a link does with it.
///
/// Dropping it ends its tasks and sockets at once; [`Transport::close`] also tells the peer.
pub struct Connection {
    pub(super) peer: Arc<dyn PeerConnection>,
    pub(super) runtime: Arc<StackRuntime>,
    pub(super) arrivals: Arc<Arrivals>,
    pub(super) signals: RefCell<mpsc::Receiver<Signal>>,
    pub(super) overflow: Arc<AtomicBool>,
    pub(super) gathering: watch::Receiver<Gathering>,
    pub(super) state: RefCell<State>,
    pub(super) deadline: Instant,
    /// The peer's candidates so far.
    pub(super) candidates: Cell<usize>,
    /// Those that came before the peer's description; `None` once that is set.
    pub(super) early: RefCell<Option<Vec<String>>>,
    /// Arrivals when the acknowledgements were last looked at, and when that was.
    pub(super) looked: Cell<(u64, Instant)>,
    pub(super) closed: Cell<bool>,
    /// How long a channel has to be silent before it is closed from here.
    pub(super) linger: Duration,
}

impl Connection {
    pub(super) async fn open_channel(&self, channel: ChannelId, label: &str) -> Result<(), webrtc::error::Error> {
        // The defaults are an ordered and reliable channel.
        let stack = self.peer.create_data_channel(label, None).await?;
        self.state.borrow_mut().add_own(channel, label, stack);
        Ok(())
    }

    fn poll_event(&self, cx: &mut Context<'_>, deadline: Pin<&mut impl Future<Output = ()>>) -> Poll<TransportEvent> {
        let mut deadline = deadline;
        let mut signals = self.signals.borrow_mut();
        let mut state = self.state.borrow_mut();
        // What is added from here on is polled below.
        state.waker = None;
        loop {
            if let Some(event) = state.pop() {
                if matches!(event, TransportEvent::ChannelOpen { .. }) {
                    self.arrivals.set_up();
                }
                return Poll::Ready(event);
            }
            if let Poll::Ready(Some(signal)) = signals.poll_recv(cx) {
                if state.take_signal(signal) {
                    state.wait(self.measure_round_trip(Duration::ZERO));
                }
                continue;
            }
            if self.overflow.load(Ordering::Relaxed) {
                state.end("the peer opened too many channels at once");
            }
            // What a channel still has to say goes before the end.
            if let Poll::Ready(Some(awaited)) = state.waits.poll_next_unpin(cx) {
                match awaited {
                    Awaited::Channel(channel, event) => state.take_channel(channel, event),
                    Awaited::Closing(at) => state.last_close = at.or(state.last_close),
                    Awaited::Settled(channel) => {
                        if let Some(label) = state.creating(channel) {
                            let creation = self.create_when_settled(&state, channel, label);
                            state.wait(creation);
                        }
                    }
                    Awaited::Created(channel, created) => {
                        if let Some(unwanted) = state.take_created(channel, created) {
                            state.wait(close_now(unwanted, channel));
                        }
                    }
                    Awaited::RoundTrip(measured, next) => {
                        if let Some(round_trip) = measured {
                            state.pacer.round_trip(round_trip);
                        }
                        if state.total() < MEASURED_CHANNELS {
                            state.wait(self.measure_round_trip(next));
                        }
                    }
                }
                continue;
            }
            if let Some(reason) = state.ended() {
                return Poll::Ready(TransportEvent::Closed { reason: reason.to_owned() });
            }
            if !state.connected && deadline.as_mut().poll(cx).is_ready() {
                state.time_out();
                continue;
            }
            state.waker = Some(cx.waker().clone());
            return Poll::Pending;
        }
    }

    /// When the numbers of closed channels can be used again.
    fn settled(state: &State) -> Option<Instant> {
        let round_trip = state.pacer.lowest_round_trip().unwrap_or_default();
        state.last_close.map(|closed| closed + SETTLE.max(round_trip * 4)).filter(|settled| *settled > Instant::now())
    }

    /// Creates a channel, or waits until that is safe.
    fn create_when_settled(&self, state: &State, channel: ChannelId, label: String) -> Wait {
        let peer = Arc::clone(&self.peer);
        let settled = Self::settled(state);
        Box::pin(async move {
            match settled {
                Some(settled) => {
                    tokio::time::sleep_until(settled.into()).await;
                    Awaited::Settled(channel)
                }
                // The defaults are an ordered and reliable channel.
                None => Awaited::Created(channel, peer.create_data_channel(&label, None).await),
            }
        })
    }

    /// Reads the nominated pair's round trip after this time.
    fn measure_round_trip(&self, after: Duration) -> Wait {
        let peer = Arc::clone(&self.peer);
        Box::pin(async move {
            tokio::time::sleep(after).await;
            let start = Instant::now();
            let report = peer.get_stats(start, StatsSelector::None).await;
            let round_trip = report
                .candidate_pairs()
                .filter(|pair| pair.nominated && pair.current_round_trip_time > 0.0)
                .filter_map(|pair| Duration::try_from_secs_f64(pair.current_round_trip_time).ok())
                .min();
            Awaited::RoundTrip(round_trip, ROUND_TRIP.max(start.elapsed() * ROUND_TRIP_SHARE))
        })
    }

    #[cfg(test)]
    pub(super) fn channel_count(&self) -> usize {
        self.state.borrow().channel_count()
    }

    /// Looks at what was acknowledged since the last time.
    async fn look(&self) {
        let now = Instant::now();
        let arrivals = self.arrivals.count();
        let (looked_arrivals, looked_at) = self.looked.get();
        if arrivals == looked_arrivals && now.saturating_duration_since(looked_at) < LOOK {
            return;
        }
        self.looked.set((arrivals, now));
        let busy = self.state.borrow().busy();
        for (channel, stack) in busy {
            // A channel that the stack no longer has takes no more acknowledgements.
            let left = stack.outstanding_bytes().await.unwrap_or(0);
            self.state.borrow_mut().outstanding(channel, left, now);
        }
    }

    /// The stack's channel of this number.
    fn channel(&self, channel: ChannelId) -> Result<Arc<dyn DataChannel>, TransportError> {
        let state = self.state.borrow();
        if self.closed.get() || state.ended().is_some() {
            return Err(TransportError::Closed);
        }
        state.channel(channel).ok_or(TransportError::ChannelClosed)
    }
}

impl Connection {
    /// The stack's channel of this number, when it takes messages.
    fn writable(&self, channel: ChannelId) -> Result<Arc<dyn DataChannel>, TransportError> {
        let stack = self.channel(channel)?;
        if self.state.borrow().is_writable(channel) { Ok(stack) } else { Err(TransportError::ChannelClosed) }
    }
}

impl Transport for Connection {
    async fn next_event(&self) -> TransportEvent {
        let connected = self.state.borrow().connected;
        let deadline = async {
            if connected {
                std::future::pending::<()>().await;
            } else {
                tokio::time::sleep_until(self.deadline.into()).await;
            }
        };
        let mut deadline = pin!(deadline);
        poll_fn(|cx| self.poll_event(cx, deadline.as_mut())).await
    }

    async fn add_candidate(&self, candidate: Option<Candidate>) -> Result<(), TransportError> {
        let refused = |error: RtcError| TransportError::Stack(error.to_string());
        let Some(candidate) = candidate else { return Ok(()) };
        let Some(line) = self.judge(&candidate.candidate).map_err(|error| refused(error.into()))? else {
            return Ok(());
        };
        if let Some(early) = self.early.borrow_mut().as_mut() {
            early.push(line);
            return Ok(());
        }
        self.add_line(line).await.map_err(refused)
    }

    async fn create_channel(&self, channel: ChannelId, label: &str) -> Result<(), TransportError> {
        if self.closed.get() || self.state.borrow().ended().is_some() {
            return Err(TransportError::Closed);
        }
        // An offer comes with its first channel.
        if self.state.borrow().channel(channel).is_some() {
            return Ok(());
        }
        let mut state = self.state.borrow_mut();
        state.create(channel, label);
        let creation = self.create_when_settled(&state, channel, label.to_owned());
        state.wait(creation);
        Ok(())
    }

    async fn send_text(&self, channel: ChannelId, text: &str) -> Result<(), TransportError> {
        self.writable(channel)?.send_text(text).await.map_err(failed)?;
        self.state.borrow_mut().sent(channel, text.len(), Instant::now());
        Ok(())
    }

    async fn send(&self, channel: ChannelId, data: Bytes) -> Result<(), TransportError> {
        let bytes = data.len();
        self.writable(channel)?.send(BytesMut::from(data)).await.map_err(failed)?;
        self.state.borrow_mut().sent(channel, bytes, Instant::now());
        Ok(())
    }

    async fn close_channel(&self, channel: ChannelId) {
        if self.state.borrow_mut().give_up_creating(channel) {
            return;
        }
        let Ok(stack) = self.channel(channel) else { return };
        // Not a claim on it: when the peer is faster, its queue is given back at once, and before its number is used again.
        let stack = Arc::downgrade(&stack);
        let linger = self.linger;
        self.state.borrow_mut().close(channel, |heard| {
            Box::pin(async move {
                let mut before = heard.load(Ordering::Relaxed);
                loop {
                    tokio::time::sleep(linger).await;
                    // The peer was faster, as it should be.
                    let Some(stack) = stack.upgrade() else { return Awaited::Closing(None) };
                    let Ok(outstanding) = stack.outstanding_bytes().await else { return Awaited::Closing(None) };
                    let now = heard.load(Ordering::Relaxed);
                    if outstanding == 0 && now == before {
                        if let Err(error) = stack.close().await {
                            tracing::debug!(%error, channel = channel.0, "closing a channel");
                        }
                        return Awaited::Closing(Some(Instant::now()));
                    }
                    before = now;
                }
            })
        });
    }

    async fn send_budget(&self) -> usize {
        self.look().await;
        self.state.borrow_mut().pacer.budget(Instant::now())
    }

    async fn budget_grown(&self) {
        loop {
            let mut arrival = pin!(self.arrivals.next());
            arrival.as_mut().enable();
            if self.send_budget().await > 0 {
                return;
            }
            let now = Instant::now();
            let wake = self.state.borrow_mut().pacer.wake(now).unwrap_or(now + LOOK);
            tokio::select! {
                () = arrival => {}
                () = tokio::time::sleep_until(wake.into()) => {}
            }
        }
    }

    fn unacknowledged(&self) -> usize {
        self.state.borrow().pacer.unacknowledged()
    }

    fn preferred_data(&self) -> usize {
        self.state.borrow().pacer.preferred_data()
    }

    fn round_trip(&self) -> Option<Duration> {
        self.state.borrow().pacer.lowest_round_trip()
    }

    async fn close(&self) {
        if self.closed.replace(true) {
            return;
        }
        self.state.borrow_mut().end("the connection was closed here");
        if let Err(error) = self.peer.close().await {
            tracing::debug!(%error, "closing the peer connection");
        }
        self.runtime.abort_tasks();
        let mut state = self.state.borrow_mut();
        state.clear();
        // Whoever waits for an event learns of the end.
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.runtime.abort_tasks();
    }
}

/// Closes a channel that nothing was sent on.
fn close_now(stack: Arc<dyn DataChannel>, channel: ChannelId) -> Wait {
    Box::pin(async move {
        if let Err(error) = stack.close().await {
            tracing::debug!(%error, channel = channel.0, "closing a channel that isn't wanted any more");
        }
        Awaited::Closing(Some(Instant::now()))
    })
}

fn failed(error: Error) -> TransportError {
    match error {
        Error::ErrDataChannelClosed => TransportError::ChannelClosed,
        error => TransportError::Stack(error.to_string()),
    }
}
