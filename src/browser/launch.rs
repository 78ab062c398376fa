//! Launching a browser or an Electron app with a debugging port, and closing it (section `slicc launch` of the requirement).

mod arguments;
mod end;
mod error;
mod options;
mod profile;
mod start;

use std::{
    fmt,
    path::{Path, PathBuf},
    process::ExitStatus,
    time::Duration,
};

pub use self::{
    arguments::arguments,
    end::Closed,
    error::{CloseError, LaunchError},
    options::{LaunchOptions, ProfileUse, Program},
};
use self::{end::end, profile::Profile, start::Started};
use super::{process::BrowserProcess, record::Record};
use crate::{
    cdp::{BrowserVersion, Client, Endpoint, EventFilter},
    host::System,
};

/// How long a browser may take until its debugging port answers.
pub const START_LIMIT: Duration = Duration::from_secs(30);
/// How long `Browser.close` may take until the browser is signalled.
pub const CLOSE_LIMIT: Duration = Duration::from_secs(5);
/// How long a signalled browser may take until it is killed.
pub const TERMINATE_LIMIT: Duration = Duration::from_secs(3);

/// How long the processes of a browser that has exited may take to go.
const SILENCE_LIMIT: Duration = Duration::from_secs(5);

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

/// A browser that slicc launched. [`LaunchedBrowser::close`] ends it. A drop is the last resort: it kills the browser,
/// blocks until the processes are gone (a few seconds at most) and removes a temporary profile.
#[derive(Debug)]
pub struct LaunchedBrowser {
    // Dropped first, so that nothing writes to the profile while it is removed.
    process: BrowserProcess,
    record: Option<Record>,
    profile: Option<Profile>,
    profile_dir: Option<PathBuf>,
    endpoint: Endpoint,
    version: BrowserVersion,
    pid: u32,
    notices: Vec<LaunchNotice>,
}

/// Launches a browser and waits until its debugging port answers. Dropping the future ends the browser.
///
/// # Errors
/// A [`LaunchError`]; the browser and a temporary profile are gone then.
pub async fn launch(system: &dyn System, options: &LaunchOptions) -> Result<LaunchedBrowser, LaunchError> {
    let mut started = Started::new(system, options)?;
    let (endpoint, version) = started.answering(system, options).await?;
    let pid = started.process.main_process().unwrap_or(started.process.pid());
    if let Some(record) = &mut started.record {
        record.write(Some(pid)).map_err(LaunchError::Record)?;
    }
    let Started { process, record, profile, profile_dir, notices, .. } = started;
    Ok(LaunchedBrowser { process, record, profile, profile_dir, endpoint, version, pid, notices })
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

    /// Its main process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Its profile; `None` for an app that keeps its own.
    pub fn profile_dir(&self) -> Option<&Path> {
        self.profile_dir.as_deref()
    }

    /// What the user should know about the launch.
    pub fn notices(&self) -> &[LaunchNotice] {
        &self.notices
    }

    /// Resolves when the browser has exited. Dropping the future loses nothing.
    pub async fn exited(&self) -> ExitStatus {
        self.process.exited().await
    }

    /// Asks the browser over CDP to quit, and ends it in any case.
    ///
    /// # Errors
    /// A [`CloseError`] when a process or a temporary profile is left.
    pub async fn quit(self) -> Result<Closed, CloseError> {
        let endpoint = self.endpoint.clone();
        // Boxed: the client's state is large.
        let asked = Box::pin(async move {
            let Ok((client, _events)) = Client::connect(&endpoint, EventFilter::NONE).await else { return false };
            client.call(None, "Browser.close", serde_json::json!({})).await.is_ok()
        });
        self.close(asked).await
    }

    /// Ends the browser and removes a temporary profile. `browser_close` sends `Browser.close` over CDP, and is `true` when
    /// the browser took it. If the browser is still there 5 s later, or at once when it didn't take it, it gets SIGTERM, and
    /// after 3 s SIGKILL.
    ///
    /// # Errors
    /// A [`CloseError`] when a process or the profile is left.
    pub async fn close(self, browser_close: impl Future<Output = bool>) -> Result<Closed, CloseError> {
        let Self { process, record, profile, .. } = self;
        let closed = match end(&process, browser_close).await {
            Ok(closed) => closed,
            Err(error) => {
                if let Some(record) = record {
                    record.keep();
                }
                return Err(error);
            }
        };
        if tokio::time::timeout(SILENCE_LIMIT, process.silent()).await.is_err() {
            tracing::debug!("a process of the browser still holds its stderr");
        }
        drop(process);
        drop(record);
        match profile {
            Some(mut profile) => profile.remove().map(|()| closed),
            None => Ok(closed),
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod process_tests;
