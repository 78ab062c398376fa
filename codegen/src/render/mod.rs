//! The data as text: Rust, Markdown, man pages, JavaScript.

pub mod catalog;
pub mod cli;
pub mod events;
pub mod link;
pub mod man;
pub mod policy;
pub mod readme;
pub mod text;

pub(crate) mod filters;
