//! Long bodies and many streams in little memory.

use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::future::join_all;
use serde_json::Value;

use super::{Linked, is_pattern, pattern};
use crate::support::{
    foreign::{Certificates, Foreign},
    http_stream::{HttpStream, fetch},
    process, run_for,
};

/// Bytes of a long body.
const LONG: usize = 1 << 30;
/// How long a test may take that moves this much: a quarter of it, without optimisation and on two busy cores.
const PATIENCE: Duration = Duration::from_secs(110);
/// What slicc may need for one request on top of what it needs without any.
const FLAT: u64 = 40 << 20;
/// What it may need for very many.
const BOUNDED: u64 = 400 << 20;
const MANY: usize = 200;

/// The peak of slicc's memory over what it was before, while something runs.
async fn growth<T>(linked: &Linked, work: impl Future<Output = T>) -> (u64, T) {
    let pid = linked.node_pid();
    process::reset_peak(pid).expect("a process of ours");
    let before = process::resident(pid).expect("a process");
    let done = work.await;
    let peak = process::peak(pid).expect("a process");
    (peak.saturating_sub(before), done)
}

async fn download(linked: &Linked, url: &str, length: usize) {
    let mut stream = HttpStream::begin(&linked.link, "GET", url, &[]).await.unwrap();
    stream.response.head().await.unwrap();
    let mut received = 0;
    while let Some(piece) = stream.response.next().await.unwrap() {
        assert!(is_pattern(received, &piece), "at {received}");
        received += piece.len();
    }
    assert_eq!(received, length);
}

async fn upload(linked: &Linked, url: &str, length: usize) {
    let mut stream = HttpStream::begin(&linked.link, "PUT", url, &[]).await.unwrap();
    let mut sent = 0;
    while sent < length {
        let piece = pattern(sent, length - sent);
        stream.request.send(Bytes::from_static(piece)).await.unwrap();
        sent += piece.len();
    }
    stream.request.end();
    stream.response.head().await.unwrap();
    let (body, reset) = stream.response.body().await;
    assert_eq!(reset, None);
    let described: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((&described["length"], &described["intact"]), (&length.into(), &true.into()));
}

#[test]
fn heavy_a_long_body_goes_down_in_flat_memory() {
    run_for(PATIENCE, async {
        let Some(server) = Foreign::node().await else { return };
        let linked = Linked::new().await;
        let url = server.url(&format!("/bytes?n={LONG}"));
        let start = Instant::now();
        let (grown, ()) = growth(&linked, download(&linked, &url, LONG)).await;
        println!("{} MiB down in {:?}, {} KiB on top", LONG >> 20, start.elapsed(), grown >> 10);
        assert!(grown < FLAT, "{grown} bytes");
    });
}

#[test]
fn heavy_a_long_body_goes_up_in_flat_memory() {
    run_for(PATIENCE, async {
        let Some(server) = Foreign::node().await else { return };
        let linked = Linked::new().await;
        let url = server.url("/describe");
        let start = Instant::now();
        let (grown, ()) = growth(&linked, upload(&linked, &url, LONG)).await;
        println!("{} MiB up in {:?}, {} KiB on top", LONG >> 20, start.elapsed(), grown >> 10);
        assert!(grown < FLAT, "{grown} bytes");
    });
}

#[test]
fn heavy_many_streams_at_once_all_complete_in_bounded_memory() {
    run_for(PATIENCE, async {
        let Some(server) = Foreign::node().await else { return };
        let linked = Linked::new().await;
        let length = 400_000;
        let url = server.url(&format!("/bytes?n={length}"));
        let start = Instant::now();
        let (down, _) = growth(&linked, join_all((0..MANY).map(|_| download(&linked, &url, length)))).await;
        println!("{MANY} at once: {:?} down, {} KiB on top", start.elapsed(), down >> 10);
        // Short of what is collected before a request goes out, and long enough to take turns for it.
        let body: Bytes = pattern(0, 600_000).into();
        let url = server.url("/describe");
        let requests = join_all((0..MANY).map(|_| fetch(&linked.link, "POST", &url, &[], &body)));
        let start = Instant::now();
        let (up, answers) = growth(&linked, requests).await;
        println!("{MANY} at once: {:?} up, {} KiB on top", start.elapsed(), up >> 10);
        for (at, answer) in answers.into_iter().enumerate() {
            let answer = answer.unwrap_or_else(|error| panic!("request {at} after {:?}: {error}", start.elapsed()));
            assert_eq!(answer.json()["intact"], true);
        }
        assert!(down < BOUNDED && up < BOUNDED, "{down} and {up} bytes");
    });
}

#[test]
fn heavy_many_answers_that_the_page_does_not_read_stay_bounded() {
    run_for(PATIENCE, async {
        let certificates = Certificates::new();
        for server in [Foreign::node().await, Foreign::node_http2(&certificates).await] {
            let Some(server) = server else { return };
            let linked = Linked::trusting(Some(&certificates.authority())).await;
            let (grown, unread) = growth(&linked, async {
                let mut unread = Vec::new();
                for _ in 0..MANY {
                    let url = server.url("/bytes?n=50000000");
                    unread.push(HttpStream::begin(&linked.link, "GET", &url, &[]).await.unwrap());
                }
                for stream in &mut unread {
                    stream.response.head().await.unwrap();
                }
                // Others go on meanwhile.
                download(&linked, &server.url("/bytes?n=3000000"), 3_000_000).await;
                unread
            })
            .await;
            println!("{MANY} unread: {} KiB on top", grown >> 10);
            assert!(grown < BOUNDED, "{grown} bytes");
            drop(unread);
        }
    });
}
