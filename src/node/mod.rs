//! A node: its identity, its links and what it serves on them (sections Link and Development, "node.Node.Subscribe").

mod engine;
mod events;
mod local;
pub mod serve;
mod session;

pub use engine::{Connect, Engine, Listener};
pub use events::{DownReason, Event};
pub use local::{LocalNode, Options, SetupError};
pub use session::session;
