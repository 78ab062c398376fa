//! Messages of `fs` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    FieldError, FileAttributes, StreamKind, limits,
    read::{integer, optional, optional_or_null, required, text, texts, truthy, whole},
};

/// An operation of `fs` streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FsOp {
    /// What is known of a file.
    Stat,
    /// The entries of a directory, as NDJSON lines `{ "name", "attr" }`.
    List,
    /// Makes a directory, but not the ones above it.
    Mkdir,
    /// Removes an empty directory.
    Rmdir,
    /// Removes a file or a symbolic link; a directory is EISDIR.
    Unlink,
    /// Moves a file or a directory, replacing a file or an empty directory.
    Rename,
    /// Makes a symbolic link; EPERM on Windows.
    Symlink,
    /// What a symbolic link holds; EINVAL for anything else.
    Readlink,
    /// Changes the size, then the permissions and the time of a file.
    Setattr,
    /// The size of the folder's volume.
    Statfs,
    /// Opens a file. Without any of the four flags the handle is a name that holds nothing open; with one of them it keeps
    /// the file open.
    Open,
    /// Reads at an offset. The bytes follow OPENED as DATA; there are fewer at the end of the file, and none past it.
    Read,
    /// Writes in place at an offset. After OPENED the page sends at most 16 MiB, then END; the node sends END once they are
    /// written.
    Write,
    /// Closes a handle.
    Release,
    /// Tells what changes, as NDJSON lines `{ "mount", "paths" }`, `{ "mount", "all": true }` and `{ "ping": 1 }`, until
    /// the page's END. Changes are collected over 50 ms; past 256 paths a line is `all`. A ping goes out every 15 s, a
    /// watcher that failed is tried again every 1 s, and one that nobody uses stays for 5 s.
    Watch,
}

impl FsOp {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[
        Self::Stat,
        Self::List,
        Self::Mkdir,
        Self::Rmdir,
        Self::Unlink,
        Self::Rename,
        Self::Symlink,
        Self::Readlink,
        Self::Setattr,
        Self::Statfs,
        Self::Open,
        Self::Read,
        Self::Write,
        Self::Release,
        Self::Watch,
    ];

    /// The operation as it stands in an OPEN.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stat => "stat",
            Self::List => "list",
            Self::Mkdir => "mkdir",
            Self::Rmdir => "rmdir",
            Self::Unlink => "unlink",
            Self::Rename => "rename",
            Self::Symlink => "symlink",
            Self::Readlink => "readlink",
            Self::Setattr => "setattr",
            Self::Statfs => "statfs",
            Self::Open => "open",
            Self::Read => "read",
            Self::Write => "write",
            Self::Release => "release",
            Self::Watch => "watch",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == name)
    }
}
/// OPEN of `fs` streams.
#[derive(Debug, Clone, PartialEq)]
pub enum FsOpen {
    /// What is known of a file.
    Stat(FsStatOpen),
    /// The entries of a directory, as NDJSON lines `{ "name", "attr" }`.
    List(FsListOpen),
    /// Makes a directory, but not the ones above it.
    Mkdir(FsMkdirOpen),
    /// Removes an empty directory.
    Rmdir(FsRmdirOpen),
    /// Removes a file or a symbolic link; a directory is EISDIR.
    Unlink(FsUnlinkOpen),
    /// Moves a file or a directory, replacing a file or an empty directory.
    Rename(FsRenameOpen),
    /// Makes a symbolic link; EPERM on Windows.
    Symlink(FsSymlinkOpen),
    /// What a symbolic link holds; EINVAL for anything else.
    Readlink(FsReadlinkOpen),
    /// Changes the size, then the permissions and the time of a file.
    Setattr(FsSetattrOpen),
    /// The size of the folder's volume.
    Statfs(FsStatfsOpen),
    /// Opens a file. Without any of the four flags the handle is a name that holds nothing open; with one of them it keeps
    /// the file open.
    Open(FsOpenOpen),
    /// Reads at an offset. The bytes follow OPENED as DATA; there are fewer at the end of the file, and none past it.
    Read(FsReadOpen),
    /// Writes in place at an offset. After OPENED the page sends at most 16 MiB, then END; the node sends END once they are
    /// written.
    Write(FsWriteOpen),
    /// Closes a handle.
    Release(FsReleaseOpen),
    /// Tells what changes, as NDJSON lines `{ "mount", "paths" }`, `{ "mount", "all": true }` and `{ "ping": 1 }`, until
    /// the page's END. Changes are collected over 50 ms; past 256 paths a line is `all`. A ping goes out every 15 s, a
    /// watcher that failed is tried again every 1 s, and one that nobody uses stays for 5 s.
    Watch(FsWatchOpen),
}

