//! Which addresses a node connects to for a page (section "Network policy" of the requirement).
//!
//! [`Policy`] decides and [`Dialer`] connects. Everything that a page causes to be connected goes through the dialer, which
//! asks the policy about each address right before each attempt. The policy itself is a decision: the machine's addresses and
//! the time are its inputs ([`Machine`]).

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    net::{IpAddr, SocketAddr},
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use ipnet::IpNet;

use crate::generated::{
    link::HelloPolicy,
    policy::{LOCAL_SUMMARY, REMOTE_SUMMARY},
};

pub mod dialer;
mod happy;
pub mod hosts;
pub mod machine;
mod ranges;
pub mod resolver;
pub mod rule;
#[cfg(test)]
mod tests;

pub use dialer::{DialError, Dialer};
pub use hosts::{Hosts, HostsError};
use machine::OwnAddresses;
pub use machine::{Machine, ThisMachine};
pub use ranges::normalize;
pub use resolver::{ResolveError, Resolver};
pub use rule::{Rule, RuleError, RuleErrorCause};

/// The default that a policy starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Base {
    /// The bridge to the browser that slicc controls: public addresses, this machine and the local network.
    Local,
    /// A node that follows a tray from another machine: public addresses.
    Remote,
}

impl Base {
    /// The default's name, as the `mode` of a HELLO.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Remote => "remote",
        }
    }
}

/// What a rule does to the addresses that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Allow,
    Deny,
}

/// The rules of the user, from `--allow` and `--deny`, in the order given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// The `--allow` rules.
    pub allow: Vec<Rule>,
    /// The `--deny` rules.
    pub deny: Vec<Rule>,
}

impl Rules {
    /// Reads the values of every `--allow` and every `--deny`, each a list of rules with commas between them.
    ///
    /// # Errors
    /// The first rule that can't be read or could never match.
    pub fn parse<T: AsRef<str>>(allow: &[T], deny: &[T]) -> Result<Self, RuleError> {
        Ok(Self { allow: Rule::parse_lists(allow)?, deny: Rule::parse_lists(deny)? })
    }
}

/// What the policy says about an address and port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Connect.
    Allow,
    /// Don't. On the wire it is EACCES.
    Deny(Denial),
}

