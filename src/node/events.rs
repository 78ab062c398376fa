//! What a node tells its front end.

use std::fmt;

use crate::{
    generated::link::{PageHello, StreamKind},
    kernel,
    link::mux::CloseReason,
    signal::Notice,
};

/// Something that happened on a node. A link's [`Event::LinkDown`] comes before the next link's [`Event::Connecting`], but
/// a stream's [`Event::StreamClose`] can come after its link's end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// An offer is being answered.
    Connecting,
    /// The page's HELLO arrived.
    Linked {
        /// The page.
        peer: PageHello,
    },
    /// The link is over, or its offer could not be answered.
    LinkDown {
        /// Why.
        reason: DownReason,
    },
    /// The page opened a stream, or kernel services opened one into the page.
    StreamOpen {
        /// What it carries.
        kind: StreamKind,
    },
    /// Such a stream is over.
    StreamClose {
        /// What it carried.
        kind: StreamKind,
    },
    /// The signaller has something to say.
    Notice(Notice),
    /// Kernel services have something to say.
    Kernel(kernel::Notice),
}

/// Why a link is down.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DownReason {
    /// The page said so, in these words.
    Bye(String),
    /// A new offer replaced the link.
    Replaced,
    /// The page's context went away.
    Gone(String),
    /// slicc is exiting.
    Exiting,
    /// The link broke, or a rule of it.
    Failed(CloseReason),
}

impl fmt::Display for DownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bye(reason) | Self::Gone(reason) => f.write_str(reason),
            Self::Replaced => f.write_str("replaced by a new offer"),
            Self::Exiting => f.write_str("slicc is exiting"),
            Self::Failed(reason) => write!(f, "{reason}"),
        }
    }
}
