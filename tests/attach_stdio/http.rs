//! `http` streams: section "Link", http and credentialed.

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};

use super::Linked;
use crate::support::{
    exchange::{PLACEMENTS, request, request_as, reset},
    run,
    servers::{self, Server, closed_port, pattern},
};

/// What the server says about the request, or what its path asks for.
fn answer(request: Request<Bytes>) -> Response<Full<Bytes>> {
    let response = Response::builder();
    let response = match request.uri().path() {
        "/echo" => response
            .header("X-Method", request.method().as_str())
            .header("X-Length", request.headers().get("content-length").map_or("none", |value| value.to_str().unwrap()))
            .body(request.into_body().into()),
        "/headers" => {
            let headers = request
                .headers()
                .iter()
                .map(|(name, value)| json!([name.as_str(), String::from_utf8_lossy(value.as_bytes())]));
            response.body(Bytes::from(headers.collect::<Value>().to_string()).into())
        }
        "/gzip" => response.header("Content-Encoding", "gzip").body(Bytes::from_static(GZIP).into()),
        "/partial" => response
            .status(StatusCode::PARTIAL_CONTENT)
            .header("Content-Encoding", "gzip")
            .body(Bytes::from_static(GZIP).into()),
        "/redirect" => response.status(StatusCode::FOUND).header("Location", "/echo").body(Full::default()),
        "/cookies" => response
            .header("Set-Cookie", "a=1")
            .header("Set-Cookie", "b=2")
            .header("Via", "x")
            .header("Via", "y")
            .body(Full::default()),
        "/empty" => response.status(StatusCode::NO_CONTENT).body(Full::default()),
        _ => response.status(StatusCode::NOT_FOUND).body(Bytes::from_static(b"not here").into()),
    };
    response.expect("a response")
}

/// "compressed\n", by gzip.
const GZIP: &[u8] = &[
    0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0x03, 0x4b, 0xce, 0xcf, 0x2d, 0x28, 0x4a, 0x2d, 0x2e, 0x4e, 0x4d, 0xe1,
    0x02, 0, 0xbb, 0x6d, 0x4f, 0xc8, 0x0b, 0, 0, 0,
];

struct Scene {
    linked: Linked,
    server: Server,
}

impl Scene {
    async fn start() -> Self {
        Self { linked: Linked::start(&[]).await, server: servers::http(answer).await }
    }

    fn head(&self, method: &str, path: &str) -> Value {
        json!({ "url": format!("http://{}{path}", self.server.address()), "method": method, "headers": [] })
    }

    /// The reset that a request ends with, as `CODE: message`.
    async fn refused(&self, head: &Value) -> String {
        let mut texts = Vec::new();
        for placement in PLACEMENTS {
            let error = request(&self.linked.link(), head, b"", placement).await.expect_err("a reset");
            let (code, message) = reset(&error);
            texts.push(format!("{code}: {message}"));
        }
        assert_eq!(texts[0], texts[1]);
        texts.remove(0)
    }
}

#[test]
fn a_request_is_answered_with_a_head_and_the_whole_body() {
    run(async {
        let scene = Scene::start().await;
        for placement in PLACEMENTS {
            let body = pattern(3 << 20, 5);
            let head = scene.head("post", "/echo");
            let answer = request(&scene.linked.link(), &head, &body, placement).await.unwrap();
            assert_eq!((&answer.head["status"], &answer.head["statusText"]), (&json!(200), &json!("OK")));
            assert_eq!(answer.head["url"], head["url"]);
            assert_eq!(answer.header("x-method"), Some("POST"));
            assert_eq!(answer.header("x-length"), Some("none"), "more than 1 MiB goes in chunks");
            assert!(answer.body == body);

            let answer = request(&scene.linked.link(), &scene.head("PUT", "/echo"), b"short", placement).await.unwrap();
            assert_eq!((answer.header("x-length"), answer.body.as_slice()), (Some("5"), &b"short"[..]));

            let answer = request(&scene.linked.link(), &scene.head("GET", "/nowhere"), b"", placement).await.unwrap();
            assert_eq!((&answer.head["status"], answer.body.as_slice()), (&json!(404), &b"not here"[..]));
        }
        scene.linked.finish().await;
    });
}

#[test]
fn responses_are_decoded_joined_and_never_followed() {
    run(async {
        let scene = Scene::start().await;
        for placement in PLACEMENTS {
            let get = async |method: &str, path: &str| {
                request(&scene.linked.link(), &scene.head(method, path), b"", placement).await.unwrap()
            };
            let answer = get("GET", "/gzip").await;
            assert_eq!(String::from_utf8_lossy(&answer.body), "compressed\n");
            assert_eq!((answer.header("content-encoding"), answer.header("content-length")), (None, None));

            let answer = get("HEAD", "/gzip").await;
            assert_eq!((answer.header("content-encoding"), answer.body.len()), (Some("gzip"), 0));

            let answer = get("GET", "/redirect").await;
            assert_eq!((&answer.head["status"], answer.header("location")), (&json!(302), Some("/echo")));

            let answer = get("GET", "/empty").await;
            assert_eq!((&answer.head["status"], answer.body.len()), (&json!(204), 0));

            let answer = get("GET", "/cookies").await;
            let headers = answer.head["headers"].as_array().unwrap();
            assert!(headers.contains(&json!(["via", "x, y"])), "{headers:?}");
            assert_eq!(headers[headers.len() - 2..], [json!(["set-cookie", "a=1"]), json!(["set-cookie", "b=2"])]);
        }
        scene.linked.finish().await;
    });
}

