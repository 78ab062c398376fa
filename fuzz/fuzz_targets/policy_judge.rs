//! Whatever the rules are, nothing that is always denied is allowed, and an address that carries an IPv4 address is judged as
//! that one. Four lines: an address, a port, `--allow`, `--deny`.
#![no_main]

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Instant,
};

use ipnet::IpNet;
use libfuzzer_sys::fuzz_target;
use slicc::{
    generated::policy::{EMBEDDINGS, NEVER},
    policy::{Base, Denial, Machine, Policy, Rules, Verdict, normalize, resolver::literal},
};

struct OnLoopback;

impl Machine for OnLoopback {
    fn addresses(&self) -> io::Result<Vec<IpAddr>> {
        Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into(), Ipv4Addr::new(10, 0, 0, 7).into()])
    }

    fn now(&self) -> Instant {
        Instant::now()
    }
}

fn never(address: IpAddr) -> bool {
    NEVER.iter().any(|range| range.cidr.parse::<IpNet>().expect("a range of a table").contains(&address))
}

/// IPv6 addresses that carry this IPv4 address, by the table.
fn carriers(address: Ipv4Addr) -> impl Iterator<Item = IpAddr> {
    EMBEDDINGS.iter().map(move |embedding| {
        let IpNet::V6(net) = embedding.cidr.parse().expect("a range of a table") else { panic!("an IPv6 range") };
        let bits = u128::from(address.to_bits()) << (96 - u32::from(embedding.first_bit));
        Ipv6Addr::from_bits(net.network().to_bits() | bits).into()
    })
}

fuzz_target!(|text: &str| {
    let mut lines = text.lines();
    let mut next = || lines.next().unwrap_or_default();
    let (address, port, allow, deny) = (next(), next(), next(), next());
    let Some(address) = literal(address) else { return };
    assert_eq!(literal(&address.to_string()), Some(address));
    let port: u16 = port.parse().unwrap_or(80);
    let list = |rules: &str| if rules.is_empty() { Vec::new() } else { vec![rules.to_owned()] };
    let Ok(rules) = Rules::parse(&list(allow), &list(deny)) else { return };

    let judged = normalize(address);
    for base in [Base::Local, Base::Remote] {
        let policy = Policy::on(OnLoopback, base, rules.clone());
        policy.protect_port(9222);
        let verdict = policy.judge(SocketAddr::new(address, port));
        match judged {
            Ok(judged) => {
                assert!(!never(judged) && !never(address));
                assert_eq!(policy.judge(SocketAddr::new(judged, port)), verdict);
            }
            Err(_) => assert!(matches!(verdict, Verdict::Deny(Denial::Always(_)))),
        }
        if never(address) {
            assert!(matches!(verdict, Verdict::Deny(Denial::Always(_))));
        }
        if port > 0 && verdict == Verdict::Allow {
            assert!(policy.reachable(address));
        }
        if let IpAddr::V4(v4) = address {
            for carrier in carriers(v4) {
                assert_eq!(policy.judge(SocketAddr::new(carrier, port)), verdict, "{carrier} carries {v4}");
                assert_eq!(policy.reachable(carrier), policy.reachable(address), "{carrier} carries {v4}");
            }
        }
        if port == 9222 && address.is_loopback() && !rules.allow.iter().any(|rule| rule.port() == Some(port)) {
            assert_eq!(verdict, Verdict::Deny(Denial::Protected));
        }
    }
});
