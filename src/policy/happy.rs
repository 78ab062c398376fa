//! Happy Eyeballs (RFC 8305): which address of a name is connected to first, and what happens when it doesn't answer.

use std::{
    collections::VecDeque,
    future::{Future, pending},
    io,
    net::SocketAddr,
    time::Duration,
};

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::time::{Instant, sleep, sleep_until};

use super::{Denial, Verdict};

/// How long an attempt has before the next one starts (RFC 8305, section 5, "Connection Attempt Delay").
pub(super) const ATTEMPT_DELAY: Duration = Duration::from_millis(250);

/// Why no address was connected to.
#[derive(Debug)]
pub(super) enum Lost {
    /// An allowed address, the first one that failed.
    Failed(io::Error),
    /// No allowed address answered in time, and none failed.
    TimedOut,
    /// Every address was refused; why the first one was.
    Refused(Denial),
    /// There was no address.
    NoAddress,
}

/// The addresses with the families taking turns, the first one's family first, in their order otherwise (RFC 8305, section 4).
pub(super) fn interleave(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let Some(first) = addresses.first().map(SocketAddr::is_ipv6) else { return addresses };
    let (preferred, others): (VecDeque<_>, VecDeque<_>) =
        addresses.into_iter().partition(|address| address.is_ipv6() == first);
    let mut turns = [preferred, others];
    let mut order = Vec::with_capacity(turns.iter().map(VecDeque::len).sum());
    while turns.iter().any(|turn| !turn.is_empty()) {
        for turn in &mut turns {
            order.extend(turn.pop_front());
        }
    }
    order
}

