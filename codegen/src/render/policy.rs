//! The network policy.
use std::path::Path;

use crate::{Output, Problem};

/// See [`crate::section::Section`].
pub fn section(_root: &Path) -> Result<Vec<Output>, Vec<Problem>> {
    Ok(Vec::new())
}
