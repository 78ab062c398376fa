//! Why a command failed, and what its exit status says.

use crate::generated::cli::ExitStatus;

/// What kind of failure it is. It decides the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something went wrong: 1.
    Failed,
    /// The command line is wrong: 2.
    Usage,
    /// The other side doesn't allow it: 3.
    NotAllowed,
    /// Interrupted before it was done: 130.
    Interrupted,
}

/// A command's failure: what happened, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its kind.
    pub kind: Kind,
    /// What happened, on one line.
    pub message: String,
    /// What to do next, each on a line of its own.
    pub hints: Vec<String>,
}

impl Failure {
    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hints: Vec::new() }
    }

    /// Something went wrong.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Kind::Failed, message)
    }

    /// The command line is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// Interrupted before the command was done.
    pub fn interrupted() -> Self {
        Self::new(Kind::Interrupted, "interrupted")
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The exit status.
    pub fn status(&self) -> ExitStatus {
        match self.kind {
            Kind::Failed => ExitStatus::Failed,
            Kind::Usage => ExitStatus::Usage,
            Kind::NotAllowed => ExitStatus::NotAllowed,
            Kind::Interrupted => ExitStatus::Interrupted,
        }
    }
}
