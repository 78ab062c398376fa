//! Content codings as Python's zlib and aiohttp make them.

use super::Linked;
use crate::support::{foreign::Foreign, http_stream::HttpStream, run};

fn text() -> String {
    "a page reads this, a page reads this, and a page reads this once more\n".repeat(200)
}

fn against_stdlib(check: &impl AsyncFn(&Linked, &Foreign)) {
    run(async {
        let Some(server) = Foreign::stdlib().await else { return };
        check(&Linked::new().await, &server).await;
    });
}

#[test]
fn zlib_and_raw_deflate_are_undone_under_the_same_name() {
    against_stdlib(&async |linked, server| {
        for path in ["/zlib", "/raw", "/levels"] {
            let fetched = linked.get(&server.url(path)).await;
            assert!(fetched.text() == text(), "{path}");
            assert_eq!(fetched.head.header("content-encoding"), None);
            assert_eq!(fetched.head.header("content-length"), None);
        }
    });
}

#[test]
fn members_stacks_and_single_bytes_of_a_coding_are_undone() {
    against_stdlib(&async |linked, server| {
        for path in ["/gzip", "/members", "/stacked", "/chunked-gzip"] {
            let fetched = linked.get(&server.url(path)).await;
            assert!(fetched.text() == text(), "{path}");
            assert_eq!(fetched.head.header("content-encoding"), None, "{path}");
        }
    });
}

#[test]
fn a_coding_that_is_not_known_is_passed_on_with_both_headers() {
    against_stdlib(&async |linked, server| {
        let fetched = linked.get(&server.url("/unknown")).await;
        assert_eq!(fetched.text(), "not really zstd");
        assert_eq!(fetched.head.header("content-encoding"), Some("zstd"));
        assert_eq!(fetched.head.header("content-length"), Some("15"));
    });
}

#[test]
fn responses_without_a_body_keep_both_headers() {
    against_stdlib(&async |linked, server| {
        for path in ["/gzip", "/zlib", "/unknown"] {
            let fetched = linked.fetch("HEAD", &server.url(path), &[], b"").await.unwrap();
            assert_eq!((fetched.body.len(), &fetched.reset), (0, &None), "{path}");
            assert!(fetched.head.header("content-encoding").is_some(), "{path}");
            assert!(fetched.head.header("content-length").is_some_and(|length| length != "0"), "{path}");
        }
        let fetched = linked.get(&server.url("/not-modified")).await;
        assert_eq!((fetched.head.status, fetched.body.len(), &fetched.reset), (304, 0, &None));
        assert_eq!(fetched.head.header("content-encoding"), Some("gzip"));
        assert_eq!(fetched.head.header("content-length"), Some("1234"));
        let fetched = linked.get(&server.url("/no-content")).await;
        assert_eq!((fetched.head.status, fetched.body.len(), &fetched.reset), (204, 0, &None));
        assert_eq!(fetched.head.header("content-encoding"), Some("gzip"));
        let fetched = linked.get(&server.url("/empty")).await;
        assert_eq!((fetched.head.status, fetched.body.len(), &fetched.reset), (200, 0, &None));
    });
}

#[test]
fn a_part_of_an_encoded_body_is_eproto_and_a_plain_part_is_not() {
    against_stdlib(&async |linked, server| {
        let refused = linked.fetch("GET", &server.url("/part"), &[], b"").await.unwrap_err().to_string();
        assert!(refused.starts_with("EPROTO"), "{refused}");
        let part = linked.get_with(&server.url("/plain-part"), &[("Range", "bytes=0-9")]).await;
        assert_eq!((part.head.status, part.text()), (206, &text()[..10]));
        assert_eq!(part.head.header("vary"), Some("none"));
    });
}

#[test]
fn a_body_or_a_coding_that_breaks_off_is_econnreset_after_what_came() {
    against_stdlib(&async |linked, server| {
        let text = text();
        // A RESET takes along what the page hasn't read yet, so the server waits until it has.
        for (path, first) in [
            ("/cut", ""),
            ("/cut-coding", ""),
            ("/corrupt", ""),
            ("/cut-plain", &text[..1000]),
            ("/reset", &text[..1000]),
            ("/cut-chunk", "half a chunk"),
        ] {
            let mut stream = HttpStream::begin(&linked.link, "GET", &server.url(path), &[]).await.unwrap();
            assert_eq!(stream.response.head().await.unwrap().status, 200, "{path}");
            let mut came = Vec::new();
            while came.len() < first.len() {
                came.extend_from_slice(&stream.response.next().await.unwrap().unwrap());
            }
            assert_eq!(came, first.as_bytes(), "{path}");
            linked.get(&server.url("/go")).await;
            let (rest, reset) = stream.response.body().await;
            let reset = reset.unwrap_or_else(|| panic!("{path} looks complete"));
            assert!(reset.starts_with("ECONNRESET"), "{path}: {reset}");
            assert!(text.as_bytes()[first.len()..].starts_with(&rest) || first == "half a chunk", "{path}");
        }
    });
}

#[test]
fn what_aiohttp_compresses_is_undone_in_one_piece_and_as_a_stream() {
    run(async {
        let Some(server) = Foreign::aiohttp().await else { return };
        let linked = Linked::new().await;
        for coding in ["gzip", "deflate", "identity"] {
            for stream in ["", "&stream"] {
                let fetched = linked.get(&server.url(&format!("/compressed?coding={coding}{stream}"))).await;
                assert!(fetched.text() == text(), "{coding}{stream}");
                assert_eq!(fetched.head.header("content-encoding"), None, "{coding}{stream}");
            }
        }
    });
}
