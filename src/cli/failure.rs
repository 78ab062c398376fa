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

    /// The other side doesn't allow it.
    pub fn not_allowed(message: impl Into<String>) -> Self {
        Self::new(Kind::NotAllowed, message)
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

/// What clap has to say about a wrong command line: its message in one line, its tips and the usage as hints.
impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        let text = error.render().to_string();
        let mut paragraphs = text.trim().split("\n\n").map(one_line);
        let first = paragraphs.next().unwrap_or_default();
        let mut failure = Self::usage(first.strip_prefix("error: ").unwrap_or(&first));
        for paragraph in paragraphs {
            if let Some(usage) = paragraph.strip_prefix("Usage: ") {
                failure = failure.hint(format!("usage: {usage}"));
            } else if paragraph.starts_with("For more information") {
                failure = failure.hint("run it with --help to see what there is");
            } else {
                for tip in paragraph.split("tip: ").map(str::trim).filter(|tip| !tip.is_empty()) {
                    failure = failure.hint(tip);
                }
            }
        }
        failure
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::cli::Cli;

    fn refused(words: &[&str]) -> Failure {
        let words = ["slicc"].iter().chain(words).map(Into::into);
        Failure::from(Cli::read(words).expect_err("the command line is wrong"))
    }

    #[test]
    fn each_kind_has_its_exit_status() {
        let kinds = [(Kind::Failed, 1), (Kind::Usage, 2), (Kind::NotAllowed, 3), (Kind::Interrupted, 130)];
        for (kind, status) in kinds {
            assert_eq!(Failure::new(kind, "").status() as u8, status);
        }
    }

    #[test]
    fn an_unknown_flag_is_a_usage_failure_with_the_one_that_was_meant() {
        let failure = refused(&["attach", "--orign", "http://localhost:1"]);
        assert_eq!(failure.kind, Kind::Usage);
        assert_eq!(failure.message, "unexpected argument '--orign' found");
        assert!(failure.hints.iter().any(|hint| hint.contains("--origin")), "{failure:?}");
        assert!(failure.hints.iter().any(|hint| hint.starts_with("usage: slicc attach")), "{failure:?}");
    }

    #[test]
    fn a_second_cdp_is_a_usage_failure() {
        let failure = refused(&["attach", "--cdp", "http://127.0.0.1:1", "--cdp", "http://127.0.0.1:2"]);
        assert_eq!(failure.kind, Kind::Usage);
        assert_eq!(failure.message, "the argument '--cdp <url>' cannot be used multiple times");
    }

    #[test]
    fn attach_wants_a_cdp_unless_the_harness_owns_it() {
        let failure = refused(&["attach"]);
        assert_eq!(failure.message, "--cdp <url> is required, unless --signal stdio is given");
        assert_eq!(refused(&["attach", "--signal", "cdp"]), failure);
        let words = ["slicc", "attach", "--signal", "stdio"];
        assert!(Cli::read(words.map(Into::into)).is_ok());
    }
}
