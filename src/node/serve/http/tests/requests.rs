use serde_json::{Value, json};

use super::support::*;
use crate::generated::link::limits;

fn described(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.text()).unwrap()
}

#[tokio::test]
async fn a_request_goes_out_as_the_page_asks_and_without_more() {
    bounded(async {
        let (address, mut requests) = answering("HTTP/1.1 200 OK\r\n\r\nhello").await;
        let headers = json!([["X-Page", "1"], ["Cookie", "a=1"], ["Host", "evil"], ["Cookie", "b=2"], ["x-page", "2"]]);
        let outcome = fetch(address, "gEt", headers, b"").await;
        assert_eq!(outcome.text(), "hello");
        assert_eq!(
            requests.recv().await.unwrap(),
            "GET /path?query HTTP/1.1\r\nhost: page.example\r\nx-page: 1, 2\r\ncookie: a=1; b=2\r\n\
             accept-encoding: gzip, deflate, br\r\n\r\n"
        );
    })
    .await;
}

#[tokio::test]
async fn the_host_header_has_a_port_only_when_it_is_not_the_usual_one() {
    bounded(async {
        let (address, mut requests) = answering("HTTP/1.1 200 OK\r\n\r\n").await;
        for (url, host) in
            [("http://h:80/", "h"), ("http://h:81?q", "h:81"), ("http://[::1]:8080/", "[::1]:8080"), ("http://H", "h")]
        {
            let head = json!({"url": url, "method": "GET", "headers": []});
            fetch_with(&client(address), json!({}), &head, b"").await.text();
            let request = requests.recv().await.unwrap();
            assert!(request.contains(&format!("\r\nhost: {host}\r\n")), "{url}: {request}");
        }
    })
    .await;
}

#[tokio::test]
async fn header_values_are_latin_1_both_ways() {
    bounded(async {
        let (address, mut requests) = answering(b"HTTP/1.1 200 OK\r\nX-Name: caf\xe9 \xff\r\n\r\n".to_vec()).await;
        let outcome = fetch(address, "GET", json!([["X-Sent", "\u{fc}ber \u{80}"]]), b"").await;
        assert_eq!(outcome.header("x-name").unwrap(), "caf\u{e9} \u{ff}");
        // The server's text is one character per byte too.
        assert!(requests.recv().await.unwrap().contains("\r\nx-sent: \u{fc}ber \u{80}\r\n"));
    })
    .await;
}

#[tokio::test]
async fn bodies_up_to_a_mib_have_a_length_and_longer_ones_are_chunked() {
    bounded(async {
        let address = describing().await;
        for length in [0, 1, limits::HTTP_SIZED_BODY - 1, limits::HTTP_SIZED_BODY] {
            for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"] {
                let outcome =
                    described(&fetch(address, method, json!([["content-length", "77"]]), &vec![1; length]).await);
                assert_eq!(outcome["method"], method);
                assert_eq!(outcome["headers"]["content-length"], length.to_string());
                assert_eq!(outcome["headers"]["transfer-encoding"], Value::Null);
                assert_eq!((&outcome["length"], &outcome["sum"]), (&length.into(), &length.into()));
            }
        }
        let length = limits::HTTP_SIZED_BODY + 1;
        let outcome = described(&fetch(address, "POST", json!([]), &vec![1; length]).await);
        assert_eq!(outcome["headers"]["content-length"], Value::Null);
        assert_eq!(outcome["headers"]["transfer-encoding"], "chunked");
        assert_eq!((&outcome["length"], &outcome["sum"]), (&length.into(), &length.into()));
    })
    .await;
}

#[tokio::test]
async fn a_longer_body_goes_with_the_heads_content_length_when_that_is_valid() {
    bounded(async {
        let address = describing().await;
        let body = vec![1; limits::HTTP_SIZED_BODY + 100_000];
        let length = body.len().to_string();
        let outcome = described(&fetch(address, "POST", json!([["Content-Length", length]]), &body).await);
        assert_eq!(outcome["headers"]["content-length"], length);
        assert_eq!(outcome["length"], body.len());
        for invalid in
            [json!([["Content-Length", "x"]]), json!([["Content-Length", length], ["content-length", length]])]
        {
            let outcome = described(&fetch(address, "POST", invalid, &body).await);
            assert_eq!(outcome["headers"]["transfer-encoding"], "chunked");
            assert_eq!(outcome["length"], body.len());
        }
    })
    .await;
}

