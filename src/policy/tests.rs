//! The policy's rules and the attacks on them, one test each.

use std::{
    io,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use proptest::prelude::*;

use super::*;
use crate::generated::policy::{INTERFACE_CACHE, NEVER};

/// A machine that a test describes and changes.
#[derive(Clone)]
struct Described(Arc<DescribedInner>);

struct DescribedInner {
    addresses: Mutex<Vec<IpAddr>>,
    hidden: AtomicBool,
    asked: AtomicUsize,
    now: Mutex<Instant>,
}

impl Described {
    fn with(addresses: &[&str]) -> Self {
        Self(Arc::new(DescribedInner {
            addresses: Mutex::new(addresses.iter().map(|text| ip(text)).collect()),
            hidden: AtomicBool::new(false),
            asked: AtomicUsize::new(0),
            now: Mutex::new(Instant::now()),
        }))
    }

    fn add(&self, address: &str) {
        self.0.addresses.lock().unwrap().push(ip(address));
    }

    fn hide(&self, hidden: bool) {
        self.0.hidden.store(hidden, Ordering::SeqCst);
    }

    fn pass(&self, time: Duration) {
        *self.0.now.lock().unwrap() += time;
    }

    fn asked(&self) -> usize {
        self.0.asked.load(Ordering::SeqCst)
    }
}

impl Machine for Described {
    fn addresses(&self) -> io::Result<Vec<IpAddr>> {
        self.0.asked.fetch_add(1, Ordering::SeqCst);
        if self.0.hidden.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(self.0.addresses.lock().unwrap().clone())
    }

    fn now(&self) -> Instant {
        *self.0.now.lock().unwrap()
    }
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap_or_else(|_| panic!("{text} is an address"))
}

fn policy(base: Base, allow: &[&str], deny: &[&str]) -> Policy {
    Policy::on(Described::with(&["127.0.0.1", "::1"]), base, Rules::parse(allow, deny).unwrap())
}

fn allows(policy: &Policy, address: &str, port: u16) -> bool {
    policy.judge(SocketAddr::new(ip(address), port)) == Verdict::Allow
}

/// Everything a user can allow.
const ALLOW_ALL: &[&str] = &["0.0.0.0/0", "::/0", "0.0.0.0/1", "128.0.0.0/1", "::/1", "8000::/1"];

/// An address form, and whether the remote and the local default allow it; `None` when no `--allow` reopens it.
type Row = (&'static [&'static str], Option<(bool, bool)>);

const ALLOW: bool = true;
const DENY: bool = false;

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

#[test]
fn the_longest_prefix_wins_whoever_wrote_it() {
    for (allow, deny, address, expected) in [
        (&["10.0.0.0/8"][..], &["10.1.0.0/16"][..], "10.1.0.1", DENY),
        (&["10.1.0.0/16"], &["10.0.0.0/8"], "10.1.0.1", ALLOW),
        // A broad allow of the user doesn't undo the default's narrower denies.
        (&["0.0.0.0/0", "::/0"], &[], "10.0.0.1", DENY),
        (&["0.0.0.0/0", "::/0"], &[], "fd00::1", DENY),
        (&["10.0.0.0/7"], &[], "10.0.0.1", DENY),
        (&["10.0.0.0/7"], &[], "11.0.0.1", ALLOW),
        (&["10.0.0.0/9"], &[], "10.0.0.1", ALLOW),
        (&["10.0.0.0/9"], &[], "10.128.0.1", DENY),
        // A longer prefix without a port goes before a shorter one with it.
        (&["10.0.0.0/16"], &["10.0.0.0/8:80"], "10.0.0.1", ALLOW),
        (&["10.0.0.0/8:80"], &["10.0.0.0/16"], "10.0.0.1", DENY),
    ] {
        assert_eq!(allows(&policy(Base::Remote, allow, deny), address, 80), expected, "{allow:?} {deny:?} {address}");
    }
}

#[test]
fn at_the_same_prefix_a_rule_with_a_port_wins_over_one_without() {
    let denied = policy(Base::Remote, &["10.0.0.0/8"], &["10.0.0.0/8:22"]);
    assert!(allows(&denied, "10.0.0.1", 80));
    assert!(!allows(&denied, "10.0.0.1", 22));
    let allowed = policy(Base::Local, &["10.0.0.0/8:22"], &["10.0.0.0/8"]);
    assert!(!allows(&allowed, "10.0.0.1", 80));
    assert!(allows(&allowed, "10.0.0.1", 22));
}

