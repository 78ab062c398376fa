use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::support::*;
use crate::generated::link::limits;

/// Long enough that no buffer on the way holds it.
const LONG: u64 = 256 << 20;

fn request(method: &str) -> Value {
    json!({"url": "http://h/", "method": method, "headers": []})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_body_goes_up_and_its_answer_comes_down() {
    bounded(async {
        let address = describing().await;
        let mut page = open(&client(address), json!({})).await;
        page.head(&request("POST")).await;
        let piece = Bytes::from(vec![1; 1 << 20]);
        for _ in 0..LONG >> 20 {
            page.piece(piece.clone()).await;
        }
        page.send.end();
        let outcome = page.finish(Outcome::default()).await;
        let described: Value = serde_json::from_str(&outcome.text()).unwrap();
        assert_eq!((&described["length"], &described["sum"]), (&LONG.into(), &LONG.into()));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_answer_comes_down_whole() {
    bounded(async {
        let address = accepting(|mut socket| async move {
            read_head(&mut socket).await;
            socket.write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {LONG}\r\n\r\n").as_bytes()).await.unwrap();
            let piece = vec![1; 1 << 20];
            for _ in 0..LONG >> 20 {
                socket.write_all(&piece).await.unwrap();
            }
        })
        .await;
        let mut page = open(&client(address), json!({})).await;
        page.head(&request("GET")).await;
        let mut outcome = Outcome::default();
        page.read_body(&mut outcome, 0).await;
        let mut length = outcome.body().len() as u64;
        while let Some(data) = page.receive.recv().await.unwrap() {
            page.receive.credit(data.len());
            length += data.len() as u64;
        }
        assert_eq!(length, LONG);
    })
    .await;
}

#[tokio::test]
async fn a_page_that_does_not_read_stops_the_server() {
    bounded(async {
        let written = Arc::new(AtomicU64::new(0));
        let (blocked, mut is_blocked) = tokio::sync::mpsc::unbounded_channel();
        let count = written.clone();
        let address = accepting(move |mut socket| {
            let (count, blocked) = (count.clone(), blocked.clone());
            async move {
                read_head(&mut socket).await;
                socket.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
                let piece = [0; 16 * 1024];
                loop {
                    let write = tokio::time::timeout(std::time::Duration::from_millis(500), socket.write(&piece));
                    match write.await {
                        Ok(Ok(length)) => count.fetch_add(length as u64, Ordering::Relaxed),
                        Ok(Err(_)) => break,
                        Err(_) => break blocked.send(()).unwrap(),
                    };
                }
            }
        })
        .await;
        let mut page = open(&client(address), json!({})).await;
        page.head(&request("GET")).await;
        is_blocked.recv().await.unwrap();
        // The window, the client's buffer, and what the system's sockets hold.
        assert!(written.load(Ordering::Relaxed) < 16 << 20, "{} bytes", written.load(Ordering::Relaxed));
    })
    .await;
}

#[tokio::test]
async fn a_server_that_does_not_read_stops_the_page() {
    bounded(async {
        let address = accepting(|socket| async move {
            std::future::pending::<()>().await;
            drop(socket);
        })
        .await;
        let mut page = open(&client(address), json!({})).await;
        page.head(&request("POST")).await;
        let mut sent = 0usize;
        let piece = Bytes::from(vec![0; 64 * 1024]);
        let stop = std::time::Duration::from_millis(500);
        while tokio::time::timeout(stop, page.send.send(piece.clone())).await.is_ok() {
            sent += piece.len();
        }
        assert!(sent < limits::HTTP_SIZED_BODY + (16 << 20), "{sent} bytes");
    })
    .await;
}

#[tokio::test]
async fn an_answer_may_come_before_the_body_is_sent_and_the_upload_goes_on() {
    bounded(async {
        let (sender, mut received) = tokio::sync::mpsc::unbounded_channel();
        let length = 3 * limits::HTTP_SIZED_BODY;
        let address = accepting(move |mut socket| {
            let sender = sender.clone();
            async move {
                read_head(&mut socket).await;
                socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly").await.unwrap();
                let mut body = vec![0; length];
                let _ = sender.send(socket.read_exact(&mut body).await.is_ok());
            }
        })
        .await;
        let mut page = open(&client(address), json!({})).await;
        let mut head = request("POST");
        head["headers"] = json!([["content-length", length.to_string()]]);
        page.head(&head).await;
        page.piece(vec![0; limits::HTTP_SIZED_BODY + 1]).await;
        let outcome = page.finish(Outcome::default()).await;
        assert_eq!(outcome.text(), "early");
        page.piece(vec![0; length - limits::HTTP_SIZED_BODY - 1]).await;
        page.send.end();
        assert_eq!(received.recv().await, Some(true));
    })
    .await;
}

#[tokio::test]
async fn a_server_that_answers_and_closes_without_reading_the_body_is_no_error() {
    bounded(async {
        // It shuts its side down, lets what arrived be, and closes, which resets the connection under the upload.
        for _ in 0..5 {
            let address = accepting(|mut socket| async move {
                read_head(&mut socket).await;
                socket
                    .write_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno!")
                    .await
                    .unwrap();
                socket.shutdown().await.unwrap();
                let mut some = vec![0; 256 * 1024];
                let _ = socket.read_exact(&mut some).await;
            })
            .await;
            let mut page = open(&client(address), json!({})).await;
            page.head(&request("POST")).await;
            let piece = Bytes::from(vec![0; 64 * 1024]);
            for _ in 0..160 {
                page.piece(piece.clone()).await;
            }
            page.send.end();
            let outcome = page.finish(Outcome::default()).await;
            assert_eq!(outcome.head()["status"], 413);
            assert_eq!(outcome.text(), "no!");
        }
    })
    .await;
}
