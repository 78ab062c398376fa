//! Launching a browser in a throwaway profile, and closing it (section `slicc launch` of the requirement).
//!
//! The profile lies in the system's temp dir and goes away with the browser, so no profile of the user's is opened. The
//! seven prefs aren't written: a throwaway profile has no tabs to freeze but the one that opens.

mod arguments;
mod profile;

use std::{
    fmt, io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
    time::Duration,
};

pub use self::arguments::arguments;
use self::profile::Profile;
use super::{
    active_port::parse_active_port,
    process::{BrowserProcess, Kill},
};
use crate::{
    cdp::{BrowserVersion, Endpoint},
    host::{Os, System},
};

/// How long a browser may take until its debugging port answers.
pub const START_LIMIT: Duration = Duration::from_secs(30);
/// How long `Browser.close` may take until the browser is signalled.
pub const CLOSE_LIMIT: Duration = Duration::from_secs(5);
/// How long a signalled browser may take until it is killed.
pub const TERMINATE_LIMIT: Duration = Duration::from_secs(3);

/// How long the processes of a browser that has exited may take to go.
const SILENCE_LIMIT: Duration = Duration::from_secs(5);
/// How often `DevToolsActivePort` is looked for. Nothing announces the file on every system.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// `DevToolsActivePort` holds two short lines; more isn't read.
const MAX_ACTIVE_PORT: u64 = 4096;
/// The longest excerpt of stderr in an error, in characters.
const MAX_EXCERPT: usize = 300;

/// What to launch.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// The browser's executable.
    pub executable: PathBuf,
    /// The page to open.
    pub url: String,
    /// Whether to open no window.
    pub headless: bool,
    /// Whether the flags that keep a seven tab running are given.
    pub seven_flags: bool,
    /// More switches. Their `--disable-features` are merged with the seven flags' one.
    pub extra_args: Vec<String>,
    /// How long the debugging port may take to answer; [`START_LIMIT`] outside tests.
    pub start_limit: Duration,
}

impl LaunchOptions {
    /// Launches this executable with this page, headless and with the seven flags.
    pub fn new(executable: impl Into<PathBuf>, url: impl Into<String>) -> Self {
        Self {
            executable: executable.into(),
            url: url.into(),
            headless: true,
            seven_flags: true,
            extra_args: Vec::new(),
            start_limit: START_LIMIT,
        }
    }
}

/// Something about a launch that the user should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LaunchNotice {
    /// The browser runs without its sandbox.
    NoSandbox,
}

impl fmt::Display for LaunchNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSandbox => f.write_str("running as root, so the browser runs without its sandbox (--no-sandbox)"),
        }
    }
}

/// Why a browser didn't start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The throwaway profile couldn't be made.
    #[error("could not make a throwaway profile in the system's temp dir: {0}")]
    Profile(#[source] io::Error),
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

/// What it took to end a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// It had exited, or did so when asked over CDP.
    Asked,
    /// It exited on a signal.
    Terminated,
    /// It had to be killed.
    Killed,
}

/// A browser that slicc launched. [`LaunchedBrowser::close`] ends it. A drop is the last resort: it kills the browser,
/// blocks until the processes are gone (a few seconds at most) and removes the profile.
#[derive(Debug)]
pub struct LaunchedBrowser {
    // Dropped first, so that nothing writes to the profile while it is removed.
    process: BrowserProcess,
    profile: Profile,
    endpoint: Endpoint,
    version: BrowserVersion,
    notices: Vec<LaunchNotice>,
}

/// Launches a browser and waits until its debugging port answers. Dropping the future ends the browser.
///
/// # Errors
/// A [`LaunchError`]; the browser and its profile are gone then.
pub async fn launch(system: &dyn System, options: &LaunchOptions) -> Result<LaunchedBrowser, LaunchError> {
    let profile = Profile::new(&system.temp_dir()).map_err(LaunchError::Profile)?;
    let without_sandbox = system.os() == Os::Linux && system.is_root();
    let mut command = Command::new(&options.executable);
    command.args(arguments(profile.path(), without_sandbox, options));
    if system.os() == Os::Linux {
        // Chromium keeps a socket in a folder of its own there, which it leaves behind when it is killed. Elsewhere the path
        // would be too long for a socket.
        command.env("TMPDIR", profile.path());
    }
    let process = BrowserProcess::spawn(command)
        .map_err(|error| LaunchError::Spawn { executable: options.executable.clone(), error })?;

    // A future of its own, so that the limit and the exit cut every step short.
    let found = async {
        let mut look_again = tokio::time::interval(LOOK_AGAIN);
        look_again.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut stderr = process.cursor();
        loop {
            tokio::select! {
                _ = look_again.tick() => {}
                () = process.said(&mut stderr) => {}
            }
            if let Some(found) = answering(profile.path(), &process).await {
                return found;
            }
        }
    };
    let (endpoint, version) = tokio::select! {
        biased;
        status = process.exited() => {
            // What it said last may still be in the pipe.
            let _complete = tokio::time::timeout(SILENCE_LIMIT, process.silent()).await;
            return Err(LaunchError::Exited { status, last_line: process.stderr().last_line });
        }
        found = found => found,
        () = tokio::time::sleep(options.start_limit) => {
            return Err(LaunchError::NoEndpoint { limit: options.start_limit, last_line: process.stderr().last_line });
        }
    };
    let notices = if without_sandbox { vec![LaunchNotice::NoSandbox] } else { Vec::new() };
    Ok(LaunchedBrowser { process, profile, endpoint, version, notices })
}

