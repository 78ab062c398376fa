//! Protected ports and the browsers' endpoints.

use super::*;
use crate::generated::policy::INTERFACE_CACHE;

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
