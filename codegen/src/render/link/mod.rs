//! The link protocol as Rust, as reference docs and as the page's constants.

mod javascript;
mod markdown;
mod parse;
mod rust;

use std::path::Path;

use crate::{Output, Problem, model::link::Link};

/// Reads `spec/link.toml` under `root` and renders it.
///
/// # Errors
/// Every problem in the data, or that rustfmt doesn't run.
pub fn section(root: &Path) -> Result<Vec<Output>, Vec<Problem>> {
    let link = Link::read(root)?;
    let mut outputs = rust::render(&link)?;
    outputs.push(Output::file("src/doctor/page/constants.js", javascript::render(&link)));
    outputs.push(Output::file("docs/link.md", markdown::render(&link)?));
    Ok(outputs)
}