#[tokio::test]
async fn a_longer_body_with_a_wrong_content_length_fails_the_fetch() {
    bounded(async {
        let address = describing().await;
        let body = vec![1; limits::HTTP_SIZED_BODY + 100_000];
        for wrong in [1, limits::HTTP_SIZED_BODY + 5, body.len() - 1, body.len() + 1] {
            let outcome = fetch(address, "POST", json!([["Content-Length", wrong.to_string()]]), &body).await;
            assert_eq!(
                outcome.refusal(),
                "ECONNREFUSED: fetch failed: the request body doesn't have the length that its Content-Length gives"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn get_and_head_bodies_are_read_and_dropped() {
    bounded(async {
        let address = describing().await;
        let outcome = described(&fetch(address, "GET", json!([["content-length", "5"]]), &vec![1; 1 << 21]).await);
        assert_eq!(outcome["length"], 0);
        assert_eq!(outcome["headers"]["content-length"], Value::Null);
        assert_eq!(outcome["headers"]["transfer-encoding"], Value::Null);
        let outcome = fetch(address, "HEAD", json!([]), &vec![1; 1 << 21]).await;
        assert_eq!(outcome.text(), "");
    })
    .await;
}

#[tokio::test]
async fn a_get_does_not_wait_for_the_end_of_its_body() {
    bounded(async {
        let address = describing().await;
        let mut page = open(&client(address), json!({})).await;
        page.head(&json!({"url": "http://h/", "method": "GET", "headers": []})).await;
        let outcome = page.finish(Outcome::default()).await;
        assert_eq!(described(&outcome)["method"], "GET");
    })
    .await;
}

#[tokio::test]
async fn a_head_is_read_however_its_frames_are_cut() {
    bounded(async {
        let address = describing().await;
        let mut page = open(&client(address), json!({})).await;
        let json = json!({"url": "http://h/", "method": "POST", "headers": []}).to_string();
        let mut bytes = u32::try_from(json.len()).unwrap().to_be_bytes().to_vec();
        bytes.extend_from_slice(json.as_bytes());
        bytes.extend_from_slice(b"body");
        for byte in bytes {
            page.piece(vec![byte]).await;
        }
        page.send.end();
        let outcome = page.finish(Outcome::default()).await;
        assert_eq!(described(&outcome)["length"], 4);
    })
    .await;
}

#[tokio::test]
async fn malformed_heads_are_eproto_before_anything_is_dialled() {
    bounded(async {
        let to = To::new(describing().await);
        let client = super::super::Client::new(to.clone());
        let heads = [
            b"{".to_vec(),
            json!({"url": "ftp://h/", "method": "GET", "headers": []}).to_string().into(),
            json!({"url": "http://u:p@h/", "method": "GET", "headers": []}).to_string().into(),
            json!({"url": "http://h/", "method": "CONNECT", "headers": []}).to_string().into(),
            json!({"url": "http://h/", "method": "TRACE", "headers": []}).to_string().into(),
            json!({"url": "http://h/", "method": "track", "headers": []}).to_string().into(),
            json!({"url": "http://h/", "method": "GET", "headers": [["a b", ""]]}).to_string().into(),
            json!({"url": "http://h/", "method": "GET", "headers": [["a", "\u{100}"]]}).to_string().into(),
            vec![b' '; limits::HTTP_HEAD + 1],
        ];
        for head in heads {
            let mut page = open(&client, json!({})).await;
            page.raw_head(&head).await;
            let reset = page.finish(Outcome::default()).await.refusal();
            assert!(reset.starts_with("EPROTO: "), "{reset}");
        }
        let mut page = open(&client, json!({})).await;
        page.piece(vec![0, 0, 0, 9, b'{']).await;
        page.send.end();
        assert_eq!(page.finish(Outcome::default()).await.refusal(), "EPROTO: the request head is cut short");
        assert_eq!(to.dialled(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_head_of_exactly_its_limit_is_taken() {
    bounded(async {
        let address = describing().await;
        let mut json = json!({"url": "http://h/", "method": "GET", "headers": []}).to_string();
        json.extend(std::iter::repeat_n(' ', limits::HTTP_HEAD - json.len()));
        let mut page = open(&client(address), json!({})).await;
        page.raw_head(json.as_bytes()).await;
        page.send.end();
        assert_eq!(described(&page.finish(Outcome::default()).await)["method"], "GET");
    })
    .await;
}

#[tokio::test]
async fn credentialed_requests_are_refused_before_anything_is_dialled() {
    bounded(async {
        let to = To::new(describing().await);
        let client = super::super::Client::new(to.clone());
        // Any value but false and null counts as true.
        for flag in [json!(true), json!("false"), json!(0), json!({}), json!([]), json!("")] {
            for url in ["http://h/secret", "https://h:444/secret", "http://h:443/secret"] {
                let head = json!({"url": url, "method": "GET", "headers": [["Authorization", "secret"]]});
                let outcome = fetch_with(&client, json!({"credentialed": flag}), &head, b"").await;
                assert_eq!(outcome.refusal(), "EACCES: credentialed requests go only to https on port 443");
            }
        }
        assert_eq!(to.dialled(), 0);
        for flag in [json!(false), json!(null)] {
            let head = json!({"url": "http://h/", "method": "GET", "headers": []});
            fetch_with(&client, json!({"credentialed": flag}), &head, b"").await.text();
        }
        assert_eq!(to.dialled(), 2);
    })
    .await;
}

/// Also the child of the test below.
#[tokio::test]
async fn a_fetch_goes_straight_to_its_host() {
    bounded(async {
        let to = To::new(describing().await);
        let client = super::super::Client::new(to.clone());
        let head = json!({"url": "http://h/", "method": "GET", "headers": []});
        let outcome = described(&fetch_with(&client, json!({}), &head, b"").await);
        assert_eq!(outcome["uri"], "/");
        assert_eq!(to.dialled(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_proxy_in_the_environment_is_not_used() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let mut child = tokio::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "node::serve::http::tests::requests::a_fetch_goes_straight_to_its_host"]);
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        child.env(name, &proxy);
    }
    let output = child.kill_on_drop(true).output();
    tokio::select! {
        output = bounded(output) => {
            let output = output.unwrap();
            assert!(output.status.success());
            assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
        }
        _ = listener.accept() => panic!("the proxy was asked"),
    }
}
