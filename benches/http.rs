//! Long bodies over http streams, with Node.js as the server, beside the same requests made without a link: from a native page,
//! and from a page in Chromium. And many requests at once.
//!
//! `scripts/suite-servers && cargo bench --bench http [-- --rounds 3 --megabytes 256]`. Compare figures within one run only.

#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/browser.rs"]
mod browser;
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
#[path = "support/process.rs"]
mod process;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/table.rs"]
mod table;

use std::{
    convert::Infallible,
    io,
    path::Path,
    pin::Pin,
    time::{Duration, Instant},
};

use browser::Browser;
use bytes::Bytes;
use foreign::Foreign;
use futures_util::{future::join_all, stream};
use http_body_util::{BodyExt, StreamBody};
use http_stream::HttpStream;
use hyper::{Request, body::Frame, client::conn::http1};
use hyper_util::rt::TokioIo;
use native_page::NativePage;
use serde_json::json;
use slicc::doctor::servers::Servers;
use table::{Table, median, spread};
use tokio::net::TcpStream;

const PAGE: &str = include_str!("support/http.mjs");

/// Bytes of the pieces that a body is sent in.
const PIECE: usize = 64 * 1024;
/// Requests at once.
const MANY: usize = 200;
/// Bytes of each of their bodies.
const EACH: usize = 1_000_000;

/// What it cost to move bodies over the link, and how fast it went without.
#[derive(Default)]
struct Cell {
    over: Vec<f64>,
    without: Vec<f64>,
    cpu: Vec<f64>,
    peak: u64,
}

/// Measures one direction: `over` moves a body over the link, `without` moves it directly. Each gives the seconds that it took.
async fn measure(
    rounds: usize,
    bytes: usize,
    pid: u32,
    over: impl AsyncFn() -> io::Result<f64>,
    without: impl AsyncFn() -> io::Result<f64>,
) -> io::Result<Cell> {
    let mut cell = Cell::default();
    let megabytes = mega(bytes as u64);
    // The round before the first warms everything up, and isn't counted.
    for round in 0..=rounds {
        process::reset_peak(pid)?;
        let used = process::cpu(pid)?;
        let linked = over().await?;
        let cpu = process::cpu(pid)?.saturating_sub(used);
        let peak = process::peak(pid)?;
        let direct = without().await?;
        if round > 0 {
            cell.over.push(megabytes / linked);
            cell.without.push(megabytes / direct);
            cell.cpu.push(cpu.as_secs_f64() * 1e3 / megabytes);
            cell.peak = cell.peak.max(peak);
        }
    }
    Ok(cell)
}

#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn new_table() -> Table {
    Table::new(&["direction", "over the link MB/s", "directly MB/s", "ratio", "slicc ms/MB", "slicc peak MB"])
}

fn row(table: &mut Table, direction: &str, cell: &Cell) {
    table.row([
        direction.to_owned(),
        spread(&cell.over),
        spread(&cell.without),
        format!("{:.3}", median(&cell.over) / median(&cell.without)),
        format!("{:.1}", median(&cell.cpu)),
        format!("{:.1}", mega(cell.peak)),
    ]);
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    if table::asked_for_tests() {
        return Ok(());
    }
    let rounds = table::option("rounds", 3);
    let bytes = table::option("megabytes", 256_usize) << 20;
    let Some(server) = Foreign::node().await else { return Ok(()) };
    native(&server, rounds, bytes).await?;
    chromium(&server, rounds, bytes).await
}

async fn native(server: &Foreign, rounds: usize, bytes: usize) -> io::Result<()> {
    let page = NativePage::start(Path::new(env!("CARGO_BIN_EXE_slicc")), &[], &[]).await?;
    let pid = page.node_pid().ok_or_else(|| io::Error::other("slicc has ended"))?;
    let idle = mega(process::resident(pid)?);
    let mut table = new_table();
    for direction in ["down", "up"] {
        let timed = async |moved: Pin<Box<dyn Future<Output = io::Result<()>> + '_>>| {
            let start = Instant::now();
            moved.await?;
            Ok(start.elapsed().as_secs_f64())
        };
        let over = async || timed(Box::pin(over_the_link(&page, server, direction, bytes))).await;
        let without = async || timed(Box::pin(directly(server, direction, bytes))).await;
        row(&mut table, direction, &measure(rounds, bytes, pid, over, without).await?);
    }
    let about = format!("{rounds} rounds of {} MiB; median (lowest–highest)", bytes >> 20);
    table.print(&format!("A native page ({about}; slicc without a stream: {idle:.1} MB)"));
    many(&page, server, pid).await?;
    page.finish().await.map(drop)
}

async fn chromium(server: &Foreign, rounds: usize, bytes: usize) -> io::Result<()> {
    let servers = Servers::start().await?;
    let page = Browser::start(&servers.page_url(), &[]).await;
    // The page's policy lets it connect nowhere, and its own fetch is what the link is compared with.
    page.bypass_policy().await;
    let mut slicc = browser::attach(&page, &servers.page_origin());
    let pid = slicc.id().ok_or_else(|| io::Error::other("slicc has ended"))?;
    page.evaluate("linkTest.link().then(() => true)").await;
    page.evaluate(PAGE).await;
    let mut table = new_table();
    for (direction, path) in [("down", format!("/bytes?n={bytes}")), ("up", "/sink".to_owned())] {
        let way = async |way: &str| {
            let order = json!({ "way": way, "direction": direction, "url": server.url(&path), "bytes": bytes });
            let took = page.evaluate(&format!("httpBench({order})")).await;
            Ok(took.as_f64().ok_or_else(|| io::Error::other("no time"))? / 1e3)
        };
        let cell = measure(rounds, bytes, pid, async || way("linked").await, async || way("fetched").await).await?;
        row(&mut table, direction, &cell);
    }
    let about = format!("{rounds} rounds of {} MiB; median (lowest–highest)", bytes >> 20);
    table.print(&format!("A page in Chromium, and its own fetch ({about})"));
    slicc.kill().await?;
    page.close().await;
    Ok(())
}

/// Many requests at once, all of which have to complete.
async fn many(page: &NativePage, server: &Foreign, pid: u32) -> io::Result<()> {
    let mut table = Table::new(&["direction", "seconds", "MB/s", "slicc peak MB"]);
    for direction in ["down", "up"] {
        process::reset_peak(pid)?;
        let start = Instant::now();
        for done in join_all((0..MANY).map(|_| over_the_link(page, server, direction, EACH))).await {
            done?;
        }
        let took = start.elapsed().as_secs_f64();
        let rate = mega((MANY * EACH) as u64) / took;
        let peak = mega(process::peak(pid)?);
        table.row([direction.to_owned(), format!("{took:.1}"), format!("{rate:.1}"), format!("{peak:.1}")]);
    }
    table.print(&format!("{MANY} streams at once, each with {EACH} bytes"));
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
