//! `tcp` streams: section "Link", tcp.

use bytes::Bytes;
use serde_json::json;
use slicc::{
    generated::link::{StreamKind, limits},
    link::mux::Placement::{Control, OwnChannel},
};

use super::Linked;
use crate::support::{
    exchange::{PLACEMENTS, open, receive_all, refusal, reset},
    run,
    servers::{self, pattern},
    within,
};

#[test]
fn bytes_go_both_ways_and_each_end_is_half_closed() {
    run(async {
        let linked = Linked::start(&[]).await;
        let echo = servers::echo().await;
        for placement in PLACEMENTS {
            let tcp = json!({ "kind": "tcp", "host": "127.0.0.1", "port": echo.port() });
            let (stream, opened) = open(&linked.link(), tcp, placement).await;
            assert_eq!(opened["remoteAddr"], echo.address().to_string());
            assert!(opened["localAddr"].as_str().unwrap().starts_with("127.0.0.1:"), "{opened}");
            let sent = pattern(4 * limits::WINDOW + 1, 7);
            let (mut receive, mut send) = stream.split();
            let up = async {
                send.send(Bytes::from(sent.clone())).await.unwrap();
                send.end();
            };
            let down = async {
                let mut bytes = Vec::new();
                while let Some(data) = receive.recv().await.unwrap() {
                    bytes.extend_from_slice(&data);
                    receive.credit(data.len());
                }
                bytes
            };
            let ((), received) = within("the echo", async { tokio::join!(up, down) }).await;
            assert!(received == sent, "{placement:?}: {} bytes came back", received.len());
        }
        linked.finish().await;
    });
}

#[test]
fn the_servers_end_is_an_end_and_the_page_may_still_send() {
    run(async {
        let linked = Linked::start(&[]).await;
        let bytes = pattern(100_000, 3);
        let source = servers::source(bytes.clone()).await;
        for placement in PLACEMENTS {
            let tcp = json!({ "kind": "tcp", "host": "127.0.0.1", "port": source.port() });
            let (mut stream, _) = open(&linked.link(), tcp, placement).await;
            assert!(receive_all(&mut stream).await.unwrap() == bytes);
            stream.send(Bytes::from(pattern(2 * limits::WINDOW, 1))).await.unwrap();
            stream.end();
        }
        linked.finish().await;
    });
}

#[test]
fn the_pages_end_reaches_the_server() {
    run(async {
        let linked = Linked::start(&[]).await;
        let (sink, mut received) = servers::sink().await;
        for placement in PLACEMENTS {
            let tcp = json!({ "kind": "tcp", "host": "127.0.0.1", "port": sink.port() });
            let (mut stream, _) = open(&linked.link(), tcp, placement).await;
            let bytes = pattern(300_000, 9);
            stream.send(Bytes::from(bytes.clone())).await.unwrap();
            stream.end();
            assert!(within("the bytes", received.recv()).await.unwrap() == bytes);
            assert_eq!(receive_all(&mut stream).await.unwrap(), b"");
        }
        linked.finish().await;
    });
}

#[test]
fn a_connection_that_does_not_come_about_is_reset_with_its_code() {
    run(async {
        let linked = Linked::start(&["--deny", "127.0.0.9"]).await;
        for placement in PLACEMENTS {
            for (host, code, message) in [
                ("127.0.0.1", "ECONNREFUSED", "the connection was refused"),
                ("localhost", "ECONNREFUSED", "the connection was refused"),
                (
                    "169.254.169.254",
                    "EACCES",
                    "refused by the network policy: link-local and cloud metadata addresses are denied",
                ),
                ("0.0.0.0", "EACCES", "refused by the network policy: this network addresses are always denied"),
                (
                    "::ffff:169.254.169.254",
                    "EACCES",
                    "refused by the network policy: link-local and cloud metadata addresses are denied",
                ),
                (
                    "64:ff9b::a9fe:a9fe",
                    "EACCES",
                    "refused by the network policy: link-local and cloud metadata addresses are denied",
                ),
                ("127.0.0.9", "EACCES", "refused by the network policy: a rule denies the address"),
                (&"x".repeat(300), "ENOTFOUND", "the name doesn't resolve"),
            ] {
                let tcp = json!({ "kind": "tcp", "host": host, "port": servers::closed_port() });
                let refused = refusal(&linked.link(), tcp, placement).await;
                assert_eq!((refused.0.as_str(), refused.1.as_str()), (code, message), "{host}");
            }
        }
        linked.finish().await;
    });
}

