//! slicc: the command line of seven. It links a page to this machine and shares the machine with it.
//!
//! The binary in `main.rs` only turns arguments into an exit status; everything else is here.

pub mod browser;
pub mod cdp;
pub mod cli;
pub mod doctor;
pub mod generated;
#[cfg(test)]
mod generated_tests;
pub mod host;
pub mod kernel;
pub mod link;
pub mod node;
pub mod policy;
pub mod signal;
pub mod tui;
