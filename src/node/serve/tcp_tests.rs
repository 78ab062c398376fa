//! tcp streams over a link in memory and real sockets on loopback.

use std::{io, time::Duration};

use bytes::Bytes;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::timeout,
};

use super::tcp::serve;
use crate::{
    generated::link::{ErrorCode, TcpOpen, limits},
    link::{Stream, memory::pair},
    policy::{
        Base, Dialer, Hosts, Policy, Resolver, Rules,
        resolver::fake::{FakeLookup, Reply},
    },
};

async fn bounded<T>(future: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(30), future).await.expect("the test ends in time")
}

fn dialer(base: Base, reply: Reply) -> Dialer {
    let resolver = Resolver::new(Hosts::default(), FakeLookup::new([reply]));
    Dialer::new(Policy::new(base, Rules::default()), resolver)
}

/// The page's end of a stream that is being served.
fn serving(node: Stream, host: &str, port: u16, dialer: Dialer) -> JoinHandle<()> {
    let open = TcpOpen { host: host.to_owned(), port };
    tokio::spawn(async move { serve(open, node, &dialer).await })
}

struct Connected {
    page: Stream,
    far: TcpStream,
    service: JoinHandle<()>,
}

/// A stream that is open, and the far end of its connection.
async fn connected() -> Connected {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (node, mut page) = pair().await;
    let service = serving(node, "127.0.0.1", address.port(), dialer(Base::Local, Reply::Never));
    let (far, near) = listener.accept().await.unwrap();
    let opened = page.opened().await.unwrap();
    assert_eq!(opened["localAddr"], near.to_string());
    assert_eq!(opened["remoteAddr"], address.to_string());
    Connected { page, far, service }
}

/// The RESET that a dial ends with.
async fn refusal(host: &str, port: u16, dialer: Dialer) -> String {
    let (node, mut page) = pair().await;
    let service = serving(node, host, port, dialer);
    let error = page.opened().await.unwrap_err();
    service.await.unwrap();
    error.to_string()
}

