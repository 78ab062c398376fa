//! Throughput and round trips of a link over a distant path: 50 Mbit/s with a queue of 100 ms, through a relay.
//!
//! `cargo bench --bench distance [-- --rounds 3 --seconds 5 --only 50 --loss 0]` (`--only`: one round trip in milliseconds;
//! `--loss`: datagrams of 1000 that are lost)

#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/pair.rs"]
mod pair;
#[path = "../tests/support/relay.rs"]
mod relay;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/service.rs"]
mod service;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/table.rs"]
mod table;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use pair::Pair;
use relay::{Relay, RelayConfig};
use slicc::{generated::link::limits, link::Stream};
use table::{Table, median, quantile, spread, verdict};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::sleep,
};

/// The time from the first byte to the measurement: what is measured is the steady state.
const WARM_UP: Duration = Duration::from_secs(2);
/// The pause between two pings.
const PING: Duration = Duration::from_millis(20);
/// The share of what the path and the window allow that must be reached.
const SHARE: f64 = 0.9;
const CELLS: [(bool, u64); 4] = [(false, 1), (false, 8), (true, 1), (true, 8)];

#[derive(Default)]
struct Cell {
    rates: Vec<f64>,
    pings: Vec<f64>,
}

#[tokio::main(flavor = "multi_thread", worker_threads = 1)]
async fn main() {
    if table::asked_for_tests() {
        return;
    }
    let rounds: usize = table::option("rounds", 3);
    let seconds = Duration::from_secs(table::option("seconds", 5));
    let only: u64 = table::option("only", 0);
    let loss: u64 = table::option("loss", 0);

    let mut table = Table::new(&[
        "round trip",
        "direction",
        "streams",
        "MB/s",
        "of what is possible",
        "ping p50 ms",
        "ping p95 ms",
    ]);
    for round_trip in [20, 50, 100].into_iter().filter(|round_trip| only == 0 || *round_trip == only) {
        let mut cells: [Cell; 4] = Default::default();
        let config = RelayConfig { loss_per_mille: loss, ..RelayConfig::wan(Duration::from_millis(round_trip)) };
        for round in 0..rounds {
            for ((up, streams), cell) in CELLS.into_iter().zip(&mut cells) {
                let config = RelayConfig { seed: round as u64 + 1, ..config };
                let (rate, pings) = measure(config, up, streams, seconds).await.expect("a link that holds");
                cell.rates.push(rate);
                cell.pings.extend(pings);
            }
        }
        for ((up, streams), cell) in CELLS.into_iter().zip(&cells) {
            table.row(row(&config, up, streams, cell));
        }
    }
    let losses = if loss == 0 { String::new() } else { format!(", {}.{} % loss", loss / 10, loss % 10) };
    table.print(&format!(
        "A distant path: 50 Mbit/s, queue of 100 ms{losses} ({rounds} rounds of {} s each; median (lowest–highest))",
        seconds.as_secs()
    ));
}

#[allow(clippy::cast_precision_loss, reason = "figures for people")]
fn row(config: &RelayConfig, up: bool, streams: u64, cell: &Cell) -> [String; 7] {
    let path = config.rate.map_or(f64::INFINITY, |rate| rate as f64);
    let round_trip = config.delay.as_secs_f64() * 2.0;
    let possible = path.min(streams as f64 * limits::WINDOW as f64 / round_trip) / 1e6;
    let share = median(&cell.rates) / possible;
    let ping = quantile(&cell.pings, 0.95);
    [
        format!("{:.0} ms", round_trip * 1000.0),
        if up { "page→node" } else { "node→page" }.to_owned(),
        streams.to_string(),
        spread(&cell.rates),
        format!("{share:.2} of {possible:.2} {}", verdict(share >= SHARE)),
        format!("{:.0}", quantile(&cell.pings, 0.5)),
        format!("{ping:.0} {}", verdict(ping < config.queue.as_secs_f64() * 2000.0)),
    ]
}

/// Loads a new link, and returns the rate in MB/s and the pings in milliseconds.
async fn measure(config: RelayConfig, up: bool, streams: u64, time: Duration) -> std::io::Result<(f64, Vec<f64>)> {
    let relay = Arc::new(Relay::start(config)?);
    let pair = Pair::link(Some(relay)).await?;
    let received = Arc::new(AtomicU64::new(0));
    let mut load = tokio::task::JoinSet::new();
    for _ in 0..streams {
        let stream = pair.open().await?;
        if up {
            load.spawn(send(stream));
        } else {
            load.spawn(receive(stream, Arc::clone(&received)));
        }
    }
    let count = || if up { service::TAKEN.load(Ordering::Relaxed) } else { received.load(Ordering::Relaxed) };
    let mut echo = pair.open().await?;
    echo.write_all(&service::request(service::ECHO, 0)).await?;
    sleep(WARM_UP).await;
    let (start, before) = (Instant::now(), count());
    let mut pings = Vec::new();
    while start.elapsed() < time {
        let sent = Instant::now();
        echo.write_all(b"x").await?;
        echo.read_u8().await?;
        pings.push(sent.elapsed().as_secs_f64() * 1000.0);
        sleep(PING).await;
    }
    #[allow(clippy::cast_precision_loss, reason = "a figure for people")]
    let rate = (count() - before) as f64 / 1e6 / start.elapsed().as_secs_f64();
    load.shutdown().await;
    pair.close().await;
    Ok((rate, pings))
}

async fn receive(mut stream: Stream, received: Arc<AtomicU64>) -> std::io::Result<()> {
    stream.write_all(&service::request(service::SEND, u64::MAX)).await?;
    while let Some(piece) = stream.recv().await? {
        received.fetch_add(piece.len() as u64, Ordering::Relaxed);
        stream.credit(piece.len());
    }
    Ok(())
}

async fn send(mut stream: Stream) -> std::io::Result<()> {
    stream.write_all(&service::request(service::TAKE, u64::MAX)).await?;
    let piece = bytes::Bytes::from(vec![0; limits::DATA]);
    loop {
        stream.send(piece.clone()).await?;
    }
}
