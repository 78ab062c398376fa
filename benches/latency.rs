//! What a link costs where there is no browser, and how long it takes to set one up: throughput and round trips between two
//! nodes, the time from hello to linked, and the memory of an idle linked process.
//!
//! `cargo bench --bench latency [-- --rounds 5 --links 20]`

#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/browser.rs"]
mod browser;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "../tests/support/native_page.rs"]
mod native_page;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/pair.rs"]
mod pair;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/process.rs"]
mod process;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "../tests/support/relay.rs"]
mod relay;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/service.rs"]
mod service;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/table.rs"]
mod table;

use std::{
    io,
    time::{Duration, Instant},
};

use browser::Browser;
use native_page::NativePage;
use pair::Pair;
use serde_json::json;
use slicc::{
    doctor::servers::Servers,
    link::{Stream, mux::Placement},
};
use table::{Table, median, quantile, spread, verdict};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const BYTES: u64 = 128_000_000;
const ROUND_TRIPS: usize = 2000;
/// How long a linked process is left alone before its memory is read.
const IDLE: Duration = Duration::from_secs(3);
const MIN_RATE: f64 = 60.0;
const MAX_ROUND_TRIP: f64 = 2.0;
const MAX_SET_UP: f64 = 200.0;
const MAX_IDLE: f64 = 30.0;

#[tokio::main(flavor = "multi_thread", worker_threads = 1)]
async fn main() -> io::Result<()> {
    if table::asked_for_tests() {
        return Ok(());
    }
    throughput(table::option("rounds", 5)).await?;
    let links = table::option("links", 20);
    let mut times = Table::new(&["what", "median", "p99 or slowest", "target"]);
    let mut memory = Table::new(&["page", "resident MB", "target"]);
    native(links, &mut times, &mut memory).await?;
    chromium(links, &mut times, &mut memory).await?;
    times.print(&format!("Time in ms ({ROUND_TRIPS} round trips, {links} links)"));
    memory.print("Memory of an idle linked process");
    Ok(())
}

/// Both ends in this process.
async fn throughput(rounds: usize) -> io::Result<()> {
    let mut rates: [Vec<f64>; 4] = Default::default();
    let cells = [(false, 1), (false, 8), (true, 1), (true, 8)];
    for _ in 0..rounds {
        for ((up, streams), rates) in cells.into_iter().zip(&mut rates) {
            let pair = Pair::link(None).await?;
            let mut open = Vec::new();
            for _ in 0..streams {
                open.push(pair.open().await?);
            }
            let start = Instant::now();
            let moves = open.into_iter().map(|stream| transfer(stream, up, BYTES / streams));
            for moved in moves.map(tokio::spawn).collect::<Vec<_>>() {
                moved.await??;
            }
            #[allow(clippy::cast_precision_loss, reason = "a figure for people")]
            rates.push(BYTES as f64 / 1e6 / start.elapsed().as_secs_f64());
            pair.close().await;
        }
    }
    let mut table = Table::new(&["direction", "streams", "MB/s", "target"]);
    for ((up, streams), rates) in cells.into_iter().zip(&rates) {
        let reached = median(rates) >= MIN_RATE;
        table.row([
            if up { "offerer→answerer" } else { "answerer→offerer" }.to_owned(),
            streams.to_string(),
            spread(rates),
            format!("≥ {MIN_RATE} {}", verdict(reached)),
        ]);
    }
    table.print(&format!(
        "Node ↔ node, in one process ({rounds} rounds of {} MB; median (lowest–highest))",
        BYTES / 1_000_000
    ));
    Ok(())
}

/// Moves bytes in one direction.
async fn transfer(mut stream: Stream, up: bool, bytes: u64) -> io::Result<()> {
    stream.write_all(&service::request(if up { service::TAKE } else { service::SEND }, bytes)).await?;
    if up {
        let piece = bytes::Bytes::from(vec![0; 64 << 10]);
        let mut left = bytes;
        while left > 0 {
            let length = usize::try_from(left).unwrap_or(piece.len()).min(piece.len());
            stream.send(piece.slice(..length)).await?;
            left -= length as u64;
        }
        stream.read_u8().await?;
    } else {
        let mut left = bytes;
        while left > 0 {
            let piece = stream.recv().await?.ok_or(io::ErrorKind::UnexpectedEof)?;
            stream.credit(piece.len());
            left -= piece.len() as u64;
        }
    }
    stream.end();
    while let Some(piece) = stream.recv().await? {
        stream.credit(piece.len());
    }
    Ok(())
}

