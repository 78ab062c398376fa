//! The network policy's tables. Generated from spec/policy.toml by `cargo codegen`. Do not edit.

/// An address range and why it is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The range in CIDR form.
    pub cidr: &'static str,
    /// What the range is, in a few words.
    pub name: &'static str,
}

/// An IPv6 range that embeds an IPv4 address, which is judged instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Embedding {
    /// The range in CIDR form.
    pub cidr: &'static str,
    /// What the range is, in a few words.
    pub name: &'static str,
    /// The first bit of the embedded address, counted from the left.
    pub first_bit: u8,
    /// Whether a rule inside the range can match: an IPv4-mapped rule becomes an IPv4 rule.
    pub rules: bool,
}

/// Ranges that no rule reopens.
pub const NEVER: &[Range] = &[
    Range { cidr: "64:ff9b:1::/48", name: "local-use NAT64" },
    Range { cidr: "2001::/32", name: "Teredo" },
    Range { cidr: "0.0.0.0/8", name: "this network" },
    Range { cidr: "::/128", name: "unspecified" },
];

/// Ranges judged as the IPv4 address that they embed.
pub const EMBEDDINGS: &[Embedding] = &[
    Embedding { cidr: "::ffff:0:0/96", name: "IPv4-mapped", first_bit: 96, rules: true },
    Embedding { cidr: "64:ff9b::/96", name: "NAT64", first_bit: 96, rules: false },
    Embedding { cidr: "2002::/16", name: "6to4", first_bit: 16, rules: false },
];

/// Denied by the remote default.
pub const REMOTE_DENY: &[Range] = &[
    Range { cidr: "127.0.0.0/8", name: "loopback" },
    Range { cidr: "::1/128", name: "loopback" },
    Range { cidr: "10.0.0.0/8", name: "private" },
    Range { cidr: "172.16.0.0/12", name: "private" },
    Range { cidr: "192.168.0.0/16", name: "private" },
    Range { cidr: "100.64.0.0/10", name: "CGNAT and tailnets" },
    Range { cidr: "169.254.0.0/16", name: "link-local and cloud metadata" },
    Range { cidr: "fe80::/10", name: "link-local" },
    Range { cidr: "fc00::/7", name: "ULA" },
    Range { cidr: "224.0.0.0/4", name: "multicast" },
    Range { cidr: "ff00::/8", name: "multicast" },
    Range { cidr: "240.0.0.0/4", name: "reserved" },
    Range { cidr: "255.255.255.255/32", name: "broadcast" },
    Range { cidr: "192.0.0.0/24", name: "reserved" },
    Range { cidr: "192.0.2.0/24", name: "documentation" },
    Range { cidr: "198.18.0.0/15", name: "benchmarks" },
    Range { cidr: "198.51.100.0/24", name: "documentation" },
    Range { cidr: "203.0.113.0/24", name: "documentation" },
    Range { cidr: "2001:db8::/32", name: "documentation" },
    Range { cidr: "100::/64", name: "discard" },
    Range { cidr: "::/96", name: "IPv4-compatible" },
    Range { cidr: "::ffff:0:0:0/96", name: "SIIT" },
];

/// Of REMOTE_DENY, what the local default allows instead.
pub const LOCAL_ALLOW: &[Range] = &[
    Range { cidr: "127.0.0.0/8", name: "loopback" },
    Range { cidr: "::1/128", name: "loopback" },
    Range { cidr: "10.0.0.0/8", name: "private" },
    Range { cidr: "172.16.0.0/12", name: "private" },
    Range { cidr: "192.168.0.0/16", name: "private" },
    Range { cidr: "fc00::/7", name: "ULA" },
];

/// The loopback ranges on which a protected port is denied.
pub const PROTECTED_LOOPBACK: &[&str] = &["127.0.0.0/8", "127.0.0.1/32", "::1/128"];

/// How long the list of this machine's addresses is kept.
pub const INTERFACE_CACHE: std::time::Duration = std::time::Duration::from_secs(5);

/// The remote default in a few words, as `policy.summary` of a HELLO begins.
pub const REMOTE_SUMMARY: &str = "every public address";

/// The local default in a few words, as `policy.summary` of a HELLO begins.
pub const LOCAL_SUMMARY: &str = "every public address, this machine, and the local network";
