//! How a connection is set up.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use super::{Certificate, RtcError};
use crate::generated::link::timeouts;

/// The most addresses that a connection listens on. Each one costs a socket and takes part in every connectivity check.
pub const MAX_ADDRESSES: usize = 32;

/// How a connection is set up. Section "Local setup" of the requirement, "ICE": host candidates only, loopback included.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// The certificate that the peer sees.
    pub certificate: Certificate,
    /// Where to listen.
    pub addresses: Addresses,
    /// Whether names of the peer's candidates are looked up.
    pub mdns: Mdns,
    /// How long the connection may take to come up, and how long it may go without a sign of life later on.
    pub connect_timeout: Duration,
    /// Makes mDNS fail to start, as on a machine without multicast.
    #[cfg(test)]
    pub(super) without_multicast: bool,
}

impl Config {
    /// The product's configuration with this certificate.
    pub fn new(certificate: Certificate) -> Self {
        Self {
            certificate,
            addresses: Addresses::Interfaces,
            mdns: Mdns::QueryOnly,
            connect_timeout: timeouts::CONNECT,
            #[cfg(test)]
            without_multicast: false,
        }
    }
}

/// Where a connection listens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Addresses {
    /// On every address of this machine, loopback included, at most [`MAX_ADDRESSES`].
    Interfaces,
    /// On these, for tests and benchmarks. Port 0 takes a free one.
    Fixed(Vec<SocketAddr>),
}

/// Whether `<uuid>.local` candidates are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mdns {
    /// Ask the network for them, and never answer questions. Falls back to [`Mdns::Off`] where there is no multicast.
    QueryOnly,
    /// Leave them out.
    Off,
}

impl Addresses {
    /// The socket addresses to bind, loopback first and without repeats.
    ///
    /// # Errors
    /// [`RtcError::Addresses`] when the machine won't list them, [`RtcError::NoAddress`] when there are none.
    pub(super) fn list(&self) -> Result<Vec<SocketAddr>, RtcError> {
        let list = match self {
            Self::Fixed(list) => list.iter().copied().take(MAX_ADDRESSES).collect(),
            Self::Interfaces => {
                let interfaces = if_addrs::get_if_addrs().map_err(RtcError::Addresses)?;
                usable(interfaces.into_iter().map(|interface| interface.ip()))
            }
        };
        if list.is_empty() { Err(RtcError::NoAddress) } else { Ok(list) }
    }
}

/// Both loopback addresses and those of the interfaces. One that can't be bound is skipped by the stack.
fn usable(interfaces: impl Iterator<Item = IpAddr>) -> Vec<SocketAddr> {
    let mut list: Vec<SocketAddr> = Vec::new();
    let loopback = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    for ip in loopback.into_iter().chain(interfaces) {
        let is_link_local = matches!(ip, IpAddr::V6(v6) if v6.is_unicast_link_local());
        let address = SocketAddr::new(ip, 0);
        let is_host = !ip.is_unspecified() && !ip.is_multicast();
        if is_host && !is_link_local && !list.contains(&address) && list.len() < MAX_ADDRESSES {
            list.push(address);
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn loopback_comes_first_and_nothing_twice() {
        let list =
            usable(["192.0.2.1", "127.0.0.1", "fe80::1", "2001:db8::1", "192.0.2.1", "0.0.0.0"].map(ip).into_iter());
        let expected = ["127.0.0.1:0", "[::1]:0", "192.0.2.1:0", "[2001:db8::1]:0"];
        assert_eq!(list.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_machine_with_many_addresses_gets_a_bounded_list() {
        let list = usable((0..=255).map(|n| IpAddr::V4(Ipv4Addr::new(192, 0, 2, n))));
        assert_eq!(list.len(), MAX_ADDRESSES);
    }

    #[test]
    fn no_address_is_an_error() {
        assert!(matches!(Addresses::Fixed(Vec::new()).list(), Err(RtcError::NoAddress)));
    }
}
