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
pub const NEVER: &[Range] = &[Range { cidr: "0.0.0.0/8", name: "nowhere" }];

/// Ranges judged as the IPv4 address that they embed.
pub const EMBEDDINGS: &[Embedding] = &[Embedding { cidr: "2002::/16", name: "6to4", first_bit: 16, rules: false }];

/// Denied by the remote default.
pub const REMOTE_DENY: &[Range] =
    &[Range { cidr: "127.0.0.0/8", name: "loopback" }, Range { cidr: "fe80::/10", name: "link-local" }];

/// Of REMOTE_DENY, what the local default allows instead.
pub const LOCAL_ALLOW: &[Range] = &[Range { cidr: "127.0.0.0/8", name: "loopback" }];

/// The loopback ranges on which a protected port is denied.
pub const PROTECTED_LOOPBACK: &[&str] = &["127.0.0.0/8", "::1/128"];

/// How long the list of this machine's addresses is kept.
pub const INTERFACE_CACHE: std::time::Duration = std::time::Duration::from_mins(1);

/// The remote default in a few words, as `policy.summary` of a HELLO begins.
pub const REMOTE_SUMMARY: &str = "the next street";

/// The local default in a few words, as `policy.summary` of a HELLO begins.
pub const LOCAL_SUMMARY: &str = "the whole town";
