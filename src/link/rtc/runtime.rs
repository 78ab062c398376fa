//! What the stack gets for a runtime: Tokio's, with larger socket buffers, with its tasks under control, and with a word to
//! the connection each time that a packet arrives.

use std::{
    fmt,
    future::Future,
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use rtc::mdns::MDNS_PORT;
use tokio::sync::{Notify, mpsc, watch};
use webrtc::runtime::{
    AsyncInterval, AsyncTcpListener, AsyncTcpStream, AsyncUdpSocket, JoinHandle, Runtime, TokioRuntime,
};

use super::{
    handler::{Gathering, Signal},
    socket::Socket,
};
use crate::generated::link::limits;

/// Packets that arrived, and who waits for the next one.
///
/// On the connection's one thread, whoever is woken runs after the stack has worked the packet off.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    count: AtomicU64,
    notify: Notify,
    /// Ends the stack's sleep while the connection is being set up.
    nudge: Notify,
    set_up: AtomicBool,
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

    pub(super) fn arrived(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.notify.notify_waiters();
        if !self.set_up.load(Ordering::Relaxed) {
            self.nudge.notify_one();
        }
    }

    /// The connection has a channel: the stack may sleep as it likes.
    pub(super) fn set_up(&self) {
        self.set_up.store(true, Ordering::Relaxed);
    }
}

/// The stack's runtime for one connection.
pub(super) struct StackRuntime {
    tokio: TokioRuntime,
    arrivals: Arc<Arrivals>,
    signals: mpsc::Sender<Signal>,
    gathering: watch::Sender<Gathering>,
    tasks: Mutex<Vec<tokio::task::AbortHandle>>,
    /// Makes mDNS fail to start, as on a machine without multicast.
    #[cfg(test)]
    pub(super) without_multicast: bool,
}

impl StackRuntime {
    pub(super) fn new(signals: mpsc::Sender<Signal>, gathering: watch::Sender<Gathering>) -> Self {
        Self {
            tokio: TokioRuntime,
            arrivals: Arc::default(),
            signals,
            gathering,
            tasks: Mutex::default(),
            #[cfg(test)]
            without_multicast: false,
        }
    }

    pub(super) fn arrivals(&self) -> Arc<Arrivals> {
        Arc::clone(&self.arrivals)
    }

    /// Ends every task of the stack, and with them its sockets.
    pub(super) fn abort_tasks(&self) {
        for task in self.tasks.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            task.abort();
        }
    }
}

impl fmt::Debug for StackRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StackRuntime").finish_non_exhaustive()
    }
}

impl Runtime for StackRuntime {
    fn spawn(&self, future: Pin<Box<dyn Future<Output = ()> + Send>>) -> Box<dyn JoinHandle> {
        // The stack's event loop is the task that it spawns first. It reports no error when it ends early.
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let stopped = tasks.is_empty().then(|| (self.signals.clone(), self.gathering.clone()));
        let task = tokio::spawn(async move {
            future.await;
            if let Some((signals, gathering)) = stopped {
                gathering.send_replace(Gathering::Ended);
                // A full queue is noticed by whoever filled it.
                let _ = signals.try_send(Signal::Stopped);
            }
        });
        tasks.retain(|task| !task.is_finished());
        tasks.push(task.abort_handle());
        Box::new(Task(task))
    }

    fn wrap_udp_socket(&self, socket: std::net::UdpSocket) -> io::Result<Arc<dyn AsyncUdpSocket>> {
        if socket.local_addr()?.port() == MDNS_PORT {
            #[cfg(test)]
            if self.without_multicast {
                return Err(io::Error::from_raw_os_error(19));
            }
            return self.tokio.wrap_udp_socket(socket);
        }
        // The default holds a fraction of the peer's window, and each overflow costs a retransmission. The system may
        // clamp the size, which only makes the connection slower.
        if let Err(error) = socket2::SockRef::from(&socket).set_recv_buffer_size(limits::SCTP_RECEIVE_BUFFER) {
            tracing::debug!(%error, "the receive buffer of a UDP socket can't be enlarged");
        }
        Ok(Arc::new(Socket::new(self.tokio.wrap_udp_socket(socket)?, self.arrivals())))
    }

    fn wrap_tcp_listener(&self, listener: std::net::TcpListener) -> io::Result<Arc<dyn AsyncTcpListener>> {
        self.tokio.wrap_tcp_listener(listener)
    }

    fn connect_tcp<'a>(
        &'a self,
        _remote: SocketAddr,
    ) -> Pin<Box<dyn Future<Output = io::Result<Arc<dyn AsyncTcpStream>>> + Send + 'a>> {
        // Only a candidate of the peer could cause this, and those are dropped: nothing but the policy's dialer may
        // connect to where a page says.
        Box::pin(async { Err(io::ErrorKind::Unsupported.into()) })
    }

    fn resolve_host<'a>(
        &'a self,
        _host: &'a str,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'a>> {
        // A link has no STUN or TURN server, so nothing may be looked up.
        Box::pin(async { Err(io::ErrorKind::Unsupported.into()) })
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + 'static>> {
        let (sleep, arrivals) = (self.tokio.sleep(duration), self.arrivals());
        // The stack sleeps in its event loop, which afterwards sends what is due. What a packet of the set-up makes due (the
        // first flight of DTLS, the first channel's announcement) would by itself wait for the next time-out, up to 200 ms.
        Box::pin(async move {
            tokio::select! {
                () = sleep => {}
                () = arrivals.nudge.notified() => {}
            }
        })
    }

    fn interval(&self, period: Duration) -> Box<dyn AsyncInterval> {
        self.tokio.interval(period)
    }

    fn block_on(&self, future: Pin<Box<dyn Future<Output = ()> + '_>>) {
        self.tokio.block_on(future);
    }

    fn yield_now(&self) -> Pin<Box<dyn Future<Output = ()> + Send + 'static>> {
        self.tokio.yield_now()
    }

    fn name(&self) -> &'static str {
        "slicc"
    }
}

/// A task of the stack. Dropping it lets the task run on.
struct Task(tokio::task::JoinHandle<()>);

impl JoinHandle for Task {
    fn detach(&self) {}

    fn abort(&self) {
        self.0.abort();
    }

    fn is_finished(&self) -> bool {
        self.0.is_finished()
    }
}
