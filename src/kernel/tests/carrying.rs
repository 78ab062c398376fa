//! Bytes both ways, as they are.

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::support::*;
use crate::generated::link::{ErrorCode, limits};

#[tokio::test]
async fn the_first_data_is_everything_that_was_read() {
    bounded(async {
        let (services, mut page) = Services::with_page().await;
        let request = format!("{}early", get(5173));
        let _socket = services.send(&request).await;
        let mut stream = page.accept().await;
        assert_eq!(stream.recv().await.unwrap().unwrap(), request);
    })
    .await;
}

#[tokio::test]
async fn nothing_more_is_read_until_the_page_has_accepted() {
    bounded(async {
        let (services, mut page) = Services::with_page().await;
        let mut socket = services.send(get(5173)).await;
        let (_, mut stream) = page.incoming().await;
        // The first DATA was decided before these bytes were sent.
        socket.write_all(b"later").await.unwrap();
        stream.accept(&serde_json::Map::new()).unwrap();
        assert_eq!(stream.recv().await.unwrap().unwrap(), get(5173));
        assert_eq!(received(&mut stream, 5).await, "later");
    })
    .await;
}

#[tokio::test]
async fn a_head_of_64_kib_arrives_whole() {
    bounded(async {
        let (services, mut page) = Services::with_page().await;
        let (start, end) = ("GET / HTTP/1.1\r\nHost: 5173.kernel.localhost\r\nX: ", "\r\n\r\n");
        let head = format!("{start}{}{end}", "x".repeat(limits::KERNEL_HEAD - start.len() - end.len()));
        let _socket = services.send(&head).await;
        let mut stream = page.accept().await;
        assert_eq!(received(&mut stream, head.len()).await, head);
    })
    .await;
}

