//! Against httpbin, over HTTP/1.1 and over HTTP/2 with TLS.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Linked;
use crate::support::{
    foreign::{Certificates, Foreign},
    http_stream::HttpStream,
    run,
};

/// Runs a check against httpbin over HTTP/1.1 and over HTTP/2.
fn both(check: &impl AsyncFn(&Linked, &Foreign)) {
    run(async {
        let Some(server) = Foreign::httpbin().await else { return };
        check(&Linked::new().await, &server).await;
        let certificates = Certificates::new();
        let Some(server) = Foreign::httpbin_http2(&certificates).await else { return };
        check(&Linked::trusting(Some(&certificates.authority())).await, &server).await;
    });
}

#[test]
fn every_coding_of_httpbin_is_undone_and_its_headers_dropped() {
    both(&async |linked, server| {
        for (path, field) in [("/gzip", "gzipped"), ("/deflate", "deflated"), ("/brotli", "brotli")] {
            let fetched = linked.get(&server.url(path)).await;
            assert_eq!(fetched.json()[field], true, "{path}");
            assert_eq!(fetched.head.header("content-encoding"), None, "{path}");
            assert_eq!(fetched.head.header("content-length"), None, "{path}");
            assert_eq!(fetched.json()["headers"]["Accept-Encoding"], "gzip, deflate, br");
        }
    });
}

#[test]
fn statuses_come_as_they_are_and_no_redirect_is_followed() {
    both(&async |linked, server| {
        for status in [200, 201, 204, 205, 206, 304, 400, 401, 403, 404, 405, 410, 418, 429, 500, 502, 503, 504] {
            let fetched = linked.get(&server.url(&format!("/status/{status}"))).await;
            assert_eq!(fetched.head.status, status);
            assert_eq!(fetched.reset, None, "{status}");
        }
        for (path, location) in [
            ("/redirect/2", "/relative-redirect/1"),
            ("/relative-redirect/1", "/get"),
            ("/redirect-to?url=http%3A%2F%2Fexample.com%2F&status_code=307", "http://example.com/"),
        ] {
            let url = server.url(path);
            let fetched = linked.get(&url).await;
            assert!(matches!(fetched.head.status, 302 | 307), "{path}: {}", fetched.head.status);
            assert_eq!(fetched.head.header("location"), Some(location));
            assert_eq!(fetched.head.url, url);
        }
    });
}

#[test]
fn every_method_goes_out_with_its_body() {
    both(&async |linked, server| {
        let body = "{\"name\":\"caf\u{e9}\"}";
        for (method, path) in [
            ("post", "/post"),
            ("PUT", "/put"),
            ("dElEtE", "/delete"),
            ("PATCH", "/patch"),
            ("POST", "/anything/x?y=z"),
        ] {
            let headers = [("Content-Type", "application/json"), ("X-Page", "1")];
            let answer = linked.fetch(method, &server.url(path), &headers, body.as_bytes()).await.unwrap().json();
            assert_eq!(answer["json"], json!({ "name": "caf\u{e9}" }), "{method}");
            assert_eq!(answer["headers"]["Content-Length"], body.len().to_string(), "{method}");
            assert_eq!(answer["headers"]["X-Page"], "1", "{method}");
            assert_eq!(answer["headers"]["User-Agent"], Value::Null, "{method}");
        }
        let head = linked.fetch("HEAD", &server.url("/gzip"), &[], b"").await.unwrap();
        assert_eq!((head.head.status, head.body.len(), head.reset), (200, 0, None));
        assert_eq!(head.head.header("content-encoding"), Some("gzip"));
        assert!(head.head.header("content-length").is_some_and(|length| length.parse::<u32>().is_ok()));
        let options = linked.fetch("options", &server.url("/get"), &[], b"").await.unwrap();
        assert!(options.head.header("allow").is_some_and(|allow| allow.contains("OPTIONS")));
    });
}

#[test]
fn cookies_and_headers_pass_both_ways() {
    both(&async |linked, server| {
        let set = linked.get(&server.url("/cookies/set?first=1&second=2")).await;
        assert_eq!(set.head.status, 302);
        assert_eq!(set.head.all("set-cookie").len(), 2);
        // Nothing is kept: the next request has only what the page gives it.
        assert_eq!(linked.get(&server.url("/cookies")).await.json()["cookies"], json!({}));
        let two = [("Cookie", "first=1"), ("cookie", "second=2")];
        let cookies = linked.get_with(&server.url("/cookies"), &two).await.json();
        assert_eq!(cookies["cookies"], json!({ "first": "1", "second": "2" }));
        let sent = linked.get_with(&server.url("/headers"), &[two[0], two[1], ("X-A", "1"), ("x-a", "2")]).await.json();
        assert_eq!(sent["headers"]["Cookie"], "first=1; second=2");
        assert_eq!(sent["headers"]["X-A"], "1, 2");

        let answer = linked.get(&server.url("/response-headers?X-B=1&X-A=3&X-B=2")).await;
        assert_eq!(answer.head.header("x-b"), Some("1, 2"));
        let names: Vec<&str> = answer.head.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.is_sorted(), "{names:?}");

        let asked = linked.get(&server.url("/basic-auth/user/pass")).await;
        assert_eq!(asked.head.status, 401);
        assert_eq!(asked.head.header("www-authenticate"), Some("Basic realm=\"Fake Realm\""));
        let let_in = [("Authorization", "Basic dXNlcjpwYXNz")];
        assert_eq!(linked.get_with(&server.url("/basic-auth/user/pass"), &let_in).await.head.status, 200);
    });
}

