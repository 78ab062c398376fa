//! How an offer reaches the node: over CDP or stdio (section "Local setup" of the requirement).
//!
//! A signaller is a task between a page and the node. It hands the node [`Signal`]s through a bounded channel and takes
//! [`Reply`]s from another one. Each message belongs to one page context, named by its [`Nonce`].

use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{cdp::CdpError, generated::link::setup};

pub mod lines;
pub mod message;
pub mod over_cdp;
pub mod stdio;

pub use over_cdp::OverCdp;
pub use stdio::OverStdio;

pub use crate::generated::events::{Candidate, Nonce};

/// How many signals, and how many replies, may wait for the node and the signaller.
pub const QUEUE: usize = 64;

impl Nonce {
    /// A fresh nonce: 16 random bytes in base64url.
    pub fn mint() -> Self {
        Self(random_id())
    }
}

/// The random id of this process, the same in each hello and HELLO (section "Setup over CDP").
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NodeId(String);

impl NodeId {
    /// A fresh id: 16 random bytes in base64url. A process mints one.
    pub fn mint() -> Self {
        Self(random_id())
    }

    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn random_id() -> String {
    let mut bytes = [0; setup::ID_BYTES];
    getrandom::fill(&mut bytes).expect("the operating system's random numbers are there once it has started");
    URL_SAFE_NO_PAD.encode(bytes)
}

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
    /// The tab that is attached to is this one, or has another URL or title now. It is no news for people.
    Tab {
        /// Its URL, on an allowed origin.
        url: String,
        /// Its title.
        title: String,
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
            // Diagnostics name allowed origins and nothing more of a page.
            Self::Tab { .. } => f.write_str("the seven tab has a URL and a title"),
            Self::TabClosed => f.write_str("the seven tab was closed"),
            Self::TabLeft => f.write_str("the seven tab left seven"),
            Self::IgnoredContext => f.write_str("ignored a context on another origin"),
        }
    }
}

/// A way to reach a page.
pub trait Signaller: Send + 'static {
    /// Carries messages until `shutdown`, or until the page's side or the node is gone. In the end it drops `signals` first,
    /// so that the node says its bye; until then, and for a bounded time, replies are still delivered.
    ///
    /// # Errors
    /// A [`SignalError`] when it can't go on.
    fn run(
        self,
        signals: mpsc::Sender<Signal>,
        replies: mpsc::Receiver<Reply>,
        shutdown: CancellationToken,
    ) -> impl Future<Output = Result<Ended, SignalError>> + Send;
}

/// How a signaller came to its end without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It was asked to stop.
    Shutdown,
    /// The node doesn't listen any more.
    NodeGone,
    /// The harness closed stdin.
    InputClosed,
    /// The harness closed its end of stdout.
    OutputClosed,
}

/// Why a signaller can't go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignalError {
    /// The browser quit, or dropped the connection.
    #[error("the browser closed the connection")]
    BrowserClosed,
    /// The browser doesn't do what setup needs.
    #[error("the browser can't be used: {0}")]
    Browser(#[source] CdpError),
    /// stdin can't be read.
    #[error("stdin can't be read: {0}")]
    Input(#[source] std::io::Error),
    /// stdout can't be written.
    #[error("stdout can't be written: {0}")]
    Output(#[source] std::io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_is_16_random_bytes_in_base64url_and_never_shown() {
        let (one, two) = (Nonce::mint(), Nonce::mint());
        assert_ne!(one, two);
        assert_eq!(URL_SAFE_NO_PAD.decode(&one.0).unwrap().len(), setup::ID_BYTES);
        assert!(!format!("{one:?}").contains(&one.0));
        assert_eq!(NodeId::mint().as_str().len(), 22);
    }
}
