//! The catalog as Rust and Markdown.

use std::path::Path;

use crate::{Output, Problem, model::catalog};

pub mod markdown;
pub mod rust;

/// See [`crate::section::Section`].
pub fn section(root: &Path) -> Result<Vec<Output>, Vec<Problem>> {
    let described = catalog::read(root)?;
    let source = rust::render(&described.catalog).map_err(|error| {
        vec![Problem {
            file: catalog::FILE.into(),
            key: "(file)".into(),
            reason: format!("cannot be rendered: {error}"),
        }]
    })?;
    Ok(vec![
        Output::file("src/generated/catalog.rs", source),
        Output::file("docs/catalog.md", markdown::reference(&described)),
    ])
}
