//! A connection's UDP socket: it tells when packets arrive, and hands out the first ones singly.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use tokio::sync::Notify;
use webrtc::runtime::{AsyncUdpSocket, RecvMeta, Transmit};

/// Packets that arrived, and who waits for the next one.
///
/// On the connection's one thread, whoever is woken runs after the stack has worked the packet off.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    count: AtomicU64,
    notify: Notify,
    connected: AtomicBool,
}

impl Arrivals {
    /// How many times packets arrived.
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The next arrival, from the first poll or `enable` on.
    pub(super) fn next(&self) -> tokio::sync::futures::Notified<'_> {
        self.notify.notified()
    }

    fn is_connected(&self) -> bool {
        self.connected.load(Ordering::Relaxed)
    }

    /// The connection is up.
    pub(super) fn connected(&self) {
        self.connected.store(true, Ordering::Relaxed);
    }

    fn arrived(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.notify.notify_waiters();
    }
}

/// A socket of a connection.
///
/// Until the connection is up it hands packets out one by one. The stack works a burst off before it acts on any of it: the
/// peer's first DTLS packet, which follows at the heels of the check that completes ICE, would find no DTLS yet and be lost
/// for a second.
#[derive(Debug)]
pub(super) struct Socket {
    inner: Arc<dyn AsyncUdpSocket>,
    arrivals: Arc<Arrivals>,
    /// Whether a packet was just handed out and the next one waits for the stack to act on it.
    taking_turns: AtomicBool,
}

impl Socket {
    pub(super) fn new(inner: Arc<dyn AsyncUdpSocket>, arrivals: Arc<Arrivals>) -> Self {
        Self { inner, arrivals, taking_turns: AtomicBool::new(false) }
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
        buffers: &mut [io::IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let one_by_one = !self.arrivals.is_connected();
        if one_by_one && self.taking_turns.swap(false, Ordering::Relaxed) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let at_once = if one_by_one { buffers.len().min(1) } else { buffers.len() };
        let polled = self.inner.poll_recv(cx, &mut buffers[..at_once], meta);
        if matches!(polled, Poll::Ready(Ok(_))) {
            self.taking_turns.store(one_by_one, Ordering::Relaxed);
            self.arrivals.arrived();
        }
        polled
    }

    fn max_gso_segments(&self) -> usize {
        self.inner.max_gso_segments()
    }

    fn max_gro_segments(&self) -> usize {
        self.inner.max_gro_segments()
    }
}
