use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio_tungstenite::tungstenite::{Message, protocol::WebSocketConfig};

use super::support::*;
use crate::generated::link::limits;

/// A server of another implementation that sends every message back.
async fn echo() -> std::net::SocketAddr {
    accepting(|socket| async move {
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let mut socket = tokio_tungstenite::accept_async_with_config(socket, Some(config)).await.unwrap();
        while let Some(Ok(message)) = socket.next().await {
            if matches!(message, Message::Text(_) | Message::Binary(_)) {
                socket.send(message).await.unwrap();
            }
        }
    })
    .await
}

#[tokio::test]
async fn text_and_binary_of_every_length_come_back_from_another_implementation() {
    bounded(async {
        let (mut page, _) = try_open(&client(echo().await), json!({"url": "ws://h/"})).await.unwrap();
        for length in [0, 1, 125, 126, 127, 65_535, 65_536, 300_000] {
            let text = "\u{e9}".repeat(length / 2) + &"x".repeat(length % 2);
            page.record(1, text.as_bytes()).await;
            assert_eq!(page.next().await, Some((1, text.into_bytes())));
            page.record(2, &vec![7; length]).await;
            assert_eq!(page.next().await, Some((2, vec![7; length])));
        }
        page.record(8, &[3, 0xE8]).await;
        page.send.end();
        page.closes(1000).await;
    })
    .await;
}

#[tokio::test]
async fn many_records_in_one_piece_and_one_record_in_many_pieces() {
    bounded(async {
        let (mut page, mut far) = connected().await;
        page.piece([record(1, b"a"), record(2, b""), record(1, b"c")].concat()).await;
        for expected in [(1, 1, b"a".to_vec()), (1, 2, vec![]), (1, 1, b"c".to_vec())] {
            assert_eq!(read_message(&mut far).await, expected);
        }
        for byte in record(1, "h\u{e9}".as_bytes()) {
            page.piece(vec![byte]).await;
        }
        let (_, opcode, message) = read_message(&mut far).await;
        assert_eq!((opcode, message), (1, "h\u{e9}".into()));
    })
    .await;
}

#[tokio::test]
async fn a_page_message_is_passed_on_while_its_bytes_arrive() {
    bounded(async {
        let (mut page, mut far) = connected().await;
        page.piece(announcing(1, 6)).await;
        page.piece(&b"abc"[..]).await;
        assert_eq!(read_frame(&mut far).await, (0x01, b"abc".to_vec()));
        // The far end pings in the middle of it, and is answered in the middle of it.
        far.write_all(&frame(0x89, b"there?")).await.unwrap();
        assert_eq!(read_frame(&mut far).await, (0x8A, b"there?".to_vec()));
        page.piece([&b"def"[..], &record(2, b"next")].concat()).await;
        assert_eq!(read_frame(&mut far).await, (0x80, b"def".to_vec()));
        assert_eq!(read_frame(&mut far).await, (0x82, b"next".to_vec()));
    })
    .await;
}

#[tokio::test]
async fn fragments_of_the_far_end_become_one_record() {
    bounded(async {
        let (mut page, mut far) = connected().await;
        for part in [frame(0x01, b"he\xc3"), frame(0x00, b""), frame(0x89, b""), frame(0x80, b"\xa9")] {
            far.write_all(&part).await.unwrap();
        }
        assert_eq!(page.next().await, Some((1, "he\u{e9}".into())));
        assert_eq!(read_frame(&mut far).await, (0x8A, vec![]), "the ping is answered and not relayed");
        far.write_all(&frame(0x8A, b"unasked")).await.unwrap();
        far.write_all(&frame(0x82, b"")).await.unwrap();
        assert_eq!(page.next().await, Some((2, vec![])), "nor is a pong");
    })
    .await;
}

#[tokio::test]
async fn every_ping_in_a_row_is_answered_in_order() {
    bounded(async {
        let (_page, mut far) = connected().await;
        let pings: Vec<u8> = (0..10).flat_map(|number| frame(0x89, &[number; 125])).collect();
        far.write_all(&pings).await.unwrap();
        for number in 0..10 {
            assert_eq!(read_frame(&mut far).await, (0x8A, vec![number; 125]));
        }
    })
    .await;
}

#[tokio::test]
async fn frames_have_masks_that_differ() {
    bounded(async {
        let (mut page, mut far) = connected().await;
        page.piece([record(1, b"a"), record(1, b"a"), record(1, b"a")].concat()).await;
        let mut bytes = [0; 21];
        tokio::io::AsyncReadExt::read_exact(&mut far, &mut bytes).await.unwrap();
        let masks: Vec<_> = bytes.chunks(7).map(|frame| frame[2..6].to_vec()).collect();
        assert!(masks[0] != masks[1] || masks[1] != masks[2]);
    })
    .await;
}

#[tokio::test]
async fn a_message_of_64_mib_goes_both_ways() {
    bounded(async {
        let (page, mut far) = connected().await;
        let (mut receive, mut send) = (page.receive, page.send);
        let message = vec![0xA5; limits::WS_MESSAGE];
        let expected = message.clone();
        let sending = tokio::spawn(async move {
            send.send(record(2, &message)).await.unwrap();
            send
        });
        let far = tokio::spawn(async move {
            let (frames, opcode, message) = read_message(&mut far).await;
            assert!(frames > 1, "nobody held it back to make one frame");
            assert_eq!(opcode, 2);
            far.write_all(&frame(0x82, &message)).await.unwrap();
            far
        });
        let mut back = vec![0; 5 + expected.len()];
        tokio::io::AsyncReadExt::read_exact(&mut receive, &mut back).await.unwrap();
        assert!(back[..5] == announcing(2, 64 << 20)[..] && back[5..] == expected[..]);
        sending.await.unwrap();
        far.await.unwrap();
    })
    .await;
}
