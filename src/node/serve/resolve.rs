//! `resolve` streams: a name lookup for the page (sections "Link", "resolve" and "Network policy", "resolve filtering" of the
//! requirement).

use std::net::{IpAddr, SocketAddr};

use crate::{
    generated::link::{ErrorCode, ResolveOpen, ResolveOpened, timeouts},
    link::Stream,
    policy::{Dialer, Policy, ResolveError},
};

/// Serves one stream: looks the name up, leaves out what the page has no use for, and answers OPENED and END.
pub async fn serve(open: ResolveOpen, mut stream: Stream, dialer: &Dialer) {
    let found = tokio::select! {
        biased;
        // Nothing may come before OPENED, so this is the page's RESET: nobody waits for the answer any more.
        _ = stream.recv() => return,
        found = dialer.resolver().resolve(&open.name, timeouts::RESOLVE) => found,
    };
    let addresses = match found {
        Ok(answer) => kept(&answer.addresses, open.family, dialer.policy()),
        Err(error @ ResolveError::TimedOut) => return stream.reset(ErrorCode::Etimedout, &error.to_string()),
        Err(ResolveError::NotFound) => Vec::new(),
    };
    match stream.accept(&ResolveOpened { addresses, ttl: timeouts::RESOLVE_TTL.as_secs() as u32 }) {
        Ok(()) => stream.end(),
        Err(error) => {
            tracing::error!(%error, "a resolve answer can't be written");
            stream.reset(ErrorCode::Eproto, "the answer can't be written");
        }
    }
}

/// The addresses of the asked family that the policy allows on at least one port, each once.
fn kept(found: &[SocketAddr], family: u8, policy: &Policy) -> Vec<String> {
    let asked_for = |address: &IpAddr| match family {
        4 => address.is_ipv4(),
        6 => address.is_ipv6(),
        _ => true,
    };
    let mut kept: Vec<IpAddr> = Vec::new();
    for address in found.iter().map(SocketAddr::ip).filter(asked_for) {
        if policy.reachable(address) && !kept.contains(&address) {
            kept.push(address);
        }
    }
    kept.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use std::{io, time::Duration};

    use tokio::time::timeout;

    use super::*;
    use crate::{
        link::memory::pair,
        policy::{
            Base, Hosts, Resolver, Rules,
            resolver::fake::{FakeLookup, Reply},
        },
    };

    const HOSTS: &str = "203.0.114.7 site.test\n2606:4700::7 site.test\n203.0.114.7 Site.Test.\n10.0.0.7 site.test\n\
                         127.0.0.1 home.test\n203.0.114.9 four.test";

    fn dialer(base: Base, allow: &[&str], deny: &[&str], lookup: FakeLookup) -> Dialer {
        let policy = Policy::new(base, Rules::parse(allow, deny).unwrap());
        Dialer::new(policy, Resolver::new(Hosts::parse(HOSTS).unwrap(), lookup))
    }

    /// What the page gets: the addresses, or the RESET's text.
    async fn ask(dialer: &Dialer, name: &str, family: u8) -> Result<Vec<String>, String> {
        let exchange = async {
            let (node, mut page) = pair().await;
            serve(ResolveOpen { name: name.to_owned(), family }, node, dialer).await;
            let opened = page.opened().await.map_err(|error| error.to_string())?;
            assert_eq!(opened["ttl"], 30);
            assert_eq!(page.recv().await.unwrap(), None, "END follows OPENED");
            page.end();
            Ok(serde_json::from_value(opened["addresses"].clone()).unwrap())
        };
        timeout(Duration::from_secs(20), exchange).await.expect("the test ends in time")
    }

    #[tokio::test]
    async fn addresses_are_distinct_of_the_asked_family_and_in_order() {
        let dialer = dialer(Base::Local, &[], &[], FakeLookup::new([]));
        let all = ["203.0.114.7", "2606:4700::7", "10.0.0.7"];
        for name in ["site.test", "SITE.test."] {
            assert_eq!(ask(&dialer, name, 0).await.unwrap(), all);
            assert_eq!(ask(&dialer, name, 4).await.unwrap(), [all[0], all[2]]);
            assert_eq!(ask(&dialer, name, 6).await.unwrap(), [all[1]]);
        }
        assert!(ask(&dialer, "four.test", 6).await.unwrap().is_empty(), "a name of the file has no other addresses");
    }

    #[tokio::test]
    async fn a_literal_is_answered_as_itself_when_it_is_of_the_asked_family() {
        let dialer = dialer(Base::Local, &[], &[], FakeLookup::new([]));
        for (name, family, expected) in [
            ("1.1.1.1", 0, &["1.1.1.1"][..]),
            ("1.1.1.1", 6, &[]),
            ("[::1]", 0, &["::1"]),
            ("::1", 6, &["::1"]),
            ("::1", 4, &[]),
            ("::ffff:1.1.1.1", 4, &["1.1.1.1"]),
            ("::ffff:1.1.1.1", 6, &[]),
        ] {
            assert_eq!(ask(&dialer, name, family).await.unwrap(), expected, "{name} {family}");
        }
    }

    #[tokio::test]
    async fn addresses_that_the_policy_refuses_on_every_port_are_dropped() {
        let remote = dialer(Base::Remote, &[], &[], FakeLookup::new([]));
        assert_eq!(ask(&remote, "site.test", 4).await.unwrap(), ["203.0.114.7"]);
        assert!(ask(&remote, "home.test", 0).await.unwrap().is_empty());
        assert!(ask(&remote, "169.254.169.254", 0).await.unwrap().is_empty());
        let one_port = dialer(Base::Remote, &["10.0.0.7:443"], &["203.0.114.7"], FakeLookup::new([]));
        assert_eq!(ask(&one_port, "site.test", 4).await.unwrap(), ["10.0.0.7"]);
    }

    #[tokio::test]
    async fn mapped_answers_of_the_system_are_ipv4_addresses() {
        let lookup = FakeLookup::addresses(&["::ffff:1.1.1.1", "1.1.1.1", "::ffff:127.0.0.1"]);
        let dialer = dialer(Base::Remote, &[], &[], lookup);
        assert_eq!(ask(&dialer, "mapped.test", 4).await.unwrap(), ["1.1.1.1"]);
        assert!(ask(&dialer, "mapped.test", 6).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_failed_lookup_means_not_mine_and_one_that_times_out_is_a_reset() {
        let lookup = FakeLookup::new([
            Reply::Fails(io::ErrorKind::Other),
            Reply::Addresses(vec![]),
            Reply::Fails(io::ErrorKind::TimedOut),
        ]);
        let dialer = dialer(Base::Local, &[], &[], lookup);
        assert!(ask(&dialer, "none.test", 0).await.unwrap().is_empty());
        assert!(ask(&dialer, "none.test", 0).await.unwrap().is_empty());
        assert_eq!(ask(&dialer, "none.test", 0).await.unwrap_err(), "ETIMEDOUT: the name lookup timed out");
    }

    #[tokio::test]
    async fn a_page_that_resets_does_not_wait_for_the_lookup() {
        let dialer = dialer(Base::Local, &[], &[], FakeLookup::new([Reply::Never]));
        let (node, page) = pair().await;
        page.reset(ErrorCode::Econnreset, "");
        let open = ResolveOpen { name: "slow.test".to_owned(), family: 0 };
        timeout(Duration::from_secs(20), serve(open, node, &dialer)).await.expect("it ends at once");
    }
}
