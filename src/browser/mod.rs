//! What browsers are installed here, and how one is launched and closed.

pub mod endpoint;
pub mod installed;
pub mod launch;
mod process;
