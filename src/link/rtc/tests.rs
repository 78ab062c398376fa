//! Two connections in one process over loopback.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use bytes::Bytes;
use proptest::prelude::*;
use tokio::time::timeout;

use super::*;
use crate::{
    generated::link::{channels, limits},
    link::transport::{ChannelId, Transport, TransportError, TransportEvent},
    signal::Candidate,
};

mod transfer;

const PATIENCE: Duration = Duration::from_secs(20);
const CONTROL: ChannelId = ChannelId(1);

fn config() -> Config {
    let certificate = Certificate::generate(Duration::from_hours(1)).expect("a certificate");
    let addresses = Addresses::Fixed(vec!["127.0.0.1:0".parse().expect("an address")]);
    Config { addresses, mdns: Mdns::Off, ..Config::new(certificate) }
}

async fn next(connection: &Connection) -> TransportEvent {
    timeout(PATIENCE, connection.next_event()).await.expect("an event in time")
}

/// The next event that is no candidate.
async fn event(connection: &Connection) -> TransportEvent {
    loop {
        match next(connection).await {
            TransportEvent::LocalCandidate(_) => {}
            event => return event,
        }
    }
}

/// A page (which offers) and a node, not yet connected.
async fn negotiated() -> (Connection, Connection) {
    let (page, offer) = Connection::offer(config(), CONTROL, channels::CONTROL).await.expect("an offer");
    let (node, answer) = Connection::answer(config(), &offer).await.expect("an answer");
    page.accept_answer(&answer).await.expect("the answer is fine");
    (page, node)
}

/// Passes the candidates of one side on to the other up to their end.
async fn trickle(from: &Connection, to: &Connection) -> usize {
    let mut count = 0;
    loop {
        let TransportEvent::LocalCandidate(candidate) = next(from).await else { panic!("candidates come first") };
        let is_end = candidate.is_none();
        to.add_candidate(candidate).await.expect("our own candidate");
        if is_end {
            return count;
        }
        count += 1;
    }
}

/// A page and a node with an open control channel. The node's number for it comes last.
async fn connected() -> (Connection, Connection, ChannelId) {
    let (page, node) = negotiated().await;
    assert_eq!(trickle(&page, &node).await, 1);
    assert_eq!(trickle(&node, &page).await, 1);
    let (control, ()) = tokio::join!(opened(&node), async {
        assert!(matches!(event(&page).await, TransportEvent::Connected));
        assert!(matches!(event(&page).await, TransportEvent::ChannelOpen { channel: CONTROL, .. }));
    });
    (page, node, control)
}

/// Waits for the connection and its control channel.
async fn opened(node: &Connection) -> ChannelId {
    let mut is_connected = false;
    loop {
        match event(node).await {
            TransportEvent::Connected => is_connected = true,
            TransportEvent::ChannelOpen { channel, label } => {
                assert!(is_connected, "connected comes first");
                assert_eq!(label, channels::CONTROL);
                assert_eq!(channel.0 % 2, 0, "the transport numbers the peer's channels evenly");
                return channel;
            }
            event => panic!("{event:?}"),
        }
    }
}

#[tokio::test]
async fn a_trickled_link_carries_text_both_ways() {
    let (page, node, control) = connected().await;
    page.send_text(CONTROL, "hello").await.expect("open");
    assert!(
        matches!(event(&node).await, TransportEvent::Text { channel, text } if channel == control && text == "hello")
    );
    node.send_text(control, "välkommen").await.expect("open");
    assert!(matches!(event(&page).await, TransportEvent::Text { channel: CONTROL, text } if text == "välkommen"));
    page.close().await;
    node.close().await;
}

#[tokio::test]
async fn a_link_without_trickle_comes_up_from_whole_descriptions() {
    let (page, _) = Connection::offer(config(), CONTROL, channels::CONTROL).await.expect("an offer");
    let offer = timeout(PATIENCE, page.gathered_description()).await.expect("in time").expect("an offer");
    let (node, _) = Connection::answer(config(), &offer).await.expect("an answer");
    let answer = timeout(PATIENCE, node.gathered_description()).await.expect("in time").expect("an answer");
    let read = sdp::Description::parse(&answer).expect("our own answer");
    assert!(read.end_of_candidates);
    let is_used = |line: &&String| matches!(candidate::judge(line), Ok(candidate::Verdict::Use(_)));
    assert_eq!(read.candidates.iter().filter(is_used).count(), 1);
    page.accept_answer(&answer).await.expect("the answer is fine");
    let (_, page_event) = tokio::join!(opened(&node), event(&page));
    assert!(matches!(page_event, TransportEvent::Connected));
}