#[test]
fn at_a_full_tie_the_user_wins_over_the_default() {
    let remote = policy(Base::Remote, &["192.168.0.0/16"], &[]);
    assert!(allows(&remote, "192.168.7.1", 80));
    assert!(!allows(&remote, "10.0.0.1", 80));
    let local = policy(Base::Local, &[], &["127.0.0.0/8", "192.168.0.0/16"]);
    assert!(!allows(&local, "127.0.0.1", 80));
    assert!(!allows(&local, "192.168.7.1", 80));
    assert!(allows(&local, "::1", 80) && allows(&local, "10.0.0.1", 80));
}

#[test]
fn between_two_rules_of_the_user_deny_wins() {
    for rule in ["8.8.8.0/24", "8.8.8.0/24:80", "10.0.0.0/8"] {
        let both = policy(Base::Remote, &[rule], &[rule]);
        assert!(!allows(&both, rule.split('/').next().unwrap(), 80), "{rule}");
    }
}

#[test]
fn an_address_that_no_rule_matches_is_allowed() {
    for base in [Base::Local, Base::Remote] {
        for address in ["1.1.1.1", "2606:4700::1111"] {
            assert!(allows(&policy(base, &[], &[]), address, 443));
            assert!(allows(&policy(base, &[], &["9.9.9.9", "1.1.1.1:80"]), address, 443));
        }
    }
}

#[test]
fn a_denial_says_why_without_naming_an_address() {
    let policy = policy(Base::Remote, &[], &["1.1.1.1"]);
    policy.protect_port(9222);
    for (address, port, text) in [
        ("10.0.0.1", 80, "private addresses are denied"),
        ("64:ff9b:1::1", 80, "local-use NAT64 addresses are always denied"),
        ("1.1.1.1", 80, "a rule denies the address"),
        ("127.0.0.1", 9222, "the port is protected"),
    ] {
        match policy.judge(SocketAddr::new(ip(address), port)) {
            Verdict::Deny(denial) => assert_eq!(denial.to_string(), text),
            Verdict::Allow => panic!("{address} is allowed"),
        }
    }
}

