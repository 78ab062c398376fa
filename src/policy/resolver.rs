//! Names to addresses: IP literals, the hosts file, then the system (sections "Link", "resolve" and "Development", "Test names"
//! of the requirement).

use std::{
    future::Future,
    io,
    net::{IpAddr, Ipv6Addr, SocketAddr, ToSocketAddrs},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use tokio::{sync::Semaphore, time};

use super::Hosts;

/// Addresses of one name that are used. A DNS answer rarely holds a hundred.
const MOST_ADDRESSES: usize = 512;

/// Bytes of a name. DNS has names of 253 bytes at most.
const LONGEST_NAME: usize = 255;

/// Lookups that the system does at the same time. Each one holds a thread, and a system without a name server holds it for
/// longer than anyone waits.
const SYSTEM_LOOKUPS: usize = 64;

/// The answer of a [`Lookup`], later.
pub type LookupFuture = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

/// Whatever looks a name up that is neither an IP literal nor in the hosts file. Tests have answers of their own.
pub trait Lookup: Send + Sync {
    /// The addresses of a name, in the order of preference. Their ports mean nothing; an IPv6 address may have a zone.
    fn lookup(&self, name: &str) -> LookupFuture;
}

/// The system's resolver.
#[derive(Debug)]
pub struct SystemLookup {
    permits: Arc<Semaphore>,
}

impl Default for SystemLookup {
    fn default() -> Self {
        Self { permits: Arc::new(Semaphore::new(SYSTEM_LOOKUPS)) }
    }
}

impl Lookup for SystemLookup {
    fn lookup(&self, name: &str) -> LookupFuture {
        // `localhost.` is the same name (RFC 6761), but a system's hosts file doesn't match it.
        let name = if name.eq_ignore_ascii_case("localhost.") { "localhost" } else { name }.to_owned();
        let permits = Arc::clone(&self.permits);
        Box::pin(async move {
            let permit = permits.acquire_owned().await.map_err(io::Error::other)?;
            // The permit goes with the thread, which outlives whoever gave the lookup up.
            let lookup = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                (name.as_str(), 0).to_socket_addrs().map(|addresses| addresses.take(MOST_ADDRESSES).collect())
            });
            lookup.await.map_err(io::Error::other)?
        })
    }
}

/// A name that has no addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// It doesn't exist, or the lookup failed in any other way than by taking too long.
    #[error("the name doesn't resolve")]
    NotFound,
    /// The lookup took too long.
    #[error("the name lookup timed out")]
    TimedOut,
}

/// Where addresses come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The name is an IP literal.
    Literal,
    /// The hosts file has it, and its order counts.
    Hosts,
    /// The system's resolver knows it.
    System,
}

/// The addresses of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The addresses in order, each once, with port 0. None is an IPv4-mapped one. The hosts file may give none.
    pub addresses: Vec<SocketAddr>,
    /// Where they come from.
    pub source: Source,
}

/// Resolves names for a node.
#[derive(Clone)]
pub struct Resolver {
    hosts: Arc<Hosts>,
    lookup: Arc<dyn Lookup>,
}

impl std::fmt::Debug for Resolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resolver").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

impl Resolver {
    /// Asks the hosts file, then the system.
    pub fn system(hosts: Hosts) -> Self {
        Self::new(hosts, SystemLookup::default())
    }

    /// Asks the hosts file, then `lookup`.
    pub fn new(hosts: Hosts, lookup: impl Lookup + 'static) -> Self {
        Self { hosts: Arc::new(hosts), lookup: Arc::new(lookup) }
    }

