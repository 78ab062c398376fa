//! The ladder: what ends a browser.

use super::{CLOSE_LIMIT, CloseError, TERMINATE_LIMIT};
use crate::browser::process::{BrowserProcess, Kill};

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

/// Walks the ladder until the leader is gone.
pub(super) async fn end(
    process: &BrowserProcess,
    browser_close: impl Future<Output = bool>,
) -> Result<Closed, CloseError> {
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
