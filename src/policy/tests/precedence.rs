//! Which rule wins, and what the policy says about itself.

use super::*;

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
