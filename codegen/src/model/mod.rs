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

/// The line of `offset`, and the dotted name of what stands there: the table that the line is in, the table's own `name`
/// when it is one of an array, and the key on the line.
fn locate(text: &str, offset: usize) -> (usize, Option<String>) {
    let line_end = text[offset..].find('\n').map_or(text.len(), |at| offset + at);
    let above: Vec<&str> = text[..line_end].lines().map(str::trim).collect();
    let header = above.iter().rposition(|line| is_header(line));
    let mut parts: Vec<String> = Vec::new();
    if let Some(at) = header {
        parts.push(above[at].trim_matches(|c| "[] ".contains(c)).to_owned());
        let name = above[at..].iter().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
        parts.extend(name.map(str::to_owned));
    }
    let line = above.last().copied().unwrap_or_default();
    if !is_header(line)
        && let Some((key, _)) = line.trim_start_matches(['{', ' ']).split_once('=')
    {
        parts.push(key.trim().to_owned());
    }
    (text[..offset].matches('\n').count() + 1, (!parts.is_empty()).then(|| parts.join(".")))
}

/// Whether a line is a table's header, rather than a list that a value goes on with.
fn is_header(line: &str) -> bool {
    line.starts_with('[')
        && line.ends_with(']')
        && line.trim_matches(['[', ']']).chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
}
