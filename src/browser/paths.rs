//! Comparing paths of this machine or of a described one: with symbolic links resolved, and by their parts, so that the
//! separators and the case rules are those of the machine and not of the system that runs the code.

use std::path::{Path, PathBuf};

use crate::host::{Os, System};

/// How many links and missing names a path is followed through.
const MAX_PARTS: usize = 256;

/// A path's parts, with every symbolic link in its existing beginning resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parts(Vec<String>);

impl Parts {
    /// The parts of a path, as it is.
    pub(super) fn of(system: &dyn System, path: &Path) -> Self {
        Self(resolve(system, path))
    }

    /// The same in lower case, for comparisons that ignore case.
    pub(super) fn ignoring_case(system: &dyn System, path: &Path) -> Self {
        Self(resolve(system, path).into_iter().map(|part| part.to_lowercase()).collect())
    }

    /// The last part.
    pub(super) fn name(&self) -> Option<&str> {
        self.0.last().map(String::as_str)
    }

    /// The parts without the last one.
    pub(super) fn parent(&self) -> Self {
        Self(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }

    /// Whether these names stand somewhere in the path, with another one behind them.
    pub(super) fn holds(&self, names: &[&str]) -> bool {
        let inner = &self.0[..self.0.len().saturating_sub(1)];
        inner.windows(names.len()).any(|window| window == names)
    }

    /// Whether this path lies in `outer`, at any depth.
    pub(super) fn is_inside(&self, outer: &Self) -> bool {
        self.0.len() > outer.0.len() && self.0.starts_with(&outer.0)
    }
}

/// Joins a path with a relative one of the catalog, whose names stand between slashes.
pub(super) fn join(system: &dyn System, base: &Path, relative: &str) -> PathBuf {
    relative.split('/').fold(base.to_owned(), |path, name| system.os().join(&path, name))
}

/// The parts of the canonical path. The end of a path that doesn't exist is taken as it is, after its parent.
fn resolve(system: &dyn System, path: &Path) -> Vec<String> {
    if let Some(canonical) = system.canonical(path) {
        return split(system.os(), &canonical);
    }
    let mut missing = Vec::new();
    let mut existing = split(system.os(), path);
    let text = path.to_string_lossy();
    let (start, separator) = match system.os() {
        Os::Windows if text.starts_with("\\\\") => ("\\\\", "\\"),
        Os::Windows => ("", "\\"),
        Os::Linux | Os::Macos if text.starts_with('/') => ("/", "/"),
        Os::Linux | Os::Macos => ("", "/"),
    };
    while !existing.is_empty() && missing.len() < MAX_PARTS {
        if let Some(canonical) = system.canonical(Path::new(&format!("{start}{}", existing.join(separator)))) {
            existing = split(system.os(), &canonical);
            break;
        }
        missing.extend(existing.pop());
    }
    existing.extend(missing.into_iter().rev());
    existing
}

/// A path's names. A name that isn't UTF-8 is compared by what can be read of it.
fn split(os: Os, path: &Path) -> Vec<String> {
    let text = path.to_string_lossy();
    let mut parts: Vec<String> = Vec::new();
    for part in text.split(|c| c == '/' || (c == '\\' && os == Os::Windows)) {
        match part {
            "" | "." | "?" if os == Os::Windows => {}
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part.to_owned()),
        }
    }
    parts
}
