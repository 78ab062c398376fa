//! A small UDP relay that makes a distant path out of loopback: it delays, drops and slows datagrams between two peers.
//!
//! Each real address of a peer gets a port of the relay, which stands for it. A peer that was told the other's relay address
//! sends there; the datagram leaves from the port that stands for the sender, so the other side sees that one. Peers
//! exchange candidates through [`Relay::rewrite`], and everything else follows.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    net::UdpSocket,
    sync::{Notify, mpsc},
    time::Instant,
};

/// What the path between the peers is like. Both directions are the same.
#[derive(Debug, Clone, Copy)]
pub struct RelayConfig {
    /// The time that a datagram takes in one direction: half of the round trip.
    pub delay: Duration,
    /// How many of 1000 datagrams are lost. Which ones depends on [`RelayConfig::seed`] and the ports.
    pub loss_per_mille: u64,
    /// Bytes per second; `None` for no limit.
    pub rate: Option<u64>,
    /// How long the queue in front of the limit may get; what comes on top is lost.
    pub queue: Duration,
    /// Seeds the losses.
    pub seed: u64,
}

impl RelayConfig {
    /// A path of 50 Mbit/s with a queue of 100 ms and this round trip.
    pub fn wan(round_trip: Duration) -> Self {
        Self { delay: round_trip / 2, rate: Some(6_250_000), ..Self::default() }
    }
}

impl Default for RelayConfig {
    /// A path that changes nothing.
    fn default() -> Self {
        Self { delay: Duration::ZERO, loss_per_mille: 0, rate: None, queue: Duration::from_millis(100), seed: 1 }
    }
}

/// A running relay, on a thread of its own. Dropping it stops it.
pub struct Relay {
    shared: Arc<Shared>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct Shared {
    config: RelayConfig,
    runtime: tokio::runtime::Handle,
    /// What stands for each real address.
    ports: Mutex<HashMap<SocketAddr, Port>>,
    stop: Notify,
}

#[derive(Clone)]
struct Port {
    address: SocketAddr,
    socket: Arc<UdpSocket>,
}

impl Relay {
    /// Starts a relay.
    pub fn start(config: RelayConfig) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let shared = Arc::new(Shared { config, runtime: handle, ports: Mutex::default(), stop: Notify::new() });
        let for_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("relay".to_owned())
            .spawn(move || runtime.block_on(for_thread.stop.notified()))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// The relay's address that stands for a peer's.
    pub fn map(&self, real: SocketAddr) -> io::Result<SocketAddr> {
        Ok(self.shared.port(real)?.address)
    }

    /// Rewrites a candidate line, so that whoever gets it sends to the relay. Lines without an IPv4 loopback address are
    /// left out.
    pub fn rewrite(&self, candidate: &str) -> io::Result<Option<String>> {
        let mut fields: Vec<&str> = candidate.split(' ').collect();
        let address = fields.get(4).and_then(|text| text.parse::<IpAddr>().ok());
        let port = fields.get(5).and_then(|text| text.parse::<u16>().ok());
        let (Some(IpAddr::V4(ip)), Some(port)) = (address, port) else { return Ok(None) };
        if !ip.is_loopback() {
            return Ok(None);
        }
        let mapped = self.map(SocketAddr::from((ip, port)))?;
        let (ip, port) = (mapped.ip().to_string(), mapped.port().to_string());
        fields[4] = &ip;
        fields[5] = &port;
        Ok(Some(fields.join(" ")))
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// The port that stands for this address, on which the relay listens from then on.
    fn port(self: &Arc<Self>, real: SocketAddr) -> io::Result<Port> {
        let mut ports = self.ports.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(port) = ports.get(&real) {
            return Ok(port.clone());
        }
        let socket = std::net::UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        socket.set_nonblocking(true)?;
        socket2::SockRef::from(&socket).set_recv_buffer_size(4 << 20)?;
        let _context = self.runtime.enter();
        let socket = Arc::new(UdpSocket::from_std(socket)?);
        let port = Port { address: socket.local_addr()?, socket: Arc::clone(&socket) };
        ports.insert(real, port.clone());
        let (queue, datagrams) = mpsc::unbounded_channel();
        self.runtime.spawn(receive(Arc::clone(self), socket, real, queue));
        self.runtime.spawn(deliver(datagrams));
        Ok(port)
    }
}

/// A datagram on its way to a peer.
struct Datagram {
    due: Instant,
    /// The socket that it leaves from.
    from: Arc<UdpSocket>,
    to: SocketAddr,
    bytes: Vec<u8>,
}

/// Takes what arrives for the peer at `real`.
async fn receive(
    shared: Arc<Shared>,
    socket: Arc<UdpSocket>,
    real: SocketAddr,
    queue: mpsc::UnboundedSender<Datagram>,
) {
    let RelayConfig { delay, loss_per_mille, rate, queue: longest, seed } = shared.config;
    let mut random = seed ^ u64::from(real.port()) << 32 | 1;
    let mut path_free = Instant::now();
    let mut buffer = vec![0; 65_536];
    loop {
        // An error is the echo of a datagram that nobody took.
        let Ok((length, source)) = socket.recv_from(&mut buffer).await else { continue };
        let Ok(from) = shared.port(source) else { continue };
        // xorshift64.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if (random >> 20) % 1000 < loss_per_mille {
            continue;
        }
        let now = Instant::now();
        if let Some(rate) = rate {
            path_free = path_free.max(now);
            if path_free - now > longest {
                continue;
            }
            path_free += Duration::from_nanos(length as u64 * 1_000_000_000 / rate);
        } else {
            path_free = now;
        }
        let datagram =
            Datagram { due: path_free + delay, from: from.socket, to: real, bytes: buffer[..length].to_vec() };
        if queue.send(datagram).is_err() {
            return;
        }
    }
}

async fn deliver(mut datagrams: mpsc::UnboundedReceiver<Datagram>) {
    while let Some(datagram) = datagrams.recv().await {
        if datagram.due > Instant::now() {
            tokio::time::sleep_until(datagram.due).await;
        }
        // Losing a datagram is what a path may do.
        let _ = datagram.from.send_to(&datagram.bytes, datagram.to).await;
    }
}