#[tokio::test]
async fn each_side_may_end_first() {
    bounded(async {
        let (services, mut page) = Services::with_page().await;

        let mut socket = services.send(get(5173)).await;
        let mut stream = page.accept().await;
        socket.shutdown().await.unwrap();
        let mut request = String::new();
        stream.read_to_string(&mut request).await.unwrap();
        assert_eq!(request, get(5173));
        stream.send(Bytes::from_static(b"an answer after the request's end")).await.unwrap();
        stream.end();
        assert_eq!(text(&mut socket).await, "an answer after the request's end");

        let mut socket = services.send(get(5173)).await;
        let mut stream = page.accept().await;
        stream.end();
        assert_eq!(text(&mut socket).await, "");
        socket.write_all(b"more of the request").await.unwrap();
        socket.shutdown().await.unwrap();
        let mut request = String::new();
        stream.read_to_string(&mut request).await.unwrap();
        assert_eq!(request, get(5173) + "more of the request");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_bodies_cross_both_ways_at_once() {
    const LENGTH: usize = 24 << 20;
    bounded(async {
        let (services, mut page) = Services::with_page().await;
        let socket = services.send(get(5173)).await;
        let mut stream = page.accept().await;
        received(&mut stream, get(5173).len()).await;
        let bytes: Vec<u8> = (0..LENGTH).map(|at| (at / 251 + at) as u8).collect();
        let (mut socket_read, mut socket_write) = socket.into_split();
        let (mut stream_read, mut stream_write) = stream.split();
        let (mut up, mut down) = (Vec::new(), Vec::new());
        let outcome = tokio::try_join!(
            async {
                socket_write.write_all(&bytes).await?;
                socket_write.shutdown().await
            },
            async {
                stream_write.write_all(&bytes).await?;
                stream_write.shutdown().await
            },
            async { stream_read.read_to_end(&mut up).await.map(drop) },
            async { socket_read.read_to_end(&mut down).await.map(drop) },
        );
        outcome.unwrap();
        assert!(up == bytes && down == bytes);
    })
    .await;
}

#[tokio::test]
async fn a_browser_that_does_not_read_holds_the_page_back() {
    bounded(async {
        let (services, mut page) = Services::with_page().await;
        let mut socket = services.send(get(5173)).await;
        let mut stream = page.accept().await;
        let piece = Bytes::from(vec![7; 1 << 20]);
        let mut sent = 0;
        // Sending stops when the window and the system's buffers are full.
        while tokio::time::timeout(std::time::Duration::from_millis(300), stream.send(piece.clone())).await.is_ok() {
            sent += piece.len();
            assert!(sent < 64 << 20, "nothing holds the page back");
        }
        let (mut receive, mut send) = stream.split();
        let mut read = vec![0; 1 << 20];
        for _ in 0..sent >> 20 {
            socket.read_exact(&mut read).await.unwrap();
        }
        send.end();
        socket.shutdown().await.unwrap();
        while receive.recv().await.unwrap().is_some() {}
    })
    .await;
}

#[tokio::test]
async fn a_websocket_whose_first_frame_comes_with_the_101_passes_as_it_is() {
    bounded(async {
        let (services, mut page) = Services::with_page().await;
        let request =
            "GET /hmr HTTP/1.1\r\nHost: 5173.kernel.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
        let mut socket = services.send(request).await;
        let mut stream = page.accept().await;
        assert_eq!(received(&mut stream, request.len()).await, request);
        let answer = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x02hi";
        stream.send(Bytes::from_static(answer)).await.unwrap();
        let mut read = vec![0; answer.len()];
        socket.read_exact(&mut read).await.unwrap();
        assert_eq!(read, answer);
        socket.write_all(&[0x81, 0x80, 1, 2, 3, 4]).await.unwrap();
        let mut frame = [0; 6];
        stream.read_exact(&mut frame).await.unwrap();
        assert_eq!(frame, [0x81, 0x80, 1, 2, 3, 4]);
    })
    .await;
}

#[tokio::test]
async fn a_connection_belongs_to_the_host_of_its_first_request() {
    bounded(async {
        let (services, mut page) = Services::with_page().await;
        let mut socket = services.send(get(1)).await;
        let (open, mut stream) = page.incoming().await;
        assert_eq!(open, r#"{"kind":"kernel","port":1}"#);
        stream.accept(&serde_json::Map::new()).unwrap();
        received(&mut stream, get(1).len()).await;
        stream.send(Bytes::from_static(b"HTTP/1.1 204 No Content\r\n\r\n")).await.unwrap();
        socket.read_exact(&mut [0; 27]).await.unwrap();
        for request in [get(2), get(9222), "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned()] {
            socket.write_all(request.as_bytes()).await.unwrap();
            assert_eq!(received(&mut stream, request.len()).await, request);
        }
        assert!(!page.was_asked());
    })
    .await;
}

#[tokio::test]
async fn a_reset_on_one_side_breaks_the_other_off() {
    bounded(async {
        let (services, mut page) = Services::with_page().await;

        let mut socket = services.send(get(5173)).await;
        let stream = page.accept().await;
        stream.reset(ErrorCode::Eio, "the server crashed");
        // The browser must not take what came so far for the whole answer.
        assert_eq!(socket.read(&mut [0; 1]).await.unwrap_err().kind(), std::io::ErrorKind::ConnectionReset);

        let socket = services.send(get(5173)).await;
        let mut stream = page.accept().await;
        received(&mut stream, get(5173).len()).await;
        socket.set_zero_linger().unwrap();
        drop(socket);
        assert!(stream.recv().await.unwrap_err().to_string().starts_with("ECONNRESET"));
    })
    .await;
}

#[tokio::test]
async fn connections_end_with_kernel_services() {
    bounded(async {
        let (services, mut page) = Services::with_page().await;
        let mut waiting = services.send("GET /").await;
        let mut open = services.send(get(5173)).await;
        let mut stream = page.accept().await;
        received(&mut stream, get(5173).len()).await;
        let port = services.port;
        drop(services);
        assert!(stream.recv().await.is_err());
        for socket in [&mut waiting, &mut open] {
            // A reset is an end as well.
            assert_eq!(socket.read(&mut [0; 1]).await.unwrap_or(0), 0);
        }
        assert!(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn a_stream_is_told_of_from_its_acceptance_to_its_end_and_a_refused_one_is_not() {
    bounded(async {
        let (mut services, mut page) = Services::with_page().await;
        assert!(services.answer("GET / HTTP/1.1\r\nHost: elsewhere\r\n\r\n").await.starts_with("HTTP/1.1 421"));
        let socket = services.send(get(5173)).await;
        let stream = page.accept().await;
        assert_eq!(services.told.recv().await, Some(true));
        drop((socket, stream));
        assert_eq!(services.told.recv().await, Some(false));
        assert!(services.told.try_recv().is_err());
    })
    .await;
}
