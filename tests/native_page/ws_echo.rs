//! The echoing client of the Autobahn test suite's fuzzing server, over ws streams.

use std::io;

use serde_json::json;
use slicc::{
    generated::link::WsRecord,
    link::{Link, Stream, mux::Placement},
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::native_page::open_on;

/// Bytes of a record's header.
const HEADER: usize = 5;
/// The largest answer that is read whole: the number of cases.
const ANSWER: u32 = 64;

/// Runs every case of the fuzzing server at `server` (`ws://host:port`), then has it write its report on `agent`.
///
/// # Errors
/// When the link breaks, or the server doesn't answer as a fuzzing server does. How the cases went is in its report.
pub async fn run(link: &Link, server: &str, agent: &str) -> io::Result<()> {
    let cases = count(link, server).await?;
    eprintln!("native-page: {cases} cases");
    for case in 1..=cases {
        let stream = open(link, &format!("{server}/runCase?case={case}&agent={agent}")).await?;
        // A case may end in any way. The report says whether it was the right one.
        if let Err(error) = echo(stream).await {
            eprintln!("native-page: case {case}: {error}");
        }
    }
    let mut stream = open(link, &format!("{server}/updateReports?agent={agent}")).await?;
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await?;
    stream.shutdown().await
}

async fn open(link: &Link, url: &str) -> io::Result<Stream> {
    Ok(open_on(link, &json!({ "kind": "ws", "url": url }), Placement::OwnChannel).await?.0)
}

async fn count(link: &Link, server: &str) -> io::Result<u32> {
    let mut stream = open(link, &format!("{server}/getCaseCount")).await?;
    let kind = stream.read_u8().await?;
    let length = stream.read_u32().await?;
    if kind != WsRecord::Text as u8 || length > ANSWER {
        return Err(io::Error::other("the server doesn't say how many cases it has"));
    }
    let mut text = vec![0; length as usize];
    stream.read_exact(&mut text).await?;
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await?;
    stream.shutdown().await?;
    String::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or_else(|| io::Error::other("no number"))
}

/// Sends every message back while it arrives, up to a close.
async fn echo(stream: Stream) -> io::Result<()> {
    let (mut receive, mut send) = tokio::io::split(stream);
    let mut header = [0; HEADER];
    loop {
        match receive.read_exact(&mut header).await {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(error),
        }
        let [kind, length @ ..] = header;
        let mut payload = (&mut receive).take(u32::from_be_bytes(length).into());
        if kind == WsRecord::Close as u8 {
            tokio::io::copy(&mut payload, &mut tokio::io::sink()).await?;
        } else {
            send.write_all(&header).await?;
            tokio::io::copy(&mut payload, &mut send).await?;
        }
    }
    send.shutdown().await
}
