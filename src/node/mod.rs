//! A node: its identity, its links and what it serves on them.

pub mod serve;
