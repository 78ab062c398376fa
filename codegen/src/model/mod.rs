//! The data as typed Rust, checked.

use std::fmt;

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
