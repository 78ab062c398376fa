//! Memory of the node while channels come and go: 100 times 300 streams, each on a channel of its own, that either side
//! ends.
//!
//! `cargo bench --bench channels [-- --rounds 100 --channels 300]`

#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/browser.rs"]
mod browser;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "../tests/support/native_page.rs"]
mod native_page;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/process.rs"]
mod process;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/service.rs"]
mod service;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/table.rs"]
mod table;

use std::{
    io,
    path::Path,
    time::{Duration, Instant},
};

use browser::Browser;
use native_page::{NativePage, open_on};
use serde_json::json;
use slicc::{
    doctor::servers::Servers,
    generated::link::ErrorCode,
    link::{Link, mux::Placement},
};
use table::{Table, verdict};
use tokio::{io::AsyncReadExt, task::JoinSet};

/// The first rounds fill caches and pools, and aren't counted.
const WARM_UP: usize = 5;
/// After so long every channel of the last round is closed, those that waited for the other end included.
const SETTLED: Duration = Duration::from_secs(3);
/// The node's memory may grow by so many megabytes.
const MAX_GROWTH: f64 = 10.0;

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    if table::asked_for_tests() {
        return Ok(());
    }
    let rounds: usize = table::option("rounds", 100);
    let channels: usize = table::option("channels", 300);
    let port = service::listen().await?;
    let mut table =
        Table::new(&["page", "after warm-up MB", "halfway MB", "at the end MB", "growth MB", "target", "s per round"]);

    let page = NativePage::start(Path::new(env!("CARGO_BIN_EXE_slicc")), &[], &[]).await?;
    let (link, pid) = (page.handle(), page.node_pid().ok_or(io::ErrorKind::NotFound)?);
    table.row(churn("native", pid, rounds, async || open_and_end(&link, port, channels).await).await?);
    page.finish().await?;

    let servers = Servers::start().await?;
    let page = Browser::start(&servers.page_url(), &[]).await;
    let mut slicc = browser::attach(&page, &servers.page_origin());
    let pid = slicc.id().ok_or(io::ErrorKind::NotFound)?;
    page.evaluate("linkTest.link().then(() => true)").await;
    page.evaluate(include_str!("support/page.mjs")).await;
    let order = json!({ "port": port, "count": channels });
    let round = async || {
        page.evaluate(&format!("bench.channels({order})")).await;
        Ok(())
    };
    table.row(churn("Chromium", pid, rounds, round).await?);
    slicc.kill().await?;
    page.close().await;

    table.print(&format!("Memory of the node over {rounds} × {channels} channels"));
    Ok(())
}

/// Runs the rounds, and says what the node's memory did.
#[allow(clippy::cast_precision_loss, reason = "figures for people")]
async fn churn(
    page: &str,
    pid: u32,
    rounds: usize,
    mut round: impl AsyncFnMut() -> io::Result<()>,
) -> io::Result<[String; 7]> {
    let mut resident = Vec::new();
    for _ in 0..WARM_UP {
        round().await?;
    }
    tokio::time::sleep(SETTLED).await;
    resident.push(process::resident(pid)? as f64 / 1e6);
    let start = Instant::now();
    for _ in 0..rounds {
        round().await?;
        resident.push(process::resident(pid)? as f64 / 1e6);
    }
    let took = start.elapsed();
    tokio::time::sleep(SETTLED).await;
    resident[rounds] = process::resident(pid)? as f64 / 1e6;
    let growth = resident[rounds] - resident[0];
    Ok([
        page.to_owned(),
        format!("{:.1}", resident[0]),
        format!("{:.1}", resident[rounds / 2]),
        format!("{:.1}", resident[rounds]),
        format!("{growth:.1}"),
        format!("< {MAX_GROWTH} {}", verdict(growth < MAX_GROWTH)),
        format!("{:.2}", took.as_secs_f64() / rounds as f64),
    ])
}

/// Opens streams on channels of their own, and ends each in one of four ways.
async fn open_and_end(link: &Link, port: u16, count: usize) -> io::Result<()> {
    let mut streams = JoinSet::new();
    let tcp = json!({ "kind": "tcp", "host": "127.0.0.1", "port": port });
    for at in 0..count {
        let (link, tcp) = (link.clone(), tcp.clone());
        streams.spawn(async move {
            match at % 4 {
                // Both ends are done.
                0 => {
                    let (mut stream, _) = open_on(&link, &tcp, Placement::OwnChannel).await?;
                    stream.send(service::request(service::ECHO, 0).into()).await?;
                    stream.end();
                    stream.read_to_end(&mut Vec::new()).await?;
                }
                // The page gives up.
                1 => {
                    let (stream, _) = open_on(&link, &tcp, Placement::OwnChannel).await?;
                    stream.reset(ErrorCode::Econnreset, "enough");
                }
                // The node refuses.
                2 => {
                    let denied = json!({ "kind": "tcp", "host": "169.254.169.254", "port": 80 });
                    open_on(&link, &denied, Placement::OwnChannel).await.expect_err("a denied address");
                }
                _ => {
                    let unknown = json!({ "kind": "no such kind" });
                    open_on(&link, &unknown, Placement::OwnChannel).await.expect_err("an unknown kind");
                }
            }
            Ok::<_, io::Error>(())
        });
    }
    while let Some(ended) = streams.join_next().await {
        ended??;
    }
    Ok(())
}
