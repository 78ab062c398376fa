use std::{
    pin::Pin,
    task::{Context, Poll},
};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, DuplexStream, Lines as TokioLines, ReadHalf, WriteHalf, duplex, split};

use super::*;
use crate::generated::link::setup;

struct Harness {
    input: WriteHalf<DuplexStream>,
    output: TokioLines<BufReader<ReadHalf<DuplexStream>>>,
    signals: mpsc::Receiver<Signal>,
    replies: mpsc::Sender<Reply>,
    shutdown: CancellationToken,
    run: tokio::task::JoinHandle<Result<Ended, SignalError>>,
}

impl Harness {
    fn start() -> Self {
        let (ours, theirs) = duplex(64 * 1024);
        let (input, output) = split(theirs);
        let config = OverStdio { input: BufReader::new(input), output, node: NodeId::mint() };
        let (signal_sender, signals) = mpsc::channel(4);
        let (replies, reply_receiver) = mpsc::channel(4);
        let shutdown = CancellationToken::new();
        let run = tokio::spawn(config.run(signal_sender, reply_receiver, shutdown.clone()));
        let (output, input) = split(ours);
        Self { input, output: BufReader::new(output).lines(), signals, replies, shutdown, run }
    }

    async fn read(&mut self) -> Value {
        serde_json::from_str(&self.output.next_line().await.unwrap().unwrap()).unwrap()
    }

    async fn hello(&mut self) -> String {
        let hello = self.read().await;
        assert_eq!((&hello["t"], &hello["v"]), (&json!("hello"), &json!(1)));
        hello["nonce"].as_str().unwrap().to_owned()
    }

    async fn write(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
}

#[tokio::test]
async fn the_first_line_is_a_hello_and_messages_go_both_ways() {
    let mut harness = Harness::start();
    let nonce = harness.hello().await;
    harness.write(&json!({"t": "offer", "nonce": nonce, "sdp": "v=0"}).to_string()).await;
    let Some(Signal::Offer { nonce: of, sdp }) = harness.signals.recv().await else { panic!("an offer") };
    assert_eq!((of.0.as_str(), sdp.as_str()), (nonce.as_str(), "v=0"));
    harness.replies.send(Reply::Answer { nonce: of.clone(), sdp: "v=1".into() }).await.unwrap();
    assert_eq!(harness.read().await, json!({"t": "answer", "nonce": nonce, "sdp": "v=1"}));
    harness.replies.send(Reply::Candidate { nonce: of, candidate: None }).await.unwrap();
    assert_eq!(harness.read().await, json!({"t": "candidate", "nonce": nonce, "candidate": null}));
}

#[tokio::test]
async fn a_hello_line_brings_a_fresh_nonce_and_ends_the_old_one() {
    let mut harness = Harness::start();
    let old = harness.hello().await;
    harness.write(r#"{"t":"hello"}"#).await;
    let new = harness.hello().await;
    assert_ne!(old, new);
    let Some(Signal::Gone { nonce, .. }) = harness.signals.recv().await else { panic!("the old one is gone") };
    assert_eq!(nonce.0, old);
    harness.write(&json!({"t": "offer", "nonce": old, "sdp": "stale"}).to_string()).await;
    harness.replies.send(Reply::Bye { nonce, reason: "stale".into() }).await.unwrap();
    harness.write(&json!({"t": "bye", "nonce": new, "reason": "done"}).to_string()).await;
    let Some(Signal::Bye { nonce, reason }) = harness.signals.recv().await else { panic!("a bye") };
    assert_eq!((nonce.0, reason.as_str()), (new, "done"));
}

#[tokio::test]
async fn other_nonces_broken_and_endless_lines_are_ignored() {
    let mut harness = Harness::start();
    let nonce = harness.hello().await;
    for line in ["", "{", "null", r#"{"t":"offer","nonce":"forged","sdp":"x"}"#, r#"{"t":"answer"}"#] {
        harness.write(line).await;
    }
    harness.write(&"x".repeat(3 * setup::MESSAGE)).await;
    harness.input.write_all(b"\xff\xfe\n").await.unwrap();
    harness.write(&json!({"t": "bye", "nonce": nonce}).to_string()).await;
    assert!(matches!(harness.signals.recv().await, Some(Signal::Bye { .. })));
}

#[tokio::test]
async fn the_end_of_stdin_stops_slicc_which_still_says_bye() {
    let mut harness = Harness::start();
    let nonce = Nonce(harness.hello().await);
    harness.input.shutdown().await.unwrap();
    assert!(harness.signals.recv().await.is_none(), "the node learns of the end");
    harness.replies.send(Reply::Bye { nonce, reason: "exit".into() }).await.unwrap();
    drop(harness.replies);
    assert!(harness.output.next_line().await.unwrap().unwrap().contains(r#""t":"bye""#));
    assert_eq!(harness.run.await.unwrap().unwrap(), Ended::InputClosed);
}

#[tokio::test]
async fn a_shutdown_delivers_the_bye() {
    let mut harness = Harness::start();
    let nonce = Nonce(harness.hello().await);
    harness.shutdown.cancel();
    harness.replies.send(Reply::Bye { nonce, reason: "exit".into() }).await.unwrap();
    drop(harness.replies);
    assert!(harness.output.next_line().await.unwrap().unwrap().contains(r#""t":"bye""#));
    assert_eq!(harness.run.await.unwrap().unwrap(), Ended::Shutdown);
}

#[tokio::test]
async fn a_harness_that_reads_nothing_doesnt_keep_slicc_from_exiting() {
    let harness = Harness::start();
    let nonce = Nonce::mint();
    harness.shutdown.cancel();
    // The node never drops its sender.
    let _ = harness.replies.send(Reply::Bye { nonce, reason: "exit".into() }).await;
    assert_eq!(harness.run.await.unwrap().unwrap(), Ended::Shutdown);
}

#[tokio::test]
async fn a_harness_that_hung_up_ends_the_setup() {
    let (ours, theirs) = duplex(64);
    drop(ours);
    let (never, _open) = duplex(64);
    let config = OverStdio { input: BufReader::new(never), output: theirs, node: NodeId::mint() };
    let (signals, _signals) = mpsc::channel(1);
    let (_replies, replies) = mpsc::channel(1);
    let result = config.run(signals, replies, CancellationToken::new()).await;
    assert_eq!(result.unwrap(), Ended::OutputClosed);
}

/// A stdout that goes to a full disk.
struct Full;

impl AsyncWrite for Full {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Err(io::ErrorKind::StorageFull.into()))
    }
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn a_stdout_that_cannot_be_written_is_an_error() {
    let (never, _open) = duplex(64);
    let config = OverStdio { input: BufReader::new(never), output: Full, node: NodeId::mint() };
    let (signals, _signals) = mpsc::channel(1);
    let (_replies, replies) = mpsc::channel(1);
    let result = config.run(signals, replies, CancellationToken::new()).await;
    assert!(matches!(result, Err(SignalError::Output(_))), "{result:?}");
}
