//! What messages share: choices, objects and both HELLOs. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::{Deserialize, Serialize};

/// What becomes of a prompt while the agent is busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub enum WhenBusy {
    /// It is queued.
    #[serde(rename = "followUp")]
    FollowUp,
    /// It steers the running turn.
    #[serde(rename = "steer")]
    Steer,
    /// It isn't taken.
    #[serde(rename = "reject")]
    Reject,
}

impl WhenBusy {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[Self::FollowUp, Self::Steer, Self::Reject];

    /// The text as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FollowUp => "followUp",
            Self::Steer => "steer",
            Self::Reject => "reject",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == name)
    }
}
/// How the agent took a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub enum Delivered {
    /// It started a run.
    #[serde(rename = "run")]
    Run,
    /// It steers the running turn.
    #[serde(rename = "steer")]
    Steer,
    /// It is queued.
    #[serde(rename = "follow-up")]
    FollowUp,
}

impl Delivered {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[Self::Run, Self::Steer, Self::FollowUp];

    /// The text as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Steer => "steer",
            Self::FollowUp => "follow-up",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == name)
    }
}
/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub enum FileKind {
    /// A regular file, or anything that is neither of the others.
    #[serde(rename = "file")]
    File,
    /// A directory.
    #[serde(rename = "directory")]
    Directory,
    /// A symbolic link or a junction.
    #[serde(rename = "symlink")]
    Symlink,
}

impl FileKind {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[Self::File, Self::Directory, Self::Symlink];

    /// The text as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Symlink => "symlink",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == name)
    }
}
/// How a folder treats the normalization forms of Unicode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub enum Normalization {
    /// Names are bytes.
    #[serde(rename = "none")]
    None,
    /// Names that differ in their form alone are the same, as on macOS.
    #[serde(rename = "nfd-insensitive")]
    NfdInsensitive,
}

impl Normalization {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[Self::None, Self::NfdInsensitive];

    /// The text as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::NfdInsensitive => "nfd-insensitive",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == name)
    }
}
/// `routes` of the node's HELLO.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HelloRoutes {
    /// Always empty so far.
    pub prefixes: Vec<String>,
    /// Whether the node is an exit.
    pub exit: bool,
}

/// `policy` of the node's HELLO.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HelloPolicy {
    /// The --allow rules.
    pub allow: Vec<String>,
    /// The --deny rules, the protected ports on loopback and the browser endpoints.
    pub deny: Vec<String>,
    /// The default and the rules on top of it, for people.
    pub summary: String,
}

/// A browser that the node offers for cdp.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HelloBrowser {
    /// Its kind, then -2, -3 and so on for another one of that kind; never given to another browser.
    pub id: String,
    /// Its name, as people know it.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Whether it hosts this page.
    pub seven: bool,
}

/// A folder that the node shares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HelloMount {
    /// Its name, which never tells the host's path.
    pub name: String,
    /// Whether every call on it is read-only.
    pub readonly: bool,
    /// What its volume does.
    pub capabilities: MountCapabilities,
}

/// What a shared folder's volume does, in the shape that the kernel's hostfs driver takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field on the wire")]
#[serde(rename_all = "camelCase")]
pub struct MountCapabilities {
    /// Bytes of one read or write, 16 MiB.
    pub max_io: u64,
    /// Whether symlink works.
    pub symlinks: bool,
    /// Whether the permission bits of setattr apply.
    pub chmod: bool,
    /// Whether names that differ in case alone are the same.
    pub case_insensitive: bool,
    /// How it treats the normalization forms of Unicode.
    pub normalization: Normalization,
    /// Whether setattr takes `size`.
    pub ranges: bool,
}

/// `jerk` of the node's HELLO.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HelloJerk {
    /// The version of the host's slicc-jerk.
    pub version: String,
}

/// What is known of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FileAttributes {
    /// What it is; a symbolic link isn't followed.
    pub kind: FileKind,
    /// Bytes.
    pub size: u64,
    /// When its content last changed: milliseconds since 1970, with fractions.
    pub mtime: f64,
    /// Permission bits.
    pub mode: u32,
    /// The number of the file on its volume.
    pub ino: u64,
    /// `"<size>-<mtime in ns>-<ino>"`, with the quotes.
    pub etag: String,
}

/// The node's HELLO.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeHello {
    /// Protocol version, 1.
    pub v: u32,
    /// `node`.
    pub role: &'static str,
    /// The link's name.
    pub name: String,
    /// This machine's short host name, or the name given.
    pub host: String,
    /// slicc's version.
    pub version: String,
    /// `local` or `remote`.
    pub mode: &'static str,
    /// The random id of this process.
    pub node: String,
    /// Capabilities.
    pub caps: Vec<&'static str>,
    /// What the node routes.
    pub routes: HelloRoutes,
    /// The policy that the node keeps.
    pub policy: HelloPolicy,
    /// The browsers that a cdp stream can name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browsers: Option<Vec<HelloBrowser>>,
    /// The SSH server's host key in authorized_keys form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ssh_host_key: Option<String>,
    /// The folders that an fs stream can name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mounts: Option<Vec<HelloMount>>,
    /// The slicc-jerk behind jerk streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jerk: Option<HelloJerk>,
}

/// The page's HELLO, as far as the node reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageHello {
    /// Protocol version, at least 1.
    pub v: u64,
    /// The page's name, empty when it gave none.
    pub name: String,
    /// Capabilities; those that aren't strings are left out.
    pub caps: Vec<String>,
}