#[test]
fn request_headers_follow_the_rules() {
    run(async {
        let scene = Scene::start().await;
        let mut head = scene.head("GET", "/headers");
        head["headers"] = json!([
            ["X-Kept", " a "],
            ["x-kept", "b"],
            ["Cookie", "c=1"],
            ["cookie", "d=2"],
            ["Connection", "x-dropped"],
            ["X-Dropped", "1"],
            ["Host", "evil.example"],
            ["Accept-Encoding", "zstd"],
            ["Proxy-Authorization", "secret"],
        ]);
        for placement in PLACEMENTS {
            let answer = request(&scene.linked.link(), &head, b"", placement).await.unwrap();
            let sent: Value = serde_json::from_slice(&answer.body).unwrap();
            let mut sent: Vec<(String, String)> = serde_json::from_value(sent).unwrap();
            sent.sort();
            let host = scene.server.address().to_string();
            let expected =
                [("accept-encoding", "gzip, deflate, br"), ("cookie", "c=1; d=2"), ("host", &host), ("x-kept", "a, b")];
            assert_eq!(sent, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        scene.linked.finish().await;
    });
}

#[test]
fn a_request_that_cannot_be_made_is_reset_with_its_code() {
    run(async {
        let scene = Scene::start().await;
        let with = |field: &str, value: Value| {
            let mut head = scene.head("GET", "/echo");
            head[field] = value;
            head
        };
        for head in [
            with("url", json!("ftp://127.0.0.1/")),
            with("url", json!("nonsense")),
            with("url", json!("http://user:hunter2@127.0.0.1/")),
            with("method", json!("CONNECT")),
            with("method", json!("TRACE")),
            with("method", json!("G E T")),
            with("headers", json!([["na me", "x"]])),
            with("headers", json!([["name", "x\r\ny"]])),
            with("headers", json!([["name"]])),
            with("headers", json!({ "name": "x" })),
            with("url", json!(null)),
            json!([]),
            scene.head("GET", "/partial"),
        ] {
            let refused = scene.refused(&head).await;
            assert!(refused.starts_with("EPROTO: ") && !refused.contains("hunter2"), "{head}: {refused}");
        }
        for (url, code) in [
            (format!("http://127.0.0.1:{}/", closed_port()), "ECONNREFUSED"),
            ("http://169.254.169.254/latest/meta-data/".to_owned(), "EACCES"),
            (format!("http://{}/", "x".repeat(300)), "ENOTFOUND"),
            // The server speaks no TLS.
            (format!("https://{}/", scene.server.address()), "ECONNREFUSED"),
        ] {
            let refused = scene.refused(&with("url", json!(url))).await;
            assert!(refused.starts_with(&format!("{code}: fetch failed: ")), "{url}: {refused}");
        }
        scene.linked.finish().await;
    });
}

#[test]
fn a_head_that_is_none_is_eproto() {
    run(async {
        let scene = Scene::start().await;
        for placement in PLACEMENTS {
            for head in [&b""[..], b"{", b"\xff\xfe", b"null", b"{}"] {
                let link = scene.linked.link();
                let error = request_as(&link, json!({ "kind": "http" }), head, b"", placement).await.unwrap_err();
                assert_eq!(reset(&error).0, "EPROTO", "{head:?}");
            }
        }
        scene.linked.finish().await;
    });
}

#[test]
fn a_credential_goes_only_to_https_on_443() {
    run(async {
        let scene = Scene::start().await;
        let head =
            |url: &str| json!({ "url": url, "method": "GET", "headers": [["Authorization", "hunter2"]] }).to_string();
        for credentialed in [json!(true), json!("false"), json!(0), json!({})] {
            for url in [
                format!("http://{}/hunter2", scene.server.address()),
                format!("https://{}/hunter2", scene.server.address()),
                "http://127.0.0.1:443/hunter2?hunter2".to_owned(),
            ] {
                let open = json!({ "kind": "http", "credentialed": credentialed });
                let link = scene.linked.link();
                let error = request_as(&link, open, head(&url).as_bytes(), b"", PLACEMENTS[1]).await.unwrap_err();
                let expected = ("EACCES".to_owned(), "credentialed requests go only to https on port 443".to_owned());
                assert_eq!(reset(&error), expected, "{credentialed} {url}");
            }
        }
        for credentialed in [json!(false), json!(null)] {
            let open = json!({ "kind": "http", "credentialed": credentialed });
            let url = format!("http://{}/echo", scene.server.address());
            let answer =
                request_as(&scene.linked.link(), open, head(&url).as_bytes(), b"", PLACEMENTS[1]).await.unwrap();
            assert_eq!(answer.head["status"], 200, "{credentialed}");
        }
        scene.linked.finish().await;
    });
}
