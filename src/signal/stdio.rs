//! Setup over stdio, for a harness that owns CDP itself: setup messages as NDJSON (section "Setup over stdio" of the
//! requirement).

use std::{collections::VecDeque, io};

use bytes::{Buf, BytesMut};
use tokio::{
    io::{AsyncBufRead, AsyncWrite, AsyncWriteExt},
    sync::mpsc,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{
    Ended, NodeId, Nonce, Reply, Signal, SignalError, Signaller,
    lines::{Line, Lines},
    message::parse,
};
use crate::generated::{
    events::{SetupFromNode, SetupFromPage},
    link::setup,
};

pub use super::over_cdp::FAREWELL;

/// Where the messages go and come from.
#[derive(Debug)]
pub struct OverStdio<R, W> {
    /// The harness's messages, one per line.
    pub input: R,
    /// The node's messages, one per line.
    pub output: W,
    /// The process's id.
    pub node: NodeId,
}

impl<R, W> Signaller for OverStdio<R, W>
where
    R: AsyncBufRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    /// Runs setup over stdio; the first line out is a hello. After `shutdown` or the end of the input, replies are still written for at most [`FAREWELL`].
    async fn run(
        self,
        signals: mpsc::Sender<Signal>,
        mut replies: mpsc::Receiver<Reply>,
        shutdown: CancellationToken,
    ) -> Result<Ended, SignalError> {
        let OverStdio { input, output, node } = self;
        let mut session = Session { writer: Writer { output, unwritten: BytesMut::new() }, nonce: Nonce::mint(), node };
        let ended = tokio::select! {
            biased;
            () = shutdown.cancelled() => Ended::Shutdown,
            ended = session.serve(Lines::new(input, setup::MESSAGE), &signals, &mut replies) => match ended {
                // A node that stops because it was asked to may be gone before this task sees the request.
                Ok(Ended::NodeGone) if shutdown.is_cancelled() => Ended::Shutdown,
                Err(SignalError::Output(error)) if is_hang_up(&error) => Ended::OutputClosed,
                ended => ended?,
            },
        };
        // The node takes the end of its signals as the end, and says its bye.
        drop(signals);
        match timeout(FAREWELL, session.farewell(&mut replies)).await {
            Ok(Err(error)) if !is_hang_up(&error) => return Err(SignalError::Output(error)),
            Ok(_) => {}
            Err(_) => tracing::debug!("the harness didn't take the last messages"),
        }
        Ok(ended)
    }
}

/// Whether the harness is gone, which ends the setup as the end of stdin does.
fn is_hang_up(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

struct Session<W> {
    writer: Writer<W>,
    nonce: Nonce,
    node: NodeId,
}

impl<W: AsyncWrite + Unpin> Session<W> {
    async fn serve(
        &mut self,
        mut lines: Lines<impl AsyncBufRead + Unpin>,
        signals: &mpsc::Sender<Signal>,
        replies: &mut mpsc::Receiver<Reply>,
    ) -> Result<Ended, SignalError> {
        let mut backlog = VecDeque::new();
        self.hello();
        loop {
            self.writer.flush().await.map_err(SignalError::Output)?;
            tokio::select! {
                // Replies are taken while the node's queue is full, so that node and signaller never wait for each other.
                permit = signals.reserve(), if !backlog.is_empty() => match permit {
                    Ok(permit) => if let Some(signal) = backlog.pop_front() { permit.send(signal) },
                    Err(_) => return Ok(Ended::NodeGone),
                },
                line = lines.next(), if backlog.is_empty() => match line.map_err(SignalError::Input)? {
                    Some(Line::Text(text)) => backlog.extend(self.line(&text)),
                    Some(Line::Unreadable) => tracing::debug!("ignored a line that is too long, or not UTF-8"),
                    None => return Ok(Ended::InputClosed),
                },
                reply = replies.recv() => match reply {
                    Some(reply) => self.reply(reply),
                    None => return Ok(Ended::NodeGone),
                },
            }
        }
    }

    async fn farewell(&mut self, replies: &mut mpsc::Receiver<Reply>) -> io::Result<()> {
        self.writer.flush().await?;
        while let Some(reply) = replies.recv().await {
            self.reply(reply);
            self.writer.flush().await?;
        }
        Ok(())
    }

    fn hello(&mut self) {
        self.writer.line(&SetupFromNode::hello(&self.nonce, &self.node));
    }

    fn reply(&mut self, reply: Reply) {
        if *reply.nonce() == self.nonce {
            self.writer.line(&reply.into());
        }
    }

    fn line(&mut self, text: &str) -> Option<Signal> {
        match parse(text) {
            Ok(SetupFromPage::Hello) => {
                let nonce = std::mem::replace(&mut self.nonce, Nonce::mint());
                self.hello();
                Some(Signal::Gone { nonce, reason: "the harness asked for a new hello".to_owned() })
            }
            Ok(message) if message.nonce() == Some(&self.nonce) => message.into_signal(),
            Ok(_) => {
                tracing::debug!("ignored a setup message with another nonce");
                None
            }
            Err(error) => {
                tracing::debug!("ignored a setup message: {error}");
                None
            }
        }
    }
}

/// Writes lines. What a dropped future didn't write is written by the next one, so no line is ever torn.
struct Writer<W> {
    output: W,
    unwritten: BytesMut,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    fn line(&mut self, message: &SetupFromNode) {
        let text = serde_json::to_string(message).expect("a message of texts and numbers is JSON");
        self.unwritten.extend_from_slice(text.as_bytes());
        self.unwritten.extend_from_slice(b"\n");
    }

    async fn flush(&mut self) -> io::Result<()> {
        while self.unwritten.has_remaining() {
            let written = self.output.write(&self.unwritten).await?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.unwritten.advance(written);
        }
        self.output.flush().await
    }
}

#[cfg(test)]
#[path = "stdio_tests.rs"]
mod tests;
