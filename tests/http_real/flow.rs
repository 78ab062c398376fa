//! Requests that a page gives up, answers that come slowly or before the request is over, and many at once.

use std::time::{Duration, Instant};

use bytes::Bytes;

use super::{Linked, is_pattern, pattern};
use crate::support::{foreign::Foreign, http_stream::HttpStream, run};

#[test]
fn a_page_that_gives_up_closes_the_connection_of_a_server_that_never_answers() {
    run(async {
        let Some(server) = Foreign::stdlib().await else { return };
        let linked = Linked::new().await;
        let stream = HttpStream::begin(&linked.link, "GET", &server.url("/never"), &[]).await.unwrap();
        // Once this is answered, the other request is waiting as well.
        linked.get(&server.url("/gzip")).await;
        stream.request.reset();
        assert_eq!(linked.get(&server.url("/ended")).await.text(), "closed");
    });
}

#[test]
fn a_page_that_gives_up_an_endless_body_closes_the_connection() {
    run(async {
        let Some(server) = Foreign::stdlib().await else { return };
        let linked = Linked::new().await;
        let mut stream = HttpStream::begin(&linked.link, "GET", &server.url("/endless"), &[]).await.unwrap();
        stream.response.head().await.unwrap();
        assert!(stream.response.next().await.unwrap().is_some());
        stream.request.reset();
        assert_eq!(linked.get(&server.url("/ended")).await.text(), "closed");
    });
}

#[test]
fn a_slow_body_of_aiohttp_arrives_piece_by_piece() {
    run(async {
        let Some(server) = Foreign::aiohttp().await else { return };
        let linked = Linked::new().await;
        let mut stream = HttpStream::begin(&linked.link, "GET", &server.url("/drip"), &[]).await.unwrap();
        stream.response.head().await.unwrap();
        let (mut pieces, mut first) = (Vec::new(), None);
        while let Some(piece) = stream.response.next().await.unwrap() {
            first.get_or_insert_with(Instant::now);
            pieces.push(piece);
        }
        assert_eq!(pieces, ["0", "1", "2", "3", "4"].map(Bytes::from));
        assert!(first.unwrap().elapsed() > Duration::from_millis(500));
    });
}

#[test]
fn an_answer_may_come_before_the_body_and_both_go_on() {
    run(async {
        let Some(server) = Foreign::node().await else { return };
        let linked = Linked::new().await;
        let mut stream = HttpStream::begin(&linked.link, "POST", &server.url("/echo"), &[]).await.unwrap();
        // Longer than what is collected to learn a body's length, so that the request goes out.
        let mut sent = 0;
        while sent <= 1 << 20 {
            let piece = pattern(sent, 64 * 1024);
            stream.request.send(piece.into()).await.unwrap();
            sent += piece.len();
        }
        assert_eq!(stream.response.head().await.unwrap().status, 200);
        let mut received = 0;
        for _ in 0..3 {
            while received < sent {
                let piece = stream.response.next().await.unwrap().unwrap();
                assert!(is_pattern(received, &piece));
                received += piece.len();
            }
            let piece = pattern(sent, 1000);
            stream.request.send(piece.into()).await.unwrap();
            sent += piece.len();
        }
        stream.request.end();
        while let Some(piece) = stream.response.next().await.unwrap() {
            assert!(is_pattern(received, &piece));
            received += piece.len();
        }
        assert_eq!(received, sent);
    });
}

#[test]
fn a_server_that_drops_the_connection_is_econnreset() {
    run(async {
        let Some(server) = Foreign::node().await else { return };
        let linked = Linked::new().await;
        let refused = linked.fetch("GET", &server.url("/refused"), &[], b"").await.unwrap_err().to_string();
        assert!(refused.starts_with("ECONNRESET: fetch failed: "), "{refused}");
        let mut broken = HttpStream::begin(&linked.link, "GET", &server.url("/broken"), &[]).await.unwrap();
        broken.response.head().await.unwrap();
        assert!(is_pattern(0, &broken.response.next().await.unwrap().unwrap()));
        linked.get(&server.url("/go")).await;
        let (_, reset) = broken.response.body().await;
        assert!(reset.is_some_and(|reset| reset.starts_with("ECONNRESET")));
    });
}

#[test]
fn requests_do_not_wait_for_each_other() {
    run(async {
        let Some(server) = Foreign::node().await else { return };
        let linked = Linked::new().await;
        let mut stuck = Vec::new();
        for _ in 0..20 {
            stuck.push(HttpStream::begin(&linked.link, "GET", &server.url("/never"), &[]).await.unwrap());
            // A page that doesn't read its answer.
            stuck.push(HttpStream::begin(&linked.link, "GET", &server.url("/bytes?n=10000000"), &[]).await.unwrap());
        }
        let fetched = linked.get(&server.url("/bytes?n=3000000")).await;
        assert_eq!((fetched.body.len(), fetched.reset), (3_000_000, None));
        drop(stuck);
    });
}