async fn round_trips(stream: &mut Stream) -> io::Result<Vec<f64>> {
    stream.write_all(&service::request(service::ECHO, 0)).await?;
    let mut times = Vec::new();
    for _ in 0..ROUND_TRIPS {
        let start = Instant::now();
        stream.write_all(b"x").await?;
        stream.read_u8().await?;
        times.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(times)
}

fn row(what: &str, times: &[f64], target: String) -> [String; 4] {
    // A hundredth of a few dozen is none of them.
    let slow = quantile(times, if times.len() < 200 { 1.0 } else { 0.99 });
    [what.to_owned(), format!("{:.2}", median(times)), format!("{slow:.2}"), target]
}

#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
fn memory_row(page: &str, pid: u32) -> io::Result<[String; 3]> {
    let resident = process::resident(pid)? as f64 / 1e6;
    Ok([page.to_owned(), format!("{resident:.1}"), format!("< {MAX_IDLE} {}", verdict(resident < MAX_IDLE))])
}

/// With slicc's own code as the page.
async fn native(links: usize, times: &mut Table, memory: &mut Table) -> io::Result<()> {
    let pair = Pair::link(None).await?;
    let mut stream = pair.open().await?;
    let measured = round_trips(&mut stream).await?;
    let reached = quantile(&measured, 0.99) <= MAX_ROUND_TRIP;
    let target = format!("p99 ≤ {MAX_ROUND_TRIP} {}", verdict(reached));
    times.row(row("round trip, node ↔ node in one process", &measured, target));
    drop(stream);
    pair.close().await;

    let port = service::listen().await?;
    let open = json!({ "kind": "tcp", "host": "127.0.0.1", "port": port });
    let mut set_ups = Vec::new();
    for link in 0..links {
        let page = NativePage::start(std::path::Path::new(env!("CARGO_BIN_EXE_slicc")), &[], &[]).await?;
        set_ups.push(page.set_up().as_secs_f64() * 1000.0);
        if link + 1 == links {
            let (mut stream, _) = page.open(&open, Placement::OwnChannel).await?;
            let measured = round_trips(&mut stream).await?;
            let reached = quantile(&measured, 0.99) <= MAX_ROUND_TRIP;
            let target = format!("p99 ≤ {MAX_ROUND_TRIP} {}", verdict(reached));
            times.row(row("round trip, native page ↔ slicc ↔ TCP echo", &measured, target));
            drop(stream);
            tokio::time::sleep(IDLE).await;
            memory.row(memory_row("native", page.node_pid().ok_or(io::ErrorKind::NotFound)?)?);
        }
        page.finish().await?;
    }
    let target = format!("median < {MAX_SET_UP} {}", verdict(median(&set_ups) < MAX_SET_UP));
    times.row(row("hello → linked, native page", &set_ups, target));
    Ok(())
}

/// With Chromium.
async fn chromium(links: usize, times: &mut Table, memory: &mut Table) -> io::Result<()> {
    let port = service::listen().await?;
    let servers = Servers::start().await?;
    let page = Browser::start(&servers.page_url(), &[]).await;
    let mut slicc = browser::attach(&page, &servers.page_origin());
    let pid = slicc.id().ok_or(io::ErrorKind::NotFound)?;
    let mut set_ups = Vec::new();
    for link in 0..links {
        if link > 0 {
            page.reload().await;
        }
        let took = page.evaluate("linkTest.setup.linked().then((session) => session.setUpMilliseconds)").await;
        set_ups.push(took.as_f64().unwrap_or(f64::NAN));
    }
    tokio::time::sleep(IDLE).await;
    memory.row(memory_row(&format!("Chromium, after {links} links"), pid)?);
    page.evaluate(include_str!("support/page.mjs")).await;
    let order = json!({ "port": port, "count": ROUND_TRIPS });
    let measured = page.evaluate(&format!("bench.roundTrips({order})")).await;
    let measured: Vec<f64> = measured.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect();
    times.row(row("round trip, Chromium ↔ slicc ↔ TCP echo", &measured, String::new()));
    let target = format!("median < {MAX_SET_UP} {}", verdict(median(&set_ups) < MAX_SET_UP));
    times.row(row("hello → linked, Chromium", &set_ups, target));
    slicc.kill().await?;
    page.close().await;
    Ok(())
}
