//! Transfers over a link: as much as the budget allows, near and far.

use super::*;

/// Sends so many bytes within the budget.
async fn transfer(sender: &Connection, channel: ChannelId, receiver: &Connection, all: usize) {
    let receive = async {
        let mut arrived = 0;
        while arrived < all {
            if let TransportEvent::Binary { data, .. } = event(receiver).await {
                arrived += data.len();
            }
        }
    };
    let send = async {
        let mut sent = 0;
        while sent < all {
            let budget = sender.send_budget().await.min(sender.preferred_data()).min(all - sent);
            if budget == 0 {
                sender.budget_grown().await;
                continue;
            }
            sender.send(channel, Bytes::from(vec![0; budget])).await.expect("open");
            sent += budget;
        }
    };
    // Somebody has to look at the sender's events, for its round trip.
    let watch = async {
        loop {
            event(sender).await;
        }
    };
    tokio::select! {
        _ = async { tokio::join!(receive, send) } => {}
        () = watch => {}
    }
}

#[tokio::test]
async fn the_budget_follows_the_acknowledgements() {
    let (page, node, control) = connected().await;
    timeout(PATIENCE, transfer(&node, control, &page, 4 << 20)).await.expect("in time");
    assert!(node.round_trip().is_some_and(|round_trip| round_trip < Duration::from_secs(1)));
}

/// Passes the candidates of one side on through a relay.
async fn trickle_through(relay: &relay::Relay, from: &Connection, to: &Connection) {
    loop {
        let TransportEvent::LocalCandidate(candidate) = next(from).await else { panic!("candidates come first") };
        let Some(candidate) = candidate else { return };
        if let Some(line) = relay.rewrite(&candidate.candidate).expect("a port") {
            to.add_candidate(Some(Candidate { candidate: line, ..candidate })).await.expect("our own candidate");
        }
    }
}

#[tokio::test]
async fn a_distant_path_is_measured_and_filled() {
    let relay = relay::Relay::start(relay::RelayConfig::wan(Duration::from_millis(50))).expect("a relay");
    let (page, node) = negotiated().await;
    trickle_through(&relay, &page, &node).await;
    trickle_through(&relay, &node, &page).await;
    let control = opened(&node).await;
    let all = 3 << 20;
    let start = Instant::now();
    timeout(PATIENCE, transfer(&node, control, &page, all)).await.expect("in time");
    let round_trip = node.round_trip().expect("measured");
    assert!(round_trip >= Duration::from_millis(50) && round_trip < Duration::from_millis(150), "{round_trip:?}");
    // A cap of 64 KiB would take 2.4 s and more.
    assert!(start.elapsed() < Duration::from_millis(2400), "{:?}", start.elapsed());
    assert_eq!(node.preferred_data(), crate::link::pacing::tuning::DISTANT_DATA);
}

/// The stack sends what is due in one system call if it can, and bounds that by the length of an IP packet, which is more than a
/// datagram can have. A message of 62,001 bytes, which makes 54 packets of 65,511 bytes together, was refused as a whole, then and
/// at each retransmission, and the transfer stood still for good.
#[tokio::test]
async fn rule_a_burst_as_long_as_an_ip_packet_is_sent() {
    let (page, node, control) = connected().await;
    // The window of the congestion control has to hold such a burst.
    timeout(PATIENCE, transfer(&node, control, &page, 8 << 20)).await.expect("in time");
    for length in 61_900..62_100 {
        // With nothing else on its way, the whole message is due at once.
        node.send(control, Bytes::from(vec![0; length])).await.expect("open");
        let arrived = timeout(Duration::from_secs(5), event(&page)).await;
        let Ok(TransportEvent::Binary { data, .. }) = arrived else { panic!("{length} bytes: {arrived:?}") };
        assert_eq!(data.len(), length);
    }
}
