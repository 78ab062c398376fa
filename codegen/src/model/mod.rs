//! The data as typed Rust, checked.

pub mod catalog;
pub mod cli;
pub mod events;
pub mod link;
pub mod policy;

use std::{fmt, path::Path};

use serde::de::DeserializeOwned;

/// Something in the data that is not allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, relative to the project's root.
    pub file: String,
    /// The key inside it, such as `kind.tcp.open.port.max`.
    pub key: String,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.file, self.key, self.reason)
    }
}

/// Collects the problems of one file, so that one run names all of them.
#[derive(Debug)]
pub struct Problems {
    file: String,
    found: Vec<Problem>,
}

impl Problems {
    /// No problems yet in `file`, which is relative to the project's root.
    pub fn new(file: impl Into<String>) -> Self {
        Self { file: file.into(), found: Vec::new() }
    }

    /// Notes a problem at `key`.
    pub fn add(&mut self, key: impl Into<String>, reason: impl Into<String>) {
        self.found.push(Problem { file: self.file.clone(), key: key.into(), reason: reason.into() });
    }

    /// `value` when nothing was noted.
    ///
    /// # Errors
    /// Everything that was noted.
    pub fn finish<T>(self, value: T) -> Result<T, Vec<Problem>> {
        if self.found.is_empty() { Ok(value) } else { Err(self.found) }
    }
}

/// The text of `file` under `root`.
///
/// # Errors
/// One problem that says why it can't be read.
pub fn read_text(root: &Path, file: &str) -> Result<String, Vec<Problem>> {
    std::fs::read_to_string(root.join(file)).map_err(|error| {
        vec![Problem { file: file.into(), key: "(file)".into(), reason: format!("cannot be read: {error}") }]
    })
}

/// Reads a TOML `file` under `root` into its model. Unknown keys are the model's affair (`deny_unknown_fields`).
///
/// # Errors
/// One problem with the place in the file and the reason.
pub fn read_toml<T: DeserializeOwned>(root: &Path, file: &str) -> Result<T, Vec<Problem>> {
    let text = read_text(root, file)?;
    parse_toml(file, &text)
}

/// Parses TOML `text` that came from `file`.
///
/// # Errors
/// One problem whose key is the table that holds the mistake, with the line and the reason.
pub fn parse_toml<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, Vec<Problem>> {
    toml::from_str(text).map_err(|error| {
        let (line, table) = error.span().map_or((1, None), |span| locate(text, span.start));
        let key = table.unwrap_or_else(|| "(root)".into());
        vec![Problem { file: file.into(), key, reason: format!("line {line}: {}", error.message().trim()) }]
    })
}

/// The line of `offset`, and the dotted name of what stands there: the last table header at or above it, and the key on
/// its line.
fn locate(text: &str, offset: usize) -> (usize, Option<String>) {
    let line_start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[offset..].find('\n').map_or(text.len(), |at| offset + at);
    let line = text[line_start..line_end].trim();
    let header = text[..line_end].lines().rev().map(str::trim).find(|line| line.starts_with('['));
    let table = header.map(|line| line.trim_matches(|c| "[] ".contains(c)).to_owned());
    let key = line.split_once('=').map(|(key, _)| key.trim().to_owned()).filter(|_| !line.starts_with('['));
    let name = match (table, key) {
        (Some(table), Some(key)) => Some(format!("{table}.{key}")),
        (table, key) => table.or(key),
    };
    (text[..offset].matches('\n').count() + 1, name)
}
