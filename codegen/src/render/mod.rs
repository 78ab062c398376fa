//! The data as text: Rust, Markdown, man pages, JavaScript.

pub mod cli;
pub mod link;
pub mod man;
pub mod policy;
pub mod readme;
pub mod text;
