//! Kernel services: requests a second with keep-alive against the page's own ceiling, and the time that the way through the
//! listener and the link adds to a request.
//!
//! `cargo bench --bench kernel [-- --rounds 3 --count 2000]`. Compare figures within one run only.

#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/browser.rs"]
mod browser;
#[allow(dead_code, reason = "each program uses its part")]
#[path = "../tests/support/native_page.rs"]
mod native_page;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/table.rs"]
mod table;

use std::{
    collections::HashMap,
    io,
    net::Ipv4Addr,
    process::Stdio,
    time::{Duration, Instant},
};

use browser::Browser;
use native_page::NativePage;
use serde_json::json;
use slicc::{
    doctor::{page_server::KERNEL_PORT, servers::Servers},
    generated::link::Cap,
    kernel::Listeners,
};
use table::{Table, median, quantile, spread};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    process::Command,
    task::JoinSet,
};

const PAGE: &str = include_str!("support/kernel.mjs");
/// Connections that ask at once.
const CONNECTIONS: [usize; 2] = [1, 8];
/// How long the listener may take to listen.
const LISTENING: Duration = Duration::from_secs(10);

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    if table::asked_for_tests() {
        return Ok(());
    }
    let rounds: usize = table::option("rounds", 3);
    let count: usize = table::option("count", 2000);
    chromium(rounds, count).await?;
    native(rounds, count).await
}

fn request(port: u16) -> String {
    format!(
        "GET / HTTP/1.1\r\nHost: {KERNEL_PORT}.kernel.localhost:{port}\r\nUser-Agent: benchmark\r\nAccept: */*\r\n\r\n"
    )
}

/// The server in a page in Chromium.
async fn chromium(rounds: usize, count: usize) -> io::Result<()> {
    let port = Listeners::bind_free().await?.port();
    let servers = Servers::start().await?;
    let page = Browser::start(&servers.page_with_server_url(), &[]).await;
    let mut command = browser::slicc();
    command.args(["attach", "--cdp", &page.endpoint(), "--origin", &servers.page_origin()]);
    command.args(["--kernel-port", &port.to_string()]).stderr(Stdio::null());
    let mut slicc = command.spawn()?;
    page.evaluate("linkTest.link().then(() => true)").await;
    page.evaluate(PAGE).await;
    connect(port).await?;

    let order = json!({ "port": KERNEL_PORT, "count": count, "request": request(port) });
    let mut ceiling = Vec::new();
    let mut through: [Vec<f64>; CONNECTIONS.len()] = Default::default();
    for _ in 0..rounds {
        let took = page.evaluate(&format!("kernelBench({order})")).await;
        let took = took.as_f64().ok_or_else(|| io::Error::other("no time"))?;
        ceiling.push(per_second(count, Duration::from_secs_f64(took / 1e3)));
        for (connections, rates) in CONNECTIONS.iter().zip(&mut through) {
            let start = Instant::now();
            ask_at_once(port, *connections, count / connections).await?;
            rates.push(per_second(count / connections * connections, start.elapsed()));
        }
    }
    let mut table = Table::new(&["connections", "requests/s through the listener", "requests/s in the page", "ratio"]);
    for (connections, rates) in CONNECTIONS.iter().zip(&through) {
        let ratio = median(rates) / median(&ceiling);
        table.row([connections.to_string(), spread(rates), spread(&ceiling), format!("{ratio:.2}")]);
    }
    table.print(&format!("Kernel services: keep-alive requests to a page in Chromium ({rounds} rounds of {count})"));
    slicc.kill().await?;
    page.close().await;
    Ok(())
}

/// A native page whose server is a TCP server of this machine, which is also asked directly.
async fn native(rounds: usize, count: usize) -> io::Result<()> {
    let port = Listeners::bind_free().await?.port();
    let server = serve().await?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_slicc"));
    command.args(["attach", "--signal", "stdio", "--kernel-port", &port.to_string()]);
    command.stderr(Stdio::null());
    let mut page = NativePage::link(command, &[Cap::KernelIn.as_str()]).await?;
    let page = tokio::spawn(async move { page.serve_kernel(&HashMap::from([(KERNEL_PORT, server)])).await });
    connect(port).await?;
    let mut times: [Vec<f64>; 2] = Default::default();
    for _ in 0..rounds {
        for (port, times) in [port, server].into_iter().zip(&mut times) {
            times.extend(ask(port, count).await?);
        }
    }
    let [through, direct] = times.map(|times| [0.5, 0.99].map(|share| quantile(&times, share)));
    let mut table = Table::new(&["", "through the listener ms", "directly ms", "added ms"]);
    for (name, at) in [("p50", 0), ("p99", 1)] {
        let figures = [through[at], direct[at], through[at] - direct[at]];
        table.row([name.to_owned()].into_iter().chain(figures.map(|figure| format!("{figure:.3}"))));
    }
    table.print(&format!("Kernel services: what the listener and a link to a native page add ({rounds} × {count})"));
    page.abort();
    Ok(())
}

#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
fn per_second(count: usize, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64()
}

/// Waits until something listens.
async fn connect(port: u16) -> io::Result<()> {
    let start = Instant::now();
    loop {
        match TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await {
            Err(error) if start.elapsed() > LISTENING => return Err(error),
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            Ok(_) => return Ok(()),
        }
    }
}

async fn ask_at_once(port: u16, connections: usize, count: usize) -> io::Result<()> {
    let mut asking: JoinSet<_> = (0..connections).map(|_| ask(port, count)).collect();
    while let Some(asked) = asking.join_next().await {
        asked??;
    }
    Ok(())
}

/// Asks so often on one connection, one request after the other. Returns each request's milliseconds.
async fn ask(port: u16, count: usize) -> io::Result<Vec<f64>> {
    let socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    socket.set_nodelay(true)?;
    let mut socket = BufReader::new(socket);
    let request = request(port);
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let start = Instant::now();
        socket.write_all(request.as_bytes()).await?;
        let length = read_head(&mut socket).await?;
        let mut body = vec![0; length];
        socket.read_exact(&mut body).await?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}

/// Reads the head of a message, and returns its Content-Length.
async fn read_head(socket: &mut BufReader<TcpStream>) -> io::Result<usize> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    Ok(length.and_then(|length| length.trim().parse().ok()).unwrap_or(0))
}

/// Answers every request with its Host, on the returned port of 127.0.0.1.
async fn serve() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                socket.set_nodelay(true)?;
                let mut socket = BufReader::new(socket);
                // A client that goes away is none of the server's business.
                while read_head(&mut socket).await.is_ok() {
                    socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await?;
                }
                Ok::<_, io::Error>(())
            });
        }
    });
    Ok(port)
}
