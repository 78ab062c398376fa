//! The network policy as data: what `spec/policy.toml` holds, key for key.

use std::{collections::BTreeSet, net::IpAddr, path::Path};

use serde::Deserialize;

use super::{Problem, Problems, parse_toml, read_text};

/// Where the policy stands, relative to the project's root.
pub const FILE: &str = "spec/policy.toml";

/// The whole policy.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Policy {
    /// What is judged, in a paragraph.
    pub overview: String,
    /// Which rule wins, most important first.
    pub precedence: Vec<String>,
    /// The remote default in a few words.
    pub remote_summary: String,
    /// The local default in a few words.
    pub local_summary: String,
    /// Ranges that no rule reopens.
    pub never: Vec<Range>,
    /// Ranges judged as the IPv4 address that they embed.
    pub embedding: Vec<Embedding>,
    /// What the remote default denies.
    pub deny: Vec<DefaultRange>,
    /// The loopback ranges on which a protected port is denied.
    pub protected_loopback: Vec<String>,
    /// How long the list of this machine's addresses is kept.
    pub interface_cache_seconds: u64,
}

/// An address range.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Range {
    /// The range in CIDR form.
    pub cidr: String,
    /// What it is.
    pub name: String,
}

/// An IPv6 range that embeds an IPv4 address.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Embedding {
    /// The range in CIDR form.
    pub cidr: String,
    /// What it is.
    pub name: String,
    /// The first bit of the embedded address, counted from the left.
    pub first_bit: u8,
    /// Whether a rule inside the range can match.
    pub rules: bool,
}

/// A range that the remote default denies.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DefaultRange {
    /// The range in CIDR form.
    pub cidr: String,
    /// What it is.
    pub name: String,
    /// What the local default does with it.
    #[serde(default)]
    pub local: Local,
}

/// What the local default does with a range that the remote default denies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Local {
    /// It denies the range too.
    #[default]
    Deny,
    /// It allows the range.
    Allow,
}

impl Policy {
    /// Reads and checks the policy under `root`.
    ///
    /// # Errors
    /// Every problem, each with its file, its key and the reason.
    pub fn read(root: &Path) -> Result<Self, Vec<Problem>> {
        Self::parse(&read_text(root, FILE)?)
    }

    /// Parses and checks the text of a policy.
    ///
    /// # Errors
    /// Every problem, each with its file, its key and the reason.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        let policy: Self = parse_toml(FILE, text)?;
        let mut problems = Problems::new(FILE);
        let lists = [
            ("never", policy.never.iter().map(|range| &range.cidr).collect::<Vec<_>>()),
            ("embedding", policy.embedding.iter().map(|range| &range.cidr).collect()),
            ("deny", policy.deny.iter().map(|range| &range.cidr).collect()),
            ("protected-loopback", policy.protected_loopback.iter().collect()),
        ];
        for (key, cidrs) in lists {
            let mut seen = BTreeSet::new();
            for cidr in cidrs {
                let key = format!("{key}.{cidr}");
                match Cidr::parse(cidr) {
                    Err(reason) => problems.add(key, reason),
                    Ok(parsed) if !seen.insert(parsed) => problems.add(key, "is there twice"),
                    Ok(parsed) if key.starts_with("protected") && !parsed.address.is_loopback() => {
                        problems.add(key, "isn't loopback");
                    }
                    Ok(_) => {}
                }
            }
        }
        for embedding in &policy.embedding {
            let key = format!("embedding.{}", embedding.cidr);
            match Cidr::parse(&embedding.cidr) {
                Ok(cidr) if cidr.address.is_ipv4() => problems.add(key, "isn't IPv6"),
                Ok(cidr) if embedding.first_bit < cidr.prefix || embedding.first_bit > 128 - 32 => {
                    problems.add(format!("{key}.first-bit"), "isn't between the prefix and bit 96");
                }
                _ => {}
            }
        }
        if policy.interface_cache_seconds == 0 {
            problems.add("interface-cache-seconds", "is 0");
        }
        problems.finish(policy)
    }
}

