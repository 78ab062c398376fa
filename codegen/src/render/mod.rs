//! The data as text: Rust, Markdown, man pages, JavaScript.

pub(crate) mod filters;
pub mod link;
pub mod policy;
pub mod text;