impl FsOpen {
    /// Reads `op` and the fields of an OPEN, without `kind`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        let op = required(open, "op", "must be a known operation", |value| value.as_str().and_then(FsOp::from_name))?;
        Ok(match op {
            FsOp::Stat => Self::Stat(FsStatOpen::parse(open)?),
            FsOp::List => Self::List(FsListOpen::parse(open)?),
            FsOp::Mkdir => Self::Mkdir(FsMkdirOpen::parse(open)?),
            FsOp::Rmdir => Self::Rmdir(FsRmdirOpen::parse(open)?),
            FsOp::Unlink => Self::Unlink(FsUnlinkOpen::parse(open)?),
            FsOp::Rename => Self::Rename(FsRenameOpen::parse(open)?),
            FsOp::Symlink => Self::Symlink(FsSymlinkOpen::parse(open)?),
            FsOp::Readlink => Self::Readlink(FsReadlinkOpen::parse(open)?),
            FsOp::Setattr => Self::Setattr(FsSetattrOpen::parse(open)?),
            FsOp::Statfs => Self::Statfs(FsStatfsOpen::parse(open)?),
            FsOp::Open => Self::Open(FsOpenOpen::parse(open)?),
            FsOp::Read => Self::Read(FsReadOpen::parse(open)?),
            FsOp::Write => Self::Write(FsWriteOpen::parse(open)?),
            FsOp::Release => Self::Release(FsReleaseOpen::parse(open)?),
            FsOp::Watch => Self::Watch(FsWatchOpen::parse(open)?),
        })
    }

    /// Its operation.
    pub const fn op(&self) -> FsOp {
        match self {
            Self::Stat(_) => FsOp::Stat,
            Self::List(_) => FsOp::List,
            Self::Mkdir(_) => FsOp::Mkdir,
            Self::Rmdir(_) => FsOp::Rmdir,
            Self::Unlink(_) => FsOp::Unlink,
            Self::Rename(_) => FsOp::Rename,
            Self::Symlink(_) => FsOp::Symlink,
            Self::Readlink(_) => FsOp::Readlink,
            Self::Setattr(_) => FsOp::Setattr,
            Self::Statfs(_) => FsOp::Statfs,
            Self::Open(_) => FsOp::Open,
            Self::Read(_) => FsOp::Read,
            Self::Write(_) => FsOp::Write,
            Self::Release(_) => FsOp::Release,
            Self::Watch(_) => FsOp::Watch,
        }
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        match self {
            Self::Stat(open) => open.to_json(),
            Self::List(open) => open.to_json(),
            Self::Mkdir(open) => open.to_json(),
            Self::Rmdir(open) => open.to_json(),
            Self::Unlink(open) => open.to_json(),
            Self::Rename(open) => open.to_json(),
            Self::Symlink(open) => open.to_json(),
            Self::Readlink(open) => open.to_json(),
            Self::Setattr(open) => open.to_json(),
            Self::Statfs(open) => open.to_json(),
            Self::Open(open) => open.to_json(),
            Self::Read(open) => open.to_json(),
            Self::Write(open) => open.to_json(),
            Self::Release(open) => open.to_json(),
            Self::Watch(open) => open.to_json(),
        }
    }
}

