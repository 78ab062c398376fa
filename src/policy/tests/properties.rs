//! What holds for every policy and every address.

use std::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::*;
use crate::generated::policy::NEVER;

fn any_base() -> impl Strategy<Value = Base> {
    prop_oneof![Just(Base::Local), Just(Base::Remote)]
}

/// Rules that are near each other and near the given addresses, so that they meet.
fn any_rules() -> impl Strategy<Value = Vec<String>> {
    let address = prop_oneof![
        any::<IpAddr>(),
        (0u8..=255).prop_map(|n| IpAddr::from([127, 0, 0, n])),
        (0u8..=255).prop_map(|n| IpAddr::from([10, 0, 0, n])),
    ];
    let rule = (address, 0u8..=128, proptest::option::of(78u16..83)).prop_map(|(address, prefix, port)| {
        let prefix = if address.is_ipv4() { prefix % 33 } else { prefix };
        let host = if address.is_ipv4() { address.to_string() } else { format!("[{address}]") };
        format!("{host}/{prefix}{}", port.map(|port| format!(":{port}")).unwrap_or_default())
    });
    let possible = rule.prop_filter("it can match", |rule| rule.parse::<Rule>().is_ok());
    proptest::collection::vec(possible, 0..8)
}

fn any_policy() -> impl Strategy<Value = Policy> {
    (any_base(), any_rules(), any_rules(), proptest::collection::vec(78u16..83, 0..3)).prop_map(
        |(base, allow, deny, ports)| {
            let rules = Rules::parse(&allow, &deny).unwrap();
            let policy = Policy::on(Described::with(&["127.0.0.1", "10.0.0.7"]), base, rules);
            for port in ports {
                policy.protect_port(port);
            }
            policy
        },
    )
}

fn any_ipv4() -> impl Strategy<Value = Ipv4Addr> {
    prop_oneof![
        any::<Ipv4Addr>(),
        (0u8..=255).prop_map(|n| [127, 0, 0, n].into()),
        (0u8..=255).prop_map(|n| [10, 0, 0, n].into()),
    ]
}

proptest! {
    #[test]
    fn whatever_carries_an_ipv4_address_is_judged_as_it(policy in any_policy(), v4 in any_ipv4(), low: u64, low16: u16, port in 76u16..85) {
        let bits = u128::from(v4.to_bits());
        let nat64 = (0x0064_ff9b_u128 << 96) | bits;
        let six_to_four = (0x2002_u128 << 112) | (bits << 80) | (u128::from(low16) << 64) | u128::from(low);
        let expected = policy.judge(SocketAddr::new(v4.into(), port));
        for carrier in [v4.to_ipv6_mapped(), nat64.into(), six_to_four.into()] {
            prop_assert_eq!(policy.judge(SocketAddr::new(carrier.into(), port)), expected);
            prop_assert_eq!(policy.reachable(carrier.into()), policy.reachable(v4.into()));
        }
    }

    #[test]
    fn no_rule_reopens_what_is_always_denied(policy in any_policy(), range in 0..NEVER.len(), host: u128, port: u16) {
        let net: IpNet = NEVER[range].cidr.parse().unwrap();
        let address: IpAddr = match net {
            IpNet::V4(net) => (Ipv4Addr::from_bits(host as u32 & net.hostmask().to_bits()) | net.network()).into(),
            IpNet::V6(net) => (Ipv6Addr::from_bits(host & net.hostmask().to_bits()) | net.network()).into(),
        };
        prop_assert!(matches!(policy.judge(SocketAddr::new(address, port)), Verdict::Deny(Denial::Always(_))));
        prop_assert!(!policy.reachable(address));
    }

    #[test]
    fn reachable_means_that_some_port_is_allowed(policy in any_policy(), v4 in any_ipv4()) {
        // The rules name ports from 78 to 82 only, so 1 stands for every other one.
        let some = std::iter::once(1).chain(76..85).any(|port| policy.judge(SocketAddr::new(v4.into(), port)) == Verdict::Allow);
        prop_assert_eq!(policy.reachable(v4.into()), some);
    }

    #[test]
    fn a_protected_port_on_loopback_needs_an_exact_allow(base in any_base(), allow in any_rules(), last: u8, port in 78u16..83) {
        let rules = Rules::parse(&allow, &[]).unwrap();
        let address = IpAddr::from([127, 0, 0, last]);
        let exact = rules.allow.iter().any(|rule| rule.is_exactly(address, port));
        let policy = Policy::on(Described::with(&[]), base, rules);
        policy.protect_port(port);
        prop_assert_eq!(policy.judge(SocketAddr::new(address, port)) == Verdict::Allow, exact);
    }

    #[test]
    fn the_order_of_the_rules_means_nothing(base in any_base(), mut allow in any_rules(), mut deny in any_rules(), v4 in any_ipv4(), port in 76u16..85) {
        let judge = |allow: &[String], deny: &[String]| {
            let policy = Policy::on(Described::with(&[]), base, Rules::parse(allow, deny).unwrap());
            policy.judge(SocketAddr::new(v4.into(), port))
        };
        let forwards = judge(&allow, &deny);
        allow.reverse();
        deny.reverse();
        prop_assert_eq!(judge(&allow, &deny), forwards);
    }
}
