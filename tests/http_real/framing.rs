//! Heads and framings as http.server, aiohttp and Node.js write and read them.

use serde_json::{Value, json};

use super::Linked;
use crate::support::{foreign::Foreign, run};

fn text() -> String {
    "a page reads this, a page reads this, and a page reads this once more\n".repeat(200)
}

#[test]
fn four_cookies_with_commas_stay_four() {
    run(async {
        let Some(server) = Foreign::stdlib().await else { return };
        let fetched = Linked::new().await.get(&server.url("/cookies")).await;
        assert_eq!(
            fetched.head.all("set-cookie"),
            [
                "c0=v; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/",
                "c1=v; Expires=Thu, 22 Oct 2026 07:28:00 GMT; Path=/",
                "c2=v; Expires=Fri, 23 Oct 2026 07:28:00 GMT; Path=/",
                "c3=v; Expires=Sat, 24 Oct 2026 07:28:00 GMT; Path=/",
            ]
        );
        assert_eq!(fetched.head.header("x-between"), Some("0, 1, 2, 3"));
        let names: Vec<&str> = fetched.head.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.ends_with(&["set-cookie"; 4]), "{names:?}");
    });
}

#[test]
fn header_values_are_one_byte_a_character_both_ways() {
    run(async {
        let Some(server) = Foreign::stdlib().await else { return };
        let linked = Linked::new().await;
        let fetched = linked.get_with(&server.url("/latin1"), &[("X-Word", " caf\u{e9}\u{ff}\u{80} ")]).await;
        assert_eq!(fetched.text(), "636166e9ff80");
        assert_eq!(fetched.head.header("x-word"), Some("na\u{ef}ve \u{ff}\u{80}"));
    });
}

#[test]
fn chunk_extensions_trailers_and_bodies_until_the_close_are_read() {
    run(async {
        let Some(server) = Foreign::stdlib().await else { return };
        let linked = Linked::new().await;
        let chunked = linked.get(&server.url("/chunked")).await;
        assert!(chunked.text() == text());
        for dropped in ["transfer-encoding", "trailer", "x-sum", "content-length"] {
            assert_eq!(chunked.head.header(dropped), None, "{dropped}");
        }
        assert!(linked.get(&server.url("/until-close")).await.text() == text());
        let slow = linked.get(&server.url("/slow-head")).await;
        assert_eq!((slow.head.status_text.as_str(), slow.text()), ("Fine", "ok"));
    });
}

#[test]
fn informational_answers_are_skipped() {
    run(async {
        let Some(server) = Foreign::stdlib().await else { return };
        let linked = Linked::new().await;
        let fetched = linked.get(&server.url("/informational")).await;
        assert_eq!((fetched.head.status, fetched.text()), (200, "final"));
        let Some(server) = Foreign::node().await else { return };
        for path in ["/hints", "/continue"] {
            let fetched = linked.get(&server.url(path)).await;
            assert_eq!((fetched.head.status, fetched.text()), (200, "final"), "{path}");
            assert_eq!(fetched.head.header("link"), None);
        }
        let trailers = linked.get(&server.url("/trailers")).await;
        assert_eq!((trailers.text(), trailers.head.header("x-sum")), ("body", None));
    });
}

#[test]
fn a_request_reaches_aiohttp_as_the_page_asks_and_without_more() {
    run(async {
        let Some(server) = Foreign::aiohttp().await else { return };
        let linked = Linked::new().await;
        let headers = [
            ("Connection", "keep-alive, x-hop"),
            ("X-Hop", "1"),
            ("Expect", "100-continue"),
            ("Host", "other.example"),
            ("Content-Length", "5"),
            ("Transfer-Encoding", "chunked"),
            ("TE", "trailers"),
            ("Cookie", "a=1"),
            ("Cookie", "b=2"),
            ("X-Word", "caf\u{e9}"),
        ];
        let url = server.url("/describe?q=%20%C3%A9#fragment");
        let body = linked.fetch("POST", &url, &headers, b"some text").await.unwrap().json();
        assert_eq!((&body["method"], &body["target"]), (&json!("POST"), &json!("/describe?q=%20%C3%A9")));
        let mut sent: Vec<(String, String)> = serde_json::from_value(body["headers"].clone()).unwrap();
        for (name, _) in &mut sent {
            name.make_ascii_lowercase();
        }
        sent.sort();
        let host = format!("localhost:{}", server.port());
        let expected = [
            ("accept-encoding", "gzip, deflate, br"),
            ("content-length", "9"),
            ("cookie", "a=1; b=2"),
            ("host", &host),
            ("x-word", "caf\u{e9}"),
        ];
        assert_eq!(sent, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(body["length"], 9);
    });
}

#[test]
fn long_bodies_reach_aiohttp_with_a_length_or_chunked() {
    run(async {
        let Some(server) = Foreign::aiohttp().await else { return };
        let linked = Linked::new().await;
        let sent_header = |answer: &Value, name: &str| {
            let headers: Vec<(String, String)> = serde_json::from_value(answer["headers"].clone()).unwrap();
            headers.into_iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
        };
        for (length, declared, framed) in [
            (1 << 20, None, ("content-length", "1048576")),
            ((1 << 20) + 1, None, ("transfer-encoding", "chunked")),
            (3_000_000, Some("3000000"), ("content-length", "3000000")),
        ] {
            let headers: Vec<_> = declared.map(|length| ("content-length", length)).into_iter().collect();
            let fetched = linked.fetch("PUT", &server.url("/describe"), &headers, &vec![7; length]).await.unwrap();
            let answer = fetched.json();
            assert_eq!(answer["length"], length);
            assert_eq!(sent_header(&answer, framed.0).as_deref(), Some(framed.1));
        }
    });
}

#[test]
fn urls_reach_a_server_as_a_browser_would_write_them() {
    run(async {
        let Some(server) = Foreign::aiohttp().await else { return };
        let linked = Linked::new().await;
        for (given, target) in [
            ("/describe?a b", "/describe?a%20b"),
            ("/x/../describe?\u{e9}", "/describe?%C3%A9"),
            ("/describe?a=%zz&b[]={c}|d^`", "/describe?a=%zz&b[]={c}|d^`"),
            ("/describe?\"<>'", "/describe?%22%3C%3E%27"),
        ] {
            let fetched = linked.get(&server.url(given)).await;
            assert_eq!(fetched.json()["target"], target);
            assert_eq!(fetched.head.url, server.url(given));
        }
    });
}