#[tokio::test]
async fn the_answer_names_the_nodes_certificate() {
    let page = Connection::offer(config(), CONTROL, channels::CONTROL).await.expect("an offer");
    let config = config();
    let fingerprint = config.certificate.fingerprint();
    let (_node, answer) = Connection::answer(config, &page.1).await.expect("an answer");
    assert_eq!(sdp::Description::parse(&answer).expect("our own answer").fingerprint, fingerprint);
}

#[tokio::test]
async fn a_peer_with_another_certificate_than_its_description_says_gets_no_connection() {
    let short = Duration::from_secs(2);
    let (page, offer) = Connection::offer(config(), CONTROL, channels::CONTROL).await.expect("an offer");
    let mut forged = sdp::Description::parse(&offer).expect("our own offer");
    forged.fingerprint = config().certificate.fingerprint();
    let node_config = Config { connect_timeout: short, ..config() };
    let (node, answer) = Connection::answer(node_config, &forged.to_sdp()).await.expect("an answer");
    page.accept_answer(&answer).await.expect("the answer is fine");
    trickle(&page, &node).await;
    trickle(&node, &page).await;
    assert!(matches!(event(&node).await, TransportEvent::Closed { .. }));
}

#[tokio::test]
async fn candidates_that_come_before_the_answer_are_kept() {
    let (page, offer) = Connection::offer(config(), CONTROL, channels::CONTROL).await.expect("an offer");
    let (node, answer) = Connection::answer(config(), &offer).await.expect("an answer");
    trickle(&node, &page).await;
    page.accept_answer(&answer).await.expect("the answer is fine");
    trickle(&page, &node).await;
    opened(&node).await;
}

#[tokio::test]
async fn every_address_of_this_machine_is_a_candidate_and_multicast_may_be_missing() {
    let config =
        Config { addresses: Addresses::Interfaces, mdns: Mdns::QueryOnly, without_multicast: true, ..config() };
    let (page, offer) = Connection::offer(config.clone(), CONTROL, channels::CONTROL).await.expect("an offer");
    let (node, answer) = Connection::answer(config, &offer).await.expect("an answer");
    page.accept_answer(&answer).await.expect("the answer is fine");
    assert!(trickle(&page, &node).await >= 1);
    assert!(trickle(&node, &page).await >= 1);
    opened(&node).await;
}

#[tokio::test]
async fn messages_of_the_largest_size_arrive_whole_and_larger_ones_are_refused() {
    let (page, node, control) = connected().await;
    let largest: Bytes = (0..limits::MESSAGE).map(|n| n as u8).collect();
    page.send(CONTROL, largest.clone()).await.expect("open");
    assert!(matches!(event(&node).await, TransportEvent::Binary { data, .. } if data == largest));
    node.send(control, largest.clone()).await.expect("open");
    assert!(matches!(event(&page).await, TransportEvent::Binary { data, .. } if data == largest));
    let too_large = Bytes::from(vec![0; limits::MESSAGE + 1]);
    assert!(matches!(page.send(CONTROL, too_large).await, Err(TransportError::Stack(_))));
}

#[tokio::test]
async fn an_empty_message_arrives() {
    let (page, node, _) = connected().await;
    page.send(CONTROL, Bytes::new()).await.expect("open");
    assert!(matches!(event(&node).await, TransportEvent::Binary { data, .. } if data.is_empty()));
}

#[tokio::test]
async fn what_was_sent_before_a_channel_was_closed_arrives() {
    let (page, node, _) = connected().await;
    let channel = ChannelId(3);
    page.create_channel(channel, channels::STREAM).await.expect("connected");
    assert!(matches!(event(&page).await, TransportEvent::ChannelOpen { channel: ChannelId(3), .. }));
    for n in 0..20u8 {
        page.send(channel, Bytes::from(vec![n; 30_000])).await.expect("open");
    }
    page.close_channel(channel).await;
    assert!(matches!(page.send(channel, Bytes::new()).await, Err(TransportError::ChannelClosed)));
    // The page is polled too, as its driver would: the close is a handshake.
    let (received, ()) = tokio::join!(
        async {
            let mut received = Vec::new();
            loop {
                match event(&node).await {
                    TransportEvent::Binary { data, .. } => received.push(data[0]),
                    TransportEvent::ChannelClosed { .. } => return received,
                    _ => {}
                }
            }
        },
        async { assert!(matches!(event(&page).await, TransportEvent::ChannelClosed { channel: ChannelId(3) })) }
    );
    assert_eq!(received, (0..20).collect::<Vec<u8>>());
}

