//! Which page is asked, what its answers mean, and what is answered without one.

use bytes::Bytes;
use tokio::{io::AsyncWriteExt, time::Instant};

use super::{
    super::{answer::Refusal, connection::ask},
    support::*,
};
use crate::{
    generated::link::{ErrorCode, limits, timeouts},
    link::Pages,
};

fn expected(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nX-Proxy-Error: 1\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[tokio::test]
async fn what_the_page_cannot_serve_is_answered_without_it() {
    bounded(async {
        let (services, mut page) = Services::with_page().await;
        let cases = [
            ("GET /\r\n\r\n".to_owned(), "400 Bad Request", "malformed request head"),
            ("GET / HTTP/1.1\r\n\r\n".to_owned(), "400 Bad Request", "malformed request head"),
            (
                "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned(),
                "421 Misdirected Request",
                "only <port>.kernel.localhost is served here",
            ),
            (
                format!("GET / HTTP/1.1\r\nHost: 80.kernel.localhost:{}\r\n\r\n", services.port ^ 1),
                "421 Misdirected Request",
                "only <port>.kernel.localhost is served here",
            ),
            (get(9222), "502 Bad Gateway", "kernel port 9222: EACCES"),
        ];
        for (request, status, body) in cases {
            assert_eq!(services.answer(request).await, expected(status, body));
        }
        assert!(!page.was_asked());
    })
    .await;
}

#[tokio::test]
async fn a_head_that_is_too_large_is_answered_though_more_of_it_comes() {
    bounded(async {
        let (services, mut page) = Services::with_page().await;
        let mut socket = services.connect().await;
        let (mut read, mut write) = socket.split();
        let sending = async {
            // A browser that is told to stop may find its connection closed.
            drop(write.write_all(&vec![b'x'; 8 * limits::KERNEL_HEAD]).await);
        };
        let mut answer = String::new();
        let reading = tokio::io::AsyncReadExt::read_to_string(&mut read, &mut answer);
        let (read, ()) = tokio::join!(reading, sending);
        read.unwrap();
        assert_eq!(answer, expected("431 Request Header Fields Too Large", "request head too large"));
        assert!(!page.was_asked());
    })
    .await;
}

#[tokio::test]
async fn the_answer_to_a_head_request_has_no_body() {
    bounded(async {
        let services = Services::start().await;
        let answer = services.answer("HEAD / HTTP/1.1\r\nHost: 80.kernel.localhost\r\n\r\n").await;
        assert!(answer.contains("\r\nContent-Length: 23\r\n") && answer.ends_with("\r\n\r\n"), "{answer}");
    })
    .await;
}

#[tokio::test]
async fn without_a_page_that_offers_its_kernel_there_is_none() {
    bounded(async {
        let services = Services::start().await;
        let mut page = Page::join(&services.pages, &["browsers"]).await;
        assert_eq!(services.answer(get(80)).await, expected("502 Bad Gateway", "no seven page connected"));
        assert!(!page.was_asked());
    })
    .await;
}

#[tokio::test]
async fn the_pages_reset_is_answered_with_its_reason() {
    bounded(async {
        let (services, mut page) = Services::with_page().await;
        let cases = [
            (ErrorCode::Econnrefused, "", "nothing listening on kernel port 5173"),
            (ErrorCode::Eacces, "", "kernel port 5173: EACCES"),
            (ErrorCode::Eio, "the \r\n kernel \u{1b}[2J\u{e9} halted", "kernel port 5173: EIO: the  kernel [2J halted"),
            (ErrorCode::Econnreset, "", "kernel port 5173: ECONNRESET"),
        ];
        for (code, message, body) in cases {
            let mut socket = services.send(get(5173)).await;
            let (open, stream) = page.incoming().await;
            assert_eq!(open, r#"{"kind":"kernel","port":5173}"#);
            stream.reset(code, message);
            assert_eq!(text(&mut socket).await, expected("502 Bad Gateway", body));
        }
    })
    .await;
}

#[tokio::test]
async fn a_link_that_closes_before_the_page_answered_is_no_page() {
    bounded(async {
        for from_page in [true, false] {
            let (services, mut page) = Services::with_page().await;
            let mut socket = services.send(get(5173)).await;
            let (_, stream) = page.incoming().await;
            if from_page {
                page.hang_up().await;
            } else {
                page.node.close("the node goes").await;
            }
            assert_eq!(text(&mut socket).await, expected("502 Bad Gateway", "no seven page connected"));
            drop(stream);
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_page_that_does_not_answer_within_10_s_is_given_up() {
    let pages = Pages::default();
    let mut page = Page::join(&pages, &["kernel-in"]).await;
    let start = Instant::now();
    assert_eq!(ask(&pages, 5173).await.unwrap_err(), Refusal::NoAnswer { port: 5173 });
    assert_eq!(start.elapsed().as_secs(), timeouts::KERNEL_OPENED.as_secs());
    // The page is told, so that it doesn't keep what it dialled.
    let (_, mut stream) = page.incoming().await;
    assert!(stream.recv().await.unwrap_err().to_string().starts_with("ETIMEDOUT"));
}

#[tokio::test]
async fn no_answer_in_time_is_a_gateway_timeout() {
    let answer = Refusal::NoAnswer { port: 5173 }.response(false);
    assert_eq!(answer, expected("504 Gateway Timeout", "kernel port 5173 did not answer").as_bytes());
}

#[tokio::test]
async fn the_page_that_linked_last_gets_new_connections_and_the_earlier_one_takes_over() {
    bounded(async {
        let (services, mut first) = Services::with_page().await;
        let mut old = services.send(get(1)).await;
        let mut old_stream = first.accept().await;
        assert_eq!(received(&mut old_stream, get(1).len()).await, get(1));

        let mut second = Page::join(&services.pages, &["kernel-in"]).await;
        let mut third = Page::join(&services.pages, &[]).await;
        let mut new = services.send(get(2)).await;
        let mut new_stream = second.accept().await;
        assert_eq!(received(&mut new_stream, get(2).len()).await, get(2));
        assert!(!first.was_asked() && !third.was_asked());

        // An open connection stays where it is.
        old_stream.send(Bytes::from_static(b"from the first")).await.unwrap();
        old_stream.end();
        assert_eq!(text(&mut old).await, "from the first");

        second.membership = None;
        let mut again = services.send(get(3)).await;
        let mut again_stream = first.accept().await;
        assert_eq!(received(&mut again_stream, get(3).len()).await, get(3));
        new_stream.send(Bytes::from_static(b"from the second")).await.unwrap();
        new_stream.end();
        assert_eq!(text(&mut new).await, "from the second");
        again_stream.end();
        assert_eq!(text(&mut again).await, "");
    })
    .await;
}

#[tokio::test]
async fn a_page_whose_link_is_down_is_passed_over_though_nobody_has_said_so_yet() {
    bounded(async {
        let (services, mut first) = Services::with_page().await;
        let second = Page::join(&services.pages, &["kernel-in"]).await;
        second.hang_up().await;
        second.node.closed().await;
        let mut socket = services.send(get(5173)).await;
        first.accept().await.end();
        assert_eq!(text(&mut socket).await, "");
    })
    .await;
}
