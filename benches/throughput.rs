//! Throughput of a link between Chromium and slicc, beside the same page linked to a second Chromium under the same credit
//! rules. The two take turns on the same machine, so that the ratio means something where the figures alone don't.
//!
//! `cargo bench --bench throughput [-- --rounds 5 --megabytes 48]`

#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/browser.rs"]
mod browser;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/process.rs"]
mod process;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/service.rs"]
mod service;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/table.rs"]
mod table;

use browser::Browser;
use serde_json::json;
use slicc::doctor::servers::Servers;
use table::{Table, median, spread, verdict};

const PAGE: &str = include_str!("support/page.mjs");
const PEER: &str = include_str!("support/peer.mjs");
/// The node may use so many milliseconds of processor time for a megabyte.
const MAX_CPU: f64 = 15.0;
const CELLS: [(&str, u32); 4] = [("down", 1), ("down", 8), ("up", 1), ("up", 8)];

#[derive(Default)]
struct Cell {
    slicc: Vec<f64>,
    peer: Vec<f64>,
    cpu: Vec<f64>,
    memory: Vec<f64>,
    browser_drops: u64,
    node_drops: u64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if table::asked_for_tests() {
        return;
    }
    let rounds: usize = table::option("rounds", 5);
    let bytes: u64 = table::option("megabytes", 48) * 1_000_000;

    let port = service::listen().await.expect("a port");
    let servers = Servers::start().await.expect("the page's server");
    let page = Browser::start(&servers.page_url(), &[]).await;
    let mut slicc = browser::attach(&page, &servers.page_origin());
    let pid = slicc.id().expect("a running process");
    page.evaluate("linkTest.link().then(() => true)").await;

    let paired = Browser::start(&servers.page_url(), &[]).await;
    let peer = Browser::start(&servers.page_url(), &[]).await;
    let (paired, peer) = introduce(paired, peer).await;
    for page in [&page, &paired.0] {
        page.evaluate(PAGE).await;
    }

    let mut cells: [Cell; 4] = Default::default();
    // The round before the first warms everything up, and isn't counted.
    for round in 0..=rounds {
        for ((direction, streams), cell) in CELLS.into_iter().zip(&mut cells) {
            let order = json!({ "port": port, "streams": streams, "bytes": bytes, "direction": direction });
            let rate = async |page: &Browser| {
                let took = page.evaluate(&format!("bench.move({order})")).await.as_f64().expect("milliseconds");
                mega(bytes) / (took / 1000.0)
            };
            let browsers = process::family(page.pid()).expect("processes");
            let drops = || (process::drops(&browsers).expect("sockets"), process::drops(&[pid]).expect("sockets"));
            process::reset_peak(pid).expect("a process of ours");
            let (dropped, used) = (drops(), process::cpu(pid).expect("a process"));
            let by_slicc = rate(&page).await;
            let cpu = process::cpu(pid).expect("a process").saturating_sub(used);
            let memory = process::peak(pid).expect("a process");
            let lost = drops();
            let by_peer = rate(&paired.0).await;
            if round > 0 {
                cell.slicc.push(by_slicc);
                cell.peer.push(by_peer);
                cell.cpu.push(cpu.as_secs_f64() * 1000.0 / mega(bytes));
                cell.memory.push(mega(memory));
                cell.browser_drops += lost.0 - dropped.0;
                cell.node_drops += lost.1 - dropped.1;
            }
        }
    }
    print(&cells, rounds, bytes);

    slicc.kill().await.expect("a process of ours");
    page.close().await;
    paired.0.close().await;
    peer.close().await;
}

#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// A page's browser, and the tasks that carry what it and its peer say to each other.
type Paired = (Browser, [tokio::task::JoinHandle<()>; 2]);

/// Links a page to the node in another browser.
async fn introduce(mut page: Browser, mut peer: Browser) -> (Paired, Browser) {
    page.add_binding("sliccLinkSend").await;
    peer.add_binding("benchSend").await;
    let carry = |from: &mut Browser, binding: &'static str, to: &Browser, function: &'static str| {
        let mut events = from.events.take().expect("nobody else listens");
        let (client, session) = (to.client.clone(), to.session.clone());
        tokio::spawn(async move {
            while let Some(message) = browser::next_call(&mut events, binding).await {
                let call = json!({ "expression": format!("{function}({message})") });
                client.call(Some(&session), "Runtime.evaluate", call).await.expect("a browser that is there");
            }
        })
    };
    let tasks = [
        carry(&mut page, "sliccLinkSend", &peer, "peerReceive"),
        carry(&mut peer, "benchSend", &page, "sliccLinkReceive"),
    ];
    peer.evaluate(PEER).await;
    page.evaluate("linkTest.link().then(() => true)").await;
    ((page, tasks), peer)
}

fn print(cells: &[Cell], rounds: usize, bytes: u64) {
    let mut table = Table::new(&[
        "direction",
        "streams",
        "slicc MB/s",
        "Chromium MB/s",
        "ratio",
        "target",
        "node ms/MB",
        "node peak MB",
        "drops browser/node",
    ]);
    for ((direction, streams), cell) in CELLS.into_iter().zip(cells) {
        let (name, target) = if direction == "down" { ("node→page", 1.5) } else { ("page→node", 1.2) };
        let ratio = median(&cell.slicc) / median(&cell.peer);
        let cpu = median(&cell.cpu);
        table.row([
            name.to_owned(),
            streams.to_string(),
            spread(&cell.slicc),
            spread(&cell.peer),
            format!("{ratio:.2}"),
            format!("≥ {target} {}", verdict(ratio >= target)),
            format!("{cpu:.1} {}", verdict(cpu <= MAX_CPU)),
            format!("{:.1}", cell.memory.iter().copied().fold(0.0, f64::max)),
            format!("{}/{}", cell.browser_drops, cell.node_drops),
        ]);
    }
    table.print(&format!(
        "Chromium ↔ slicc and Chromium ↔ Chromium ({rounds} rounds of {:.0} MB, in turns; median (lowest–highest))",
        mega(bytes)
    ));
}
