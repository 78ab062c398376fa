//! A node: its identity, its links and what it serves on them (sections Link and Development, "node.Node.Subscribe").

mod engine;
mod events;
pub mod serve;

pub use engine::{Connect, Engine};
pub use events::{DownReason, Event};
