//! `native-page`: links to a `slicc attach --signal stdio` and bridges streams of the link to a program.
//!
//! ```text
//! native-page [--slicc PATH] [--cap CAP]... OPEN (--stdio | --tcp PORT | --websocket PORT) [-- FLAGS OF ATTACH]
//! native-page [--slicc PATH] [--cap CAP]... --kernel PORT=TARGET... [-- FLAGS OF ATTACH]
//! native-page [--slicc PATH] [--cap CAP]... --ws-echo URL AGENT [-- FLAGS OF ATTACH]
//! ```
//!
//! OPEN is the JSON of an OPEN. With `--stdio` one stream is bridged to stdin and stdout. With `--tcp` and `--websocket` each
//! connection to 127.0.0.1:PORT (0: a free one, printed on stdout) gets a stream of its own: bytes for `--tcp`, and for
//! `--websocket` one record (u32 big endian length, then the bytes) for each message. With `--kernel` the page offers its kernel,
//! whose PORT is the port TARGET of 127.0.0.1, until the link is down. With `--ws-echo` the page is the client of the Autobahn
//! test suite's fuzzing server at URL (`ws://host:port`), under the name AGENT.

#[allow(dead_code, reason = "each program uses its part of the page")]
#[path = "../support/native_page.rs"]
mod native_page;
mod websocket;
mod ws_echo;

use std::{collections::HashMap, ffi::OsString, io, net::Ipv4Addr, path::PathBuf, process::ExitCode};

use native_page::{NativePage, open_on};
use serde_json::Value;
use slicc::{
    generated::link::Cap,
    link::{Link, Stream, mux::Placement},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

const USAGE: &str = "\
usage: native-page [--slicc PATH] [--cap CAP]... OPEN (--stdio | --tcp PORT | --websocket PORT) [-- FLAGS OF ATTACH]
       native-page [--slicc PATH] [--cap CAP]... --kernel PORT=TARGET... [-- FLAGS OF ATTACH]
       native-page [--slicc PATH] [--cap CAP]... --ws-echo URL AGENT [-- FLAGS OF ATTACH]";

/// Where a stream goes.
enum Bridge {
    Stdio,
    Tcp(u16),
    WebSocket(u16),
}

/// What the page is for.
enum Purpose {
    /// Echoes the messages of a test suite.
    WsEcho { server: String, agent: String },
    /// It opens streams.
    Open(Value, Bridge),
    /// It answers the node's, for these ports of its kernel.
    Kernel(HashMap<u16, u16>),
}

struct Arguments {
    slicc: PathBuf,
    caps: Vec<String>,
    purpose: Purpose,
    attach: Vec<OsString>,
}

fn arguments(mut words: impl Iterator<Item = OsString>) -> Option<Arguments> {
    let (mut slicc, mut caps, mut open, mut bridge, mut echo) = (None, Vec::new(), None, None, None);
    let mut kernel = HashMap::new();
    while let Some(word) = words.next() {
        match word.to_str()? {
            "--" => break,
            "--slicc" => slicc = Some(PathBuf::from(words.next()?)),
            "--cap" => caps.push(words.next()?.into_string().ok()?),
            "--stdio" => bridge = Some(Bridge::Stdio),
            "--tcp" => bridge = Some(Bridge::Tcp(words.next()?.to_str()?.parse().ok()?)),
            "--websocket" => bridge = Some(Bridge::WebSocket(words.next()?.to_str()?.parse().ok()?)),
            "--kernel" => {
                let ports = words.next()?;
                let (port, target) = ports.to_str()?.split_once('=')?;
                kernel.insert(port.parse().ok()?, target.parse().ok()?);
            }
            "--ws-echo" => {
                echo = Some(Purpose::WsEcho {
                    server: words.next()?.into_string().ok()?,
                    agent: words.next()?.into_string().ok()?,
                });
            }
            json if open.is_none() => open = Some(serde_json::from_str(json).ok()?),
            _ => return None,
        }
    }
    let beside = || std::env::current_exe().ok().and_then(|path| Some(path.parent()?.parent()?.join("slicc")));
    let purpose = match (echo, open, bridge) {
        (Some(echo), None, None) if kernel.is_empty() => echo,
        (None, Some(open), Some(bridge)) if kernel.is_empty() => Purpose::Open(open, bridge),
        (None, None, None) if !kernel.is_empty() => {
            caps.push(Cap::KernelIn.as_str().to_owned());
            Purpose::Kernel(kernel)
        }
        _ => return None,
    };
    Some(Arguments { slicc: slicc.or_else(beside)?, caps, purpose, attach: words.collect() })
}

#[tokio::main]
async fn main() -> ExitCode {
    let Some(arguments) = arguments(std::env::args_os().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("native-page: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> io::Result<()> {
    let caps: Vec<&str> = arguments.caps.iter().map(String::as_str).collect();
    let mut page = NativePage::start(&arguments.slicc, &arguments.attach, &caps).await?;
    let link = page.handle();
    match arguments.purpose {
        Purpose::Kernel(targets) => page.serve_kernel(&targets).await,
        Purpose::Open(open, Bridge::Stdio) => {
            let (stream, _) = page.open(&open, Placement::OwnChannel).await?;
            bridge(stream, tokio::io::stdin(), tokio::io::stdout()).await?;
        }
        Purpose::Open(open, Bridge::Tcp(port)) => {
            listen(port, link, open, async |stream, socket: TcpStream| {
                let (read, write) = socket.into_split();
                bridge(stream, read, write).await
            })
            .await?;
        }
        Purpose::Open(open, Bridge::WebSocket(port)) => listen(port, link, open, websocket::bridge).await?,
        Purpose::WsEcho { server, agent } => ws_echo::run(&link, &server, &agent).await?,
    }
    page.finish().await.map(drop)
}

/// Gives each connection a stream of its own, until the link is down.
async fn listen<F>(port: u16, link: Link, open: Value, serve: F) -> io::Result<()>
where
    F: AsyncFn(Stream, TcpStream) -> io::Result<()> + Copy + 'static,
{
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    println!("{}", listener.local_addr()?);
    let local = tokio::task::LocalSet::new();
    local
        .run_until(async {
            loop {
                let (socket, _) = tokio::select! {
                    accepted = listener.accept() => accepted?,
                    () = link.closed() => return Ok(()),
                };
                socket.set_nodelay(true)?;
                let (link, open) = (link.clone(), open.clone());
                tokio::task::spawn_local(async move {
                    let served = async {
                        let (stream, _) = open_on(&link, &open, Placement::OwnChannel).await?;
                        serve(stream, socket).await
                    };
                    if let Err(error) = served.await {
                        eprintln!("native-page: {error}");
                    }
                });
            }
        })
        .await
}

/// Carries bytes both ways, each direction to its end.
async fn bridge(
    stream: Stream,
    mut read: impl AsyncRead + Unpin,
    mut write: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let (mut receive, mut send) = stream.split();
    let up = async {
        tokio::io::copy(&mut read, &mut send).await?;
        send.shutdown().await
    };
    let down = async {
        while let Some(data) = receive.recv().await? {
            write.write_all(&data).await?;
            write.flush().await?;
            receive.credit(data.len());
        }
        write.shutdown().await
    };
    tokio::try_join!(up, down).map(drop)
}
