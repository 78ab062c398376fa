//! Long bodies over http streams, between a native page and Node.js as the server, beside the same requests made without a link;
//! and many requests at once.
//!
//! `scripts/suite-servers && cargo bench --bench http [-- --rounds 3 --megabytes 256]`. Compare figures within one run only.

#[allow(dead_code, reason = "each program uses its part")]
#[path = "../tests/support/foreign.rs"]
mod foreign;
#[allow(dead_code, reason = "each program uses its part")]
#[path = "../tests/support/http_stream.rs"]
mod http_stream;
#[allow(dead_code, reason = "each program uses its part")]
#[path = "../tests/support/native_page.rs"]
mod native_page;
#[allow(dead_code, reason = "each program uses its part")]
#[path = "../tests/support/process.rs"]
mod process;

use std::{
    convert::Infallible,
    env, io,
    path::Path,
    time::{Duration, Instant},
};

use bytes::Bytes;
use foreign::Foreign;
use futures_util::{future::join_all, stream};
use http_body_util::{BodyExt, StreamBody};
use http_stream::HttpStream;
use hyper::{Request, body::Frame, client::conn::http1};
use hyper_util::rt::TokioIo;
use native_page::NativePage;
use tokio::net::TcpStream;

/// Bytes of the pieces that a body is sent in.
const PIECE: usize = 64 * 1024;
/// Requests at once.
const MANY: usize = 200;
/// Bytes of each of their bodies.
const EACH: usize = 1_000_000;

/// What one way of moving a body cost.
#[derive(Default)]
struct Cell {
    megabytes_per_second: Vec<f64>,
    cpu_per_megabyte: Vec<f64>,
    peak: u64,
}

