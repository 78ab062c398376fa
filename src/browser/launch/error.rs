//! Why a browser didn't start, and why one didn't end.

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitStatus,
    time::Duration,
};

use crate::browser::prepare::PrepareError;

/// The longest excerpt of stderr in an error, in characters.
const MAX_EXCERPT: usize = 300;

/// Why a browser didn't start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The throwaway profile couldn't be made.
    #[error("could not make a throwaway profile in the system's temp dir: {0}")]
    Profile(#[source] io::Error),
    /// The SLICC profile is SLICC six's.
    #[error("{} is SLICC six's profile; only --profile six uses it", path.display())]
    Six {
        /// The profile.
        path: PathBuf,
    },
    /// A browser that slicc can't use holds the profile.
    #[error("{}", held(path, *.pid))]
    Held {
        /// The profile.
        path: PathBuf,
        /// The browser's process, where the system tells.
        pid: Option<u32>,
    },
    /// Another slicc is launching a browser in the profile.
    #[error("another slicc uses the profile {}; pick another --profile", path.display())]
    Taken {
        /// The profile.
        path: PathBuf,
    },
    /// The profile couldn't be made ready.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The note of who launched the browser couldn't be written.
    #[error("could not write to the profile: {0}")]
    Record(#[source] io::Error),
    /// No port is free for an app.
    #[error("no port from {first} up is free for the app's debugging port")]
    NoPort {
        /// The first port.
        first: u16,
    },
    /// The executable couldn't be run.
    #[error("could not run {}: {error}", executable.display())]
    Spawn {
        /// The executable.
        executable: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// It exited before its debugging port answered.
    #[error("the browser exited at once ({status}){}", excerpt(.last_line))]
    Exited {
        /// Its status.
        status: ExitStatus,
        /// Its last line on stderr.
        last_line: String,
    },
    /// Its debugging port didn't answer in time.
    #[error("the browser's debugging port didn't answer within {} s{}", limit.as_secs_f32(), excerpt(.last_line))]
    NoEndpoint {
        /// The limit.
        limit: Duration,
        /// Its last line on stderr.
        last_line: String,
    },
}

fn held(path: &Path, pid: Option<u32>) -> String {
    let by = pid.map(|pid| format!(" by process {pid}")).unwrap_or_default();
    format!("the profile {} is in use{by}; quit that browser, or pick another --profile", path.display())
}

fn excerpt(last_line: &str) -> String {
    if last_line.is_empty() {
        return String::new();
    }
    let cut: String = last_line.chars().take(MAX_EXCERPT).collect();
    format!(": {cut}")
}

/// Why a browser's end wasn't clean.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CloseError {
    /// The browser's processes couldn't be signalled.
    #[error("could not end the browser: {0}")]
    Signal(#[source] io::Error),
    /// It is still there after its kill.
    #[error("the browser (process {pid}) is still running after it was killed")]
    StillRunning {
        /// The process.
        pid: u32,
    },
    /// The throwaway profile couldn't be removed.
    #[error("could not remove the throwaway profile {}: {error}; remove it by hand", path.display())]
    Profile {
        /// The profile.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
}
