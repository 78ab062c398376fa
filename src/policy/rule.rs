//! The rules that `--allow` and `--deny` take (section "Network policy" of the requirement, "Rules").

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use super::ranges;

/// An address range, and a port when the rule is about one port only.
///
/// Its text form is canonical: the range in CIDR form with its host bits masked off, then the port, with brackets around
/// an IPv6 address that a port follows. `10.0.0.0/8`, `127.0.0.1/32:9222`, `fc00::/7`, `[::1]/128:9222`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rule {
    net: IpNet,
    port: Option<u16>,
}

impl Rule {
    /// The rule for one address on one port. The address isn't normalised, so this rule may be one that never matches.
    pub(super) fn exact(address: IpAddr, port: u16) -> Self {
        Self { net: IpNet::from(address), port: Some(port) }
    }

    /// The rule for a range on one port.
    pub(super) const fn on_port(net: IpNet, port: u16) -> Self {
        Self { net, port: Some(port) }
    }

    /// The addresses it is about.
    pub const fn net(self) -> IpNet {
        self.net
    }

    /// The port it is about; `None` for every port.
    pub const fn port(self) -> Option<u16> {
        self.port
    }

    /// Whether it is about this address and no other, on this port and no other.
    pub(super) fn is_exactly(self, address: IpAddr, port: u16) -> bool {
        self == Self::exact(address, port)
    }

    /// Reads the value of one `--allow` or `--deny`: rules with commas between them. Spaces around a rule don't count.
    ///
    /// # Errors
    /// The first rule that can't be read, or that could never match.
    pub fn parse_list(value: &str) -> Result<Vec<Self>, RuleError> {
        value.split(',').map(|text| text.trim().parse()).collect()
    }

    /// Reads the values of every `--allow` or of every `--deny`.
    ///
    /// # Errors
    /// As [`Rule::parse_list`].
    pub fn parse_lists<T: AsRef<str>>(values: &[T]) -> Result<Vec<Self>, RuleError> {
        let lists: Vec<_> = values.iter().map(|value| Self::parse_list(value.as_ref())).collect::<Result<_, _>>()?;
        Ok(lists.concat())
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.net, self.port) {
            (net, None) => write!(f, "{net}"),
            (IpNet::V4(net), Some(port)) => write!(f, "{net}:{port}"),
            (IpNet::V6(net), Some(port)) => write!(f, "[{}]/{}:{port}", net.addr(), net.prefix_len()),
        }
    }
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let error = |cause| RuleError { rule: shown(text), cause };
        let (address, prefix, port) = parts(text).map_err(error)?;
        let net = normal_net(address, prefix).map_err(error)?;
        match ranges::never_matches(net) {
            Some(cause) => Err(error(cause)),
            None => Ok(Self { net, port }),
        }
    }
}

/// A rule that isn't one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{rule:?} {cause}")]
pub struct RuleError {
    /// The rule as typed, cut when it is very long.
    pub rule: String,
    /// What is wrong with it.
    pub cause: RuleErrorCause,
}

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleErrorCause {
    /// Nothing between two commas, or no value at all.
    #[error("is empty: give an address range, such as 10.0.0.0/8")]
    Empty,
    /// The part before the prefix or port isn't an IP literal.
    #[error(
        "has no IP address: rules take an address or a range with an optional port, such as 10.0.0.0/8 or [::1]:22"
    )]
    Address,
    /// An address with a zone.
    #[error("names a zone: rules are about addresses on every interface, so leave out % and what follows")]
    Zone,
    /// An IPv4 address in brackets.
    #[error("has an IPv4 address in brackets: write it without them")]
    BracketedIpv4,
    /// The prefix length isn't a number that this family has.
    #[error("has a prefix length that isn't a number from 0 to {max}")]
    Prefix {
        /// The family's highest prefix length.
        max: u8,
    },
    /// The port isn't one.
    #[error("has a port that isn't a number from 1 to 65535")]
    Port,
    /// The whole range is denied whatever the rules say.
    #[error("can never match: {name} ({range}) is always denied")]
    AlwaysDenied {
        /// The range's name.
        name: &'static str,
        /// The range.
        range: &'static str,
    },
    /// The whole range is judged as the IPv4 addresses in it.
    #[error("can never match: {name} addresses ({range}) are judged as the IPv4 address in them, so write that one")]
    JudgedAsIpv4 {
        /// The range's name.
        name: &'static str,
        /// The range.
        range: &'static str,
    },
}

