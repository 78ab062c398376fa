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
use rtc::{
    ice::mdns::MulticastDnsMode, peer_connection::configuration::setting_engine::SctpMaxMessageSize,
    shared::error::Error,
};
use tokio::sync::{mpsc, watch};
use webrtc::{
    data_channel::DataChannel,
    peer_connection::{
        PeerConnection, PeerConnectionBuilder, RTCConfigurationBuilder, RTCIceCandidateInit, RTCSessionDescription,
        SettingEngineBuilder, StatsSelector,
    },
};

use super::{
    Config, Mdns, RtcError,
    candidate::{self, CandidateError, MAX_CANDIDATES, Verdict},
    handler::{Gathering, Handler, MAX_SIGNALS, Signal},
    runtime::{Arrivals, StackRuntime},
    sdp::Description,
    state::{Awaited, State, Wait},
};
use crate::{
    generated::link::limits,
    link::transport::{ChannelId, Transport, TransportError, TransportEvent},
    signal::Candidate,
};

/// After this long without a packet the stack calls a connection disconnected, which is only a warning.
const DISCONNECTED: Duration = Duration::from_secs(5);
/// How often a quiet connection is checked. It also is how often a new round trip is known.
const KEEPALIVE: Duration = Duration::from_secs(1);
/// How often connectivity checks are repeated until the connection is up.
const CHECK: Duration = Duration::from_millis(200);
/// The round trip is read this often at most, since reading it costs time that grows with the channels of a lifetime.
const ROUND_TRIP: Duration = Duration::from_secs(1);
/// The share of time that reading the round trip may take: one in so many.
const ROUND_TRIP_SHARE: u32 = 100;
/// Acknowledgements are looked for at least this often, whether a packet arrived or not.
const LOOK: Duration = Duration::from_millis(10);
/// A channel is closed from here once it was silent for this long and everything sent on it was acknowledged.
///
/// The stack throws away what it holds of a channel that is closed, and worse: a message that arrives on a channel closed
/// here can't be read any more, takes messages of other channels in its packet with it, and keeps the peer's side of the
/// channel from ever closing. A page closes the channel of a finished stream itself, which has none of this, so it gets the
/// time to.
const LINGER: Duration = Duration::from_secs(1);
/// No channel is created for this long after one was closed from here: the stack would give it the closed one's number,
/// which the peer hasn't let go of yet. Four round trips, when that is longer.
const SETTLE: Duration = Duration::from_millis(100);

/// A peer connection over WebRTC. [`Transport`] has what a link does with it.
///
/// Dropping it ends its tasks and sockets at once; [`Transport::close`] also tells the peer.
pub struct Connection {
    peer: Arc<dyn PeerConnection>,
    runtime: Arc<StackRuntime>,
    arrivals: Arc<Arrivals>,
    signals: RefCell<mpsc::Receiver<Signal>>,
    overflow: Arc<AtomicBool>,
    gathering: watch::Receiver<Gathering>,
    state: RefCell<State>,
    deadline: Instant,
    /// The peer's candidates so far.
    candidates: Cell<usize>,
    /// Those that came before the peer's description; `None` once that is set.
    early: RefCell<Option<Vec<String>>>,
    /// Arrivals when the acknowledgements were last looked at, and when that was.
    looked: Cell<(u64, Instant)>,
    closed: Cell<bool>,
}

impl Connection {
    /// Answers an offer. The answer has no candidates: they follow as [`TransportEvent::LocalCandidate`], or see
    /// [`Connection::gathered_description`].
    ///
    /// # Errors
    /// [`RtcError`] when the offer can't be used or the connection can't be set up.
    pub async fn answer(config: Config, offer: &str) -> Result<(Self, String), RtcError> {
        let offer = Description::parse(offer)?;
        let connection = Box::pin(Self::build(&config, offer.mid.clone())).await?;
        connection.set_remote(&offer, RTCSessionDescription::offer(offer.to_sdp())).await?;
        let answer = connection.peer.create_answer(None).await.map_err(RtcError::at("answer"))?;
        let sdp = answer.sdp.clone();
        connection.peer.set_local_description(answer).await.map_err(RtcError::at("local description"))?;
        Ok((connection, sdp))
    }