/// OPEN of `fs` streams with op `stat`. What is known of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsStatOpen {
    /// The folder's name.
    pub mount: String,
    /// Refuse this call with EROFS if it would change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// The file.
    pub path: String,
}

impl FsStatOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mount: required(open, "mount", "must be a string", text)?,
            readonly: truthy(open, "readonly"),
            path: optional_or_null(open, "path", "must be a string", text)?.unwrap_or_default(),
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("stat"), self)
    }
}

/// OPENED of `fs` streams with op `stat`.
pub type FsStatOpened = FileAttributes;

/// OPEN of `fs` streams with op `list`. The entries of a directory, as NDJSON lines `{ "name", "attr" }`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsListOpen {
    /// The folder's name.
    pub mount: String,
    /// Refuse this call with EROFS if it would change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// The directory.
    pub path: String,
}

impl FsListOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mount: required(open, "mount", "must be a string", text)?,
            readonly: truthy(open, "readonly"),
            path: optional_or_null(open, "path", "must be a string", text)?.unwrap_or_default(),
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("list"), self)
    }
}

/// OPEN of `fs` streams with op `mkdir`. Makes a directory, but not the ones above it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsMkdirOpen {
    /// The folder's name.
    pub mount: String,
    /// Refuse this call with EROFS if it would change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// The directory.
    pub path: String,
}

impl FsMkdirOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mount: required(open, "mount", "must be a string", text)?,
            readonly: truthy(open, "readonly"),
            path: optional_or_null(open, "path", "must be a string", text)?.unwrap_or_default(),
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("mkdir"), self)
    }
}

/// OPEN of `fs` streams with op `rmdir`. Removes an empty directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsRmdirOpen {
    /// The folder's name.
    pub mount: String,
    /// Refuse this call with EROFS if it would change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// The directory.
    pub path: String,
}

impl FsRmdirOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mount: required(open, "mount", "must be a string", text)?,
            readonly: truthy(open, "readonly"),
            path: optional_or_null(open, "path", "must be a string", text)?.unwrap_or_default(),
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("rmdir"), self)
    }
}

/// OPEN of `fs` streams with op `unlink`. Removes a file or a symbolic link; a directory is EISDIR.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsUnlinkOpen {
    /// The folder's name.
    pub mount: String,
    /// Refuse this call with EROFS if it would change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// The file.
    pub path: String,
}

impl FsUnlinkOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mount: required(open, "mount", "must be a string", text)?,
            readonly: truthy(open, "readonly"),
            path: optional_or_null(open, "path", "must be a string", text)?.unwrap_or_default(),
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("unlink"), self)
    }
}

/// OPEN of `fs` streams with op `rename`. Moves a file or a directory, replacing a file or an empty directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsRenameOpen {
    /// The folder's name.
    pub mount: String,
    /// Refuse this call with EROFS if it would change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// What is moved.
    pub from: String,
    /// Where it goes.
    pub to: String,
}

impl FsRenameOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mount: required(open, "mount", "must be a string", text)?,
            readonly: truthy(open, "readonly"),
            from: required(open, "from", "must be a string", text)?,
            to: required(open, "to", "must be a string", text)?,
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("rename"), self)
    }
}

/// OPEN of `fs` streams with op `symlink`. Makes a symbolic link; EPERM on Windows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsSymlinkOpen {
    /// The folder's name.
    pub mount: String,
    /// Refuse this call with EROFS if it would change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// What the link holds, stored as given.
    pub target: String,
    /// The link.
    pub path: String,
}

impl FsSymlinkOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mount: required(open, "mount", "must be a string", text)?,
            readonly: truthy(open, "readonly"),
            target: required(open, "target", "must be a string", text)?,
            path: optional_or_null(open, "path", "must be a string", text)?.unwrap_or_default(),
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("symlink"), self)
    }
}