/// The rule as typed, for a message.
fn shown(text: &str) -> String {
    const LONGEST: usize = 100;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The address, prefix length and port of a rule as typed.
fn parts(text: &str) -> Result<(IpAddr, Option<u8>, Option<u16>), RuleErrorCause> {
    if text.is_empty() {
        return Err(RuleErrorCause::Empty);
    }
    if text.contains('%') {
        return Err(RuleErrorCause::Zone);
    }
    let (address, rest) = if let Some(bracketed) = text.strip_prefix('[') {
        let (inner, rest) = bracketed.split_once(']').ok_or(RuleErrorCause::Address)?;
        match inner.parse().map_err(|_| RuleErrorCause::Address)? {
            IpAddr::V4(_) => return Err(RuleErrorCause::BracketedIpv4),
            address @ IpAddr::V6(_) => (address, rest),
        }
    } else {
        // The colons of an unbracketed IPv6 address belong to it, up to its prefix length.
        let end = match text.find('/') {
            Some(slash) => slash,
            None if text.contains('.') && text.matches(':').count() == 1 => text.find(':').unwrap_or(text.len()),
            None => text.len(),
        };
        let (address, rest) = text.split_at(end);
        (address.parse().map_err(|_| RuleErrorCause::Address)?, rest)
    };
    let max = if address.is_ipv4() { 32 } else { 128 };
    let (prefix, rest) = match rest.strip_prefix('/') {
        None => (None, rest),
        Some(rest) => {
            let (digits, rest) = rest.split_at(rest.find(':').unwrap_or(rest.len()));
            let prefix = number(digits).filter(|n| *n <= max).ok_or(RuleErrorCause::Prefix { max: max as u8 })?;
            (Some(prefix as u8), rest)
        }
    };
    let port = match rest.strip_prefix(':') {
        None if rest.is_empty() => None,
        None => return Err(RuleErrorCause::Address),
        Some(digits) => {
            let port = number(digits).and_then(|n| u16::try_from(n).ok()).filter(|n| *n != 0);
            Some(port.ok_or(RuleErrorCause::Port)?)
        }
    };
    Ok((address, prefix, port))
}

/// A plain decimal number: no sign, no leading zero.
fn number(digits: &str) -> Option<u32> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    if plain { digits.parse().ok() } else { None }
}

/// The range with its host bits masked off. A range of IPv4-mapped addresses becomes the IPv4 range.
fn normal_net(address: IpAddr, prefix: Option<u8>) -> Result<IpNet, RuleErrorCause> {
    let net = match (address, prefix) {
        (IpAddr::V4(address), prefix) => {
            let prefix = prefix.unwrap_or(32);
            IpNet::V4(Ipv4Net::new(address, prefix).map_err(|_| RuleErrorCause::Prefix { max: 32 })?)
        }
        (IpAddr::V6(address), prefix) => {
            let prefix = prefix.unwrap_or(128);
            let net = Ipv6Net::new(address, prefix).map_err(|_| RuleErrorCause::Prefix { max: 128 })?;
            ranges::mapped_rule(net).map_or(IpNet::V6(net), IpNet::V4)
        }
    };
    Ok(net.trunc())
}

