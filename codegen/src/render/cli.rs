//! The command line as Rust, Markdown, man pages and blocks of the README.

use std::path::Path;

use crate::{Output, Problem, model::cli};

pub mod markdown;
pub mod rust;

/// See [`crate::section::Section`].
pub fn section(root: &Path) -> Result<Vec<Output>, Vec<Problem>> {
    let line = cli::read(root)?;
    let source = rust::render(&line).map_err(|error| {
        vec![Problem { file: cli::FILE.into(), key: "(file)".into(), reason: format!("cannot be rendered: {error}") }]
    })?;
    let mut outputs =
        vec![Output::file("src/generated/cli.rs", source), Output::file("docs/cli.md", markdown::reference(&line))];
    outputs.extend(super::man::pages(&line));
    outputs.extend(super::readme::blocks(&line));
    Ok(outputs)
}
