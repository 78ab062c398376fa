//! WebSocket round trips of a page in Chromium: over the link beside a WebSocket that the page opens by itself, with the same
//! echoing server.
//!
//! `cargo bench --bench websocket [-- --rounds 3 --count 1000]`. Compare figures within one run only.

#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/browser.rs"]
mod browser;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/table.rs"]
mod table;

use std::{io, net::Ipv4Addr};

use browser::Browser;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use slicc::doctor::servers::Servers;
use table::{Table, quantile};
use tokio::net::TcpListener;

const PAGE: &str = include_str!("support/websocket.mjs");
/// Bytes of the messages.
const SIZES: [usize; 2] = [32, 64 * 1024];

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    if table::asked_for_tests() {
        return Ok(());
    }
    let rounds: usize = table::option("rounds", 3);
    let count: usize = table::option("count", 1000);
    let url = format!("ws://127.0.0.1:{}/", echo().await?);
    let servers = Servers::start().await?;
    let page = Browser::start(&servers.page_url(), &[]).await;
    // The page's policy lets it connect nowhere, and its own WebSocket is what the link is compared with.
    page.bypass_policy().await;
    let mut slicc = browser::attach(&page, &servers.page_origin());
    page.evaluate("linkTest.link().then(() => true)").await;
    page.evaluate(PAGE).await;
    let mut table =
        Table::new(&["message", "over the link p50, p99 ms", "directly p50, p99 ms", "p50 ratio", "p99 ratio"]);
    for bytes in SIZES {
        let mut times: [Vec<f64>; 2] = Default::default();
        for _ in 0..rounds {
            for (way, times) in ["linked", "direct"].iter().zip(&mut times) {
                let order = json!({ "way": way, "url": url, "bytes": bytes, "count": count });
                let measured = page.evaluate(&format!("webSocketBench({order})")).await;
                times.extend(measured.as_array().into_iter().flatten().filter_map(Value::as_f64));
            }
        }
        let [linked, direct] = times.map(|times| [0.5, 0.99].map(|share| quantile(&times, share)));
        table.row([
            format!("{bytes} bytes"),
            format!("{:.2}, {:.2}", linked[0], linked[1]),
            format!("{:.2}, {:.2}", direct[0], direct[1]),
            format!("{:.1}", linked[0] / direct[0]),
            format!("{:.1}", linked[1] / direct[1]),
        ]);
    }
    table.print(&format!("WebSocket echo from a page in Chromium ({rounds} rounds of {count} round trips, in turns)"));
    slicc.kill().await?;
    page.close().await;
    Ok(())
}

/// Echoes every message, on the returned port of 127.0.0.1.
async fn echo() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                socket.set_nodelay(true)?;
                let socket = tokio_tungstenite::accept_async(socket).await.map_err(io::Error::other)?;
                let (mut sink, mut messages) = socket.split();
                // A client that goes away is none of the server's business.
                while let Some(Ok(message)) = messages.next().await {
                    if (message.is_binary() || message.is_text()) && sink.send(message).await.is_err() {
                        break;
                    }
                }
                Ok::<_, io::Error>(())
            });
        }
    });
    Ok(port)
}