/// Whether a range holds an address of its own family.
pub(super) fn holds(net: IpNet, address: IpAddr) -> bool {
    match (net, address) {
        (IpNet::V4(net), IpAddr::V4(address)) => net.contains::<&Ipv4Addr>(&address),
        (IpNet::V6(net), IpAddr::V6(address)) => net.contains::<&Ipv6Addr>(&address),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn canonical(text: &str) -> String {
        text.parse::<Rule>().unwrap_or_else(|error| panic!("{error}")).to_string()
    }

    fn cause(text: &str) -> RuleErrorCause {
        text.parse::<Rule>().expect_err(text).cause
    }

    #[test]
    fn every_form_of_the_requirement_is_read() {
        for (typed, expected) in [
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("127.0.0.1/32:9222", "127.0.0.1/32:9222"),
            ("[::1]/128:9222", "[::1]/128:9222"),
            ("127.0.0.1", "127.0.0.1/32"),
            ("127.0.0.1:80", "127.0.0.1/32:80"),
            ("[::1]:22", "[::1]/128:22"),
            ("[::1]", "::1/128"),
            ("::1", "::1/128"),
            ("fc00::/7", "fc00::/7"),
            ("fc00::/7:443", "[fc00::]/7:443"),
            ("[fc00::]/7", "fc00::/7"),
            ("0.0.0.0/0", "0.0.0.0/0"),
            ("::/0", "::/0"),
        ] {
            assert_eq!(canonical(typed), expected, "{typed}");
        }
    }

    #[test]
    fn host_bits_are_masked_off() {
        assert_eq!(canonical("10.1.2.3/8"), "10.0.0.0/8");
        assert_eq!(canonical("[fd12::1]/8:80"), "[fd00::]/8:80");
    }

    #[test]
    fn mapped_rules_become_ipv4_rules() {
        assert_eq!(canonical("::ffff:10.0.0.5"), "10.0.0.5/32");
        assert_eq!(canonical("[::ffff:a00:5]:22"), "10.0.0.5/32:22");
        assert_eq!(canonical("::ffff:10.1.2.3/104"), "10.0.0.0/8");
        assert_eq!(canonical("::ffff:0:0/96"), "0.0.0.0/0");
        assert_eq!(canonical("::ffff:10.0.0.0/80"), "::/80");
    }

    #[test]
    fn lists_are_read_in_order() {
        let rules = Rule::parse_list("10.0.0.0/8, 127.0.0.1/32:9222,[::1]/128:9222").unwrap();
        let texts: Vec<_> = rules.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["10.0.0.0/8", "127.0.0.1/32:9222", "[::1]/128:9222"]);
    }

    #[test]
    fn an_empty_rule_is_refused() {
        for list in ["", " ", "10.0.0.0/8,", ",10.0.0.0/8", "10.0.0.0/8,,::1"] {
            assert_eq!(Rule::parse_list(list).unwrap_err().cause, RuleErrorCause::Empty, "{list:?}");
        }
    }

    #[test]
    fn rules_that_can_never_match_are_refused() {
        for rule in ["64:ff9b::/96", "64:ff9b::7f00:1", "[64:ff9b::7f00:1]:80", "2002::/16", "2002:7f00:1::/48"] {
            assert!(matches!(cause(rule), RuleErrorCause::JudgedAsIpv4 { .. }), "{rule}");
        }
        for rule in [
            "64:ff9b:1::/48",
            "64:ff9b:1::7f00:1",
            "2001::/32",
            "2001:0:1::/48",
            "0.0.0.0/8",
            "0.0.0.0",
            "0.0.0.1:80",
            "::",
            "[::]:80",
            "::ffff:0.0.0.1",
        ] {
            assert!(matches!(cause(rule), RuleErrorCause::AlwaysDenied { .. }), "{rule}");
        }
        for rule in ["64:ff9b::/95", "2002::/15", "2001::/31", "0.0.0.0/7", "::/127", "64:ff9b::/47"] {
            assert!(rule.parse::<Rule>().is_ok(), "{rule} covers addresses outside the range too");
        }
    }

    #[test]
    fn a_refusal_says_what_to_write_instead() {
        let error = "64:ff9b::7f00:1".parse::<Rule>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "\"64:ff9b::7f00:1\" can never match: NAT64 addresses (64:ff9b::/96) are judged as the IPv4 address in them, \
             so write that one"
        );
        let error = "0.0.0.0/8".parse::<Rule>().unwrap_err();
        assert_eq!(error.to_string(), "\"0.0.0.0/8\" can never match: this network (0.0.0.0/8) is always denied");
    }

    #[test]
    fn malformed_rules_are_refused() {
        for rule in
            ["localhost", "10.0.0/8", "010.0.0.1", "1", "[::1", "[::1]22", "::1]:22", "10.0.0.1 /8", "[::1/128]", ":80"]
        {
            assert_eq!(cause(rule), RuleErrorCause::Address, "{rule}");
        }
        for rule in ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/08", "10.0.0.0/-1", "10.0.0.0/8/8"] {
            assert_eq!(cause(rule), RuleErrorCause::Prefix { max: 32 }, "{rule}");
        }
        assert_eq!(cause("::1/129"), RuleErrorCause::Prefix { max: 128 });
        for rule in ["10.0.0.1:0", "10.0.0.1:65536", "10.0.0.1:", "10.0.0.0/8:+80", "[::1]:080", "10.0.0.1:99999999999"]
        {
            assert_eq!(cause(rule), RuleErrorCause::Port, "{rule}");
        }
        assert_eq!(cause("fe80::1%lo"), RuleErrorCause::Zone);
        assert_eq!(cause("[127.0.0.1]:80"), RuleErrorCause::BracketedIpv4);
    }

    #[test]
    fn a_long_rule_is_cut_in_the_message() {
        let error = "é".repeat(10_000).parse::<Rule>().unwrap_err();
        assert!(error.to_string().len() < 500);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            let _ = Rule::parse_list(&text);
        }

        #[test]
        fn text_like_a_rule_is_read_or_refused(text in "[0-9a-f:.,/\\[\\]% ]{0,60}") {
            if let Ok(rules) = Rule::parse_list(&text) {
                for rule in rules {
                    prop_assert_eq!(rule.to_string().parse::<Rule>(), Ok(rule));
                }
            }
        }

        #[test]
        fn the_canonical_form_reads_back(address: IpAddr, prefix in 0u8..=128, port in proptest::option::of(1u16..)) {
            let prefix = if address.is_ipv4() { prefix % 33 } else { prefix };
            let typed = match (address, port) {
                (_, None) => format!("{address}/{prefix}"),
                (IpAddr::V4(address), Some(port)) => format!("{address}/{prefix}:{port}"),
                (IpAddr::V6(address), Some(port)) => format!("[{address}]/{prefix}:{port}"),
            };
            if let Ok(rule) = typed.parse::<Rule>() {
                prop_assert_eq!(rule.to_string().parse::<Rule>(), Ok(rule));
                prop_assert_eq!(rule.net(), rule.net().trunc());
            }
        }
    }
}
