//! The connections whose request head isn't complete yet: few, and not for long.

use std::{collections::VecDeque, future::pending};

use bytes::Bytes;
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    task::{AbortHandle, Id, JoinSet},
    time::timeout,
};

use super::gate::{Gate, Verdict};
use crate::generated::link::{limits, timeouts};

/// A connection whose head was read.
#[derive(Debug)]
pub(super) struct Asked<S> {
    pub(super) socket: S,
    /// Everything that was read.
    pub(super) read: Bytes,
    pub(super) verdict: Verdict,
    /// Whether an answer has no body.
    pub(super) to_head: bool,
}

/// Reads heads, at most [`limits::KERNEL_WAITING_HEADS`] at once and each for at most [`timeouts::KERNEL_HEAD_READ`].
/// Dropping it closes the connections.
#[derive(Debug)]
pub(super) struct Heads<S> {
    listener: u16,
    reading: JoinSet<Option<Asked<S>>>,
    /// The same, the oldest first.
    order: VecDeque<AbortHandle>,
}

impl<S: AsyncRead + Unpin + Send + 'static> Heads<S> {
    /// No connections. `listener` is the port that browsers connect to.
    pub(super) fn new(listener: u16) -> Self {
        Self { listener, reading: JoinSet::new(), order: VecDeque::new() }
    }

    /// Reads the head of one more connection. The oldest is dropped when there are too many.
    pub(super) fn push(&mut self, socket: S) {
        if self.order.len() >= limits::KERNEL_WAITING_HEADS {
            self.drop_oldest();
        }
        self.order.push_back(self.reading.spawn(read(socket, self.listener)));
    }

    /// Closes the connection that has waited longest.
    pub(super) fn drop_oldest(&mut self) {
        if let Some(oldest) = self.order.pop_front() {
            oldest.abort();
        }
    }

    /// The next connection whose head is complete, or never will be of use. It may be called anew without losing one.
    pub(super) async fn next(&mut self) -> Asked<S> {
        loop {
            match self.reading.join_next_with_id().await {
                None => pending().await,
                Some(Ok((id, asked))) => {
                    self.forget(id);
                    if let Some(asked) = asked {
                        return asked;
                    }
                }
                Some(Err(error)) => {
                    self.forget(error.id());
                    if error.is_panic() {
                        tracing::debug!(%error, "a connection to kernel services broke");
                    }
                }
            }
        }
    }

    fn forget(&mut self, id: Id) {
        self.order.retain(|reading| reading.id() != id);
    }
}

/// Reads until there is a verdict; `None` when the connection ends before that, or takes too long.
async fn read<S: AsyncRead + Unpin>(mut socket: S, listener: u16) -> Option<Asked<S>> {
    let mut gate = Gate::new(listener);
    let decided = async {
        loop {
            match socket.read_buf(&mut gate.buffer()).await {
                // A browser that goes away before it asked wants nothing.
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
            if let Some(verdict) = gate.decide() {
                return Some(verdict);
            }
        }
    };
    let verdict = timeout(timeouts::KERNEL_HEAD_READ, decided).await.ok().flatten()?;
    Some(Asked { socket, to_head: gate.is_head(), read: gate.into_read(), verdict })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::{
        io::{AsyncWriteExt, DuplexStream, duplex},
        time::{Instant, sleep},
    };

    use super::*;

    const HEAD: &[u8] = b"GET / HTTP/1.1\r\nHost: 5173.kernel.localhost\r\n\r\n";

    fn connect(heads: &mut Heads<DuplexStream>) -> DuplexStream {
        let (browser, socket) = duplex(1024);
        heads.push(socket);
        browser
    }

    /// Lets the heads be read until nothing more happens.
    async fn settle(heads: &mut Heads<DuplexStream>) -> Vec<Asked<DuplexStream>> {
        let mut asked = Vec::new();
        while let Ok(next) = timeout(Duration::from_millis(1), heads.next()).await {
            asked.push(next);
        }
        asked
    }

    async fn is_closed(browser: &mut DuplexStream) -> bool {
        matches!(timeout(Duration::from_millis(1), browser.read(&mut [0])).await, Ok(Ok(0) | Err(_)))
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_complete_head_is_closed_after_30_s_without_an_answer() {
        let mut heads = Heads::new(80);
        let mut browser = connect(&mut heads);
        browser.write_all(&HEAD[..HEAD.len() - 1]).await.unwrap();
        let start = Instant::now();
        let mut answer = [0];
        tokio::select! {
            _ = heads.next() => panic!("the head isn't complete"),
            read = browser.read(&mut answer) => assert_eq!(read.unwrap(), 0),
        }
        assert_eq!(start.elapsed().as_secs(), 30);
        assert!(heads.order.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_drips_in_has_no_more_time() {
        let mut heads = Heads::new(80);
        let mut browser = connect(&mut heads);
        let start = Instant::now();
        let dripping = async {
            while browser.write_all(b"x").await.is_ok() {
                sleep(Duration::from_secs(1)).await;
            }
        };
        tokio::select! {
            _ = heads.next() => panic!("the head isn't complete"),
            () = dripping => {}
        }
        assert!((30..=31).contains(&start.elapsed().as_secs()));
    }

    #[tokio::test(start_paused = true)]
    async fn of_257_connections_that_wait_the_oldest_is_dropped() {
        let mut heads = Heads::new(80);
        let mut browsers: Vec<_> = (0..limits::KERNEL_WAITING_HEADS).map(|_| connect(&mut heads)).collect();
        assert!(settle(&mut heads).await.is_empty());
        assert!(!is_closed(&mut browsers[0]).await);
        browsers.push(connect(&mut heads));
        settle(&mut heads).await;
        assert!(is_closed(&mut browsers[0]).await);
        for browser in &mut browsers[1..] {
            browser.write_all(HEAD).await.unwrap();
        }
        assert_eq!(settle(&mut heads).await.len(), limits::KERNEL_WAITING_HEADS);
        assert!(heads.order.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn connections_that_have_asked_do_not_count() {
        let mut heads = Heads::new(80);
        let mut kept = Vec::new();
        let mut first = connect(&mut heads);
        for _ in 0..2 * limits::KERNEL_WAITING_HEADS {
            let mut browser = connect(&mut heads);
            browser.write_all(HEAD).await.unwrap();
            kept.extend(settle(&mut heads).await);
        }
        assert_eq!(kept.len(), 2 * limits::KERNEL_WAITING_HEADS);
        first.write_all(HEAD).await.unwrap();
        assert_eq!(heads.next().await.verdict, Verdict::Ask(5173));
    }

    #[tokio::test(start_paused = true)]
    async fn a_browser_that_goes_away_before_it_asked_leaves_nothing() {
        let mut heads = Heads::new(80);
        drop(connect(&mut heads));
        let mut browser = connect(&mut heads);
        browser.write_all(b"GET /").await.unwrap();
        browser.shutdown().await.unwrap();
        assert!(settle(&mut heads).await.is_empty());
        assert!(heads.order.is_empty() && heads.reading.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_read_is_kept_whole() {
        let mut heads = Heads::new(80);
        let mut browser = connect(&mut heads);
        let sent = [HEAD, b"early body"].concat();
        browser.write_all(&sent).await.unwrap();
        let asked = heads.next().await;
        assert_eq!(asked.read, sent);
        assert!(!asked.to_head);
    }
}
