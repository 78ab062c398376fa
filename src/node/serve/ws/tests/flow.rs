use std::time::Duration;

use bytes::Bytes;
use tokio::{io::AsyncWriteExt, time::timeout};

use super::support::*;
use crate::generated::link::{ErrorCode, limits};

/// Long enough for whatever moves to have moved.
const STILL: Duration = Duration::from_millis(500);

#[tokio::test]
async fn a_page_that_does_not_read_holds_the_far_end_and_no_memory() {
    bounded(async {
        let (mut page, mut far) = connected().await;
        let message = frame(0x82, &vec![7; 65_536]);
        let mut sent = 0;
        let mut unsent = &message[..];
        while let Ok(written) = timeout(STILL, far.write(unsent)).await {
            unsent = &unsent[written.unwrap()..];
            if unsent.is_empty() {
                (sent, unsent) = (sent + 1, &message);
            }
            assert!(sent < 1024, "nothing held the far end back");
        }
        for _ in 0..sent {
            assert_eq!(page.next().await, Some((2, vec![7; 65_536])), "and nothing is lost");
        }
    })
    .await;
}

#[tokio::test]
async fn a_far_end_that_does_not_read_holds_the_page() {
    bounded(async {
        let (page, mut far) = connected().await;
        let (mut send, service) = (page.send, page.service);
        let mut taken = 0;
        send.send(announcing(2, 64 << 20)).await.unwrap();
        let piece = Bytes::from(vec![7; limits::DATA]);
        while let Ok(sent) = timeout(STILL, send.send(piece.clone())).await {
            sent.unwrap();
            taken += piece.len();
            assert!(taken < limits::WS_MESSAGE, "nothing held the page back");
        }
        // A reset still gets through, and the far end gets no whole message.
        send.reset(ErrorCode::Econnreset, "");
        service.await.unwrap();
        let mut got = Vec::new();
        let _ = tokio::io::AsyncReadExt::read_to_end(&mut far, &mut got).await;
        assert!(got.len() < limits::WS_MESSAGE);
    })
    .await;
}

#[tokio::test]
async fn a_far_end_that_does_not_read_can_still_be_heard() {
    bounded(async {
        let (page, mut far) = connected().await;
        let (mut receive, mut send) = (page.receive, page.send);
        let filling = tokio::spawn(async move {
            let piece = Bytes::from(vec![7; limits::DATA]);
            let _ = send.send(announcing(2, 64 << 20)).await;
            while send.send(piece.clone()).await.is_ok() {}
        });
        far.write_all(&frame(0x81, b"hello")).await.unwrap();
        let mut hello = [0; 10];
        tokio::io::AsyncReadExt::read_exact(&mut receive, &mut hello).await.unwrap();
        assert_eq!(hello[5..], *b"hello");
        filling.abort();
    })
    .await;
}

#[tokio::test]
async fn a_flood_of_pings_from_a_far_end_that_does_not_read_is_bounded() {
    bounded(async {
        let (mut page, mut far) = connected().await;
        // More pongs than the connection's buffers hold: the oldest that can't be written give way.
        let ping = frame(0x89, &[7; 125]);
        let flood: Vec<u8> = ping.iter().copied().cycle().take(ping.len() * 100_000).collect();
        far.write_all(&flood).await.unwrap();
        far.write_all(&frame(0x81, b"done")).await.unwrap();
        assert_eq!(page.next().await, Some((1, b"done".to_vec())));
    })
    .await;
}

#[tokio::test]
async fn a_reset_of_the_page_drops_the_far_end() {
    bounded(async {
        let (page, mut far) = connected().await;
        page.send.reset(ErrorCode::Econnreset, "");
        page.service.await.unwrap();
        dropped(&mut far).await;
    })
    .await;
}

#[tokio::test]
async fn a_service_that_is_given_up_drops_the_far_end() {
    bounded(async {
        let (page, mut far) = connected().await;
        page.service.abort();
        dropped(&mut far).await;
    })
    .await;
}

#[tokio::test]
async fn one_bad_stream_does_not_disturb_another() {
    bounded(async {
        let (mut bad, mut far) = connected().await;
        let (mut good, mut good_far) = connected().await;
        bad.record(9, b"").await;
        assert_eq!(read_frame(&mut far).await, (0x88, vec![3, 0xEA]));
        good.record(1, b"fine").await;
        assert_eq!(read_frame(&mut good_far).await, (0x81, b"fine".to_vec()));
    })
    .await;
}