/// Why an address and port are refused. Its text may go to a page that named the address itself: it tells nothing of this
/// machine. About an address that a name resolved to, even the range's name is more than the page knew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Denial {
    /// The address lies in a range that no rule reopens, whose name this is.
    #[error("{0} addresses are always denied")]
    Always(&'static str),
    /// The default denies the range of this name.
    #[error("{0} addresses are denied")]
    Default(&'static str),
    /// A `--deny` rule does.
    #[error("a rule denies the address")]
    Rule,
    /// The port is protected on this address, or it is a browser's endpoint.
    #[error("the port is protected")]
    Protected,
}

/// The policy of a node. Clones share their protected ports and endpoints.
#[derive(Clone)]
pub struct Policy {
    inner: Arc<Inner>,
}

struct Inner {
    base: Base,
    user: Rules,
    /// The default's rules and the user's.
    rules: Vec<Weighed>,
    own: OwnAddresses,
    guarded: RwLock<Guarded>,
}

/// A rule and what decides between it and another.
struct Weighed {
    net: IpNet,
    port: Option<u16>,
    action: Action,
    /// `None` for a rule of the user, else the name of the default's range.
    default: Option<&'static str>,
}

impl Weighed {
    /// The rule with the greatest rank wins: the longest prefix, then a port over none, then the user over the default, then
    /// deny over allow.
    fn rank(&self) -> (u8, bool, bool, bool) {
        (self.net.prefix_len(), self.port.is_some(), self.default.is_none(), self.action == Action::Deny)
    }
}

/// What is denied besides the rules, and reopened only by a user's allow for exactly the same address and port.
#[derive(Default)]
struct Guarded {
    /// Protected ports, and how many times each is protected.
    ports: BTreeMap<u16, usize>,
    /// The addresses and ports of each browser.
    endpoints: BTreeMap<String, Vec<(IpAddr, u16)>>,
}

impl Policy {
    /// The policy of this machine: a default, and the user's rules on top of it.
    pub fn new(base: Base, rules: Rules) -> Self {
        Self::on(ThisMachine, base, rules)
    }

    /// The policy of a described machine.
    pub fn on(machine: impl Machine + 'static, base: Base, user: Rules) -> Self {
        let defaults =
            ranges::defaults(base).map(|(net, action, name)| Weighed { net, port: None, action, default: Some(name) });
        let flag = |action| move |rule: &Rule| Weighed { net: rule.net(), port: rule.port(), action, default: None };
        let rules = defaults
            .chain(user.allow.iter().map(flag(Action::Allow)))
            .chain(user.deny.iter().map(flag(Action::Deny)))
            .collect();
        let own = OwnAddresses::new(Box::new(machine));
        Self { inner: Arc::new(Inner { base, user, rules, own, guarded: RwLock::default() }) }
    }

    /// The default that it starts from.
    pub fn base(&self) -> Base {
        self.inner.base
    }

    /// Whether a page may be connected to this address and port. The zone of a link-local address doesn't count.
    ///
    /// It is asked right before each connect, about the address that is connected to, and never about text.
    pub fn judge(&self, target: SocketAddr) -> Verdict {
        self.inner.judge(target.ip(), target.port())
    }

    /// Whether the policy allows at least one port of this address.
    pub fn reachable(&self, address: IpAddr) -> bool {
        let Ok(judged) = normalize(address) else { return false };
        // A port that only --deny rules name is no more open than one that nothing names, so the latter and the ports of the
        // --allow rules stand for all.
        let named: BTreeSet<u16> = {
            let guarded = self.inner.guarded();
            let rules = self.inner.rules.iter().filter_map(|rule| rule.port);
            let endpoints = guarded.endpoints.values().flatten().map(|(_, port)| *port);
            rules.chain(guarded.ports.keys().copied()).chain(endpoints).collect()
        };
        let unnamed = (1..=u16::MAX).find(|port| !named.contains(port));
        let allowed = self.inner.user.allow.iter().filter(|rule| rule::holds(rule.net(), judged));
        unnamed
            .into_iter()
            .chain(allowed.filter_map(|rule| rule.port()))
            .any(|port| self.inner.judge(address, port) == Verdict::Allow)
    }

    /// Denies a port on loopback and on every address of this machine. Ports are counted: a port that was protected twice
    /// stays protected until [`Policy::unprotect_port`] was called twice.
    pub fn protect_port(&self, port: u16) {
        *self.inner.guarded_mut().ports.entry(port).or_default() += 1;
    }

    /// Takes one [`Policy::protect_port`] back.
    pub fn unprotect_port(&self, port: u16) {
        let mut guarded = self.inner.guarded_mut();
        if let Some(count) = guarded.ports.get_mut(&port) {
            *count -= 1;
            if *count == 0 {
                guarded.ports.remove(&port);
            }
        }
    }

    /// Denies these addresses and ports as the endpoints of the browser with this key, in place of those that it had.
    pub fn set_endpoints(&self, browser: impl Into<String>, endpoints: Vec<(IpAddr, u16)>) {
        let mut list = Vec::new();
        add(&mut list, endpoints);
        self.inner.guarded_mut().endpoints.insert(browser.into(), list);
    }

    /// Denies these addresses and ports too, as endpoints of the browser with this key.
    pub fn add_endpoints(&self, browser: impl Into<String>, endpoints: Vec<(IpAddr, u16)>) {
        add(self.inner.guarded_mut().endpoints.entry(browser.into()).or_default(), endpoints);
    }

    /// Forgets the endpoints of the browser with this key.
    pub fn remove_endpoints(&self, browser: &str) {
        self.inner.guarded_mut().endpoints.remove(browser);
    }

    /// The default and the rules on top of it, for people.
    pub fn summary(&self) -> String {
        let mut summary = match self.inner.base {
            Base::Local => LOCAL_SUMMARY,
            Base::Remote => REMOTE_SUMMARY,
        }
        .to_owned();
        for (flag, rules) in [("allow", &self.inner.user.allow), ("deny", &self.inner.user.deny)] {
            if !rules.is_empty() {
                summary.push_str("; ");
                summary.push_str(flag);
                summary.push(' ');
                summary.push_str(&texts(rules.iter().copied()).join(", "));
            }
        }
        summary
    }

    /// What the node's HELLO says about the policy: the user's rules, the protected ports on loopback and the browsers'
    /// endpoints, but neither the default's ranges nor the denies per interface.
    pub fn hello(&self) -> HelloPolicy {
        let guarded = self.inner.guarded();
        let ports = guarded
            .ports
            .keys()
            .flat_map(|port| ranges::protected_loopback().iter().map(|net| Rule::on_port(*net, *port)));
        let endpoints = guarded.endpoints.values().flatten().map(|(address, port)| Rule::exact(*address, *port));
        HelloPolicy {
            allow: texts(self.inner.user.allow.iter().copied()),
            deny: texts(self.inner.user.deny.iter().copied().chain(ports).chain(endpoints)),
            summary: self.summary(),
        }
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy").field("summary", &self.summary()).finish_non_exhaustive()
    }
}

/// Adds endpoints that aren't there yet, under the address that is judged in their place. One that is always denied is kept
/// as it is, for HELLO.
fn add(list: &mut Vec<(IpAddr, u16)>, endpoints: Vec<(IpAddr, u16)>) {
    for (address, port) in endpoints {
        let endpoint = (normalize(address).unwrap_or(address), port);
        if !list.contains(&endpoint) {
            list.push(endpoint);
        }
    }
}

/// The text of each rule once, in order.
fn texts(rules: impl Iterator<Item = Rule>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    rules.filter(|rule| seen.insert(*rule)).map(|rule| rule.to_string()).collect()
}

impl Inner {
    // The state is whole between any two statements that change it, so a panic elsewhere doesn't spoil it.
    fn guarded(&self) -> RwLockReadGuard<'_, Guarded> {
        self.guarded.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn guarded_mut(&self) -> RwLockWriteGuard<'_, Guarded> {
        self.guarded.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn judge(&self, address: IpAddr, port: u16) -> Verdict {
        let judged = match normalize(address) {
            Ok(judged) => judged,
            Err(range) => return Verdict::Deny(Denial::Always(range.name)),
        };
        if self.guards(address, judged, port) && !self.user.allow.iter().any(|rule| rule.is_exactly(judged, port)) {
            return Verdict::Deny(Denial::Protected);
        }
        let matching =
            self.rules.iter().filter(|rule| rule.port.is_none_or(|only| only == port) && rule::holds(rule.net, judged));
        match matching.max_by_key(|rule| rule.rank()) {
            Some(Weighed { action: Action::Deny, default: Some(name), .. }) => Verdict::Deny(Denial::Default(name)),
            Some(Weighed { action: Action::Deny, default: None, .. }) => Verdict::Deny(Denial::Rule),
            Some(Weighed { action: Action::Allow, .. }) | None => Verdict::Allow,
        }
    }

    /// Whether an address and port are a browser's endpoint, or a protected port on this machine. `address` is connected to,
    /// `judged` stands for it.
    fn guards(&self, address: IpAddr, judged: IpAddr, port: u16) -> bool {
        let protected = {
            let guarded = self.guarded();
            if guarded.endpoints.values().flatten().any(|endpoint| *endpoint == (judged, port)) {
                return true;
            }
            guarded.ports.contains_key(&port)
        };
        protected
            && (ranges::protected_loopback().iter().any(|net| rule::holds(*net, judged))
                // An interface may itself have an address that embeds another one.
                || self.own.may_hold([address, judged]))
    }
}