    /// The addresses of an IP literal or a name, within `limit`. No policy is applied.
    ///
    /// # Errors
    /// The name doesn't resolve, or it takes longer than `limit`.
    pub async fn resolve(&self, name: &str, limit: Duration) -> Result<Answer, ResolveError> {
        if let Some(address) = literal(name) {
            return Ok(Answer { addresses: vec![SocketAddr::new(address, 0)], source: Source::Literal });
        }
        if let Some(addresses) = self.hosts.get(name) {
            let addresses = addresses.iter().map(|address| SocketAddr::new(*address, 0)).collect();
            return Ok(Answer { addresses, source: Source::Hosts });
        }
        let name = without_brackets(name).unwrap_or(name);
        if name.is_empty() || name.len() > LONGEST_NAME || name.contains('\0') {
            return Err(ResolveError::NotFound);
        }
        match time::timeout(limit, self.lookup.lookup(name)).await {
            Ok(Ok(found)) if !found.is_empty() => Ok(Answer { addresses: distinct(found), source: Source::System }),
            Ok(Err(error)) if error.kind() == io::ErrorKind::TimedOut => Err(ResolveError::TimedOut),
            Ok(Ok(_) | Err(_)) => Err(ResolveError::NotFound),
            Err(_) => Err(ResolveError::TimedOut),
        }
    }
}

/// The address that an IP literal is: `127.0.0.1`, `::1`, `[::1]`, and `127.0.0.1` for `::ffff:127.0.0.1`. Other forms, such as
/// `127.1` or `fe80::1%lo`, are for the system to read.
pub fn literal(text: &str) -> Option<IpAddr> {
    match without_brackets(text) {
        Some(inner) => inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => text.parse().ok(),
    }
    .map(canonical)
}

/// What stands in the brackets around an IPv6 literal.
fn without_brackets(text: &str) -> Option<&str> {
    text.strip_prefix('[')?.strip_suffix(']').filter(|inner| inner.contains(':'))
}

