//! Messages of `agent` streams. Generated from spec/link.toml by `cargo codegen`. Do not edit.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Accepted, Delivered, FieldError, StreamKind, WhenBusy, limits,
    read::{object, optional, required, text, whole},
};

/// An operation of `agent` streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgentOp {
    /// Sends a prompt and follows the run that it belongs to. A prompt of up to 60 KiB goes as `text`; a longer one, up to
    /// 16 MiB, as `length`, and its bytes follow OPENED as DATA.
    Prompt,
    /// Follows the agent until either side resets.
    Watch,
    /// Aborts the agent's current run; END follows OPENED.
    Abort,
}

impl AgentOp {
    /// All of them, in the order of the docs.
    pub const ALL: &[Self] = &[Self::Prompt, Self::Watch, Self::Abort];

    /// The operation as it stands in an OPEN.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Watch => "watch",
            Self::Abort => "abort",
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == name)
    }
}
/// OPEN of `agent` streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentOpen {
    /// Sends a prompt and follows the run that it belongs to. A prompt of up to 60 KiB goes as `text`; a longer one, up to
    /// 16 MiB, as `length`, and its bytes follow OPENED as DATA.
    Prompt(AgentPromptOpen),
    /// Follows the agent until either side resets.
    Watch(AgentWatchOpen),
    /// Aborts the agent's current run; END follows OPENED.
    Abort,
}

impl AgentOpen {
    /// Reads `op` and the fields of an OPEN, without `kind`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        let op = required(open, "op", "must be prompt, watch or abort", |value| {
            value.as_str().and_then(AgentOp::from_name)
        })?;
        Ok(match op {
            AgentOp::Prompt => Self::Prompt(AgentPromptOpen::parse(open)?),
            AgentOp::Watch => Self::Watch(AgentWatchOpen::parse(open)?),
            AgentOp::Abort => Self::Abort,
        })
    }

    /// Its operation.
    pub const fn op(&self) -> AgentOp {
        match self {
            Self::Prompt(_) => AgentOp::Prompt,
            Self::Watch(_) => AgentOp::Watch,
            Self::Abort => AgentOp::Abort,
        }
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        match self {
            Self::Prompt(open) => open.to_json(),
            Self::Watch(open) => open.to_json(),
            Self::Abort => whole(StreamKind::Agent, Some("abort"), &Accepted {}),
        }
    }
}

/// OPEN of `agent` streams with op `prompt`. Sends a prompt and follows the run that it belongs to. A prompt of up to
/// 60 KiB goes as `text`; a longer one, up to 16 MiB, as `length`, and its bytes follow OPENED as DATA.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentPromptOpen {
    /// The prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The bytes of the prompt, which follows as DATA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// What becomes of it while the agent is busy.
    pub when_busy: WhenBusy,
    /// Send the agent's thinking too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub thinking: bool,
}

impl std::fmt::Debug for AgentPromptOpen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentPromptOpen")
            .field("text", &format_args!("…"))
            .field("length", &self.length)
            .field("when_busy", &self.when_busy)
            .field("thinking", &self.thinking)
            .finish()
    }
}

impl AgentPromptOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        if [open.contains_key("text"), open.contains_key("length")].iter().filter(|there| **there).count() != 1 {
            return Err(FieldError { field: "text", problem: "must be the only one of text and length" });
        }
        Ok(Self {
            text: optional(open, "text", "must be a string", text)?,
            length: optional(open, "length", "must be an integer from 0 to 16777216", |value| {
                Value::as_u64(value).filter(|it| *it <= limits::AGENT_PROMPT as u64)
            })?,
            when_busy: required(open, "whenBusy", "must be followUp, steer or reject", object::<WhenBusy>)?,
            thinking: optional(open, "thinking", "must be true or false", Value::as_bool)?.unwrap_or_default(),
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Agent, Some("prompt"), self)
    }
}

/// OPENED of `agent` streams with op `prompt`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AgentPromptOpened {
    /// How the agent took it; missing when the prompt follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered: Option<Delivered>,
}

/// OPEN of `agent` streams with op `watch`. Follows the agent until either side resets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentWatchOpen {
    /// The id of the last entry that was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Send the agent's thinking too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub thinking: bool,
}

impl AgentWatchOpen {
    /// Reads the fields of an OPEN, without `kind` and `op`.
    pub fn parse(open: &Map<String, Value>) -> Result<Self, FieldError> {
        Ok(Self {
            since: optional(open, "since", "must be a string", text)?,
            thinking: optional(open, "thinking", "must be true or false", Value::as_bool)?.unwrap_or_default(),
        })
    }

    /// The whole OPEN, with `kind` and `op`.
    pub fn to_json(&self) -> Map<String, Value> {
        whole(StreamKind::Agent, Some("watch"), self)
    }
}

/// OPENED of `agent` streams with op `watch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AgentWatchOpened {
    /// The id of the newest entry.
    pub head: String,
    /// Whether `since` isn't in the transcript any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gap: bool,
}

/// OPENED of `agent` streams with op `abort`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AgentAbortOpened {
    /// Whether something was running.
    pub aborted: bool,
}
