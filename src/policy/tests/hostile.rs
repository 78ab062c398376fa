//! Forms of addresses that have fooled filters.

use super::*;

/// Everything a user can allow.
const ALLOW_ALL: &[&str] = &["0.0.0.0/0", "::/0", "0.0.0.0/1", "128.0.0.0/1", "::/1", "8000::/1"];

/// An address form, and whether the remote and the local default allow it; `None` when no `--allow` reopens it.
type Row = (&'static [&'static str], Option<(bool, bool)>);

/// Address forms that have fooled filters.
const HOSTILE: &[Row] = &[
    (&["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "localhost", "localhost."], Some((DENY, ALLOW))),
    (&["[::1]", "[0:0:0:0:0:0:0:1]"], Some((DENY, ALLOW))),
    (&["::ffff:127.0.0.1", "::ffff:7f00:1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"], Some((DENY, ALLOW))),
    (&["::127.0.0.1"], Some((DENY, DENY))),
    (&["::ffff:0:127.0.0.1"], Some((DENY, DENY))),
    (&["64:ff9b::7f00:1"], Some((DENY, ALLOW))),
    (&["64:ff9b::a9fe:a9fe"], Some((DENY, DENY))),
    (&["64:ff9b:1::7f00:1"], None),
    (&["2002:7f00:1::"], Some((DENY, ALLOW))),
    (&["2002:a9fe:a9fe::"], Some((DENY, DENY))),
    (&["2001:0:a00:1::1", "2001::"], None),
    (&["::", "[::]", "0.0.0.0", "0", "0.0.0.1"], None),
    (&["169.254.169.254", "fe80::1", "fe80::1%lo"], Some((DENY, DENY))),
    (&["100.64.0.1"], Some((DENY, DENY))),
    (&["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "fc00::1", "fd12::1"], Some((DENY, ALLOW))),
    (
        &["172.15.255.255", "172.32.0.0", "11.0.0.0", "192.167.255.255", "100.128.0.0", "169.255.0.0"],
        Some((ALLOW, ALLOW)),
    ),
    (
        &[
            "224.0.0.1",
            "ff02::1",
            "240.0.0.1",
            "255.255.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "2001:db8::1",
            "100::1",
        ],
        Some((DENY, DENY)),
    ),
];

/// Each form takes the way of a tcp stream's host: literal or system, then the judge.
#[tokio::test]
async fn every_hostile_address_form_is_judged_by_what_it_reaches() {
    let resolver = Resolver::system(Hosts::default());
    let defaults = [policy(Base::Remote, &[], &[]), policy(Base::Local, &[], &[])];
    let open = [policy(Base::Remote, ALLOW_ALL, &[]), policy(Base::Local, ALLOW_ALL, &[])];
    for (forms, verdicts) in HOSTILE {
        for form in *forms {
            let answer = match resolver.resolve(form, Duration::from_secs(30)).await {
                Ok(answer) => answer,
                // A system that doesn't read the form doesn't reach anything by it.
                Err(_) if !cfg!(target_os = "linux") => continue,
                Err(error) => panic!("{form}: {error}"),
            };
            for address in answer.addresses {
                let target = SocketAddr::new(address.ip(), 80);
                let judged = defaults.each_ref().map(|policy| policy.judge(target) == Verdict::Allow);
                let (remote, local) = verdicts.unwrap_or((DENY, DENY));
                assert_eq!(judged, [remote, local], "{form} is {address}");
                assert_eq!(defaults.each_ref().map(|policy| policy.reachable(address.ip())), judged, "{form}");
                if verdicts.is_none() {
                    for policy in &open {
                        assert!(matches!(policy.judge(target), Verdict::Deny(Denial::Always(_))), "{form}");
                        assert!(!policy.reachable(address.ip()), "{form}");
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn a_name_with_only_a_mapped_address_is_judged_as_the_ipv4_address() {
    let lookup = resolver::fake::FakeLookup::addresses(&["::ffff:169.254.169.254"]);
    let answer = Resolver::new(Hosts::default(), lookup).resolve("mapped.test", Duration::from_secs(30)).await.unwrap();
    assert_eq!(answer.addresses, [SocketAddr::new(ip("169.254.169.254"), 0)]);
    assert!(!policy(Base::Local, &[], &[]).reachable(answer.addresses[0].ip()));
}

#[test]
fn a_zone_does_not_change_the_verdict() {
    let link_local = |scope| SocketAddr::V6(std::net::SocketAddrV6::new("fe80::1".parse().unwrap(), 80, 0, scope));
    for scope in [0, 1, 7] {
        assert_ne!(policy(Base::Local, &[], &[]).judge(link_local(scope)), Verdict::Allow);
        assert_eq!(policy(Base::Local, &["fe80::1"], &[]).judge(link_local(scope)), Verdict::Allow);
    }
}
