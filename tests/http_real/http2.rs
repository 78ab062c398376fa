//! HTTP/2 over TLS, as Node.js speaks it.

use super::{Linked, is_pattern, pattern};
use crate::support::{
    foreign::{Certificates, Foreign},
    http_stream::HttpStream,
    run,
};

fn over_http2(check: &impl AsyncFn(&Linked, &Foreign)) {
    run(async {
        let certificates = Certificates::new();
        let Some(server) = Foreign::node_http2(&certificates).await else { return };
        check(&Linked::trusting(Some(&certificates.authority())).await, &server).await;
    });
}

#[test]
fn http_2_is_spoken_and_has_no_reason_phrase() {
    over_http2(&async |linked, server| {
        let headers =
            [("Cookie", "a=1"), ("Cookie", "b=2"), ("X-Word", "caf\u{e9}"), ("TE", "trailers"), ("Host", "x")];
        let fetched = linked.fetch("POST", &server.url("/describe?q"), &headers, b"").await.unwrap();
        assert_eq!((fetched.head.status, fetched.head.status_text.as_str()), (200, ""));
        let described = fetched.json();
        assert_eq!(described["httpVersion"], "2.0");
        let sent = &described["headers"];
        assert_eq!(sent[":authority"], format!("localhost:{}", server.port()));
        assert_eq!(sent["cookie"], "a=1; b=2");
        assert_eq!(sent["x-word"], "caf\u{e9}");
        assert_eq!(sent["content-length"], "0");
        assert!(sent["te"].is_null() && sent["host"].is_null(), "{sent}");
    });
}

#[test]
fn a_certificate_that_this_system_does_not_trust_is_econnrefused() {
    run(async {
        let Some(server) = Foreign::node_http2(&Certificates::new()).await else { return };
        let other = Certificates::new();
        let linked = Linked::trusting(Some(&other.authority())).await;
        let refused = linked.fetch("GET", &server.url("/describe"), &[], b"").await.unwrap_err().to_string();
        assert!(refused.starts_with("ECONNREFUSED: fetch failed: "), "{refused}");
    });
}

#[test]
fn bodies_go_both_ways_over_http_2() {
    over_http2(&async |linked, server| {
        for gzip in ["", "&gzip"] {
            let fetched = linked.get(&server.url(&format!("/bytes?n=5000000{gzip}"))).await;
            assert_eq!((fetched.body.len(), &fetched.reset), (5_000_000, &None));
            assert!(is_pattern(0, &fetched.body));
        }
        for declared in [None, Some(("content-length", "5000000"))] {
            let headers: Vec<_> = declared.into_iter().collect();
            let mut stream = HttpStream::begin(&linked.link, "PUT", &server.url("/describe"), &headers).await.unwrap();
            let mut sent = 0;
            while sent < 5_000_000 {
                let piece = pattern(sent, 60_000.min(5_000_000 - sent));
                stream.request.send(piece.into()).await.unwrap();
                sent += piece.len();
            }
            stream.request.end();
            stream.response.head().await.unwrap();
            let (body, reset) = stream.response.body().await;
            assert_eq!(reset, None);
            let described: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!((&described["length"], &described["intact"]), (&5_000_000.into(), &true.into()));
            assert_eq!(described["headers"]["content-length"].as_str(), declared.map(|(_, length)| length));
        }
    });
}

#[test]
fn informational_answers_trailers_and_cookies_over_http_2() {
    over_http2(&async |linked, server| {
        let hints = linked.get(&server.url("/hints")).await;
        assert_eq!((hints.head.status, hints.text(), hints.head.header("link")), (200, "final", None));
        assert_eq!(linked.get(&server.url("/continue")).await.text(), "final");
        let trailers = linked.get(&server.url("/trailers")).await;
        assert_eq!((trailers.text(), trailers.head.header("x-sum")), ("body", None));
        let cookies = linked.get(&server.url("/cookies")).await;
        assert_eq!(
            cookies.head.all("set-cookie"),
            ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2", "c=3, 4", "a=1"]
        );
    });
}

#[test]
fn answers_without_a_body_and_parts_over_http_2() {
    over_http2(&async |linked, server| {
        let empty = linked.get(&server.url("/empty")).await;
        assert_eq!((empty.head.status, empty.body.len(), &empty.reset), (304, 0, &None));
        assert_eq!(empty.head.header("content-encoding"), Some("gzip"));
        let head = linked.fetch("HEAD", &server.url("/bytes?n=1000"), &[], b"").await.unwrap();
        assert_eq!((head.head.header("content-length"), head.body.len(), head.reset), (Some("1000"), 0, None));
        let refused = linked.fetch("GET", &server.url("/part"), &[], b"").await.unwrap_err().to_string();
        assert!(refused.starts_with("EPROTO"), "{refused}");
    });
}

#[test]
fn streams_that_break_off_over_http_2_are_no_complete_answers() {
    over_http2(&async |linked, server| {
        let mut broken = HttpStream::begin(&linked.link, "GET", &server.url("/broken"), &[]).await.unwrap();
        broken.response.head().await.unwrap();
        assert!(is_pattern(0, &broken.response.next().await.unwrap().unwrap()));
        linked.get(&server.url("/go")).await;
        let (_, reset) = broken.response.body().await;
        assert!(reset.is_some_and(|reset| reset.starts_with("ECONNRESET")));
        let refused = linked.fetch("GET", &server.url("/refused"), &[], b"").await.unwrap_err().to_string();
        assert!(refused.contains(": fetch failed: "), "{refused}");
        // A server that goes away after an answer takes nothing of it along.
        assert_eq!(linked.get(&server.url("/goaway")).await.text(), "last");
    });
}

#[test]
fn a_page_that_gives_up_ends_the_http_2_stream() {
    over_http2(&async |linked, server| {
        let stream = HttpStream::begin(&linked.link, "GET", &server.url("/never"), &[]).await.unwrap();
        while linked.get(&server.url("/counts")).await.json()["most"].as_u64() < Some(2) {}
        stream.request.reset();
        assert!(linked.get(&server.url("/closed")).await.json()["closed"].as_u64() >= Some(1));
    });
}
