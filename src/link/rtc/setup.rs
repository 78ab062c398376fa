//! How a connection comes about: descriptions and candidates, from either side.

use std::{
    cell::{Cell, RefCell},
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use rtc::{
    ice::mdns::MulticastDnsMode, peer_connection::configuration::setting_engine::SctpMaxMessageSize,
    shared::error::Error,
};
use tokio::sync::{mpsc, watch};
use webrtc::peer_connection::{
    PeerConnectionBuilder, RTCConfigurationBuilder, RTCIceCandidateInit, RTCSessionDescription, SettingEngineBuilder,
};

use super::{
    Config, Connection, Mdns, RtcError,
    candidate::{self, CandidateError, MAX_CANDIDATES, Verdict},
    connection::{LINGER, PAGE_LINGER},
    handler::{Gathering, Handler, MAX_SIGNALS},
    runtime::StackRuntime,
    sdp::Description,
    state::State,
};
#[cfg(doc)]
use crate::link::transport::TransportEvent;
use crate::{generated::link::limits, link::transport::ChannelId};

/// After this long without a packet the stack calls a connection disconnected, which is only a warning.
const DISCONNECTED: Duration = Duration::from_secs(5);
/// How often a quiet connection is checked. It also is how often a new round trip is known.
const KEEPALIVE: Duration = Duration::from_secs(1);
/// How often connectivity checks are repeated until the connection is up. The offering side also nominates a pair no sooner
/// than one such period after it was found, so this is most of what a link takes to come up.
const CHECK: Duration = Duration::from_millis(50);

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
        let mut connection = Box::pin(Self::build(&config, String::new())).await?;
        connection.linger = PAGE_LINGER;
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
            // The peer's checks may come before its candidates do, and its address is as good for it: no wait of a second
            // before such a pair is nominated.
            .with_prflx_acceptance_min_wait(Some(Duration::ZERO))
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
            linger: LINGER,
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
        let embedded = peer.candidates.iter().filter_map(|line| {
            self.judge(line).unwrap_or_else(|error| {
                tracing::debug!(%error, "ignoring a candidate of the description");
                None
            })
        });
        let early = self.early.take().unwrap_or_default();
        for line in early.into_iter().chain(embedded.collect::<Vec<_>>()) {
            if let Err(error) = self.add_line(line).await {
                tracing::debug!(%error, "ignoring a candidate that came with the description or before it");
            }
        }
        Ok(())
    }

    /// Hands the stack a candidate that was judged.
    pub(super) async fn add_line(&self, line: String) -> Result<(), RtcError> {
        // The peer has one media section, so which one a candidate is for needs no saying.
        let candidate = RTCIceCandidateInit { candidate: line, ..RTCIceCandidateInit::default() };
        self.peer.add_ice_candidate(candidate).await.map_err(RtcError::at("candidate"))
    }

    /// Judges a candidate of the peer and counts it.
    pub(super) fn judge(&self, line: &str) -> Result<Option<String>, CandidateError> {
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