fn option(name: &str, default: usize) -> usize {
    let mut words = env::args().skip_while(|word| word.strip_prefix("--") != Some(name)).skip(1);
    words.next().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn middle(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    // A test runner asks for tests, and there are none.
    if env::args().any(|argument| argument == "--list") {
        return Ok(());
    }
    let rounds = option("rounds", 3);
    let bytes = option("megabytes", 256) << 20;
    let Some(server) = Foreign::node().await else { return Ok(()) };
    let page = NativePage::start(Path::new(env!("CARGO_BIN_EXE_slicc")), &[], &[]).await?;
    let pid = page.node_pid().ok_or_else(|| io::Error::other("slicc has ended"))?;
    let idle = process::resident(pid)?;

    println!("### Bodies of {} MiB ({rounds} rounds, medians)\n", bytes >> 20);
    println!(
        "| direction | over the link MB/s | directly MB/s | ratio | slicc ms/MB | slicc peak MB (idle {:.1}) |",
        mega(idle)
    );
    println!("| --------- | ------------------ | ------------- | ----- | ----------- | ---------------------------- |");
    for direction in ["down", "up"] {
        let (mut linked, mut direct) = (Cell::default(), Vec::new());
        // The round before the first warms everything up, and isn't counted.
        for round in 0..=rounds {
            process::reset_peak(pid)?;
            let (used, start) = (process::cpu(pid)?, Instant::now());
            over_the_link(&page, &server, direction, bytes).await?;
            let (took, cpu) = (start.elapsed(), process::cpu(pid)?.saturating_sub(used));
            let start = Instant::now();
            directly(&server, direction, bytes).await?;
            if round > 0 {
                linked.megabytes_per_second.push(mega(bytes as u64) / took.as_secs_f64());
                linked.cpu_per_megabyte.push(cpu.as_secs_f64() * 1e3 / mega(bytes as u64));
                linked.peak = linked.peak.max(process::peak(pid)?);
                direct.push(mega(bytes as u64) / start.elapsed().as_secs_f64());
            }
        }
        let (over, without) = (middle(&linked.megabytes_per_second), middle(&direct));
        println!(
            "| {direction} | {over:.1} | {without:.1} | {:.3} | {:.1} | {:.1} |",
            over / without,
            middle(&linked.cpu_per_megabyte),
            mega(linked.peak)
        );
    }
    many(&page, &server, pid).await?;
    page.finish().await.map(drop)
}

/// Many requests at once, all of which have to complete.
async fn many(page: &NativePage, server: &Foreign, pid: u32) -> io::Result<()> {
    println!("\n### {MANY} streams at once, {EACH} bytes each\n");
    println!("| direction | seconds | MB/s | slicc peak MB |");
    println!("| --------- | ------- | ---- | ------------- |");
    for direction in ["down", "up"] {
        process::reset_peak(pid)?;
        let start = Instant::now();
        for done in join_all((0..MANY).map(|_| over_the_link(page, server, direction, EACH))).await {
            done?;
        }
        let took = start.elapsed();
        println!(
            "| {direction} | {:.1} | {:.1} | {:.1} |",
            took.as_secs_f64(),
            mega((MANY * EACH) as u64) / took.as_secs_f64(),
            mega(process::peak(pid)?)
        );
    }
    Ok(())
}

fn moved(length: usize, expected: usize) -> io::Result<()> {
    if length == expected { Ok(()) } else { Err(io::Error::other(format!("{length} of {expected} bytes came"))) }
}

/// Whether the server says that it took all of a body.
fn taken(answer: &[u8], expected: usize) -> io::Result<()> {
    let answer: serde_json::Value = serde_json::from_slice(answer)?;
    moved(answer["length"].as_u64().and_then(|length| length.try_into().ok()).unwrap_or(0), expected)
}

async fn over_the_link(page: &NativePage, server: &Foreign, direction: &str, bytes: usize) -> io::Result<()> {
    let link = page.handle();
    if direction == "down" {
        let HttpStream { request: _request, mut response } =
            HttpStream::begin(&link, "GET", &server.url(&format!("/bytes?n={bytes}")), &[]).await?;
        response.head().await?;
        let mut length = 0;
        while let Some(piece) = response.next().await? {
            length += piece.len();
        }
        return moved(length, bytes);
    }
    let mut stream = HttpStream::begin(&link, "POST", &server.url("/sink"), &[]).await?;
    let piece = Bytes::from(vec![7; PIECE]);
    for start in (0..bytes).step_by(PIECE) {
        stream.request.send(piece.slice(..PIECE.min(bytes - start))).await?;
    }
    stream.request.end();
    stream.response.head().await?;
    taken(&stream.response.body().await.0, bytes)
}

/// The same request as a client makes it that has no link between.
async fn directly(server: &Foreign, direction: &str, bytes: usize) -> io::Result<()> {
    let socket = TcpStream::connect(("127.0.0.1", server.port())).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(socket)).await.map_err(io::Error::other)?;
    let connection = tokio::spawn(connection);
    let pieces = if direction == "down" { 0 } else { bytes };
    let piece = Bytes::from(vec![7; PIECE]);
    let body = stream::iter(
        (0..pieces)
            .step_by(PIECE)
            .map(move |start| Ok::<_, Infallible>(Frame::data(piece.slice(..PIECE.min(pieces - start))))),
    );
    let (method, path) =
        if direction == "down" { ("GET", format!("/bytes?n={bytes}")) } else { ("POST", "/sink".into()) };
    let request = Request::builder().method(method).uri(path).header("host", "localhost").body(StreamBody::new(body));
    let response = sender.send_request(request.map_err(io::Error::other)?).await.map_err(io::Error::other)?;
    let mut body = response.into_body();
    let (mut length, mut answer) = (0, Vec::new());
    while let Some(frame) = body.frame().await {
        let data = frame.map_err(io::Error::other)?.into_data().unwrap_or_default();
        length += data.len();
        if direction == "up" {
            answer.extend_from_slice(&data);
        }
    }
    drop(sender);
    tokio::time::timeout(Duration::from_secs(5), connection).await.map(drop).map_err(io::Error::other)?;
    if direction == "down" { moved(length, bytes) } else { taken(&answer, bytes) }
}