    /// Makes an offer, as a page does. A link's first channel has to be there by then, since an offer of nothing can't be
    /// answered. [`Connection::accept_answer`] goes on.
    ///
    /// # Errors
    /// [`RtcError`] when the connection can't be set up.
    pub async fn offer(config: Config, channel: ChannelId, label: &str) -> Result<(Self, String), RtcError> {
        let connection = Box::pin(Self::build(&config, String::new())).await?;
        connection.open_channel(channel, label).await.map_err(RtcError::at("first channel"))?;
        let offer = connection.peer.create_offer(None).await.map_err(RtcError::at("offer"))?;
        let sdp = offer.sdp.clone();
        connection.state.borrow_mut().mid = Description::parse(&sdp)?.mid;
        connection.peer.set_local_description(offer).await.map_err(RtcError::at("local description"))?;
        Ok((connection, sdp))
    }

    /// Takes the answer to [`Connection::offer`].
    ///
    /// # Errors
    /// [`RtcError`] when the answer can't be used.
    pub async fn accept_answer(&self, answer: &str) -> Result<(), RtcError> {
        let answer = Description::parse(answer)?;
        self.set_remote(&answer, RTCSessionDescription::answer(answer.to_sdp())).await
    }

    /// The local description with every candidate in it, once they are gathered. Host candidates take milliseconds.
    ///
    /// # Errors
    /// [`RtcError::Ended`] when the connection ends before.
    pub async fn gathered_description(&self) -> Result<String, RtcError> {
        let mut gathering = self.gathering.clone();
        let outcome = gathering.wait_for(|gathering| *gathering != Gathering::UnderWay).await;
        if outcome.is_ok_and(|gathering| *gathering == Gathering::Ended) {
            return Err(RtcError::Ended);
        }
        self.peer.local_description().await.map(|description| description.sdp).ok_or(RtcError::Ended)
    }

    async fn build(config: &Config, mid: String) -> Result<Self, RtcError> {
        match Box::pin(Self::build_with(config, mid.clone(), config.mdns)).await {
            Err(error) if config.mdns == Mdns::QueryOnly => {
                // A machine without a multicast interface can't ask, and needn't: loopback candidates have no name.
                tracing::debug!(%error, "going on without mDNS");
                Box::pin(Self::build_with(config, mid, Mdns::Off)).await
            }
            built => built,
        }
    }

    async fn build_with(config: &Config, mid: String, mdns: Mdns) -> Result<Self, RtcError> {
        let (sender, signals) = mpsc::channel(MAX_SIGNALS);
        let overflow = Arc::new(AtomicBool::new(false));
        let (progress, gathering) = watch::channel(Gathering::UnderWay);
        #[cfg_attr(not(test), expect(unused_mut, reason = "only tests change it"))]
        let mut runtime = StackRuntime::new(sender.clone(), progress.clone());
        #[cfg(test)]
        {
            runtime.without_multicast = config.without_multicast;
        }
        let runtime = Arc::new(runtime);
        let handler = Handler { signals: sender, overflow: Arc::clone(&overflow), gathering: progress };

        let disconnected = DISCONNECTED.min(config.connect_timeout / 2);
        let checks = config.connect_timeout.as_millis() / CHECK.as_millis();
        let settings = SettingEngineBuilder::new()
            .with_include_loopback_candidate(true)
            .with_multicast_dns_mode(match mdns {
                Mdns::QueryOnly => MulticastDnsMode::QueryOnly,
                Mdns::Off => MulticastDnsMode::Disabled,
            })
            .with_sctp_max_message_size(SctpMaxMessageSize::Bounded(limits::MESSAGE as u32))
            .with_sctp_max_receive_buffer_size(limits::SCTP_RECEIVE_BUFFER as u32)
            // A connection fails after the sum of the first two.
            .with_ice_timeouts(
                Some(disconnected),
                Some(config.connect_timeout.saturating_sub(disconnected)),
                Some(KEEPALIVE),
            )
            // A pair is checked for as long as the connection may take: the answer may reach the peer late.
            .with_ice_connection_attempts(Some(CHECK), Some(u16::try_from(checks).unwrap_or(u16::MAX)))
            .build();
        let building = PeerConnectionBuilder::new()
            .with_configuration(
                RTCConfigurationBuilder::new().with_certificates(vec![config.certificate.stack()]).build(),
            )
            .with_setting_engine(settings)
            .with_runtime(Arc::clone(&runtime) as _)
            .with_handler(Arc::new(handler))
            .with_udp_addrs(config.addresses.list()?)
            .build();
        let peer = Box::pin(building).await.map_err(RtcError::at("sockets"))?;

        let now = Instant::now();
        Ok(Self {
            peer: Arc::new(peer),
            arrivals: runtime.arrivals(),
            runtime,
            signals: RefCell::new(signals),
            overflow,
            gathering,
            state: RefCell::new(State::new(now, mid, config.connect_timeout)),
            deadline: now + config.connect_timeout,
            candidates: Cell::new(0),
            early: RefCell::new(Some(Vec::new())),
            looked: Cell::new((0, now)),
            closed: Cell::new(false),
        })
    }