/// Opens 300 channels from both sides, sends one message on each, and closes them from `closer`'s side or from both.
async fn round(page: &Connection, node: &Connection, round: u64) {
    const EACH: u64 = 150;
    let own = |round: u64, n: u64| ChannelId(1001 + 2 * (round * EACH + n));
    for n in 0..EACH {
        page.create_channel(own(round, n), channels::STREAM).await.expect("connected");
        node.create_channel(own(round, n), channels::STREAM).await.expect("connected");
    }
    let side = |connection| async move {
        let connection: &Connection = connection;
        let (mut open, mut messages, mut closed) = (HashSet::new(), 0, HashMap::<_, u32>::new());
        while closed.len() < 2 * EACH as usize {
            match event(connection).await {
                TransportEvent::ChannelOpen { channel, label } => {
                    assert_eq!(label, channels::STREAM);
                    assert!(open.insert(channel), "{channel:?} opens once");
                    if channel.0 % 2 == 1 {
                        connection.send(channel, Bytes::from_static(b"x")).await.expect("open");
                    }
                }
                TransportEvent::Binary { channel, .. } => {
                    messages += 1;
                    // Every third is closed by its opener, every third by the other side, every third by both.
                    if messages % 3 != 0 {
                        connection.close_channel(channel).await;
                    } else {
                        connection.send(channel, Bytes::from_static(b"y")).await.ok();
                        connection.close_channel(channel).await;
                    }
                }
                TransportEvent::ChannelClosed { channel } => {
                    *closed.entry(channel).or_default() += 1;
                }
                event => panic!("{event:?}"),
            }
        }
        assert!(closed.values().all(|count| *count == 1), "each closes once");
        let closed: HashSet<_> = closed.into_keys().collect();
        let unopened: Vec<_> = closed.difference(&open).collect();
        let unclosed: Vec<_> = open.difference(&closed).collect();
        assert!(unopened.is_empty() && unclosed.is_empty(), "closed unopened {unopened:?}, not closed {unclosed:?}");
    };
    tokio::join!(side(page), side(node));
}

#[tokio::test]
async fn three_hundred_channels_open_and_close_again_and_again() {
    let (page, node, _) = connected().await;
    for n in 0..4 {
        timeout(PATIENCE, round(&page, &node, n)).await.expect("a round in time");
        for connection in [&page, &node] {
            assert_eq!(connection.channel_count(), 1, "only control is left");
        }
    }
}

/// Takes about a minute, most of which it waits.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn memory_stays_flat_over_ten_thousand_channels() {
    let resident = || {
        let statm = std::fs::read_to_string("/proc/self/statm").expect("a Linux machine");
        statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("pages") * 4
    };
    let (page, node, _) = connected().await;
    for n in 0..8 {
        round(&page, &node, n).await;
    }
    let before = resident();
    for n in 8..35 {
        round(&page, &node, n).await;
    }
    let grown = resident().saturating_sub(before);
    // Two ends and 8,100 channels: the stack's statistics take some hundred bytes of each.
    assert!(grown < 12_000, "{before} KiB grew by {grown} KiB");
}

#[tokio::test]
async fn a_peer_that_closes_ends_its_channels_at_once() {
    let (page, node, control) = connected().await;
    let start = Instant::now();
    page.close().await;
    assert!(start.elapsed() < Duration::from_secs(1));
    assert!(matches!(event(&node).await, TransportEvent::ChannelClosed { channel } if channel == control));
    assert!(start.elapsed() < Duration::from_secs(3));
    assert!(matches!(page.send(CONTROL, Bytes::new()).await, Err(TransportError::Closed)));
    assert!(matches!(event(&page).await, TransportEvent::Closed { .. }));
    assert!(matches!(event(&page).await, TransportEvent::Closed { .. }), "the end stays");
}

