//! How an offer reaches the node: over CDP or stdio (section "Local setup" of the requirement).
//!
//! A signaller is a task between a page and the node. It hands the node [`Signal`]s through a bounded channel and takes
//! [`Reply`]s from another one. Each message belongs to one page context, named by its [`Nonce`].

use std::fmt;

/// The nonce of one hello: it names the page context that answers to it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Nonce(pub String);

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

pub use crate::generated::events::Candidate;

/// What a signaller tells the node.
#[derive(Debug)]
pub enum Signal {
    /// The page offers a link. It replaces the current one.
    Offer {
        /// The context that offers.
        nonce: Nonce,
        /// The offer.
        sdp: String,
    },
    /// One of the page's candidates, or the end of them.
    Candidate {
        /// The context that gathered it.
        nonce: Nonce,
        /// The candidate; `None` at the end of gathering.
        candidate: Option<Candidate>,
    },
    /// The page ends the link.
    Bye {
        /// The context that says so.
        nonce: Nonce,
        /// The page's reason, cleaned for people to read.
        reason: String,
    },
    /// The context is gone: a navigation, a reload, a closed tab.
    Gone {
        /// The context that is gone.
        nonce: Nonce,
        /// What happened, for people to read.
        reason: String,
    },
    /// Something to tell the user.
    Notice(Notice),
}

/// What the node tells the page behind a nonce.
#[derive(Debug)]
pub enum Reply {
    /// The answer to its offer.
    Answer {
        /// The context that offered.
        nonce: Nonce,
        /// The answer.
        sdp: String,
    },
    /// One of the node's candidates, or the end of them.
    Candidate {
        /// The context that offered.
        nonce: Nonce,
        /// The candidate; `None` at the end of gathering.
        candidate: Option<Candidate>,
    },
    /// The node ends the link.
    Bye {
        /// The context that offered.
        nonce: Nonce,
        /// Why.
        reason: String,
    },
}

/// Something that a signaller tells the user. It never names an origin that isn't allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// No tab shows seven yet.
    WaitingForTab,
    /// A tab of seven was found, on this origin.
    FoundTab {
        /// An allowed origin.
        origin: String,
    },
    /// The tab went away.
    TabClosed,
    /// The tab went to another origin.
    TabLeft,
    /// A context on another origin was ignored. Diagnostics only.
    IgnoredContext,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WaitingForTab => f.write_str("waiting for a seven tab"),
            Self::FoundTab { origin } => write!(f, "found seven on {origin}"),
            Self::TabClosed => f.write_str("the seven tab was closed"),
            Self::TabLeft => f.write_str("the seven tab left seven"),
            Self::IgnoredContext => f.write_str("ignored a context on another origin"),
        }
    }
}
