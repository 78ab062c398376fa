//! The data as text: Rust, Markdown, man pages, JavaScript.

pub mod link;
pub mod policy;
pub mod text;

pub(crate) mod filters;