#[test]
fn ranges_stay_unencoded() {
    both(&async |linked, server| {
        let whole = linked.get(&server.url("/range/1024")).await;
        assert_eq!(whole.text().len(), 1024);
        let part = linked.get_with(&server.url("/range/1024"), &[("Range", "bytes=100-199")]).await;
        assert_eq!(part.head.status, 206);
        assert_eq!(part.head.header("content-range"), Some("bytes 100-199/1024"));
        assert_eq!(part.text(), &whole.text()[100..200]);
        let sent = linked.get_with(&server.url("/headers"), &[("Range", "bytes=0-1")]).await.json();
        assert_eq!(sent["headers"]["Accept-Encoding"], Value::Null);
        let beyond = linked.get_with(&server.url("/range/1024"), &[("Range", "bytes=2000-3000")]).await;
        assert_eq!(beyond.head.status, 416);
    });
}

#[test]
fn conditional_requests_get_304_without_a_body() {
    both(&async |linked, server| {
        let fetched = linked.get_with(&server.url("/etag/tag"), &[("If-None-Match", "\"tag\"")]).await;
        assert_eq!((fetched.head.status, fetched.body.len(), fetched.reset), (304, 0, None));
        let fetched = linked.get_with(&server.url("/cache"), &[("If-Modified-Since", "x")]).await;
        assert_eq!((fetched.head.status, fetched.body.len(), fetched.reset), (304, 0, None));
    });
}

#[test]
fn streamed_bodies_are_whole() {
    both(&async |linked, server| {
        let lines = linked.get(&server.url("/stream/20")).await;
        let ids: Vec<Value> =
            lines.text().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone()).collect();
        assert_eq!(ids, (0..20).map(Value::from).collect::<Vec<_>>());
        // The same seed gives the same bytes, in pieces of any size.
        let fine = linked.get(&server.url("/stream-bytes/50000?seed=7&chunk_size=100")).await;
        let coarse = linked.get(&server.url("/stream-bytes/50000?seed=7&chunk_size=50000")).await;
        assert_eq!((fine.body.len(), &fine.reset), (50_000, &None));
        assert!(fine.body == coarse.body);
        let bytes = linked.get(&server.url("/bytes/100000?seed=3")).await;
        assert_eq!((bytes.body.len(), bytes.head.header("content-length")), (100_000, Some("100000")));
    });
}

#[test]
fn media_and_text_come_byte_for_byte() {
    both(&async |linked, server| {
        for (kind, magic) in
            [("png", &b"\x89PNG\r\n\x1a\n"[..]), ("jpeg", b"\xff\xd8\xff"), ("webp", b"RIFF"), ("svg", b"<svg")]
        {
            let image = linked.get(&server.url(&format!("/image/{kind}"))).await;
            assert!(image.body.starts_with(magic), "{kind}");
            assert_eq!(image.head.header("content-length"), Some(image.body.len().to_string().as_str()));
        }
        let text = linked.get(&server.url("/encoding/utf8")).await;
        assert!(text.text().contains("STARGΛ̊TE SG-1"));
        assert!(text.text().contains("コンニチハ"));
        assert_eq!(linked.get(&server.url("/base64/c2xpY2M=")).await.text(), "slicc");
    });
}

#[test]
fn a_drip_arrives_as_it_is_sent() {
    run(async {
        let Some(server) = Foreign::httpbin().await else { return };
        let linked = Linked::new().await;
        let url = server.url("/drip?numbytes=4&duration=2&delay=0");
        let mut stream = HttpStream::begin(&linked.link, "GET", &url, &[]).await.unwrap();
        assert_eq!(stream.response.head().await.unwrap().header("content-length"), Some("4"));
        let mut arrivals = Vec::new();
        while let Some(piece) = stream.response.next().await.unwrap() {
            assert_eq!(&piece[..], b"*");
            arrivals.push(Instant::now());
        }
        assert_eq!(arrivals.len(), 4);
        // Half a second lies between two; waiting for the whole body would leave nothing.
        assert!(arrivals[3] - arrivals[0] > Duration::from_millis(700), "{arrivals:?}");
    });
}

#[test]
fn a_server_that_delays_its_answer_is_waited_for() {
    both(&async |linked, server| {
        let start = Instant::now();
        assert_eq!(linked.get(&server.url("/delay/1")).await.head.status, 200);
        assert!(start.elapsed() >= Duration::from_secs(1));
    });
}