/// OPEN of `fs` streams with op `readlink`. What a symbolic link holds; EINVAL for anything else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsReadlinkOpen {
    /// The folder's name.
    pub mount: String,
    /// Refuse this call with EROFS if it would change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// The link.
    pub path: String,
}

impl FsReadlinkOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mount: required(open, "mount", "must be a string", text)?,
            readonly: truthy(open, "readonly"),
            path: optional_or_null(open, "path", "must be a string", text)?.unwrap_or_default(),
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("readlink"), self)
    }
}

/// OPENED of `fs` streams with op `readlink`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FsReadlinkOpened {
    /// What the link holds.
    pub target: String,
}

/// OPEN of `fs` streams with op `setattr`. Changes the size, then the permissions and the time of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FsSetattrOpen {
    /// The folder's name.
    pub mount: String,
    /// Refuse this call with EROFS if it would change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// The file.
    pub path: String,
    /// The new size: the file is cut off or filled up with zeros.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The new permission bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// The new time, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtime: Option<f64>,
}

impl FsSetattrOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mount: required(open, "mount", "must be a string", text)?,
            readonly: truthy(open, "readonly"),
            path: optional_or_null(open, "path", "must be a string", text)?.unwrap_or_default(),
            size: optional(open, "size", "must be an integer from 0 to 9007199254740991", |value| {
                Value::as_u64(value).filter(|it| *it <= 9_007_199_254_740_991)
            })?,
            mode: optional(open, "mode", "must be an integer from 0 to 4095", |value| {
                integer::<u32>(value).filter(|it| *it <= 4095)
            })?,
            mtime: optional(open, "mtime", "must be a number", Value::as_f64)?,
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("setattr"), self)
    }
}

/// OPEN of `fs` streams with op `statfs`. The size of the folder's volume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsStatfsOpen {
    /// The folder's name.
    pub mount: String,
    /// Refuse this call with EROFS if it would change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
}

impl FsStatfsOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self { mount: required(open, "mount", "must be a string", text)?, readonly: truthy(open, "readonly") })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("statfs"), self)
    }
}

/// OPENED of `fs` streams with op `statfs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FsStatfsOpened {
    /// Bytes of a block.
    pub bsize: u64,
    /// Blocks in all.
    pub blocks: u64,
    /// Free blocks.
    pub bfree: u64,
    /// Free blocks that this user may use.
    pub bavail: u64,
}

/// OPEN of `fs` streams with op `open`. Opens a file. Without any of the four flags the handle is a name that holds
/// nothing open; with one of them it keeps the file open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field on the wire")]
pub struct FsOpenOpen {
    /// The folder's name.
    pub mount: String,
    /// Refuse this call with EROFS if it would change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// The file.
    pub path: String,
    /// Open for reading and writing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub write: bool,
    /// Make the file when there is none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub create: bool,
    /// Empty the file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncate: bool,
    /// With `create`: EEXIST when there is one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exclusive: bool,
    /// Permission bits of a new file; 0666 minus the umask when missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
}

impl FsOpenOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mount: required(open, "mount", "must be a string", text)?,
            readonly: truthy(open, "readonly"),
            path: optional_or_null(open, "path", "must be a string", text)?.unwrap_or_default(),
            write: truthy(open, "write"),
            create: truthy(open, "create"),
            truncate: truthy(open, "truncate"),
            exclusive: truthy(open, "exclusive"),
            mode: optional(open, "mode", "must be an integer from 0 to 4095", |value| {
                integer::<u32>(value).filter(|it| *it <= 4095)
            })?,
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("open"), self)
    }
}

/// OPENED of `fs` streams with op `open`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FsOpenOpened {
    /// The handle.
    pub fh: u64,
    /// What is known of the file.
    pub attr: FileAttributes,
}

