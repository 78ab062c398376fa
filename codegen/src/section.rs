//! The list of what is generated: one line per section of the data.

use std::path::Path;

use crate::{Output, Problem, render};

/// Reads one section of the data under a root and renders it.
pub type Section = fn(&Path) -> Result<Vec<Output>, Vec<Problem>>;

/// Every section, in the order in which its files are written.
pub const SECTIONS: &[Section] = &[
    render::link::section,
    render::policy::section,
    render::cli::section,
    render::events::section,
    render::catalog::section,
    // One line per section.
];

/// The outputs of all `sections`, or the problems of all of them, so that one run shows everything there is to repair.
///
/// # Errors
/// Every problem found in the data.
pub fn generate(sections: &[Section], root: &Path) -> Result<Vec<Output>, Vec<Problem>> {
    let (mut outputs, mut problems) = (Vec::new(), Vec::new());
    for section in sections {
        match section(root) {
            Ok(more) => outputs.extend(more),
            Err(more) => problems.extend(more),
        }
    }
    if problems.is_empty() { Ok(outputs) } else { Err(problems) }
}
