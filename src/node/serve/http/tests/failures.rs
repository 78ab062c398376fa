use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::oneshot,
};

use super::{
    super::{Client, Connector},
    support::*,
};
use crate::{
    generated::link::{ErrorCode, limits},
    policy::{
        Base, Dialer, Hosts, Policy, Resolver, Rules,
        resolver::fake::{FakeLookup, Reply},
    },
};

/// A connector that fails like this.
#[derive(Clone)]
struct Failing(ErrorCode, &'static str);

impl Connector for Failing {
    async fn connect(&self, _host: &str, _port: u16, _limit: Duration) -> Result<TcpStream, (ErrorCode, String)> {
        Err((self.0, self.1.to_owned()))
    }
}

/// A connector that never gets anywhere.
#[derive(Clone)]
struct Endless;

impl Connector for Endless {
    async fn connect(&self, _host: &str, _port: u16, _limit: Duration) -> Result<TcpStream, (ErrorCode, String)> {
        std::future::pending().await
    }
}

fn secret_request() -> serde_json::Value {
    json!({
        "url": "http://h/hunter2?hunter2#hunter2",
        "method": "POST",
        "headers": [["X-Hunter2", "hunter2"], ["Authorization", "hunter2"]],
    })
}

#[tokio::test]
async fn a_failed_dial_has_tcps_codes() {
    bounded(async {
        for (code, expected) in [
            (ErrorCode::Eacces, "EACCES"),
            (ErrorCode::Enotfound, "ENOTFOUND"),
            (ErrorCode::Etimedout, "ETIMEDOUT"),
            (ErrorCode::Econnreset, "ECONNRESET"),
            (ErrorCode::Econnrefused, "ECONNREFUSED"),
            (ErrorCode::Ehostunreach, "ECONNREFUSED"),
            (ErrorCode::Enetunreach, "ECONNREFUSED"),
        ] {
            let client = Client::new(Failing(code, "why"));
            let outcome = fetch_with(&client, json!({}), &secret_request(), b"").await;
            assert_eq!(outcome.refusal(), format!("{expected}: fetch failed: why"));
        }
    })
    .await;
}

#[tokio::test]
async fn what_the_policy_refuses_is_eacces_and_never_dialled() {
    bounded(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let policy = Policy::new(Base::Remote, Rules::default());
        let resolver = Resolver::new(Hosts::default(), FakeLookup::new([Reply::Never]));
        let client = Client::new(Dialer::new(policy, resolver));
        for host in ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433", "169.254.169.254"] {
            let head = json!({"url": format!("http://{host}:{port}/"), "method": "GET", "headers": []});
            let reset = fetch_with(&client, json!({}), &head, b"").await.refusal();
            assert!(reset.starts_with("EACCES: fetch failed: "), "{host}: {reset}");
        }
        tokio::select! {
            biased;
            _ = listener.accept() => panic!("it was dialled"),
            () = std::future::ready(()) => {}
        }
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_takes_too_long_is_etimedout() {
    bounded(async {
        let client = Client::new(Endless).connect_limit(Duration::from_millis(20));
        let outcome = fetch_with(&client, json!({}), &secret_request(), b"").await;
        assert_eq!(outcome.refusal(), "ETIMEDOUT: fetch failed: the connection timed out");
    })
    .await;
}

#[tokio::test]
async fn a_tls_handshake_that_is_never_answered_is_etimedout() {
    bounded(async {
        let address = accepting(|mut socket| async move {
            let mut hello = [0; 1024];
            while socket.read(&mut hello).await.is_ok_and(|length| length > 0) {}
        })
        .await;
        let client =
            Client::with_tls(To::new(address), super::secure::no_roots()).connect_limit(Duration::from_millis(100));
        let head = json!({"url": "https://h/", "method": "GET", "headers": []});
        let outcome = fetch_with(&client, json!({}), &head, b"").await;
        assert_eq!(outcome.refusal(), "ETIMEDOUT: fetch failed: the connection timed out");
    })
    .await;
}

#[tokio::test]
async fn nothing_listening_is_econnrefused() {
    bounded(async {
        let address = TcpListener::bind(("127.0.0.1", 0)).await.unwrap().local_addr().unwrap();
        assert!(get(address).await.refusal().starts_with("ECONNREFUSED: fetch failed: "));
    })
    .await;
}

/// A server that resets the connection instead of answering.
async fn resetting() -> SocketAddr {
    accepting(|mut socket| async move {
        read_head(&mut socket).await;
        #[expect(deprecated, reason = "zero doesn't block, and resets")]
        socket.set_linger(Some(Duration::ZERO)).unwrap();
    })
    .await
}

#[tokio::test]
async fn a_server_that_resets_is_econnreset() {
    bounded(async {
        assert_eq!(get(resetting().await).await.refusal(), "ECONNRESET: fetch failed: the connection was reset");
    })
    .await;
}

#[tokio::test]
async fn a_server_that_closes_without_an_answer_is_econnreset() {
    bounded(async {
        for answer in ["", "HTTP/1.1 200 OK\r\nA: ", "HTTP/1.1 100 Continue\r\n\r\n"] {
            let (address, _requests) = answering(answer).await;
            assert_eq!(
                get(address).await.refusal(),
                "ECONNRESET: fetch failed: the server closed the connection without an answer"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_not_http_is_econnrefused_and_not_repeated() {
    bounded(async {
        for answer in [
            "SSH-2.0-hunter2\r\n\r\n".to_owned(),
            "HTTP/1.1 hunter2 OK\r\n\r\n".to_owned(),
            "HTTP/1.1 200 OK\r\nhunter2\r\n\r\n".to_owned(),
            "HTTP/1.1 200 OK\r\nhunter2 : 1\r\n\r\n".to_owned(),
            "HTTP/1.1 200 OK\r\nA: hunter2\x01\r\n\r\n".to_owned(),
            "HTTP/1.1 200 OK\r\nContent-Length: hunter2\r\n\r\n".to_owned(),
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n".to_owned(),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n".to_owned(),
            format!("HTTP/1.1 200 OK\r\nContent-Encoding: {}\r\n\r\n", ["gzip"; limits::HTTP_CODINGS + 1].join(",")),
            format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: 1\r\n".repeat(limits::HTTP_RESPONSE_HEADERS + 1)),
            format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "a".repeat(limits::HTTP_RESPONSE_HEAD)),
        ] {
            let (address, _requests) = answering(answer.clone()).await;
            let outcome = fetch_with(&client(address), json!({}), &secret_request(), b"hunter2").await;
            let reset = outcome.refusal();
            assert!(reset.starts_with("ECONNREFUSED: fetch failed: "), "{reset} for {answer:.80}");
            assert!(!reset.to_ascii_lowercase().contains("hunter2"), "{reset}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_head_that_never_ends_is_bounded() {
    bounded(async {
        let address = accepting(|mut socket| async move {
            read_head(&mut socket).await;
            let _ = socket.write_all(b"HTTP/1.1 200 OK\r\n").await;
            while socket.write_all(b"A-Header-Line: and nothing but header lines, for ever\r\n").await.is_ok() {}
        })
        .await;
        assert_eq!(get(address).await.refusal(), "ECONNREFUSED: fetch failed: the answer's headers are too large");
    })
    .await;
}

/// What a page sees of an answer whose first part is this and which breaks off once the page has read `length` bytes.
async fn breaking_off(first: Vec<u8>, length: usize, reset: bool) -> Outcome {
    let (go_on, wait) = oneshot::channel::<()>();
    let wait = Arc::new(Mutex::new(Some(wait)));
    let address = accepting(move |mut socket| {
        let (first, wait) = (first.clone(), wait.clone());
        async move {
            read_head(&mut socket).await;
            socket.write_all(&first).await.unwrap();
            let wait = wait.lock().unwrap().take().unwrap();
            let _ = wait.await;
            if reset {
                #[expect(deprecated, reason = "zero doesn't block, and resets")]
                socket.set_linger(Some(Duration::ZERO)).unwrap();
            }
        }
    })
    .await;
    let mut page = open(&client(address), json!({})).await;
    page.head(&json!({"url": "http://h/", "method": "GET", "headers": []})).await;
    let mut outcome = Outcome::default();
    page.read_body(&mut outcome, length).await;
    go_on.send(()).unwrap();
    page.finish(outcome).await
}

#[tokio::test]
async fn a_body_that_breaks_off_is_econnreset_after_what_came() {
    bounded(async {
        for reset in [false, true] {
            for framing in ["Content-Length: 9", "Transfer-Encoding: chunked"] {
                let body = if framing.starts_with('T') { "5\r\nabc" } else { "abc" };
                let first = format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n{body}").into_bytes();
                let outcome = breaking_off(first, 3, reset).await;
                assert_eq!(outcome.body(), b"abc");
                assert_eq!(outcome.reset.as_deref(), Some("ECONNRESET: the answer broke off"));
            }
        }
        let first = b"HTTP/1.1 200 OK\r\n\r\nabc".to_vec();
        assert_eq!(breaking_off(first.clone(), 3, false).await.text(), "abc");
        assert!(breaking_off(first, 3, true).await.reset.unwrap().starts_with("ECONNRESET: "));
    })
    .await;
}

#[tokio::test]
async fn a_coding_that_breaks_off_is_econnreset_after_what_came() {
    bounded(async {
        // A gzip stream that was flushed after its first bytes, and never ended.
        let mut encoder = async_compression::tokio::write::GzipEncoder::new(Vec::new());
        encoder.write_all(b"abc").await.unwrap();
        encoder.flush().await.unwrap();
        let mut first = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec();
        first.extend_from_slice(encoder.get_ref());
        let outcome = breaking_off(first, 3, false).await;
        assert_eq!(outcome.body(), b"abc");
        assert!(outcome.reset.unwrap().starts_with("ECONNRESET: "));
    })
    .await;
}

#[tokio::test]
async fn a_page_that_resets_a_request_without_an_answer_ends_it_at_once() {
    bounded(async {
        for body in [&b""[..], b"body"] {
            let (closed, mut gone) = tokio::sync::mpsc::unbounded_channel();
            let address = accepting(move |mut socket| {
                let closed = closed.clone();
                async move {
                    read_head(&mut socket).await;
                    let _ = closed.send(());
                    let mut byte = [0; 16];
                    while socket.read(&mut byte).await.is_ok_and(|length| length > 0) {}
                    let _ = closed.send(());
                }
            })
            .await;
            let mut page = open(&client(address), json!({})).await;
            page.head(&json!({"url": "http://h/", "method": "POST", "headers": []})).await;
            page.piece(body.to_vec()).await;
            page.send.end();
            gone.recv().await.unwrap();
            page.send.reset(ErrorCode::Econnreset, "");
            gone.recv().await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn a_page_that_resets_while_it_gets_a_body_ends_the_request() {
    bounded(async {
        let (closed, mut gone) = tokio::sync::mpsc::unbounded_channel();
        let address = accepting(move |mut socket| {
            let closed = closed.clone();
            async move {
                read_head(&mut socket).await;
                socket.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
                while socket.write_all(&[0; 4096]).await.is_ok() {}
                let _ = closed.send(());
            }
        })
        .await;
        let mut page = open(&client(address), json!({})).await;
        page.head(&json!({"url": "http://h/", "method": "GET", "headers": []})).await;
        page.read_body(&mut Outcome::default(), 1).await;
        page.send.reset(ErrorCode::Econnreset, "");
        gone.recv().await.unwrap();
    })
    .await;
}
