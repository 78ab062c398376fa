//! Streams over two real multiplexers and a transport in memory.

use std::{io, time::Duration};

use bytes::Bytes;
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::timeout,
};

use super::{
    Link, LinkEvent,
    memory::{links, pair},
    mux::{Placement, Role},
};
use crate::generated::link::{ErrorCode, limits};

async fn bounded<T>(future: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(20), future).await.expect("the test ends in time")
}

#[tokio::test]
async fn bytes_cross_in_both_directions_and_half_close() {
    bounded(async {
        let (mut node, mut page) = pair().await;
        node.accept(&json!({"localAddr": "a"})).expect("JSON");
        assert_eq!(page.opened().await.expect("opened")["localAddr"], "a");
        let body = vec![7u8; 3 * limits::WINDOW + 5];
        let (mut receive, mut send) = page.split();
        let sent = body.clone();
        let upload = tokio::spawn(async move {
            send.write_all(&sent).await.expect("sent");
            send.shutdown().await.expect("ended");
        });
        let mut echoed = Vec::new();
        let echo = async {
            while let Some(data) = node.recv().await.expect("received") {
                node.credit(data.len());
                node.send(data).await.expect("sent back");
            }
            node.end();
        };
        let download = async { receive.read_to_end(&mut echoed).await.expect("read") };
        tokio::join!(echo, download);
        upload.await.expect("uploaded");
        assert_eq!(echoed, body);
    })
    .await;
}

#[tokio::test]
async fn a_stream_never_buffers_more_than_its_window() {
    bounded(async {
        let (mut node, mut page) = pair().await;
        node.accept(&json!({})).expect("JSON");
        page.opened().await.expect("opened");
        let (_receive, mut send) = page.split();
        let mut sent = 0;
        while let Ok(result) = timeout(Duration::from_millis(200), send.send(Bytes::from(vec![0; 1000]))).await {
            result.expect("sent");
            sent += 1000;
        }
        assert!((limits::WINDOW - 1000..=limits::WINDOW).contains(&sent), "sent {sent}");
        let mut got = 0;
        while got < sent {
            let data = node.recv().await.expect("received").expect("not ended");
            got += data.len();
        }
        node.credit(got);
        send.send(Bytes::from(vec![0; 1000])).await.expect("the credit opened the window");
    })
    .await;
}

#[tokio::test]
async fn a_reset_reaches_the_other_side_with_code_and_message() {
    bounded(async {
        let (node, mut page) = pair().await;
        node.reset(ErrorCode::Eacces, "no: never");
        let error = page.opened().await.expect_err("reset");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(error.to_string(), "EACCES: no: never");
    })
    .await;
}

#[tokio::test]
async fn a_reset_wakes_a_blocked_writer() {
    bounded(async {
        let (mut node, mut page) = pair().await;
        node.accept(&json!({})).expect("JSON");
        page.opened().await.expect("opened");
        let writer = tokio::spawn(async move { page.send(Bytes::from(vec![0; 2 * limits::WINDOW])).await });
        node.recv().await.expect("received");
        node.reset(ErrorCode::Econnreset, "");
        assert!(writer.await.expect("no panic").is_err());
    })
    .await;
}

#[tokio::test]
async fn a_dropped_stream_is_reset_unless_it_has_ended() {
    bounded(async {
        let (mut node, mut page) = pair().await;
        node.accept(&json!({})).expect("JSON");
        page.opened().await.expect("opened");
        drop(node);
        assert!(page.recv().await.is_err());

        let (mut node, mut page) = pair().await;
        node.accept(&json!({})).expect("JSON");
        node.send(Bytes::from_static(b"answer")).await.expect("queued");
        node.end();
        drop(node);
        page.opened().await.expect("opened");
        assert_eq!(page.recv().await.expect("received").as_deref(), Some(b"answer".as_slice()));
        assert_eq!(page.recv().await.expect("ended"), None);
        page.send(Bytes::from(vec![0; 2 * limits::WINDOW])).await.expect("credited unread");
    })
    .await;
}