#[test]
fn a_protected_port_is_denied_on_loopback_in_every_form() {
    for base in [Base::Local, Base::Remote] {
        let policy = policy(base, &[], &[]);
        policy.protect_port(9222);
        for address in
            ["127.0.0.1", "127.0.0.2", "127.255.255.255", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"]
        {
            assert!(!allows(&policy, address, 9222), "{address}");
            assert_eq!(allows(&policy, address, 9223), base == Base::Local, "{address}");
        }
        assert!(allows(&policy, "1.1.1.1", 9222), "another machine's port isn't protected");
    }
}

#[test]
fn only_an_allow_for_exactly_the_address_and_port_reopens_a_protected_port() {
    for (allow, reopens) in [
        ("127.0.0.1/32", DENY),
        ("127.0.0.0/8", DENY),
        ("127.0.0.0/8:9222", DENY),
        ("127.0.0.0/31:9222", DENY),
        ("0.0.0.0/0:9222", DENY),
        ("127.0.0.2:9222", DENY),
        ("127.0.0.1:9223", DENY),
        ("127.0.0.1:9222", ALLOW),
        ("127.0.0.1/32:9222", ALLOW),
        ("::ffff:127.0.0.1", DENY),
        ("[::ffff:127.0.0.1]:9222", ALLOW),
    ] {
        for base in [Base::Local, Base::Remote] {
            let policy = policy(base, &[allow], &[]);
            policy.protect_port(9222);
            assert_eq!(allows(&policy, "127.0.0.1", 9222), reopens, "{allow} {base:?}");
            assert!(!allows(&policy, "::1", 9222), "{allow} {base:?}");
        }
    }
    let policy = policy(Base::Local, &["127.0.0.2"], &[]);
    policy.protect_port(9222);
    assert!(!allows(&policy, "127.0.0.2", 9222), "a longer prefix than the loopback range's isn't enough");
}

#[test]
fn a_deny_for_the_same_address_and_port_goes_before_the_allow_that_reopens() {
    let policy = policy(Base::Local, &["127.0.0.1:9222"], &["127.0.0.1:9222"]);
    policy.protect_port(9222);
    assert!(!allows(&policy, "127.0.0.1", 9222));
}

#[test]
fn a_protected_port_is_denied_on_every_address_of_this_machine() {
    let machine =
        Described::with(&["127.0.0.1", "192.168.1.5", "8.8.4.4", "2606:4700::5", "fe80::5", "2002:808:808::1"]);
    let policy = Policy::on(machine, Base::Local, Rules::parse(&["192.168.1.5", "fe80::/10"], &[]).unwrap());
    policy.protect_port(9222);
    for address in
        ["192.168.1.5", "8.8.4.4", "2606:4700::5", "fe80::5", "::ffff:8.8.4.4", "64:ff9b::808:404", "2002:808:808::1"]
    {
        assert!(!allows(&policy, address, 9222), "{address}");
        assert!(allows(&policy, address, 80), "{address}");
    }
    assert!(allows(&policy, "192.168.1.6", 9222));
}

#[test]
fn an_exact_allow_reopens_a_protected_port_on_an_interface() {
    let machine = Described::with(&["192.168.1.5"]);
    let policy = Policy::on(machine, Base::Remote, Rules::parse(&["192.168.1.5:9222"], &[]).unwrap());
    policy.protect_port(9222);
    assert!(allows(&policy, "192.168.1.5", 9222));
    assert!(!allows(&policy, "127.0.0.1", 9222));
}

#[test]
fn interfaces_are_enumerated_at_check_time_and_kept_for_five_seconds() {
    let machine = Described::with(&["192.168.1.5"]);
    let policy = Policy::on(machine.clone(), Base::Local, Rules::default());
    policy.protect_port(9222);
    assert_eq!(machine.asked(), 0);
    assert!(allows(&policy, "192.168.1.6", 80));
    assert_eq!(machine.asked(), 0, "only a protected port makes it ask");
    assert!(allows(&policy, "192.168.1.6", 9222));
    machine.add("192.168.1.6");
    machine.pass(INTERFACE_CACHE.saturating_sub(Duration::from_millis(1)));
    assert!(allows(&policy, "192.168.1.6", 9222));
    assert_eq!(machine.asked(), 1);
    machine.pass(Duration::from_millis(1));
    assert!(!allows(&policy, "192.168.1.6", 9222), "a new interface counts");
    assert_eq!(machine.asked(), 2);
}

#[test]
fn a_machine_that_hides_its_interfaces_has_protected_ports_denied_everywhere() {
    let machine = Described::with(&["192.168.1.5"]);
    let policy = Policy::on(machine.clone(), Base::Local, Rules::parse(&["9.9.9.9:9222"], &[]).unwrap());
    policy.protect_port(9222);
    machine.hide(true);
    assert!(!allows(&policy, "1.1.1.1", 9222));
    assert!(!allows(&policy, "192.168.1.9", 9222));
    assert!(allows(&policy, "1.1.1.1", 443), "other ports aren't affected");
    assert!(allows(&policy, "9.9.9.9", 9222), "an exact allow still reopens");
    machine.hide(false);
    assert!(allows(&policy, "1.1.1.1", 9222), "a failure isn't kept");
    machine.hide(true);
    assert!(allows(&policy, "1.1.1.1", 9222), "the list is still good");
    machine.pass(INTERFACE_CACHE);
    assert!(!allows(&policy, "1.1.1.1", 9222), "an old list isn't used");
}

#[test]
fn a_port_protected_twice_needs_to_be_unprotected_twice() {
    let policy = policy(Base::Local, &[], &[]);
    policy.unprotect_port(9222);
    policy.protect_port(9222);
    policy.clone().protect_port(9222);
    policy.unprotect_port(9222);
    assert!(!allows(&policy, "127.0.0.1", 9222));
    policy.unprotect_port(9222);
    assert!(allows(&policy, "127.0.0.1", 9222));
}

#[test]
fn a_browsers_endpoint_on_another_machine_is_reached_only_through_cdp() {
    let policy = policy(Base::Remote, &["10.0.0.0/8", "10.0.0.5"], &[]);
    policy.set_endpoints("b1", vec![(ip("10.0.0.5"), 9222), (ip("::ffff:10.0.0.6"), 9222)]);
    for address in ["10.0.0.5", "10.0.0.6", "64:ff9b::a00:5", "::ffff:10.0.0.5"] {
        assert!(!allows(&policy, address, 9222), "{address}");
        assert!(allows(&policy, address, 80), "{address}");
    }
    policy.add_endpoints("b1", vec![(ip("10.0.0.7"), 9222)]);
    assert!(!allows(&policy, "10.0.0.5", 9222) && !allows(&policy, "10.0.0.7", 9222), "nothing is dropped");
    policy.set_endpoints("b1", vec![(ip("10.0.0.8"), 9222)]);
    assert!(
        allows(&policy, "10.0.0.5", 9222) && !allows(&policy, "10.0.0.8", 9222),
        "the new ones replace the old ones"
    );
    policy.set_endpoints("b2", vec![(ip("10.0.0.8"), 9222)]);
    policy.remove_endpoints("b1");
    assert!(!allows(&policy, "10.0.0.8", 9222), "another browser's");
    policy.remove_endpoints("b2");
    assert!(allows(&policy, "10.0.0.8", 9222));
}

#[test]
fn only_an_exact_allow_reopens_a_browsers_endpoint() {
    let policy = policy(Base::Remote, &["10.0.0.5:9222", "10.0.0.6/32"], &[]);
    policy.set_endpoints("b1", vec![(ip("10.0.0.5"), 9222), (ip("10.0.0.6"), 9222)]);
    assert!(allows(&policy, "10.0.0.5", 9222));
    assert!(!allows(&policy, "10.0.0.6", 9222));
}

#[test]
fn an_address_is_reachable_when_one_port_is_allowed() {
    let policy =
        policy(Base::Remote, &["10.0.0.0/8:443", "127.0.0.1:9222"], &["1.1.1.1", "8.8.8.8:53", "9.9.9.9/32:80"]);
    policy.protect_port(9222);
    policy.protect_port(9223);
    for (address, expected) in [
        ("10.0.0.1", ALLOW),
        ("64:ff9b::a00:1", ALLOW),
        ("192.168.0.1", DENY),
        ("1.1.1.1", DENY),
        ("8.8.8.8", ALLOW),
        ("9.9.9.9", ALLOW),
        ("127.0.0.1", ALLOW),
        ("127.0.0.2", DENY),
        ("0.0.0.0", DENY),
    ] {
        assert_eq!(policy.reachable(ip(address)), expected, "{address}");
    }
}

#[test]
fn hello_lists_the_rules_the_loopback_denies_and_the_endpoints_and_nothing_else() {
    let policy = policy(Base::Local, &["10.1.2.3/8", "[::1]:80", "10.0.0.0/8"], &["192.168.0.0/16,::ffff:1.1.1.1"]);
    policy.protect_port(9222);
    policy.protect_port(80);
    policy.set_endpoints("b1", vec![(ip("127.0.0.1"), 9222), (ip("10.0.0.5"), 9222), (ip("fd00::5"), 9223)]);
    let hello = policy.hello();
    assert_eq!(hello.allow, ["10.0.0.0/8", "[::1]/128:80"]);
    assert_eq!(
        hello.deny,
        [
            "192.168.0.0/16",
            "1.1.1.1/32",
            "127.0.0.0/8:80",
            "127.0.0.1/32:80",
            "[::1]/128:80",
            "127.0.0.0/8:9222",
            "127.0.0.1/32:9222",
            "[::1]/128:9222",
            "10.0.0.5/32:9222",
            "[fd00::5]/128:9223",
        ]
    );
    assert_eq!(
        hello.summary,
        "every public address, this machine, and the local network; allow 10.0.0.0/8, [::1]/128:80; \
         deny 192.168.0.0/16, 1.1.1.1/32"
    );
}

#[test]
fn hello_without_rules_is_the_default_alone() {
    let local = policy(Base::Local, &[], &[]).hello();
    assert_eq!(local.summary, "every public address, this machine, and the local network");
    assert_eq!((local.allow, local.deny), (vec![], vec![]));
    assert_eq!(policy(Base::Remote, &[], &[]).hello().summary, "every public address");
}

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

fn any_ipv4() -> impl Strategy<Value = std::net::Ipv4Addr> {
    prop_oneof![
        any::<std::net::Ipv4Addr>(),
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
            IpNet::V4(net) => (std::net::Ipv4Addr::from_bits(host as u32 & net.hostmask().to_bits()) | net.network()).into(),
            IpNet::V6(net) => (std::net::Ipv6Addr::from_bits(host & net.hostmask().to_bits()) | net.network()).into(),
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
