//! This machine: its environment, files and processes.

pub mod system;

pub use system::{Os, RealSystem, System};
