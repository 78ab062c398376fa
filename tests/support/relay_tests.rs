//! The relay between plain sockets.

use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use super::relay::{Relay, RelayConfig};

struct Peer(std::net::UdpSocket);

impl Peer {
    fn new() -> Self {
        let socket = std::net::UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        socket.set_read_timeout(Some(Duration::from_secs(5))).expect("a timeout");
        Self(socket)
    }
    fn address(&self) -> SocketAddr {
        self.0.local_addr().expect("bound")
    }
    fn send(&self, to: SocketAddr, bytes: &[u8]) {
        self.0.send_to(bytes, to).expect("sent");
    }
    fn receive(&self) -> (Vec<u8>, SocketAddr) {
        let mut buffer = [0; 2000];
        let (length, from) = self.0.recv_from(&mut buffer).expect("a datagram in time");
        (buffer[..length].to_vec(), from)
    }
    /// Datagrams until none comes for a while. The first may take longer, on a machine under load.
    fn count(&self) -> usize {
        self.receive();
        self.0.set_read_timeout(Some(Duration::from_millis(500))).expect("a timeout");
        1 + std::iter::from_fn(|| self.0.recv_from(&mut [0; 2000]).ok()).count()
    }
}

#[test]
fn each_side_sees_the_port_that_stands_for_the_other() {
    let relay = Relay::start(RelayConfig::default()).expect("a relay");
    let (a, b) = (Peer::new(), Peer::new());
    let (for_a, for_b) = (relay.map(a.address()).expect("a port"), relay.map(b.address()).expect("a port"));
    assert_eq!(relay.map(a.address()).expect("the same port"), for_a);
    a.send(for_b, b"ping");
    assert_eq!(b.receive(), (b"ping".to_vec(), for_a));
    b.send(for_a, b"pong");
    assert_eq!(a.receive(), (b"pong".to_vec(), for_b));
}

#[test]
fn a_sender_nobody_named_gets_a_port_too() {
    let relay = Relay::start(RelayConfig::default()).expect("a relay");
    let (a, b) = (Peer::new(), Peer::new());
    a.send(relay.map(b.address()).expect("a port"), b"ping");
    let (_, from) = b.receive();
    b.send(from, b"pong");
    assert_eq!(a.receive().0, b"pong");
}

#[test]
fn datagrams_are_delayed_and_stay_in_order() {
    let relay =
        Relay::start(RelayConfig { delay: Duration::from_millis(50), ..RelayConfig::default() }).expect("a relay");
    let (a, b) = (Peer::new(), Peer::new());
    let for_b = relay.map(b.address()).expect("a port");
    let start = std::time::Instant::now();
    for n in 0..50u8 {
        a.send(for_b, &[n]);
    }
    for n in 0..50u8 {
        assert_eq!(b.receive().0, [n]);
    }
    assert!(start.elapsed() >= Duration::from_millis(50));
}

#[test]
fn losses_come_in_their_share() {
    let relay = Relay::start(RelayConfig { loss_per_mille: 500, ..RelayConfig::default() }).expect("a relay");
    let (a, b) = (Peer::new(), Peer::new());
    let for_b = relay.map(b.address()).expect("a port");
    for _ in 0..100 {
        a.send(for_b, b"x");
    }
    let arrived = b.count();
    assert!((20..80).contains(&arrived), "{arrived}");
}

#[test]
fn a_full_queue_drops_and_the_rate_holds() {
    let config = RelayConfig { rate: Some(100_000), queue: Duration::from_millis(50), ..RelayConfig::default() };
    let relay = Relay::start(config).expect("a relay");
    let (a, b) = (Peer::new(), Peer::new());
    let for_b = relay.map(b.address()).expect("a port");
    for _ in 0..100 {
        a.send(for_b, &[0; 1000]);
    }
    // 50 ms at 100 kB/s are five datagrams, and those that went out while the others came in.
    let arrived = b.count();
    assert!((5..30).contains(&arrived), "{arrived}");
}

#[test]
fn a_candidate_is_rewritten() {
    let relay = Relay::start(RelayConfig::default()).expect("a relay");
    let real = "127.0.0.1:4000".parse().expect("an address");
    let mapped = relay.map(real).expect("a port");
    let line = relay.rewrite("candidate:1 1 udp 1 127.0.0.1 4000 typ host").expect("a port").expect("loopback");
    assert_eq!(line, format!("candidate:1 1 udp 1 127.0.0.1 {} typ host", mapped.port()));
    assert_eq!(relay.rewrite("candidate:1 1 udp 1 192.0.2.1 4000 typ host").expect("no port"), None);
}