/// OPEN of `fs` streams with op `read`. Reads at an offset. The bytes follow OPENED as DATA; there are fewer at the end
/// of the file, and none past it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FsReadOpen {
    /// The folder's name.
    pub mount: String,
    /// Refuse this call with EROFS if it would change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// The handle.
    pub fh: u64,
    /// Where to start.
    pub offset: u64,
    /// How many bytes, at most 16 MiB.
    pub size: u64,
    /// The etag that the file must still have; ignored on a handle that keeps the file open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_match: Option<String>,
}

impl FsReadOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mount: required(open, "mount", "must be a string", text)?,
            readonly: truthy(open, "readonly"),
            fh: required(open, "fh", "must be an integer of at least 1", |value| {
                Value::as_u64(value).filter(|it| *it >= 1)
            })?,
            offset: required(open, "offset", "must be an integer from 0 to 9007199254740991", |value| {
                Value::as_u64(value).filter(|it| *it <= 9_007_199_254_740_991)
            })?,
            size: required(open, "size", "must be an integer from 0 to 16777216", |value| {
                Value::as_u64(value).filter(|it| *it <= limits::FS_IO as u64)
            })?,
            if_match: optional(open, "ifMatch", "must be a string", text)?,
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("read"), self)
    }
}

/// OPENED of `fs` streams with op `read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FsReadOpened {
    /// The file's etag.
    pub etag: String,
    /// The file's size.
    pub size: u64,
    /// The offset asked for.
    pub offset: u64,
    /// How many bytes follow.
    pub length: u64,
}

/// OPEN of `fs` streams with op `write`. Writes in place at an offset. After OPENED the page sends at most 16 MiB, then
/// END; the node sends END once they are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsWriteOpen {
    /// The folder's name.
    pub mount: String,
    /// Refuse this call with EROFS if it would change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// The handle, which keeps its file open.
    pub fh: u64,
    /// Where to start.
    pub offset: u64,
}

impl FsWriteOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mount: required(open, "mount", "must be a string", text)?,
            readonly: truthy(open, "readonly"),
            fh: required(open, "fh", "must be an integer of at least 1", |value| {
                Value::as_u64(value).filter(|it| *it >= 1)
            })?,
            offset: required(open, "offset", "must be an integer from 0 to 9007199254740991", |value| {
                Value::as_u64(value).filter(|it| *it <= 9_007_199_254_740_991)
            })?,
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("write"), self)
    }
}

/// OPEN of `fs` streams with op `release`. Closes a handle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsReleaseOpen {
    /// The folder's name.
    pub mount: String,
    /// Refuse this call with EROFS if it would change anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// The handle.
    pub fh: u64,
}

impl FsReleaseOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mount: required(open, "mount", "must be a string", text)?,
            readonly: truthy(open, "readonly"),
            fh: required(open, "fh", "must be an integer of at least 1", |value| {
                Value::as_u64(value).filter(|it| *it >= 1)
            })?,
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("release"), self)
    }
}

/// OPENED of `fs` streams with op `release`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FsReleaseOpened {
    /// What is known of the file, for a handle that kept it open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attr: Option<FileAttributes>,
}

/// OPEN of `fs` streams with op `watch`. Tells what changes, as NDJSON lines `{ "mount", "paths" }`, `{ "mount", "all":
/// true }` and `{ "ping": 1 }`, until the page's END. Changes are collected over 50 ms; past 256 paths a line is `all`.
/// A ping goes out every 15 s, a watcher that failed is tried again every 1 s, and one that nobody uses stays for 5 s.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsWatchOpen {
    /// The folders' names.
    pub mounts: Vec<String>,
}

impl FsWatchOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            mounts: required(open, "mounts", "must be a non-empty list of strings", |value| {
                texts(value).filter(|it| !it.is_empty())
            })?,
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Fs, Some("watch"), self)
    }
}