/// Connects to the first address that answers. An attempt starts when the one before it has failed or `attempt_delay` has
/// passed. Each address is judged right before its attempt; one that is refused is skipped without a delay. The attempts that
/// lose are dropped.
pub(super) async fn race<T, C>(
    addresses: impl IntoIterator<Item = SocketAddr>,
    attempt_delay: Duration,
    deadline: Instant,
    judge: impl Fn(SocketAddr) -> Verdict,
    connect: impl Fn(SocketAddr) -> C,
) -> Result<T, Lost>
where
    C: Future<Output = io::Result<T>>,
{
    let mut waiting = addresses.into_iter().peekable();
    let mut attempts = FuturesUnordered::new();
    let mut failure = None;
    let mut denial = None;
    loop {
        for address in waiting.by_ref() {
            match judge(address) {
                Verdict::Allow => {
                    attempts.push(connect(address));
                    break;
                }
                Verdict::Deny(reason) => _ = denial.get_or_insert(reason),
            }
        }
        if attempts.is_empty() {
            return Err(match (failure, denial) {
                (Some(error), _) => Lost::Failed(error),
                (None, Some(reason)) => Lost::Refused(reason),
                (None, None) => Lost::NoAddress,
            });
        }
        let last = waiting.peek().is_none();
        let next_attempt = async { if last { pending().await } else { sleep(attempt_delay).await } };
        tokio::select! {
            biased;
            Some(outcome) = attempts.next() => match outcome {
                Ok(connected) => return Ok(connected),
                Err(error) => _ = failure.get_or_insert(error),
            },
            () = sleep_until(deadline) => return Err(failure.map_or(Lost::TimedOut, Lost::Failed)),
            () = next_attempt => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tokio::time::timeout;

    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    fn addresses(texts: &[&str]) -> Vec<SocketAddr> {
        texts.iter().map(|text| address(text)).collect()
    }

    /// Longer than any test lives: an attempt that waits for it never starts.
    const FOREVER: Duration = Duration::from_hours(1);
    const SHORT: Duration = Duration::from_millis(10);

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(10)
    }

    fn refuse_loopback(address: SocketAddr) -> Verdict {
        if address.ip().is_loopback() { Verdict::Deny(Denial::Default("loopback")) } else { Verdict::Allow }
    }

    /// Port 1 connects, port 2 is refused, port 3 hangs.
    async fn connect(started: &Mutex<Vec<SocketAddr>>, address: SocketAddr) -> io::Result<SocketAddr> {
        started.lock().unwrap().push(address);
        match address.port() {
            1 => Ok(address),
            2 => Err(io::ErrorKind::ConnectionRefused.into()),
            _ => pending().await,
        }
    }

    #[test]
    fn families_take_turns_and_the_first_one_stays_first() {
        let order = interleave(addresses(&["[::1]:1", "[::2]:1", "[::3]:1", "1.0.0.1:1", "1.0.0.2:1"]));
        assert_eq!(order, addresses(&["[::1]:1", "1.0.0.1:1", "[::2]:1", "1.0.0.2:1", "[::3]:1"]));
        let order = interleave(addresses(&["1.0.0.1:1", "1.0.0.2:1", "[::1]:1"]));
        assert_eq!(order, addresses(&["1.0.0.1:1", "[::1]:1", "1.0.0.2:1"]));
        assert!(interleave(vec![]).is_empty());
    }

    #[tokio::test]
    async fn an_attempt_that_hangs_is_overtaken_by_the_next_after_the_delay() {
        let started = Mutex::new(vec![]);
        let begun = Instant::now();
        let all = addresses(&["1.0.0.1:3", "1.0.0.2:1"]);
        let won = race(all, SHORT, soon(), |_| Verdict::Allow, |a| connect(&started, a)).await;
        assert_eq!(won.unwrap(), address("1.0.0.2:1"));
        assert!(begun.elapsed() >= SHORT);
    }

    #[tokio::test]
    async fn a_failed_attempt_starts_the_next_at_once() {
        let started = Mutex::new(vec![]);
        let all = addresses(&["1.0.0.1:2", "1.0.0.2:2", "1.0.0.3:2", "1.0.0.4:2", "1.0.0.5:1"]);
        let won = race(all.clone(), FOREVER, soon(), |_| Verdict::Allow, |a| connect(&started, a)).await;
        assert_eq!(won.unwrap(), all[4]);
        assert_eq!(*started.lock().unwrap(), all);
    }

    #[tokio::test]
    async fn the_first_success_drops_the_attempts_that_lose() {
        struct Dropped<'a>(&'a Mutex<bool>);
        impl Drop for Dropped<'_> {
            fn drop(&mut self) {
                *self.0.lock().unwrap() = true;
            }
        }
        let dropped = Mutex::new(false);
        let won = race(
            addresses(&["1.0.0.1:3", "1.0.0.2:1"]),
            SHORT,
            soon(),
            |_| Verdict::Allow,
            async |address| {
                if address.port() == 1 {
                    return Ok(address);
                }
                let _guard = Dropped(&dropped);
                pending().await
            },
        )
        .await;
        assert_eq!(won.unwrap(), address("1.0.0.2:1"));
        assert!(*dropped.lock().unwrap());
    }

    #[tokio::test]
    async fn a_refused_address_is_never_connected_to() {
        let started = Mutex::new(vec![]);
        let all = addresses(&["127.0.0.1:1", "1.0.0.1:1", "[::1]:1"]);
        let won = race(all, FOREVER, soon(), refuse_loopback, |a| connect(&started, a)).await;
        assert_eq!(won.unwrap(), address("1.0.0.1:1"));
        assert_eq!(*started.lock().unwrap(), addresses(&["1.0.0.1:1"]));
    }

    #[tokio::test]
    async fn an_address_is_judged_when_its_attempt_starts() {
        let started = Mutex::new(vec![]);
        let judge = |address: SocketAddr| {
            let earlier = started.lock().unwrap().len();
            assert_eq!(earlier, usize::from(address.port() == 1), "judged before its turn");
            Verdict::Allow
        };
        let won = race(addresses(&["1.0.0.1:2", "1.0.0.2:1"]), FOREVER, soon(), judge, |a| connect(&started, a)).await;
        assert!(won.is_ok());
    }

    #[tokio::test]
    async fn the_error_is_the_first_allowed_addresss() {
        let started = Mutex::new(vec![]);
        let all = addresses(&["127.0.0.1:1", "1.0.0.1:2"]);
        let lost = race(all, FOREVER, soon(), refuse_loopback, |a| connect(&started, a)).await;
        assert!(matches!(lost, Err(Lost::Failed(error)) if error.kind() == io::ErrorKind::ConnectionRefused));
        let all = addresses(&["127.0.0.1:1", "[::1]:1"]);
        let lost = race(all, FOREVER, soon(), refuse_loopback, |a| connect(&started, a)).await;
        assert!(matches!(lost, Err(Lost::Refused(Denial::Default("loopback")))));
        let lost = race([], FOREVER, soon(), refuse_loopback, |a| connect(&started, a)).await;
        assert!(matches!(lost, Err(Lost::NoAddress)));
    }

    #[tokio::test]
    async fn the_deadline_ends_every_attempt() {
        let started = Mutex::new(vec![]);
        let deadline = Instant::now() + SHORT;
        let all = addresses(&["1.0.0.1:3", "1.0.0.2:3"]);
        let racing = race(all, FOREVER, deadline, |_| Verdict::Allow, |a| connect(&started, a));
        let lost = timeout(Duration::from_secs(20), racing).await.expect("the deadline ends it");
        assert!(matches!(lost, Err(Lost::TimedOut)));
        assert_eq!(started.lock().unwrap().len(), 1);
    }
}
