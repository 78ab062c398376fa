//! Tables and types that `cargo codegen` writes from `spec/` and `catalog/`.

pub mod catalog;
pub mod cli;
pub mod events;
pub mod link;
pub mod policy;
