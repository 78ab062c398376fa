use async_compression::tokio::bufread::{BrotliEncoder, DeflateEncoder, GzipEncoder, ZlibEncoder};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    sync::mpsc,
};

use super::support::*;

const TEXT: &[u8] = b"what a page reads, what a page reads, what a page reads";

async fn encoded(encoder: impl AsyncRead) -> Vec<u8> {
    let mut out = Vec::new();
    std::pin::pin!(encoder).read_to_end(&mut out).await.unwrap();
    out
}

async fn gzip(data: &[u8]) -> Vec<u8> {
    encoded(GzipEncoder::new(data)).await
}

/// The outcome of a GET that is answered like this.
async fn answered(status: &str, headers: &[&str], body: &[u8]) -> Outcome {
    answered_to("GET", status, headers, body).await
}

async fn answered_to(method: &str, status: &str, headers: &[&str], body: &[u8]) -> Outcome {
    let lines: Vec<&str> = [&[status], headers, &["", ""]].concat();
    let mut answer = format!("HTTP/1.1 {}", lines.join("\r\n")).into_bytes();
    answer.extend_from_slice(body);
    let (address, _requests) = answering(answer).await;
    fetch(address, method, json!([]), b"").await
}

#[tokio::test]
async fn the_head_has_status_phrase_headers_and_the_requests_url() {
    bounded(async {
        let outcome = answered("404 Gone Fishing", &["B: 2", "A: 1", "b: 3"], b"x").await;
        assert_eq!(
            outcome.head(),
            json!({
                "status": 404,
                "statusText": "Gone Fishing",
                "headers": [["a", "1"], ["b", "2, 3"]],
                "url": "http://page.example/path?query",
            })
        );
        assert_eq!(outcome.text(), "x");
        assert_eq!(answered("200 OK", &[], b"").await.head()["statusText"], "OK");
        assert_eq!(answered("200 ", &[], b"").await.head()["statusText"], "");
        assert_eq!(answered("200", &[], b"").await.head()["statusText"], "");
        assert_eq!(answered("299 ", &[], b"").await.head()["statusText"], "");
        assert_eq!(answered("200 OK", &[], b"").await.header("content-length"), None);
    })
    .await;
}

#[tokio::test]
async fn the_url_is_the_one_that_the_page_gave() {
    bounded(async {
        let (address, _requests) = answering("HTTP/1.1 200 OK\r\n\r\n").await;
        let head = json!({"url": "HTTP://H/a/../b#part", "method": "GET", "headers": []});
        let outcome = fetch_with(&client(address), json!({}), &head, b"").await;
        assert_eq!(outcome.head()["url"], "HTTP://H/a/../b#part");
    })
    .await;
}

