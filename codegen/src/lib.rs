//! Turns `spec/` and `catalog/` into slicc's tables, types, docs and help.
//!
//! `model` reads the data and rejects what its schemas don't allow, `render` makes text of it, `output` writes the text or
//! compares it with what is committed.

pub mod model;
pub mod output;
pub mod render;
pub mod section;

use std::path::Path;

pub use model::Problem;
pub use output::Output;
pub use section::{SECTIONS, Section};

/// Everything that is generated from the data under `root`.
///
/// # Errors
/// Every problem found in the data, each with its file, its key and the reason.
pub fn generate(root: &Path) -> Result<Vec<Output>, Vec<Problem>> {
    section::generate(SECTIONS, root)
}
