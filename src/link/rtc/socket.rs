//! A UDP socket as the stack sees it: a few datagrams at a time, either way.

use std::{
    io::{self, IoSliceMut},
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use webrtc::runtime::{AsyncUdpSocket, RecvMeta, Transmit};

use super::runtime::Arrivals;

/// Messages after which the stack is to think that there are no more, for once.
///
/// It acknowledges what it got when it has read all there is. A browser sends at most four packets for each acknowledgement,
/// so one for a long batch would leave it waiting most of the time: with one for every four, a page sends twice as fast,
/// and the node needs less time for each byte, since it seldom has to be woken.
const TURN: usize = 4;
/// The longest datagram that the stack sends: its packets of 1,191 bytes with what DTLS adds, rounded up.
const LONGEST_DATAGRAM: usize = 1_280;
/// Datagrams that one system call may send. Together they may be no longer than a single datagram over IPv4 can be, the
/// system refuses them all otherwise; the stack goes by the 28 bytes more that an IP packet has, and sends what it lost in the
/// same way again and again.
const MAX_SEGMENTS: usize = (65_535 - 20 - 8) / LONGEST_DATAGRAM;

/// A socket that tells when packets arrive.
#[derive(Debug)]
pub(super) struct Socket {
    inner: Arc<dyn AsyncUdpSocket>,
    arrivals: Arc<Arrivals>,
    /// Messages handed over since the stack last found nothing.
    turn: AtomicUsize,
}

impl Socket {
    /// Reads from and writes to `inner`.
    pub(super) fn new(inner: Arc<dyn AsyncUdpSocket>, arrivals: Arc<Arrivals>) -> Self {
        Self { inner, arrivals, turn: AtomicUsize::new(0) }
    }
}

impl AsyncUdpSocket for Socket {
    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }

    fn poll_send(&self, cx: &mut Context<'_>, transmit: &Transmit<'_>) -> Poll<io::Result<usize>> {
        self.inner.poll_send(cx, transmit)
    }

    fn poll_recv(
        &self,
        cx: &mut Context<'_>,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        // Only the connection's one thread reads.
        if self.turn.load(Ordering::Relaxed) >= TURN {
            self.turn.store(0, Ordering::Relaxed);
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let polled = self.inner.poll_recv(cx, buffers, meta);
        match &polled {
            Poll::Ready(Ok(messages)) => {
                self.turn.fetch_add(*messages, Ordering::Relaxed);
                self.arrivals.arrived();
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.turn.store(0, Ordering::Relaxed),
        }
        polled
    }

    fn max_gso_segments(&self) -> usize {
        self.inner.max_gso_segments().min(MAX_SEGMENTS)
    }

    fn max_gro_segments(&self) -> usize {
        self.inner.max_gro_segments()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::VecDeque,
        sync::Mutex,
        task::{Wake, Waker},
    };

    use super::*;

    /// A socket with messages at hand: each is a byte, so many times.
    #[derive(Debug, Default)]
    struct Scripted(Mutex<VecDeque<(u8, usize)>>);

    impl AsyncUdpSocket for Scripted {
        fn local_addr(&self) -> io::Result<SocketAddr> {
            Ok(([127, 0, 0, 1], 9).into())
        }

        fn poll_send(&self, _: &mut Context<'_>, _: &Transmit<'_>) -> Poll<io::Result<usize>> {
            Poll::Pending
        }

        fn poll_recv(
            &self,
            _: &mut Context<'_>,
            buffers: &mut [IoSliceMut<'_>],
            meta: &mut [RecvMeta],
        ) -> Poll<io::Result<usize>> {
            let Some((byte, length)) = self.0.lock().unwrap().pop_front() else { return Poll::Pending };
            buffers[0][..length].fill(byte);
            meta[0] = RecvMeta::default();
            (meta[0].len, meta[0].stride) = (length, length);
            Poll::Ready(Ok(1))
        }
    }

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What the stack reads until it finds nothing, and whether it was woken to look again.
    fn turn(socket: &Socket) -> (Vec<Vec<u8>>, bool) {
        let woken: Arc<Woken> = Arc::default();
        let waker = Waker::from(Arc::clone(&woken));
        let mut cx = Context::from_waker(&waker);
        let mut read = Vec::new();
        loop {
            let (mut bytes, mut meta) = ([0; 64], [RecvMeta::default()]);
            match socket.poll_recv(&mut cx, &mut [IoSliceMut::new(&mut bytes)], &mut meta) {
                Poll::Ready(count) => {
                    assert_eq!(count.unwrap(), 1);
                    read.push(bytes[..meta[0].len].to_vec());
                }
                Poll::Pending => return (read, woken.0.load(Ordering::Relaxed) > 0),
            }
        }
    }

    fn socket(messages: u8) -> (Socket, Arc<Arrivals>) {
        let inner = Scripted(Mutex::new((0..messages).map(|n| (n, usize::from(n) % 64)).collect()));
        let arrivals: Arc<Arrivals> = Arc::default();
        (Socket::new(Arc::new(inner), Arc::clone(&arrivals)), arrivals)
    }

    #[test]
    fn every_message_is_handed_over_once_and_in_order() {
        let (socket, arrivals) = socket(100);
        let mut read = Vec::new();
        loop {
            let (messages, again) = turn(&socket);
            read.extend(messages);
            if !again {
                break;
            }
        }
        let expected: Vec<_> = (0..100u8).map(|n| vec![n; usize::from(n) % 64]).collect();
        assert_eq!(read, expected);
        assert_eq!(arrivals.count(), 100);
    }

    #[test]
    fn the_stack_gets_to_acknowledge_after_a_few_messages_and_is_woken_for_the_rest() {
        let (socket, _) = socket(9);
        let turns: Vec<_> = (0..4).map(|_| turn(&socket)).map(|(read, again)| (read.len(), again)).collect();
        assert_eq!(turns, [(TURN, true), (TURN, true), (1, false), (0, false)]);
    }
}
