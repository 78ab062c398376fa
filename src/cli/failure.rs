//! How a command fails: what people read, and the exit status.

use std::{fmt, io};

use crate::{cdp::EndpointError, generated::cli::ExitStatus};

/// Why a command failed, as far as the exit status tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// Something failed.
    Failed,
    /// The command line is wrong.
    Usage,
    /// The other side doesn't allow it.
    NotAllowed,
    /// A signal stopped the command before it was done.
    Interrupted,
}

impl FailureKind {
    /// The exit status of this kind.
    pub fn status(self) -> ExitStatus {
        match self {
            Self::Failed => ExitStatus::Failed,
            Self::Usage => ExitStatus::Usage,
            Self::NotAllowed => ExitStatus::NotAllowed,
            Self::Interrupted => ExitStatus::Interrupted,
        }
    }
}

/// A command that failed. Its texts hold no secret, and each is one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Why, as far as the exit status tells.
    pub kind: FailureKind,
    /// What happened, without a prefix and a full stop.
    pub message: String,
    /// What to do about it, a line each.
    pub hints: Vec<String>,
}

impl Failure {
    /// Something failed (exit status 1).
    pub fn failed(message: impl fmt::Display) -> Self {
        Self::new(FailureKind::Failed, message)
    }

    /// The command line is wrong (exit status 2).
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::new(FailureKind::Usage, message)
    }

    /// The other side doesn't allow it (exit status 3).
    pub fn not_allowed(message: impl fmt::Display) -> Self {
        Self::new(FailureKind::NotAllowed, message)
    }

    /// A signal stopped the command before it was done (exit status 130).
    pub fn interrupted(message: impl fmt::Display) -> Self {
        Self::new(FailureKind::Interrupted, message)
    }

    /// The browser that `--cdp` names, or that was just launched, doesn't answer (exit status 1).
    pub fn no_browser(error: EndpointError) -> Self {
        Self::failed(error).hint("start the browser with --remote-debugging-port and try again")
    }

    fn new(kind: FailureKind, message: impl fmt::Display) -> Self {
        Self { kind, message: message.to_string(), hints: Vec::new() }
    }

    /// The same failure with one more hint.
    #[must_use]
    pub fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hints.push(hint.to_string());
        self
    }

    /// Writes the failure for people: `slicc: …`, then a line `hint: …` for each hint.
    ///
    /// # Errors
    /// When `out` can't be written.
    pub fn report(&self, out: &mut impl io::Write) -> io::Result<()> {
        writeln!(out, "slicc: {}", self.message)?;
        for hint in &self.hints {
            writeln!(out, "hint: {hint}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// What clap has to say about a wrong command line: its message in one line, its tips and the usage as hints.
impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        let text = error.render().to_string();
        // A usage of several lines is several ways to call it.
        let usage = |text: &str| one_line(&text.lines().map(str::trim).collect::<Vec<_>>().join(" or "));
        let mut paragraphs = text
            .trim()
            .split("\n\n")
            .map(|text| if text.starts_with("Usage: ") { usage(text) } else { one_line(text) });
        let first = paragraphs.next().unwrap_or_default();
        let mut failure = Self::usage(first.strip_prefix("error: ").unwrap_or(&first));
        for paragraph in paragraphs {
            if let Some(usage) = paragraph.strip_prefix("Usage: ") {
                failure = failure.hint(format_args!("usage: {usage}"));
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

    fn reported(failure: &Failure) -> String {
        let mut out = Vec::new();
        failure.report(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_kind_has_its_exit_status() {
        assert_eq!(Failure::failed("").kind.status() as u8, 1);
        assert_eq!(Failure::usage("").kind.status() as u8, 2);
        assert_eq!(Failure::not_allowed("").kind.status() as u8, 3);
        assert_eq!(Failure::interrupted("").kind.status() as u8, 130);
    }

    #[test]
    fn a_failure_is_a_line_and_a_line_for_each_hint() {
        let failure = Failure::failed("no browser").hint("install one").hint("or name one");
        assert_eq!(reported(&failure), "slicc: no browser\nhint: install one\nhint: or name one\n");
    }

    #[test]
    fn an_unknown_flag_is_a_usage_failure_with_the_one_that_was_meant() {
        let failure = refused(&["attach", "--orign", "http://localhost:1"]);
        assert_eq!(failure.kind, FailureKind::Usage);
        assert_eq!(failure.message, "unexpected argument '--orign' found");
        assert!(failure.hints.iter().any(|hint| hint.contains("--origin")), "{failure:?}");
        assert!(failure.hints.iter().any(|hint| hint.starts_with("usage: slicc attach")), "{failure:?}");
    }

    #[test]
    fn a_second_cdp_is_a_usage_failure() {
        let failure = refused(&["attach", "--cdp", "http://127.0.0.1:1", "--cdp", "http://127.0.0.1:2"]);
        assert_eq!(failure.kind, FailureKind::Usage);
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
