//! Messages of `jerk` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Accepted, Cap, FieldError, StreamKind, limits,
    read::{as_object, integer, map, optional, required, shapes, text, whole},
};

/// An operation of `jerk` streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JerkOp {
    /// Lists the providers.
    List,
    /// Tells whether a provider is signed in.
    Status,
    /// Lists a provider's accounts.
    Accounts,
    /// Starts a sign-in that a human completes.
    Create,
    /// Mints a lease and hands it to the page's vault.
    Seal,
    /// Drops a lease that seal minted.
    Unseal,
}

impl JerkOp {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[Self::List, Self::Status, Self::Accounts, Self::Create, Self::Seal, Self::Unseal];

    /// The operation as it stands in an OPEN.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Status => "status",
            Self::Accounts => "accounts",
            Self::Create => "create",
            Self::Seal => "seal",
            Self::Unseal => "unseal",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == name)
    }
}
impl JerkOp {
    /// The capability that offers it.
    pub const fn cap(self) -> Cap {
        match self {
            Self::List | Self::Status | Self::Accounts | Self::Create => Cap::Jerk,
            Self::Seal | Self::Unseal => Cap::JerkSeal,
        }
    }
}

/// OPEN of `jerk` streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JerkOpen {
    /// Lists the providers.
    List,
    /// Tells whether a provider is signed in.
    Status(JerkStatusOpen),
    /// Lists a provider's accounts.
    Accounts(JerkAccountsOpen),
    /// Starts a sign-in that a human completes.
    Create(JerkCreateOpen),
    /// Mints a lease and hands it to the page's vault.
    Seal(JerkSealOpen),
    /// Drops a lease that seal minted.
    Unseal(JerkUnsealOpen),
}

impl JerkOpen {
    /// Reads `op` and the fields of an OPEN, without `kind`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        let op = required(open, "op", "must be list, status, accounts, create, seal or unseal", |value| {
            value.as_str().and_then(JerkOp::from_name)
        })?;
        Ok(match op {
            JerkOp::List => Self::List,
            JerkOp::Status => Self::Status(JerkStatusOpen::parse(open)?),
            JerkOp::Accounts => Self::Accounts(JerkAccountsOpen::parse(open)?),
            JerkOp::Create => Self::Create(JerkCreateOpen::parse(open)?),
            JerkOp::Seal => Self::Seal(JerkSealOpen::parse(open)?),
            JerkOp::Unseal => Self::Unseal(JerkUnsealOpen::parse(open)?),
        })
    }

    /// Its operation.
    pub const fn op(&self) -> JerkOp {
        match self {
            Self::List => JerkOp::List,
            Self::Status(_) => JerkOp::Status,
            Self::Accounts(_) => JerkOp::Accounts,
            Self::Create(_) => JerkOp::Create,
            Self::Seal(_) => JerkOp::Seal,
            Self::Unseal(_) => JerkOp::Unseal,
        }
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        match self {
            Self::List => whole(StreamKind::Jerk, Some("list"), &Accepted {}),
            Self::Status(open) => open.to_json(),
            Self::Accounts(open) => open.to_json(),
            Self::Create(open) => open.to_json(),
            Self::Seal(open) => open.to_json(),
            Self::Unseal(open) => open.to_json(),
        }
    }
}

/// OPEN of `jerk` streams with op `status`. Tells whether a provider is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JerkStatusOpen {
    /// The provider.
    pub provider: String,
}

impl JerkStatusOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            provider: required(open, "provider", "must match ^[a-z0-9][a-z0-9-]{0,63}$", |value| {
                text(value).filter(|it| shapes::provider(it))
            })?,
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Jerk, Some("status"), self)
    }
}

/// OPEN of `jerk` streams with op `accounts`. Lists a provider's accounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JerkAccountsOpen {
    /// The provider.
    pub provider: String,
}

impl JerkAccountsOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            provider: required(open, "provider", "must match ^[a-z0-9][a-z0-9-]{0,63}$", |value| {
                text(value).filter(|it| shapes::provider(it))
            })?,
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Jerk, Some("accounts"), self)
    }
}

/// OPEN of `jerk` streams with op `create`. Starts a sign-in that a human completes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JerkCreateOpen {
    /// The provider.
    pub provider: String,
    /// The scopes to ask for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The provider's own params.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_object")]
    pub params: Vec<(String, String)>,
}

impl JerkCreateOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            provider: required(open, "provider", "must match ^[a-z0-9][a-z0-9-]{0,63}$", |value| {
                text(value).filter(|it| shapes::provider(it))
            })?,
            scope: optional(open, "scope", "must match ^[!-~][ -~]{0,65535}$", |value| {
                text(value).filter(|it| shapes::scope(it))
            })?,
            params: optional(
                open,
                "params",
                "must hold at most 16 strings, from ^[a-z][a-z0-9_]{0,31}$ to ^[ -~]{0,256}$",
                |value| map(value, limits::JERK_PARAMS, shapes::param_key, shapes::param_value),
            )?
            .unwrap_or_default(),
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Jerk, Some("create"), self)
    }
}

/// OPEN of `jerk` streams with op `seal`. Mints a lease and hands it to the page's vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JerkSealOpen {
    /// The provider.
    pub provider: String,
    /// Seconds that the lease lasts.
    pub duration: u32,
}

impl JerkSealOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            provider: required(open, "provider", "must match ^[a-z0-9][a-z0-9-]{0,63}$", |value| {
                text(value).filter(|it| shapes::provider(it))
            })?,
            duration: optional(open, "duration", "must be an integer from 1 to 86400", |value| {
                integer::<u32>(value).filter(|it| (1..=86_400).contains(it))
            })?
            .unwrap_or(limits::JERK_DEFAULT_LEASE),
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Jerk, Some("seal"), self)
    }
}

/// OPEN of `jerk` streams with op `unseal`. Drops a lease that seal minted.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct JerkUnsealOpen {
    /// The provider.
    pub provider: String,
    /// The lease.
    pub lease_id: String,
}

impl std::fmt::Debug for JerkUnsealOpen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JerkUnsealOpen")
            .field("provider", &self.provider)
            .field("lease_id", &format_args!("…"))
            .finish()
    }
}

impl JerkUnsealOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            provider: required(open, "provider", "must match ^[a-z0-9][a-z0-9-]{0,63}$", |value| {
                text(value).filter(|it| shapes::provider(it))
            })?,
            lease_id: required(open, "lease_id", "must match ^[!-~]{1,256}$", |value| {
                text(value).filter(|it| shapes::lease_id(it))
            })?,
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Jerk, Some("unseal"), self)
    }
}
