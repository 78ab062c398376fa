//! The one way in which slicc connects for a page (sections "Network policy" and "Link", "tcp" of the requirement).

use std::{io, net::SocketAddr, time::Duration};

use socket2::{SockRef, TcpKeepalive};
use tokio::{net::TcpStream, time::Instant};

use super::{
    Denial, Policy, ResolveError, Resolver,
    happy::{self, Lost},
    resolver::{Answer, Source},
};
use crate::generated::link::ErrorCode;

/// How long a connection may be silent until the system asks whether the far end is still there.
const SILENCE: Duration = Duration::from_secs(30);
/// How long the far end has for each of the system's questions. After eight to ten without an answer, by the system, the
/// connection is over: a server that dies without a word doesn't hold a stream for ever.
const QUESTION: Duration = Duration::from_secs(15);

/// Connects to what the policy allows. Clones share their policy and resolver.
#[derive(Debug, Clone)]
pub struct Dialer {
    policy: Policy,
    resolver: Resolver,
}

/// Why there is no connection. Its text may go to the page: it names no address that the page didn't name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DialError {
    /// The policy refuses the address that was asked for.
    #[error("refused by the network policy: {0}")]
    Refused(Denial),
    /// The policy refuses every address of the name that was asked for. Why would tell where the name leads.
    #[error("refused by the network policy: no address of the name is allowed")]
    NameRefused,
    /// The name has no address, or none that could be looked up.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// No address answered in time.
    #[error("the connection timed out")]
    TimedOut,
    /// An allowed address couldn't be connected to.
    #[error("{}", described(.0.kind()))]
    Connect(#[source] io::Error),
}

impl DialError {
    /// The code of the RESET that says so.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Refused(_) | Self::NameRefused => ErrorCode::Eacces,
            Self::Resolve(ResolveError::NotFound) => ErrorCode::Enotfound,
            Self::Resolve(ResolveError::TimedOut) | Self::TimedOut => ErrorCode::Etimedout,
            Self::Connect(error) => code(error.kind()),
        }
    }
}

/// The code for an error of the system. EACCES is the policy's alone.
fn code(kind: io::ErrorKind) -> ErrorCode {
    match kind {
        // Without an address to connect from (a machine without IPv6, say), the network can't be reached.
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::NetworkDown | io::ErrorKind::AddrNotAvailable => {
            ErrorCode::Enetunreach
        }
        io::ErrorKind::HostUnreachable | io::ErrorKind::PermissionDenied => ErrorCode::Ehostunreach,
        io::ErrorKind::TimedOut => ErrorCode::Etimedout,
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe => {
            ErrorCode::Econnreset
        }
        _ => ErrorCode::Econnrefused,
    }
}

/// What an error of the system means. The system's own text may be in the user's language, or hold more than the page may know.
fn described(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::ConnectionRefused => "the connection was refused",
        io::ErrorKind::NetworkUnreachable => "the network is unreachable",
        io::ErrorKind::NetworkDown => "the network is down",
        io::ErrorKind::AddrNotAvailable => "this machine has no address to connect from",
        io::ErrorKind::HostUnreachable => "the host is unreachable",
        io::ErrorKind::PermissionDenied => "this machine's system doesn't permit the connection",
        io::ErrorKind::TimedOut => "the connection timed out",
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe => {
            "the connection was reset"
        }
        _ => "the connection failed",
    }
}

impl Dialer {
    /// A dialer that asks this policy about the addresses that this resolver knows.
    pub const fn new(policy: Policy, resolver: Resolver) -> Self {
        Self { policy, resolver }
    }

    /// The policy that it asks.
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The resolver that it asks.
    pub const fn resolver(&self) -> &Resolver {
        &self.resolver
    }