#[tokio::test]
async fn a_closed_or_dropped_connection_leaves_no_task() {
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    let (page, node, _) = connected().await;
    assert!(tasks() > before);
    page.close().await;
    page.close().await;
    drop(node);
    let gone = async {
        while tasks() > before {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, gone).await.expect("the tasks end");
}

#[tokio::test]
async fn a_link_that_finds_no_path_is_given_up() {
    let (page, offer) = Connection::offer(config(), CONTROL, channels::CONTROL).await.expect("an offer");
    let config = Config { connect_timeout: Duration::from_millis(400), ..config() };
    let start = Instant::now();
    let (node, _) = Connection::answer(config, &offer).await.expect("an answer");
    match event(&node).await {
        TransportEvent::Closed { reason } => assert_eq!(reason, "no connection within 0.4 s"),
        event => panic!("{event:?}"),
    }
    assert!(start.elapsed() >= Duration::from_millis(400) && start.elapsed() < Duration::from_secs(2));
    drop(page);
}

#[tokio::test]
async fn a_vanished_peer_is_noticed() {
    let (page, offer) = Connection::offer(config(), CONTROL, channels::CONTROL).await.expect("an offer");
    let (node, answer) = Connection::answer(Config { connect_timeout: Duration::from_secs(2), ..config() }, &offer)
        .await
        .expect("an answer");
    page.accept_answer(&answer).await.expect("the answer is fine");
    trickle(&page, &node).await;
    trickle(&node, &page).await;
    opened(&node).await;
    // A dropped connection says nothing to its peer.
    drop(page);
    let start = Instant::now();
    loop {
        match event(&node).await {
            TransportEvent::Closed { reason } => {
                assert_eq!(reason, "the connection was lost: no sign of the peer for 2 s");
                break;
            }
            TransportEvent::ChannelClosed { .. } => {}
            event => panic!("{event:?}"),
        }
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_bad_candidate_is_an_error_and_harms_nothing() {
    let (page, node) = negotiated().await;
    let candidate = |line: &str| {
        let candidate = line.to_owned();
        Some(Candidate { candidate, sdp_mid: None, sdp_m_line_index: None, username_fragment: None })
    };
    assert!(node.add_candidate(candidate("candidate:nonsense")).await.is_err());
    assert!(node.add_candidate(candidate("candidate:1 1 tcp 1 127.0.0.1 9 typ host tcptype passive")).await.is_ok());
    assert!(node.add_candidate(candidate("candidate:1 1 udp 1 no-such-name.local 9 typ host")).await.is_ok());
    trickle(&page, &node).await;
    trickle(&node, &page).await;
    opened(&node).await;
}

#[tokio::test]
async fn a_flood_of_candidates_is_refused() {
    let (_page, node) = negotiated().await;
    let mut refused = 0;
    for port in 1..=300 {
        let candidate = format!("candidate:1 1 udp 1 127.0.0.1 {port} typ host");
        let candidate = Candidate { candidate, sdp_mid: None, sdp_m_line_index: None, username_fragment: None };
        refused += usize::from(node.add_candidate(Some(candidate)).await.is_err());
    }
    assert_eq!(refused, 300 - candidate::MAX_CANDIDATES);
}

#[tokio::test]
async fn a_message_on_a_channel_that_is_to_close_harms_no_other() {
    let (page, node, control) = connected().await;
    page.create_channel(ChannelId(3), channels::STREAM).await.expect("connected");
    assert!(matches!(event(&page).await, TransportEvent::ChannelOpen { .. }));
    let TransportEvent::ChannelOpen { channel, .. } = event(&node).await else { panic!("the peer's channel") };
    node.close_channel(channel).await;
    page.send(ChannelId(3), Bytes::from_static(b"late")).await.expect("open");
    page.send(CONTROL, Bytes::from_static(b"other")).await.expect("open");
    assert!(matches!(event(&node).await, TransportEvent::Binary { channel: on, .. } if on == channel));
    assert!(matches!(event(&node).await, TransportEvent::Binary { channel, .. } if channel == control));
    let (node_event, page_event) = tokio::join!(event(&node), event(&page));
    assert!(matches!(node_event, TransportEvent::ChannelClosed { channel: closed } if closed == channel));
    assert!(matches!(page_event, TransportEvent::ChannelClosed { channel: ChannelId(3) }));
}

#[tokio::test]
async fn an_oversized_or_foreign_offer_is_refused() {
    for offer in ["", "v=0\r\n", "hello", &"v=0\r\n".repeat(20_000)] {
        assert!(matches!(Connection::answer(config(), offer).await, Err(RtcError::Description(_))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Damages a real offer within the values that reach the stack.
    #[test]
    fn a_damaged_offer_never_brings_the_stack_down(
        ufrag in "[a-zA-Z0-9+/]{4,40}", password in "[a-zA-Z0-9+/]{22,60}", mid in "[!-~]{1,20}",
        port: u16, size: u32, candidate in "candidate:[a-z0-9]{1,8} 1 udp [0-9]{1,9} (127\\.0\\.0\\.1|::1|a\\.local) [0-9]{1,5} typ host"
    ) {
        let offer = format!(
            "v=0\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\na=ice-ufrag:{ufrag}\r\na=ice-pwd:{password}\r\n\
             a=fingerprint:sha-256 {}\r\na=setup:actpass\r\na=mid:{mid}\r\na=sctp-port:{port}\r\n\
             a=max-message-size:{size}\r\na={candidate}\r\n", "00".repeat(32));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            if let Ok((node, answer)) = Connection::answer(config(), &offer).await {
                assert!(sdp::Description::parse(&answer).is_ok());
                node.close().await;
            }
        });
    }
}
