use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::support::*;
use crate::generated::link::limits;

const NORMAL: [u8; 2] = 1000u16.to_be_bytes();

async fn sends(far: &mut TcpStream, bytes: &[u8]) {
    far.write_all(bytes).await.unwrap();
}

#[tokio::test]
async fn a_close_of_the_page_is_sent_on_and_its_answer_is_relayed() {
    bounded(async {
        for (sent, answered) in
            [(&b"\x03\xe8bye"[..], &b"\x03\xe8"[..]), (b"", b""), (b"\x0f\xa0", b"\x0f\xa1other"), (b"\x03\xf6", b"")]
        {
            let (mut page, mut far) = connected().await;
            page.record(8, sent).await;
            page.send.end();
            assert_eq!(read_frame(&mut far).await, (0x88, sent.to_vec()));
            // What the far end had sent before it answers is relayed too.
            sends(&mut far, &frame(0x81, b"last words")).await;
            sends(&mut far, &frame(0x89, b"ping")).await;
            sends(&mut far, &frame(0x88, answered)).await;
            assert_eq!(page.next().await, Some((1, b"last words".to_vec())));
            assert_eq!(page.next().await, Some((8, answered.to_vec())));
            assert_eq!(page.next().await, None);
            far.shutdown().await.unwrap();
            dropped(&mut far).await;
            page.service.await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn a_far_end_that_never_answers_a_close_is_dropped_and_the_page_gets_end_alone() {
    bounded(async {
        let (mut page, mut far) = connected_within(SHORT).await;
        page.record(8, &NORMAL).await;
        page.send.end();
        assert_eq!(read_frame(&mut far).await, (0x88, NORMAL.to_vec()));
        page.ends().await;
        dropped(&mut far).await;
    })
    .await;
}

#[tokio::test]
async fn a_far_end_that_does_not_even_read_the_close_is_dropped() {
    bounded(async {
        let (mut page, mut far) = connected_within(SHORT).await;
        // Filled up, so that the close can't be written. The pieces that are taken are the window's and the buffers'.
        page.piece(announcing(2, 64 << 20)).await;
        let piece = bytes::Bytes::from(vec![7; limits::DATA]);
        for _ in 0..limits::WS_MESSAGE / limits::DATA {
            if tokio::time::timeout(Duration::from_millis(300), page.send.send(piece.clone())).await.is_err() {
                break;
            }
        }
        // The far end's own message still comes, and then it closes: its answer can't be written either.
        sends(&mut far, &frame(0x81, b"hello")).await;
        sends(&mut far, &frame(0x88, &NORMAL)).await;
        assert_eq!(page.next().await, Some((1, b"hello".to_vec())));
        page.closes(1000).await;
    })
    .await;
}

#[tokio::test]
async fn a_far_end_that_keeps_talking_after_a_close_is_dropped() {
    bounded(async {
        let (mut page, mut far) = connected_within(SHORT).await;
        page.record(8, &NORMAL).await;
        let talking = tokio::spawn(async move { while far.write_all(&frame(0x81, b"and")).await.is_ok() {} });
        while let Some(record) = page.next().await {
            assert_eq!(record, (1, b"and".to_vec()));
        }
        page.service.await.unwrap();
        talking.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_page_that_closes_and_does_not_read_keeps_no_connection() {
    bounded(async {
        let (mut page, mut far) = connected_within(SHORT).await;
        page.record(8, &NORMAL).await;
        assert_eq!(read_frame(&mut far).await, (0x88, NORMAL.to_vec()));
        let message = frame(0x82, &vec![7; 2 * limits::WINDOW]);
        sends(&mut far, &message).await;
        dropped(&mut far).await;
        // What had come by then is whole.
        assert_eq!(page.next().await, Some((2, vec![7; 2 * limits::WINDOW])));
        page.ends().await;
    })
    .await;
}

#[tokio::test]
async fn a_close_of_the_far_end_is_answered_with_the_same_code_and_relayed() {
    bounded(async {
        for (sent, answer) in [(&b"\x03\xe9going away"[..], &b"\x03\xe9"[..]), (b"", b""), (b"\x13\x87", b"\x13\x87")] {
            let (mut page, mut far) = connected().await;
            sends(&mut far, &frame(0x88, sent)).await;
            assert_eq!(page.next().await, Some((8, sent.to_vec())));
            assert_eq!(page.next().await, None);
            assert_eq!(read_frame(&mut far).await, (0x88, answer.to_vec()));
            // The page's close that follows is ignored.
            page.record(8, b"\x03\xe8").await;
            page.send.end();
            far.shutdown().await.unwrap();
            dropped(&mut far).await;
            page.service.await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn a_close_of_the_far_end_is_answered_inside_a_message_of_the_page() {
    bounded(async {
        let (mut page, mut far) = connected().await;
        page.piece(announcing(1, 10)).await;
        page.piece(&b"begun"[..]).await;
        assert_eq!(read_frame(&mut far).await, (0x01, b"begun".to_vec()));
        sends(&mut far, &frame(0x88, &NORMAL)).await;
        assert_eq!(read_frame(&mut far).await, (0x88, NORMAL.to_vec()));
        page.piece(&b"ended"[..]).await;
        far.shutdown().await.unwrap();
        dropped(&mut far).await;
        page.closes(1000).await;
    })
    .await;
}

#[tokio::test]
async fn a_far_end_that_closes_but_keeps_its_connection_is_dropped() {
    bounded(async {
        let (page, mut far) = connected_within(SHORT).await;
        sends(&mut far, &frame(0x88, &NORMAL)).await;
        assert_eq!(read_frame(&mut far).await, (0x88, NORMAL.to_vec()));
        page.closes(1000).await;
        dropped(&mut far).await;
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_drops_is_end_alone() {
    bounded(async {
        for ending in [&b""[..], &[0x01, 5, b'h'], &[0x81], &[0x88, 2, 3]] {
            let (mut page, mut far) = connected().await;
            sends(&mut far, &[&frame(0x81, b"whole"), ending].concat()).await;
            drop(far);
            assert_eq!(page.next().await, Some((1, b"whole".to_vec())));
            page.ends().await;
        }
        let (page, far) = connected().await;
        far.set_zero_linger().unwrap();
        drop(far);
        page.ends().await;
    })
    .await;
}

#[tokio::test]
async fn a_far_end_that_breaks_the_protocol_is_told_so_and_the_page_gets_end_alone() {
    bounded(async {
        for (broken, code) in [
            (&[0x83, 0][..], 1002u16),
            (&[0xC1, 0], 1002),
            (&[0x81, 0x80, 1, 2, 3, 4], 1002),
            (&[0x80, 0], 1002),
            (&[0x88, 1, 3], 1002),
            (&[0x88, 2, 3, 0xEE], 1002),
            (&[0x81, 1, 0xFF], 1007),
        ] {
            let (page, mut far) = connected().await;
            sends(&mut far, broken).await;
            assert_eq!(read_frame(&mut far).await, (0x88, code.to_be_bytes().to_vec()));
            far.shutdown().await.unwrap();
            dropped(&mut far).await;
            page.ends().await;
        }
    })
    .await;
}

#[tokio::test]
async fn end_without_a_close_drops_the_far_end() {
    bounded(async {
        for unfinished in [&b""[..], &[1], &[1, 0, 0, 0, 9, b'x'], &[8, 0, 0, 0, 2, 3]] {
            let (mut page, mut far) = connected().await;
            page.record(1, b"whole").await;
            page.piece(unfinished.to_vec()).await;
            page.send.end();
            assert_eq!(read_frame(&mut far).await, (0x81, b"whole".to_vec()));
            let mut rest = Vec::new();
            let _ = far.read_to_end(&mut rest).await;
            assert!(rest.is_empty() || rest[0] == 0x01, "no close: {rest:?}");
            page.ends().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_record_that_announces_too_much_closes_with_1009_at_once() {
    bounded(async {
        for length in [u32::try_from(limits::WS_MESSAGE).unwrap() + 1, u32::MAX] {
            let (mut page, mut far) = connected().await;
            page.piece(announcing(1, length)).await;
            // What the page sends after it is ignored, and still credited.
            for _ in 0..2 * limits::WINDOW / limits::DATA {
                page.piece(vec![7; limits::DATA]).await;
            }
            assert_eq!(read_frame(&mut far).await, (0x88, 1009u16.to_be_bytes().to_vec()));
            sends(&mut far, &frame(0x88, &1009u16.to_be_bytes())).await;
            far.shutdown().await.unwrap();
            dropped(&mut far).await;
            page.closes(1009).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_malformed_record_closes_with_1002() {
    bounded(async {
        let long = [&NORMAL[..], &[b'x'; 124]].concat();
        for bad in [
            record(0, b"x"),
            record(3, b""),
            record(9, b""),
            record(8, &[3]),
            record(8, &1005u16.to_be_bytes()),
            record(8, &999u16.to_be_bytes()),
            record(8, &5000u16.to_be_bytes()),
            record(8, b"\x03\xe8\xff"),
            record(8, &long),
        ] {
            let (mut page, mut far) = connected_within(SHORT).await;
            page.piece([record(1, b"before"), bad, record(1, b"after")].concat()).await;
            assert_eq!(read_frame(&mut far).await, (0x81, b"before".to_vec()));
            assert_eq!(read_frame(&mut far).await, (0x88, 1002u16.to_be_bytes().to_vec()));
            page.closes(1002).await;
            dropped(&mut far).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_bad_record_does_not_cut_a_message_that_the_page_is_getting() {
    bounded(async {
        let (mut page, mut far) = connected_within(SHORT).await;
        sends(&mut far, &frame(0x82, &vec![7; 2 * limits::WINDOW])).await;
        sends(&mut far, &frame(0x89, b"")).await;
        // The message is held by now: its beginning fills the window.
        page.record(1, b"go").await;
        assert_eq!(read_frame(&mut far).await, (0x81, b"go".to_vec()));
        page.record(9, b"").await;
        assert_eq!(read_frame(&mut far).await, (0x88, 1002u16.to_be_bytes().to_vec()));
        let message = page.next().await;
        // It may be that the bad record was there first.
        if message != Some((8, 1002u16.to_be_bytes().to_vec())) {
            assert_eq!(message, Some((2, vec![7; 2 * limits::WINDOW])));
            page.closes(1002).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_message_of_the_far_end_past_64_mib_closes_with_1009() {
    bounded(async {
        let (page, mut far) = connected_within(SHORT).await;
        let header = [&[0x82, 127][..], &(limits::WS_MESSAGE as u64 + 1).to_be_bytes()].concat();
        sends(&mut far, &header).await;
        assert_eq!(read_frame(&mut far).await, (0x88, 1009u16.to_be_bytes().to_vec()));
        page.closes(1009).await;

        let (page, mut far) = connected_within(SHORT).await;
        let megabyte = vec![7; 1 << 20];
        sends(&mut far, &frame(0x02, &megabyte)).await;
        for _ in 1..64 {
            sends(&mut far, &frame(0x00, &megabyte)).await;
        }
        sends(&mut far, &[0x80, 1]).await;
        assert_eq!(read_frame(&mut far).await, (0x88, 1009u16.to_be_bytes().to_vec()));
        page.closes(1009).await;
    })
    .await;
}