#[tokio::test]
async fn many_streams_share_a_link() {
    bounded(async {
        let ((_node, mut node_events), (page, _page_events)) = links().await;
        let server = tokio::spawn(async move {
            let mut tasks = tokio::task::JoinSet::new();
            while let Some(event) = node_events.recv().await {
                let LinkEvent::Incoming(mut incoming) = event else { break };
                tasks.spawn(async move {
                    incoming.stream.accept(&json!({})).expect("JSON");
                    let (mut receive, mut send) = incoming.stream.split();
                    tokio::io::copy(&mut receive, &mut send).await.expect("echoed");
                    send.end();
                });
            }
            tasks.join_all().await;
        });
        let open = Map::from_iter([("kind".to_owned(), Value::from("echo"))]);
        let mut tasks = tokio::task::JoinSet::new();
        for n in 0..300u32 {
            let (page, open) = (page.clone(), open.clone());
            tasks.spawn(async move {
                let placement = if n % 2 == 0 { Placement::OwnChannel } else { Placement::Control };
                let mut stream = page.open(&open, placement).await.expect("open");
                stream.opened().await.expect("opened");
                let sent = n.to_be_bytes().repeat(1000);
                stream.send(sent.clone().into()).await.expect("sent");
                stream.end();
                let mut back = Vec::new();
                stream.read_to_end(&mut back).await.expect("read");
                assert_eq!(back, sent);
            });
        }
        tasks.join_all().await;
        page.close("done").await;
        server.await.expect("no panic");
    })
    .await;
}

#[tokio::test]
async fn a_closed_link_fails_its_streams() {
    bounded(async {
        let ((_node, mut node_events), (page, _page_events)) = links().await;
        let open = Map::from_iter([("kind".to_owned(), Value::from("echo"))]);
        let mut stream = page.open(&open, Placement::OwnChannel).await.expect("open");
        let Some(LinkEvent::Incoming(_incoming)) = node_events.recv().await else { panic!("no stream") };
        page.close("over").await;
        assert!(stream.recv().await.is_err());
        assert!(page.open(&open, Placement::OwnChannel).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn a_flush_waits_until_a_reset_cannot_overtake_what_was_sent() {
    bounded(async {
        let (mut node, mut page) = pair().await;
        node.accept(&json!({})).expect("JSON");
        page.opened().await.expect("opened");
        let (receive, mut send) = node.split();
        send.send(Bytes::from_static(b"head")).await.expect("queued");
        send.flush().await.expect("handed on");
        assert_eq!(page.recv().await.expect("received").as_deref(), Some(b"head".as_slice()));
        receive.reset(ErrorCode::Econnreset, "mid-body");
        assert!(page.recv().await.is_err());
        assert!(send.flush().await.is_err());
    })
    .await;
}

#[tokio::test]
async fn a_page_that_floods_and_never_reads_loses_its_link() {
    bounded(async {
        let (node_transport, page_transport) = super::memory::transports();
        let hello = |role: &str| json!({ "v": 1, "role": role }).to_string();
        let (node, mut node_events, node_driver) =
            Link::run(Role::Node, hello("node"), node_transport.never_acknowledged());
        let (page, mut page_events, page_driver) = Link::run(Role::Page, hello("page"), page_transport);
        tokio::spawn(node_driver);
        tokio::spawn(page_driver);
        assert!(matches!(page_events.recv().await, Some(LinkEvent::Linked(_))));
        tokio::spawn(async move { while page_events.recv().await.is_some() {} });
        let open = Map::from_iter([("kind".to_owned(), Value::from("x"))]);
        let flood = tokio::spawn(async move {
            while let Ok(stream) = page.open(&open, Placement::Control).await {
                drop(stream);
            }
        });
        let reason = loop {
            match node_events.recv().await.expect("the link says how it ends") {
                LinkEvent::Incoming(incoming) => {
                    incoming.stream.reset(ErrorCode::Eopnotsupp, &"x".repeat(limits::CONTROL_PAYLOAD / 2));
                }
                LinkEvent::Down { reason } => break reason,
                _ => {}
            }
        };
        assert_eq!(reason.to_string(), "the peer does not read what it is sent");
        drop(node);
        flood.await.expect("no panic");
    })
    .await;
}