/// A parsed range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cidr {
    address: IpAddr,
    prefix: u8,
}

impl Cidr {
    fn parse(text: &str) -> Result<Self, String> {
        let (address, prefix) = text.split_once('/').ok_or("has no prefix length")?;
        let address: IpAddr = address.parse().map_err(|_| "isn't an IP address before the `/`")?;
        let (bits, width) = match address {
            IpAddr::V4(address) => (u128::from(u32::from(address)) << 96, 32),
            IpAddr::V6(address) => (u128::from(address), 128),
        };
        let prefix: u8 = prefix.parse().map_err(|_| "has no number after the `/`")?;
        if prefix > width {
            return Err(format!("has a prefix longer than {width}"));
        }
        if bits.checked_shl(u32::from(prefix)).is_some_and(|rest| rest != 0) {
            return Err("has bits behind its prefix".into());
        }
        Ok(Self { address, prefix })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
overview = "What is judged."
precedence = ["The longest prefix wins."]
remote-summary = "every public address"
local-summary = "everything"
never = [{ cidr = "0.0.0.0/8", name = "this network" }]
embedding = [{ cidr = "2002::/16", name = "6to4", first-bit = 16, rules = false }]
deny = [{ cidr = "10.0.0.0/8", name = "private", local = "allow" }]
protected-loopback = ["127.0.0.0/8"]
interface-cache-seconds = 5
"#;

    fn refusal(from: &str, to: &str) -> String {
        assert!(GOOD.contains(from), "the good text holds {from}");
        let problems = Policy::parse(&GOOD.replacen(from, to, 1)).expect_err("refused");
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_good_policy_is_taken() {
        let policy = Policy::parse(GOOD).expect("good");
        assert_eq!(policy.deny[0].local, Local::Allow);
    }

    #[test]
    fn each_mistake_is_refused_by_file_key_and_reason() {
        let cases = [
            ("0.0.0.0/8", "0.0.0.0", "spec/policy.toml: never.0.0.0.0: has no prefix length"),
            ("0.0.0.0/8", "zero/8", "spec/policy.toml: never.zero/8: isn't an IP address before the `/`"),
            ("10.0.0.0/8", "10.0.0.0/x", "spec/policy.toml: deny.10.0.0.0/x: has no number after the `/`"),
            ("10.0.0.0/8", "10.0.0.0/33", "spec/policy.toml: deny.10.0.0.0/33: has a prefix longer than 32"),
            ("10.0.0.0/8", "10.0.0.1/8", "spec/policy.toml: deny.10.0.0.1/8: has bits behind its prefix"),
            (
                "[\"127.0.0.0/8\"]",
                "[\"127.0.0.0/8\", \"127.0.0.0/8\"]",
                "spec/policy.toml: protected-loopback.127.0.0.0/8: is there twice",
            ),
            ("127.0.0.0/8", "192.168.0.0/16", "spec/policy.toml: protected-loopback.192.168.0.0/16: isn't loopback"),
            ("2002::/16", "10.0.0.0/8", "spec/policy.toml: embedding.10.0.0.0/8: isn't IPv6"),
            (
                "first-bit = 16",
                "first-bit = 97",
                "spec/policy.toml: embedding.2002::/16.first-bit: isn't between the prefix and bit 96",
            ),
            ("seconds = 5", "seconds = 0", "spec/policy.toml: interface-cache-seconds: is 0"),
        ];
        for (from, to, expected) in cases {
            assert_eq!(refusal(from, to), expected, "{from} -> {to}");
        }
        let unknown = refusal("interface-cache-seconds = 5", "interface-cache-seconds = 5\ncolour = 1");
        assert!(unknown.starts_with("spec/policy.toml: colour: line 11: unknown field `colour`"), "{unknown}");
    }
}
