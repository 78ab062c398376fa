//! The ranges of the generated tables, and what an address stands for (section "Network policy" of the requirement,
//! "Normalization, before matching").

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::LazyLock,
};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use super::{
    Action, Base,
    rule::{RuleErrorCause, holds},
};
use crate::generated::policy::{EMBEDDINGS, Embedding, LOCAL_ALLOW, NEVER, PROTECTED_LOOPBACK, REMOTE_DENY, Range};

/// Bits of an IPv4 address.
const IPV4_BITS: u8 = 32;

/// A range of a table, parsed.
pub(super) struct Parsed<T: 'static> {
    /// Its addresses.
    pub(super) net: IpNet,
    /// Its entry.
    pub(super) entry: &'static T,
}

static NEVER_NETS: LazyLock<Vec<Parsed<Range>>> = LazyLock::new(|| parse(NEVER, |range| range.cidr));
static EMBEDDING_NETS: LazyLock<Vec<Parsed<Embedding>>> = LazyLock::new(|| parse(EMBEDDINGS, |range| range.cidr));
static REMOTE_DENY_NETS: LazyLock<Vec<Parsed<Range>>> = LazyLock::new(|| parse(REMOTE_DENY, |range| range.cidr));
static LOOPBACK_NETS: LazyLock<Vec<IpNet>> =
    LazyLock::new(|| parse(PROTECTED_LOOPBACK, |cidr| cidr).into_iter().map(|range| range.net).collect());

fn parse<T>(table: &'static [T], cidr: impl Fn(&'static T) -> &'static str) -> Vec<Parsed<T>> {
    let net = |entry| cidr(entry).parse().expect("every range of the generated tables is in CIDR form");
    table.iter().map(|entry| Parsed { net: net(entry), entry }).collect()
}

/// The loopback ranges on which a protected port is denied, in the order of the table.
pub(super) fn protected_loopback() -> &'static [IpNet] {
    &LOOPBACK_NETS
}

/// The rules of a default: what it does to a range, and the range's name.
pub(super) fn defaults(base: Base) -> impl Iterator<Item = (IpNet, Action, &'static str)> {
    REMOTE_DENY_NETS.iter().map(move |range| {
        let opened = base == Base::Local && LOCAL_ALLOW.iter().any(|allowed| allowed.cidr == range.entry.cidr);
        (range.net, if opened { Action::Allow } else { Action::Deny }, range.entry.name)
    })
}

/// The address that is judged in this one's place: itself, or the IPv4 address that it embeds.
///
/// # Errors
/// The range, when no rule reopens the address.
pub fn normalize(address: IpAddr) -> Result<IpAddr, &'static Range> {
    let judged = match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => EMBEDDING_NETS
            .iter()
            .find(|embedding| holds(embedding.net, address))
            .map_or(address, |embedding| IpAddr::V4(embedded(v6, embedding.entry.first_bit))),
    };
    match NEVER_NETS.iter().find(|range| holds(range.net, judged)) {
        Some(range) => Err(range.entry),
        None => Ok(judged),
    }
}

/// The IPv4 address in the bits from `first_bit` on.
fn embedded(address: Ipv6Addr, first_bit: u8) -> Ipv4Addr {
    let after = 128 - u32::from(IPV4_BITS) - u32::from(first_bit);
    Ipv4Addr::from_bits((address.to_bits() >> after) as u32)
}

/// The IPv4 range that a range of IPv6 addresses stands for, when rules about it are rules about IPv4.
pub(super) fn mapped_rule(net: Ipv6Net) -> Option<Ipv4Net> {
    let net_as_ip = IpNet::V6(net);
    let embedding = EMBEDDING_NETS.iter().find(|range| range.entry.rules && range.net.contains(&net_as_ip))?;
    let prefix = (net.prefix_len() - embedding.entry.first_bit).min(IPV4_BITS);
    Ipv4Net::new(embedded(net.addr(), embedding.entry.first_bit), prefix).ok()
}

/// Why no address is ever judged by a rule about this range, if none is.
pub(super) fn never_matches(net: IpNet) -> Option<RuleErrorCause> {
    if let Some(range) = NEVER_NETS.iter().find(|range| range.net.contains(&net)) {
        return Some(RuleErrorCause::AlwaysDenied { name: range.entry.name, range: range.entry.cidr });
    }
    let embedding = EMBEDDING_NETS.iter().find(|range| !range.entry.rules && range.net.contains(&net))?;
    Some(RuleErrorCause::JudgedAsIpv4 { name: embedding.entry.name, range: embedding.entry.cidr })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_range_of_the_tables_is_in_canonical_form() {
        for cidr in NEVER.iter().chain(REMOTE_DENY).map(|range| range.cidr).chain(EMBEDDINGS.iter().map(|e| e.cidr)) {
            let net: IpNet = cidr.parse().unwrap();
            assert_eq!(net, net.trunc(), "{cidr}");
        }
    }

    #[test]
    fn the_local_default_only_reopens_ranges_that_the_remote_default_denies() {
        for range in LOCAL_ALLOW {
            assert!(REMOTE_DENY.contains(range), "{}", range.cidr);
        }
    }

    #[test]
    fn an_embedded_address_lies_inside_its_address_and_after_the_prefix() {
        for embedding in &*EMBEDDING_NETS {
            assert_eq!(embedding.net.prefix_len(), embedding.entry.first_bit, "{}", embedding.entry.cidr);
            assert!(embedding.entry.first_bit <= 128 - IPV4_BITS, "{}", embedding.entry.cidr);
        }
    }

    #[test]
    fn embedded_addresses_are_judged_in_place_of_their_carrier() {
        for (address, judged) in [
            ("::ffff:127.0.0.1", "127.0.0.1"),
            ("64:ff9b::a9fe:a9fe", "169.254.169.254"),
            ("2002:a9fe:a9fe:1:2:3:4:5", "169.254.169.254"),
            ("2001:db8::1", "2001:db8::1"),
            ("::127.0.0.1", "::127.0.0.1"),
            ("::ffff:0:127.0.0.1", "::ffff:0:127.0.0.1"),
        ] {
            assert_eq!(normalize(address.parse().unwrap()), Ok(judged.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn an_embedded_unspecified_address_is_never_reopened() {
        for address in ["::ffff:0.0.0.0", "64:ff9b::", "64:ff9b::1", "2002::", "2002:0:1::", "0.255.255.255", "::"] {
            assert!(normalize(address.parse().unwrap()).is_err(), "{address}");
        }
    }
}