    /// Connects to an IP literal or a name, within `limit`, name lookup included. Each address is judged right before its
    /// attempt, so a name can't be rebound past the policy. The socket doesn't delay small writes, and notices a far end that
    /// has died.
    ///
    /// # Errors
    /// The name doesn't resolve, the policy refuses every address, or no allowed address could be connected to in time.
    pub async fn connect(&self, host: &str, port: u16, limit: Duration) -> Result<TcpStream, DialError> {
        let deadline = Instant::now() + limit;
        let Answer { mut addresses, source } = self.resolver.resolve(host, limit).await?;
        for address in &mut addresses {
            address.set_port(port);
        }
        if source == Source::System {
            addresses = happy::interleave(addresses);
        }
        let judge = |address| self.policy.judge(address);
        let connected = happy::race(addresses, happy::ATTEMPT_DELAY, deadline, judge, connect_one).await;
        connected.map_err(|lost| match lost {
            Lost::Failed(error) => DialError::Connect(error),
            Lost::TimedOut => DialError::TimedOut,
            Lost::Refused(denial) if source == Source::Literal => DialError::Refused(denial),
            Lost::Refused(_) => DialError::NameRefused,
            Lost::NoAddress => DialError::Resolve(ResolveError::NotFound),
        })
    }
}

/// Connects to one address, which was judged.
async fn connect_one(address: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpStream::connect(address).await?;
    // A connect to a port of this machine that nobody listens on can meet itself (RFC 9293, simultaneous open).
    if socket.local_addr()? == socket.peer_addr()? {
        return Err(io::ErrorKind::ConnectionRefused.into());
    }
    socket.set_nodelay(true)?;
    let keepalive = TcpKeepalive::new().with_time(SILENCE).with_interval(QUESTION);
    SockRef::from(&socket).set_tcp_keepalive(&keepalive)?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::policy::{
        Base, Hosts, Rules,
        resolver::fake::{FakeLookup, Reply},
    };

    const LIMIT: Duration = Duration::from_secs(30);

    fn dialer(base: Base, allow: &[&str], resolver: Resolver) -> Dialer {
        Dialer::new(Policy::new(base, Rules::parse(allow, &[]).unwrap()), resolver)
    }

    fn hosts(text: &str) -> Resolver {
        Resolver::new(Hosts::parse(text).unwrap(), FakeLookup::new([]))
    }

    fn listener() -> (TcpListener, u16) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        (listener, port)
    }

    /// Whether nobody has connected: the system puts a connection in the backlog before the dial returns.
    fn untouched(listener: &TcpListener) -> bool {
        listener.accept().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    #[tokio::test]
    async fn a_socket_has_no_delay_and_asks_after_a_silent_far_end() {
        let (_listener, port) = listener();
        let socket = dialer(Base::Local, &[], hosts("")).connect("127.0.0.1", port, LIMIT).await.unwrap();
        assert!(socket.nodelay().unwrap());
        assert!(SockRef::from(&socket).keepalive().unwrap());
    }

    #[tokio::test]
    async fn a_refused_address_is_eacces_and_is_not_connected_to() {
        let (listener, port) = listener();
        let remote = dialer(Base::Remote, &[], hosts("127.0.0.1 a.test"));
        for (host, text) in [
            ("127.0.0.1", "refused by the network policy: loopback addresses are denied"),
            ("a.test", "refused by the network policy: no address of the name is allowed"),
        ] {
            let error = remote.connect(host, port, LIMIT).await.unwrap_err();
            assert_eq!((error.code(), error.to_string()), (ErrorCode::Eacces, text.to_owned()));
        }
        assert!(untouched(&listener));
    }

    #[tokio::test]
    async fn a_name_that_is_rebound_is_judged_at_each_connect() {
        let (listener, port) = listener();
        let lookup = FakeLookup::new([
            Reply::Addresses(vec!["127.0.0.1"]),
            Reply::Addresses(vec!["127.0.0.2"]),
            Reply::Addresses(vec!["::ffff:127.0.0.2"]),
        ]);
        // 127.0.0.1 plays the public address.
        let dialer = dialer(Base::Remote, &["127.0.0.1"], Resolver::new(Hosts::default(), lookup));
        assert!(dialer.connect("rebinding.test", port, LIMIT).await.is_ok());
        listener.accept().unwrap();
        for _ in 0..2 {
            let error = dialer.connect("rebinding.test", port, LIMIT).await.unwrap_err();
            assert_eq!(error.code(), ErrorCode::Eacces);
        }
        assert!(untouched(&listener));
    }

    #[tokio::test]
    async fn a_name_with_an_allowed_and_a_refused_address_connects_to_the_allowed_one() {
        let (_listener, port) = listener();
        for addresses in [["127.0.0.2", "127.0.0.1"], ["127.0.0.1", "127.0.0.2"]] {
            let lookup = FakeLookup::addresses(&addresses);
            let dialer = dialer(Base::Remote, &["127.0.0.1"], Resolver::new(Hosts::default(), lookup));
            let socket = dialer.connect("both.test", port, LIMIT).await.unwrap();
            assert_eq!(socket.peer_addr().unwrap(), SocketAddr::from(([127, 0, 0, 1], port)));
        }
    }

    #[tokio::test]
    async fn the_error_of_an_allowed_address_goes_before_a_refusal() {
        let (listener, port) = listener();
        drop(listener);
        let lookup = FakeLookup::addresses(&["127.0.0.2", "127.0.0.1"]);
        let dialer = dialer(Base::Remote, &["127.0.0.1"], Resolver::new(Hosts::default(), lookup));
        let error = dialer.connect("both.test", port, LIMIT).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::Econnrefused);
    }

    // Where 127.0.0.1 is the only loopback address, there is nothing to tell an order by.
    #[cfg(not(target_os = "macos"))]
    #[tokio::test]
    async fn addresses_of_the_hosts_file_are_tried_in_file_order() {
        let (_listener, port) = listener();
        let expected = TcpListener::bind(("127.0.0.2", port)).unwrap();
        // Taking turns, the families would put this one before it. A machine without IPv6 can't tell.
        let _tempting = TcpListener::bind(("::1", port));
        let file = "127.0.0.3 a.test\n127.0.0.2 a.test\n::1 a.test\n127.0.0.1 a.test";
        let socket = dialer(Base::Local, &[], hosts(file)).connect("A.test.", port, LIMIT).await.unwrap();
        assert_eq!(socket.peer_addr().unwrap(), expected.local_addr().unwrap());
    }

    #[tokio::test]
    async fn a_name_that_does_not_resolve_is_enotfound_and_a_slow_lookup_is_etimedout() {
        let failing = Resolver::new(Hosts::default(), FakeLookup::new([Reply::Fails(io::ErrorKind::Other)]));
        let error = dialer(Base::Local, &[], failing).connect("a.test", 80, LIMIT).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::Enotfound);
        let slow = Resolver::new(Hosts::default(), FakeLookup::new([Reply::Never]));
        let limit = Duration::from_millis(20);
        let error = dialer(Base::Local, &[], slow).connect("a.test", 80, limit).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::Etimedout);
    }

    #[tokio::test]
    async fn a_protected_port_is_refused_in_every_spelling() {
        let (listener, port) = listener();
        let dialer = dialer(Base::Local, &["127.0.0.1/32"], Resolver::system(Hosts::default()));
        dialer.policy().protect_port(port);
        for host in [
            "127.0.0.1",
            "localhost",
            "localhost.",
            "127.1",
            "0x7f000001",
            "[::ffff:127.0.0.1]",
            "64:ff9b::7f00:1",
            "0",
        ] {
            let error = dialer.connect(host, port, LIMIT).await.unwrap_err();
            assert_eq!(error.code(), ErrorCode::Eacces, "{host}: {error}");
        }
        assert!(untouched(&listener));
        dialer.policy().unprotect_port(port);
        assert!(dialer.connect("localhost.", port, LIMIT).await.is_ok());
    }

    #[test]
    fn errors_of_the_system_have_the_wires_codes() {
        for (kind, expected) in [
            (io::ErrorKind::ConnectionRefused, "ECONNREFUSED"),
            (io::ErrorKind::NetworkUnreachable, "ENETUNREACH"),
            (io::ErrorKind::HostUnreachable, "EHOSTUNREACH"),
            (io::ErrorKind::TimedOut, "ETIMEDOUT"),
            (io::ErrorKind::ConnectionReset, "ECONNRESET"),
            (io::ErrorKind::PermissionDenied, "EHOSTUNREACH"),
            (io::ErrorKind::Other, "ECONNREFUSED"),
        ] {
            let error = DialError::Connect(io::Error::new(kind, "a secret of the system"));
            assert_eq!(error.code().as_str(), expected);
            assert!(!error.to_string().contains("secret"));
        }
    }
}