#[tokio::test]
async fn each_set_cookie_is_its_own_entry_after_the_others() {
    bounded(async {
        let cookies = [
            "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT",
            "b=2, x",
            "c=3",
            "d=4; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        ];
        let lines: Vec<String> = cookies.iter().map(|cookie| format!("Set-Cookie: {cookie}")).collect();
        let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        lines.insert(2, "Vary: a");
        let outcome = answered("200 OK", &lines, b"").await;
        let mut expected = vec![json!(["vary", "a"])];
        expected.extend(cookies.iter().map(|cookie| json!(["set-cookie", cookie])));
        assert_eq!(outcome.head()["headers"], Value::Array(expected));
    })
    .await;
}

#[tokio::test]
async fn every_coding_is_undone_and_its_headers_dropped() {
    bounded(async {
        let brotli_of_gzip = encoded(BrotliEncoder::new(gzip(TEXT).await.as_slice())).await;
        let cases = [
            ("gzip", gzip(TEXT).await),
            ("x-gzip", gzip(TEXT).await),
            ("Deflate", encoded(ZlibEncoder::new(TEXT)).await),
            ("deflate", encoded(DeflateEncoder::new(TEXT)).await),
            ("br", encoded(BrotliEncoder::new(TEXT)).await),
            ("gzip, br", brotli_of_gzip.clone()),
            ("identity, gzip", gzip(TEXT).await),
        ];
        for (list, body) in cases {
            let headers =
                [format!("Content-Encoding: {list}"), format!("Content-Length: {}", body.len()), "A: 1".into()];
            let outcome = answered("200 OK", &headers.each_ref().map(String::as_str), &body).await;
            assert_eq!(outcome.text().as_bytes(), TEXT, "{list}");
            assert_eq!(outcome.head()["headers"], json!([["a", "1"]]), "{list}");
        }
        let outcome = answered("200 OK", &["Content-Encoding: gzip", "Content-Encoding: br"], &brotli_of_gzip).await;
        assert_eq!(outcome.text().as_bytes(), TEXT);
    })
    .await;
}

#[tokio::test]
async fn identity_alone_loses_its_header_and_keeps_its_length() {
    bounded(async {
        let outcome = answered("200 OK", &["Content-Encoding: identity", "Content-Length: 4"], b"text").await;
        assert_eq!(outcome.text(), "text");
        assert_eq!(outcome.head()["headers"], json!([["content-length", "4"]]));
    })
    .await;
}

#[tokio::test]
async fn a_list_with_another_coding_is_passed_on_with_both_headers() {
    bounded(async {
        for list in ["zstd", "gzip, zstd", "compress"] {
            let body = gzip(TEXT).await;
            let length = body.len().to_string();
            let headers = [format!("Content-Encoding: {list}"), format!("Content-Length: {length}")];
            let outcome = answered("200 OK", &headers.each_ref().map(String::as_str), &body).await;
            assert_eq!(outcome.body(), body);
            assert_eq!(outcome.head()["headers"], json!([["content-encoding", list], ["content-length", length]]));
            assert_eq!(outcome.reset, None);
        }
    })
    .await;
}

#[tokio::test]
async fn responses_without_a_body_keep_both_headers_and_have_no_bytes() {
    bounded(async {
        let headers = ["Content-Encoding: gzip", "Content-Length: 1000"];
        let kept = json!([["content-encoding", "gzip"], ["content-length", "1000"]]);
        for (method, status) in [
            ("HEAD", "200 OK"),
            ("HEAD", "206 Partial"),
            ("GET", "204 No Content"),
            ("GET", "304 Not Modified"),
            ("POST", "204 No"),
        ] {
            let outcome = answered_to(method, status, &headers, b"").await;
            assert_eq!(outcome.reset, None, "{method} {status}");
            assert_eq!(outcome.head()["headers"], kept, "{method} {status}");
            assert_eq!(outcome.body(), b"", "{method} {status}");
        }
        let outcome = answered("205 Reset Content", &["Content-Encoding: gzip", "Content-Length: 4"], b"body").await;
        assert_eq!(outcome.head()["headers"], json!([["content-encoding", "gzip"], ["content-length", "4"]]));
        assert_eq!(outcome.text(), "");
        let outcome =
            answered("101 Switching Protocols", &["Upgrade: x", "Connection: upgrade", "A: 1"], b"bytes").await;
        assert_eq!(outcome.head()["headers"], json!([["a", "1"]]));
        assert_eq!(outcome.text(), "");
    })
    .await;
}

#[tokio::test]
async fn informational_responses_are_skipped() {
    bounded(async {
        let (address, _requests) = answering(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\r\nbody",
        )
        .await;
        let outcome = get(address).await;
        assert_eq!(outcome.head()["status"], 200);
        assert_eq!(outcome.text(), "body");
    })
    .await;
}

#[tokio::test]
async fn a_part_of_an_encoded_body_is_eproto() {
    bounded(async {
        for list in ["gzip", "identity, br", "deflate, gzip"] {
            let header = format!("Content-Encoding: {list}");
            let reset = answered("206 Partial Content", &[&header], b"xx").await.refusal();
            assert!(reset.starts_with("EPROTO: "), "{reset}");
        }
        for (list, kept) in [("zstd", json!([["content-encoding", "zstd"]])), ("identity", json!([]))] {
            let header = format!("Content-Encoding: {list}");
            let outcome = answered("206 Partial Content", &[&header], b"xx").await;
            assert_eq!(outcome.text(), "xx");
            assert_eq!(outcome.head()["headers"], kept);
        }
    })
    .await;
}

#[tokio::test]
async fn redirects_are_not_followed() {
    bounded(async {
        let (address, mut requests) = answering("HTTP/1.1 302 Found\r\nLocation: /next\r\n\r\n").await;
        let outcome = get(address).await;
        assert_eq!(outcome.head()["status"], 302);
        assert_eq!(outcome.header("location").unwrap(), "/next");
        requests.recv().await.unwrap();
        assert!(requests.try_recv().is_err());
    })
    .await;
}

#[tokio::test]
async fn cookies_and_answers_are_not_kept() {
    bounded(async {
        let (address, mut requests) =
            answering("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nCache-Control: max-age=9999\r\n\r\n").await;
        let client = client(address);
        let head = json!({"url": "http://h/", "method": "GET", "headers": []});
        for _ in 0..2 {
            fetch_with(&client, json!({}), &head, b"").await.text();
            assert!(!requests.recv().await.unwrap().contains("cookie"));
        }
    })
    .await;
}

#[tokio::test]
async fn trailers_of_a_chunked_body_are_dropped_with_its_framing() {
    bounded(async {
        let body = b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n";
        let outcome = answered("200 OK", &["Transfer-Encoding: chunked", "Trailer: X-Trailer"], body).await;
        assert_eq!(outcome.text(), "abcde");
        assert_eq!(outcome.head()["headers"], json!([]));
    })
    .await;
}

#[tokio::test]
async fn a_content_length_beside_chunked_is_dropped() {
    bounded(async {
        let headers = ["Content-Length: 1000", "Transfer-Encoding: Chunked"];
        let outcome = answered("200 OK", &headers, b"3\r\nabc\r\n0\r\n\r\n").await;
        assert_eq!(outcome.text(), "abc");
        assert_eq!(outcome.head()["headers"], json!([]));
    })
    .await;
}

#[tokio::test]
async fn headers_folded_over_lines_are_read() {
    bounded(async {
        let outcome = answered("200 OK", &["A: 1\r\n  2", "B: 3"], b"").await;
        assert_eq!(outcome.header("b").unwrap(), "3");
        assert_eq!(outcome.header("a").unwrap().split_whitespace().collect::<Vec<_>>(), ["1", "2"]);
    })
    .await;
}

#[tokio::test]
async fn pieces_come_through_as_they_are_sent() {
    bounded(async {
        for coding in ["", "Content-Encoding: gzip\r\n"] {
            let (next, steps) = mpsc::channel::<()>(1);
            let steps = std::sync::Arc::new(tokio::sync::Mutex::new(steps));
            let address = accepting(move |mut socket| {
                let steps = steps.clone();
                async move {
                    read_head(&mut socket).await;
                    socket.write_all(format!("HTTP/1.1 200 OK\r\n{coding}\r\n").as_bytes()).await.unwrap();
                    let mut plain;
                    let mut encoder;
                    let out: &mut (dyn tokio::io::AsyncWrite + Unpin + Send) = if coding.is_empty() {
                        plain = socket;
                        &mut plain
                    } else {
                        encoder = async_compression::tokio::write::GzipEncoder::new(socket);
                        &mut encoder
                    };
                    for piece in ["one", "two"] {
                        out.write_all(piece.as_bytes()).await.unwrap();
                        out.flush().await.unwrap();
                        steps.lock().await.recv().await;
                    }
                    out.shutdown().await.unwrap();
                }
            })
            .await;
            let mut page = open(&client(address), json!({})).await;
            page.head(&json!({"url": "http://h/", "method": "GET", "headers": []})).await;
            let mut outcome = Outcome::default();
            page.read_body(&mut outcome, 3).await;
            assert_eq!(outcome.body(), b"one");
            next.send(()).await.unwrap();
            page.read_body(&mut outcome, 6).await;
            assert_eq!(outcome.body(), b"onetwo");
            next.send(()).await.unwrap();
            assert_eq!(page.finish(outcome).await.text(), "onetwo");
        }
    })
    .await;
}