    async fn set_remote(
        &self,
        peer: &Description,
        description: Result<RTCSessionDescription, Error>,
    ) -> Result<(), RtcError> {
        let description = description.map_err(RtcError::at("remote description"))?;
        if let Some(max_message) = peer.max_message {
            let data = (max_message as usize).saturating_sub(limits::FRAME_HEADER);
            self.state.borrow_mut().pacer.limit_data(data);
        }
        self.peer.set_remote_description(description).await.map_err(RtcError::at("remote description"))?;
        for line in self.early.take().unwrap_or_default() {
            self.add_line(line).await?;
        }
        for line in &peer.candidates {
            match self.judge(line) {
                Ok(Some(line)) => self.add_line(line).await?,
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, "ignoring a candidate of the description"),
            }
        }
        Ok(())
    }

    /// Hands the stack a candidate that was judged.
    async fn add_line(&self, line: String) -> Result<(), RtcError> {
        // The peer has one media section, so which one a candidate is for needs no saying.
        let candidate = RTCIceCandidateInit { candidate: line, ..RTCIceCandidateInit::default() };
        self.peer.add_ice_candidate(candidate).await.map_err(RtcError::at("candidate"))
    }

    /// Judges a candidate of the peer and counts it.
    fn judge(&self, line: &str) -> Result<Option<String>, CandidateError> {
        if self.candidates.get() >= MAX_CANDIDATES {
            return Err(CandidateError::TooMany);
        }
        match candidate::judge(line)? {
            Verdict::Use(line) => {
                self.candidates.set(self.candidates.get() + 1);
                Ok(Some(line))
            }
            Verdict::Drop(why) => {
                tracing::debug!(why, "leaving out a candidate");
                Ok(None)
            }
            Verdict::End => Ok(None),
        }
    }
}

impl Connection {
    async fn open_channel(&self, channel: ChannelId, label: &str) -> Result<(), webrtc::error::Error> {
        // The defaults are an ordered and reliable channel.
        let stack = self.peer.create_data_channel(label, None).await?;
        self.state.borrow_mut().add_own(channel, label, stack);
        Ok(())
    }

    fn poll_event(&self, cx: &mut Context<'_>, deadline: Pin<&mut impl Future<Output = ()>>) -> Poll<TransportEvent> {
        let mut deadline = deadline;
        let mut signals = self.signals.borrow_mut();
        let mut state = self.state.borrow_mut();
        loop {
            if let Some(event) = state.pop() {
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
                    Awaited::RoundTrip(measured, next) => {
                        if let Some(round_trip) = measured {
                            state.pacer.round_trip(round_trip);
                        }
                        state.wait(self.measure_round_trip(next));
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
        let settled =
            self.state.borrow().last_close.map(|closed| closed + SETTLE.max(self.round_trip().unwrap_or_default() * 4));
        if let Some(settled) = settled {
            tokio::time::sleep_until(settled.into()).await;
        }
        self.open_channel(channel, label).await.map_err(failed)
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
        let Ok(stack) = self.channel(channel) else { return };
        self.state.borrow_mut().close(channel, |heard| {
            Box::pin(async move {
                let mut before = heard.load(Ordering::Relaxed);
                loop {
                    tokio::time::sleep(LINGER).await;
                    // The peer was faster, as it should be.
                    let Ok(outstanding) = stack.outstanding_bytes().await else { return Awaited::Closing(None) };
                    let now = heard.load(Ordering::Relaxed);
                    if outstanding == 0 && now == before {
                        break;
                    }
                    before = now;
                }
                if let Err(error) = stack.close().await {
                    tracing::debug!(%error, channel = channel.0, "closing a channel");
                }
                Awaited::Closing(Some(Instant::now()))
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

fn failed(error: Error) -> TransportError {
    match error {
        Error::ErrDataChannelClosed => TransportError::ChannelClosed,
        error => TransportError::Stack(error.to_string()),
    }
}