#[test]
fn an_open_without_a_host_or_a_port_is_eproto() {
    run(async {
        let linked = Linked::start(&[]).await;
        for placement in PLACEMENTS {
            for open in [
                json!({ "kind": "tcp" }),
                json!({ "kind": "tcp", "port": 80 }),
                json!({ "kind": "tcp", "host": "", "port": 80 }),
                json!({ "kind": "tcp", "host": 7, "port": 80 }),
                json!({ "kind": "tcp", "host": "127.0.0.1" }),
                json!({ "kind": "tcp", "host": "127.0.0.1", "port": 0 }),
                json!({ "kind": "tcp", "host": "127.0.0.1", "port": 65536 }),
                json!({ "kind": "tcp", "host": "127.0.0.1", "port": -80 }),
                json!({ "kind": "tcp", "host": "127.0.0.1", "port": 80.5 }),
                json!({ "kind": "tcp", "host": "127.0.0.1", "port": "80" }),
            ] {
                let (code, message) = refusal(&linked.link(), open.clone(), placement).await;
                assert_eq!(code, "EPROTO", "{open}: {message}");
            }
        }
        linked.finish().await;
    });
}

#[test]
fn a_connection_that_breaks_is_econnreset() {
    run(async {
        let linked = Linked::start(&[]).await;
        let breaking = servers::breaking().await;
        for placement in PLACEMENTS {
            let tcp = json!({ "kind": "tcp", "host": "127.0.0.1", "port": breaking.port() });
            let (mut stream, _) = open(&linked.link(), tcp, placement).await;
            stream.send(Bytes::from_static(b"x")).await.unwrap();
            let error = receive_all(&mut stream).await.unwrap_err();
            assert_eq!(reset(&error).0, "ECONNRESET");
        }
        linked.finish().await;
    });
}

#[test]
fn the_browsers_debugging_port_is_eacces_on_every_address_of_this_machine() {
    run(async {
        // A browser that answers nothing has its port protected, too.
        let port = servers::closed_port();
        let open_port = servers::closed_port();
        let linked = Linked::start(&["--cdp", &port.to_string(), "--allow", "127.0.0.1/32,127.0.0.0/8"]).await;
        let mut hosts = vec!["127.0.0.1".to_owned(), "127.0.0.2".into(), "::1".into(), "localhost".into()];
        let interfaces = if_addrs::get_if_addrs().unwrap();
        // An address of a link-local range is refused for another reason.
        hosts.extend(
            interfaces.iter().filter(|interface| !interface.is_link_local()).map(|found| found.ip().to_string()),
        );
        for placement in PLACEMENTS {
            for host in &hosts {
                let tcp = json!({ "kind": "tcp", "host": host, "port": port });
                let (code, message) = refusal(&linked.link(), tcp, placement).await;
                assert_eq!(code, "EACCES", "{host}: {message}");
            }
        }
        let other = json!({ "kind": "tcp", "host": "127.0.0.1", "port": open_port });
        assert_eq!(refusal(&linked.link(), other, Control).await.0, "ECONNREFUSED");
        linked.finish().await;
    });
}

#[test]
fn only_the_same_address_and_port_reopen_the_debugging_port() {
    run(async {
        let echo = servers::echo().await;
        let port = echo.port();
        let linked = Linked::start(&["--cdp", &port.to_string(), "--allow", &format!("127.0.0.1:{port}")]).await;
        open(&linked.link(), json!({ "kind": "tcp", "host": "127.0.0.1", "port": port }), OwnChannel).await;
        let other = json!({ "kind": "tcp", "host": "127.0.0.2", "port": port });
        assert_eq!(refusal(&linked.link(), other, OwnChannel).await.0, "EACCES");
        linked.finish().await;
    });
}

#[test]
fn kinds_that_this_node_does_not_serve_are_eopnotsupp() {
    run(async {
        let linked = Linked::start(&[]).await;
        let served = [StreamKind::Tcp, StreamKind::Resolve, StreamKind::Http, StreamKind::Ws];
        let others = StreamKind::ALL.iter().filter(|kind| !served.contains(kind)).map(|kind| kind.as_str());
        for placement in PLACEMENTS {
            for kind in others.clone().chain(["", "TCP", "tcp ", "udp"]) {
                let (code, _) = refusal(&linked.link(), json!({ "kind": kind }), placement).await;
                assert_eq!(code, "EOPNOTSUPP", "{kind:?}");
            }
            for open in [json!({}), json!({ "kind": null }), json!({ "kind": ["tcp"] })] {
                assert_eq!(refusal(&linked.link(), open.clone(), placement).await.0, "EPROTO", "{open}");
            }
        }
        linked.finish().await;
    });
}

#[test]
fn hundreds_of_streams_live_side_by_side() {
    run(async {
        let linked = Linked::start(&[]).await;
        let echo = servers::echo().await;
        let tcp = json!({ "kind": "tcp", "host": "127.0.0.1", "port": echo.port() });
        let mut streams = Vec::new();
        for number in 0..300_u32 {
            let (mut stream, _) = open(&linked.link(), tcp.clone(), PLACEMENTS[number as usize % 2]).await;
            stream.send(Bytes::copy_from_slice(&number.to_be_bytes())).await.unwrap();
            streams.push((number, stream));
        }
        for (number, mut stream) in streams {
            stream.end();
            assert_eq!(receive_all(&mut stream).await.unwrap(), number.to_be_bytes());
        }
        linked.finish().await;
    });
}