impl LaunchedBrowser {
    /// Its WebSocket.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// What it says it is.
    pub fn version(&self) -> &BrowserVersion {
        &self.version
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Its throwaway profile.
    pub fn profile(&self) -> &Path {
        self.profile.path()
    }

    /// What the user should know about the launch.
    pub fn notices(&self) -> &[LaunchNotice] {
        &self.notices
    }

    /// Resolves when the browser has exited. Dropping the future loses nothing.
    pub async fn exited(&self) -> ExitStatus {
        self.process.exited().await
    }

    /// Ends the browser and removes its profile. `browser_close` sends `Browser.close` over CDP, and is `true` when the
    /// browser took it. If the browser is still there 5 s later, or at once when it didn't take it, it gets SIGTERM, and
    /// after 3 s SIGKILL.
    ///
    /// # Errors
    /// A [`CloseError`] when a process or the profile is left.
    pub async fn close(self, browser_close: impl Future<Output = bool>) -> Result<Closed, CloseError> {
        let Self { process, mut profile, .. } = self;
        let closed = end(&process, browser_close).await?;
        if tokio::time::timeout(SILENCE_LIMIT, process.silent()).await.is_err() {
            tracing::debug!("a process of the browser still holds its stderr");
        }
        drop(process);
        profile.remove()?;
        Ok(closed)
    }
}

/// Walks the ladder until the leader is gone.
async fn end(process: &BrowserProcess, browser_close: impl Future<Output = bool>) -> Result<Closed, CloseError> {
    let asked = async {
        if browser_close.await {
            // Taken: what remains is to wait for the exit.
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        biased;
        _ = process.exited() => return Ok(Closed::Asked),
        () = asked => tracing::debug!("the browser didn't take Browser.close"),
        () = tokio::time::sleep(CLOSE_LIMIT) => tracing::debug!("the browser is still running after Browser.close"),
    }
    for (how, closed) in [(Kill::Terminate, Closed::Terminated), (Kill::Kill, Closed::Killed)] {
        process.kill(how).map_err(CloseError::Signal)?;
        if tokio::time::timeout(TERMINATE_LIMIT, process.exited()).await.is_ok() {
            return Ok(closed);
        }
    }
    Err(CloseError::StillRunning { pid: process.pid() })
}

/// The endpoint, once it is announced and `/json/version` names the same WebSocket path.
async fn answering(profile: &Path, process: &BrowserProcess) -> Option<(Endpoint, BrowserVersion)> {
    // A snap has a temp dir of its own, so its file isn't where slicc looks: the line on stderr stands in.
    let endpoint = active_port(profile).or_else(|| process.stderr().endpoint)?;
    // Boxed: the HTTP client's state is large, and every caller's future would carry it.
    match Box::pin(endpoint.version()).await {
        Ok(version) if version.web_socket_debugger_url.as_ref().is_some_and(|socket| socket.has_path_of(&endpoint)) => {
            Some((endpoint, version))
        }
        Ok(_) => {
            tracing::debug!(%endpoint, "another browser answers on the port");
            None
        }
        Err(error) => {
            tracing::debug!(%error, "not ready");
            None
        }
    }
}

fn active_port(profile: &Path) -> Option<Endpoint> {
    use io::Read as _;
    let file = std::fs::File::open(profile.join("DevToolsActivePort")).ok()?;
    let mut text = String::new();
    file.take(MAX_ACTIVE_PORT).read_to_string(&mut text).ok()?;
    parse_active_port(&text)
}

#[cfg(unix)]
#[cfg(test)]
mod process_tests;