#[tokio::test]
async fn the_pages_end_half_closes_the_socket() {
    bounded(async {
        let Connected { mut page, mut far, service } = connected().await;
        page.send(Bytes::from_static(b"question")).await.unwrap();
        page.end();
        let mut question = String::new();
        far.read_to_string(&mut question).await.unwrap();
        assert_eq!(question, "question");
        far.write_all(b"answer").await.unwrap();
        drop(far);
        let mut answer = String::new();
        page.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer, "answer");
        service.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn the_sockets_end_of_file_becomes_end_and_the_page_may_still_send() {
    bounded(async {
        let Connected { mut page, mut far, service } = connected().await;
        far.write_all(b"greeting").await.unwrap();
        far.shutdown().await.unwrap();
        let mut greeting = String::new();
        page.read_to_string(&mut greeting).await.unwrap();
        assert_eq!(greeting, "greeting");
        page.send(Bytes::from_static(b"late")).await.unwrap();
        page.end();
        let mut late = String::new();
        far.read_to_string(&mut late).await.unwrap();
        assert_eq!(late, "late");
        service.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_socket_that_fails_mid_stream_resets_the_stream() {
    bounded(async {
        let Connected { mut page, far, service } = connected().await;
        far.set_zero_linger().unwrap();
        drop(far);
        let error = page.recv().await.unwrap_err();
        assert_eq!(error.to_string(), "ECONNRESET: the connection broke");
        service.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_reset_of_the_page_closes_the_socket_at_once() {
    bounded(async {
        let Connected { page, mut far, service } = connected().await;
        page.reset(ErrorCode::Econnreset, "");
        service.await.unwrap();
        let error = far.read(&mut [0; 16]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset, "cut off, not ended");
    })
    .await;
}

#[tokio::test]
async fn a_reset_after_the_pages_end_closes_the_socket_too() {
    bounded(async {
        let Connected { mut page, mut far, service } = connected().await;
        page.end();
        assert_eq!(far.read(&mut [0; 16]).await.unwrap(), 0);
        page.reset(ErrorCode::Econnreset, "");
        service.await.unwrap();
        // A write to a connection that is gone fails, at the latest once the answer to the first one is in.
        while far.write_all(b"anyone there?").await.is_ok() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_far_end_that_stops_reading_stops_the_page_and_a_reset_still_gets_through() {
    bounded(async {
        let Connected { page, mut far, service } = connected().await;
        let (mut receive, mut send) = page.split();
        // The kernel's buffers on both sides take some megabytes; after them only the window is left.
        let piece = Bytes::from(vec![7; limits::DATA]);
        let mut taken = 0;
        while let Ok(outcome) = timeout(Duration::from_millis(500), send.send(piece.clone())).await {
            outcome.unwrap();
            taken += piece.len();
            assert!(taken < 64 << 20, "nothing held the page back");
        }
        // The other direction isn't held up, and once it has ended, only the blocked one is there to see the reset.
        far.write_all(b"still here").await.unwrap();
        far.shutdown().await.unwrap();
        assert_eq!(receive.recv().await.unwrap().as_deref(), Some(&b"still here"[..]));
        assert_eq!(receive.recv().await.unwrap(), None);
        send.reset(ErrorCode::Econnreset, "");
        service.await.unwrap();
        let mut got = Vec::new();
        assert!(far.read_to_end(&mut got).await.is_err(), "cut off, not ended");
        assert!(got.len() <= taken);
    })
    .await;
}

#[tokio::test]
async fn a_page_that_stops_reading_stops_the_far_end() {
    bounded(async {
        let Connected { mut page, mut far, service } = connected().await;
        let piece = vec![7; limits::DATA];
        let mut sent = 0;
        while let Ok(outcome) = timeout(Duration::from_millis(500), far.write(&piece)).await {
            sent += outcome.unwrap();
            assert!(sent < 64 << 20, "nothing held the far end back");
        }
        far.shutdown().await.unwrap();
        let mut got = 0;
        while let Some(data) = page.recv().await.unwrap() {
            got += data.len();
            page.credit(data.len());
        }
        assert_eq!(got, sent, "and nothing is lost");
        page.end();
        service.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn ten_mebibytes_are_echoed_within_the_window() {
    bounded(async {
        let Connected { page, far, service } = connected().await;
        let echo = tokio::spawn(async move {
            let (mut read, mut write) = far.into_split();
            tokio::io::copy(&mut read, &mut write).await.unwrap();
        });
        let body: Vec<u8> = (0u32..).flat_map(u32::to_be_bytes).take(10 << 20).collect();
        let (mut receive, mut send) = page.split();
        let request = Bytes::from(body.clone());
        let upload = tokio::spawn(async move {
            send.send(request).await.unwrap();
            send.end();
            send
        });
        let mut back = Vec::new();
        // What isn't credited yet never passes the window: the page's multiplexer resets a stream that sends more.
        receive.read_to_end(&mut back).await.unwrap();
        assert!(back == body);
        upload.await.unwrap();
        echo.await.unwrap();
        service.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_port_where_nothing_listens_is_econnrefused() {
    bounded(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let reset = refusal("127.0.0.1", port, dialer(Base::Local, Reply::Never)).await;
        assert_eq!(reset, "ECONNREFUSED: the connection was refused");
    })
    .await;
}

#[tokio::test]
async fn a_refusal_of_the_policy_is_eacces_and_nothing_is_connected() {
    bounded(async {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let reset = refusal("127.0.0.1", port, dialer(Base::Remote, Reply::Never)).await;
        assert_eq!(reset, "EACCES: refused by the network policy: loopback addresses are denied");
        let reset = refusal("inside.test", port, dialer(Base::Remote, Reply::Addresses(vec!["127.0.0.1"]))).await;
        assert_eq!(reset, "EACCES: refused by the network policy: no address of the name is allowed");
        let protected = dialer(Base::Local, Reply::Never);
        protected.policy().protect_port(port);
        let reset = refusal("127.0.0.1", port, protected).await;
        assert_eq!(reset, "EACCES: refused by the network policy: the port is protected");
        assert_eq!(listener.accept().unwrap_err().kind(), io::ErrorKind::WouldBlock);
    })
    .await;
}

#[tokio::test]
async fn a_name_that_does_not_resolve_is_enotfound_and_a_slow_lookup_is_etimedout() {
    bounded(async {
        let reset = refusal("none.test", 80, dialer(Base::Local, Reply::Fails(io::ErrorKind::Other))).await;
        assert_eq!(reset, "ENOTFOUND: the name doesn't resolve");
        let reset = refusal("slow.test", 80, dialer(Base::Local, Reply::Fails(io::ErrorKind::TimedOut))).await;
        assert_eq!(reset, "ETIMEDOUT: the name lookup timed out");
    })
    .await;
}

#[tokio::test]
async fn a_page_that_resets_does_not_wait_for_the_dial() {
    bounded(async {
        let (node, page) = pair().await;
        let service = serving(node, "slow.test", 80, dialer(Base::Local, Reply::Never));
        page.reset(ErrorCode::Econnreset, "");
        service.await.unwrap();
    })
    .await;
}
