//! Raw throughput of a link's transport between two ends in one process, each on a thread of its own as in the product.
//!
//! `cargo bench --bench link_transport [-- <substring of a path's name>]`. Compare figures within one run only: they vary by a
//! factor of two between runs of a busy machine.

#[path = "../tests/support/relay.rs"]
mod relay;

use std::{
    sync::mpsc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use relay::{Relay, RelayConfig};
use slicc::{
    generated::link::{channels, limits},
    link::{
        rtc::{Addresses, Certificate, Config, Connection, Mdns},
        transport::{ChannelId, Transport, TransportEvent},
    },
    signal::Candidate,
};
use tokio::sync::mpsc as tasks;

/// What one end tells the other outside of the connection.
enum Told {
    Sdp(String),
    Candidate(Option<Candidate>),
}

/// One end's line to the other.
struct Line {
    to_peer: tasks::UnboundedSender<Told>,
    from_peer: tasks::UnboundedReceiver<Told>,
}

/// One measurement.
#[derive(Clone, Copy)]
struct Run {
    bytes: usize,
    channels: u64,
    /// Whether the offerer sends.
    up: bool,
}

struct Figures {
    megabytes_per_second: f64,
    round_trip: Option<Duration>,
}

fn main() {
    // Only `cargo bench` says so: a test run that goes over every target measures nothing.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let paths: [(&str, Option<Duration>, usize); 4] = [
        ("loopback", None, 256 << 20),
        ("50 Mbit/s, 20 ms", Some(Duration::from_millis(20)), 24 << 20),
        ("50 Mbit/s, 50 ms", Some(Duration::from_millis(50)), 24 << 20),
        ("50 Mbit/s, 100 ms", Some(Duration::from_millis(100)), 24 << 20),
    ];
    println!("{:<18} {:<10} {:>8} {:>8} {:>10}", "path", "direction", "channels", "MB/s", "round trip");
    for (name, round_trip, bytes) in paths.into_iter().filter(|(name, ..)| name.contains(&filter)) {
        for (direction, up) in [("to offerer", false), ("to node", true)] {
            for channels in [1, 8] {
                let figures = measure(round_trip.map(RelayConfig::wan), Run { bytes, channels, up });
                let round_trip =
                    figures.round_trip.map_or("-".to_owned(), |time| format!("{:.2} ms", time.as_secs_f64() * 1e3));
                println!(
                    "{name:<18} {direction:<10} {channels:>8} {:>8.1} {round_trip:>10}",
                    figures.megabytes_per_second
                );
            }
        }
    }
}

/// Runs both ends on threads of their own.
fn measure(path: Option<RelayConfig>, run: Run) -> Figures {
    let relay = path.map(|config| std::sync::Arc::new(Relay::start(config).expect("a relay")));
    let (to_node, from_offerer) = tasks::unbounded_channel();
    let (to_offerer, from_node) = tasks::unbounded_channel();
    let (figures, measured) = mpsc::channel();
    let end = |line: Line, offers: bool| {
        let (relay, figures) = (relay.clone(), figures.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            if let Some(outcome) = runtime.block_on(Box::pin(one_end(line, offers, relay.as_deref(), run))) {
                figures.send(outcome).expect("somebody waits");
            }
        })
    };
    let threads = [
        end(Line { to_peer: to_node, from_peer: from_node }, true),
        end(Line { to_peer: to_offerer, from_peer: from_offerer }, false),
    ];
    let (mut rate, mut round_trip) = (0.0, None);
    for _ in 0..2 {
        match measured.recv_timeout(Duration::from_mins(5)).expect("an end in time") {
            Outcome::Received(megabytes_per_second) => rate = megabytes_per_second,
            Outcome::Sent(measured) => round_trip = measured,
        }
    }
    for thread in threads {
        thread.join().expect("an end");
    }
    Figures { megabytes_per_second: rate, round_trip }
}

enum Outcome {
    Received(f64),
    Sent(Option<Duration>),
}

async fn one_end(mut line: Line, offers: bool, relay: Option<&Relay>, run: Run) -> Option<Outcome> {
    let certificate = Certificate::generate(Duration::from_hours(1)).expect("a certificate");
    let mut config = Config::new(certificate);
    config.addresses = Addresses::Fixed(vec!["127.0.0.1:0".parse().expect("an address")]);
    config.mdns = Mdns::Off;
    let connection = if offers {
        let (connection, offer) = Connection::offer(config, ChannelId(1), channels::CONTROL).await.expect("an offer");
        line.to_peer.send(Told::Sdp(offer)).ok()?;
        connection
    } else {
        let Some(Told::Sdp(offer)) = line.from_peer.recv().await else { return None };
        let (connection, answer) = Connection::answer(config, &offer).await.expect("an answer");
        line.to_peer.send(Told::Sdp(answer)).ok()?;
        connection
    };

    let sends = offers == run.up;
    let mut open = Vec::new();
    let (mut received, mut started) = (0, None);
    let (mut sent, mut turn, mut blocked) = (0, 0, false);
    let payload = Bytes::from(vec![0; limits::DATA]);
    loop {
        let can_send = sends && open.len() as u64 == run.channels && sent < run.bytes;
        tokio::select! {
            biased;
            // A peer that is done has nothing more to say.
            Some(told) = line.from_peer.recv() => match told {
                Told::Sdp(answer) => connection.accept_answer(&answer).await.expect("an answer"),
                Told::Candidate(candidate) => connection.add_candidate(candidate).await.expect("a candidate"),
            },
            event = connection.next_event() => match event {
                TransportEvent::LocalCandidate(Some(candidate)) => {
                    let line_text = match relay {
                        None => Some(candidate.candidate.clone()),
                        Some(relay) => relay.rewrite(&candidate.candidate).expect("a port"),
                    };
                    if let Some(text) = line_text {
                        line.to_peer.send(Told::Candidate(Some(Candidate { candidate: text, ..candidate }))).ok()?;
                    }
                }
                TransportEvent::ChannelOpen { channel, label } if label == channels::CONTROL => {
                    if sends {
                        for n in 0..run.channels {
                            connection.create_channel(ChannelId(101 + 2 * n), channels::STREAM).await.expect("connected");
                        }
                    }
                    let _ = channel;
                }
                TransportEvent::ChannelOpen { channel, .. } => open.push(channel),
                TransportEvent::Binary { data, .. } => {
                    started.get_or_insert_with(Instant::now);
                    received += data.len();
                    if received >= run.bytes {
                        let seconds = started.map_or(0.0, |started| started.elapsed().as_secs_f64());
                        #[allow(clippy::cast_precision_loss)]
                        let rate = received as f64 / 1e6 / seconds;
                        connection.close().await;
                        return Some(Outcome::Received(rate));
                    }
                }
                TransportEvent::ChannelClosed { .. } | TransportEvent::Closed { .. } => {
                    let round_trip = connection.round_trip();
                    connection.close().await;
                    return sends.then_some(Outcome::Sent(round_trip));
                }
                _ => {}
            },
            () = connection.budget_grown(), if can_send && blocked => blocked = false,
            () = std::future::ready(()), if can_send && !blocked => {
                let size = connection.send_budget().await.min(connection.preferred_data()).min(run.bytes - sent);
                if size == 0 {
                    blocked = true;
                    continue;
                }
                let channel = open[turn % open.len()];
                turn += 1;
                connection.send(channel, payload.slice(..size)).await.expect("open");
                sent += size;
            }
        }
    }
}