/// The IPv4 address that an IPv4-mapped address is, and any other address as it is.
pub(super) fn canonical(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

/// Each address once, without ports, and none of them IPv4-mapped.
fn distinct(found: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let mut addresses: Vec<SocketAddr> = Vec::new();
    for mut address in found.into_iter().take(MOST_ADDRESSES) {
        let ip = canonical(address.ip());
        if ip != address.ip() {
            address = SocketAddr::new(ip, 0);
        }
        address.set_port(0);
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    addresses
}

#[cfg(test)]
pub(crate) mod fake {
    //! A resolver whose answers a test sets.

    use std::{collections::VecDeque, sync::Mutex};

    use super::{Arc, Lookup, LookupFuture, SocketAddr, io};

    /// One answer of a [`FakeLookup`].
    #[derive(Debug, Clone)]
    pub(crate) enum Reply {
        Addresses(Vec<&'static str>),
        Fails(io::ErrorKind),
        Never,
    }

    /// Gives its replies in turn, and the last one from then on.
    #[derive(Debug, Clone)]
    pub(crate) struct FakeLookup {
        replies: Arc<Mutex<VecDeque<Reply>>>,
        asked: Arc<Mutex<Vec<String>>>,
    }

    impl FakeLookup {
        pub(crate) fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
            Self { replies: Arc::new(Mutex::new(replies.into_iter().collect())), asked: Arc::default() }
        }

        pub(crate) fn addresses(addresses: &[&'static str]) -> Self {
            Self::new([Reply::Addresses(addresses.to_vec())])
        }

        pub(crate) fn asked(&self) -> Vec<String> {
            self.asked.lock().unwrap().clone()
        }
    }

    impl Lookup for FakeLookup {
        fn lookup(&self, name: &str) -> LookupFuture {
            self.asked.lock().unwrap().push(name.to_owned());
            let mut replies = self.replies.lock().unwrap();
            let reply = if replies.len() > 1 { replies.pop_front() } else { replies.front().cloned() };
            Box::pin(async move {
                match reply.expect("the test gives at least one reply") {
                    Reply::Addresses(texts) => {
                        let parse = |text: &&str| SocketAddr::new(text.parse().unwrap(), 0);
                        Ok(texts.iter().map(parse).collect())
                    }
                    Reply::Fails(kind) => Err(kind.into()),
                    Reply::Never => std::future::pending().await,
                }
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        fake::{FakeLookup, Reply},
        *,
    };

    const LIMIT: Duration = Duration::from_secs(30);

    fn ips(answer: &Answer) -> Vec<String> {
        answer.addresses.iter().map(|address| address.ip().to_string()).collect()
    }

    fn no_lookup() -> FakeLookup {
        FakeLookup::new([])
    }

    #[tokio::test]
    async fn ip_literals_are_answered_as_themselves() {
        let resolver = Resolver::new(Hosts::parse("192.0.2.1 127.0.0.1").unwrap(), no_lookup());
        for (name, address) in [
            ("127.0.0.1", "127.0.0.1"),
            ("::1", "::1"),
            ("[::1]", "::1"),
            ("[0:0:0:0:0:0:0:1]", "::1"),
            ("::ffff:192.0.2.9", "192.0.2.9"),
            ("[::ffff:c000:209]", "192.0.2.9"),
            ("64:ff9b::7f00:1", "64:ff9b::7f00:1"),
        ] {
            let answer = resolver.resolve(name, LIMIT).await.unwrap();
            assert_eq!((ips(&answer), answer.source), (vec![address.to_owned()], Source::Literal), "{name}");
        }
    }

    #[tokio::test]
    async fn a_name_in_the_hosts_file_never_reaches_the_system() {
        let lookup = FakeLookup::addresses(&["203.0.113.1"]);
        let resolver = Resolver::new(Hosts::parse("192.0.2.1 a.test").unwrap(), lookup.clone());
        let answer = resolver.resolve("A.Test.", LIMIT).await.unwrap();
        assert_eq!((ips(&answer), answer.source), (vec!["192.0.2.1".to_owned()], Source::Hosts));
        let answer = resolver.resolve("b.test", LIMIT).await.unwrap();
        assert_eq!((ips(&answer), answer.source), (vec!["203.0.113.1".to_owned()], Source::System));
        assert_eq!(lookup.asked(), ["b.test"]);
    }

    #[tokio::test]
    async fn the_systems_addresses_are_distinct_and_not_mapped() {
        let lookup = FakeLookup::addresses(&["2001:db8::1", "::ffff:192.0.2.1", "192.0.2.1", "2001:db8::1"]);
        let answer = Resolver::new(Hosts::default(), lookup).resolve("a.test", LIMIT).await.unwrap();
        assert_eq!(ips(&answer), ["2001:db8::1", "192.0.2.1"]);
    }

    #[tokio::test]
    async fn a_lookup_that_takes_too_long_times_out_and_other_failures_are_not_found() {
        for (reply, expected) in [
            (Reply::Never, ResolveError::TimedOut),
            (Reply::Fails(io::ErrorKind::TimedOut), ResolveError::TimedOut),
            (Reply::Fails(io::ErrorKind::Other), ResolveError::NotFound),
            (Reply::Addresses(vec![]), ResolveError::NotFound),
        ] {
            let resolver = Resolver::new(Hosts::default(), FakeLookup::new([reply.clone()]));
            let limit = Duration::from_millis(20);
            assert_eq!(resolver.resolve("a.test", limit).await, Err(expected), "{reply:?}");
        }
    }

    #[tokio::test]
    async fn a_name_that_cannot_be_one_is_not_looked_up() {
        let resolver = Resolver::new(Hosts::default(), no_lookup());
        for name in ["", "a\0b", &"a".repeat(256)] {
            assert_eq!(resolver.resolve(name, LIMIT).await, Err(ResolveError::NotFound));
        }
    }

    #[tokio::test]
    async fn lookups_given_up_still_count_until_their_thread_is_done() {
        let lookup = SystemLookup { permits: Arc::new(Semaphore::new(1)) };
        let permits = Arc::clone(&lookup.permits);
        let permit = permits.acquire().await.unwrap();
        let resolver = Resolver::new(Hosts::default(), lookup);
        assert_eq!(resolver.resolve("localhost", Duration::from_millis(20)).await, Err(ResolveError::TimedOut));
        drop(permit);
        assert!(resolver.resolve("localhost", LIMIT).await.is_ok());
    }

    proptest! {
        #[test]
        fn any_text_is_a_literal_or_not(text in any::<String>()) {
            let _ = literal(&text);
        }

        #[test]
        fn every_address_is_a_literal(address: IpAddr) {
            prop_assert_eq!(literal(&address.to_string()), Some(address.to_canonical()));
            let bracketed = literal(&format!("[{address}]"));
            prop_assert_eq!(bracketed, address.is_ipv6().then(|| address.to_canonical()));
        }
    }
}
