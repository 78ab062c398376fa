//! Ctrl-C and SIGTERM: the first asks for an orderly end, the second ends at once.

use std::io;

use tokio_util::sync::CancellationToken;

use super::Failure;
use crate::{generated::cli::ExitStatus, tui::terminal};

/// A token that the first interrupt cancels. The second one ends the process.
///
/// # Errors
/// When the system won't deliver signals.
pub fn listen() -> Result<CancellationToken, Failure> {
    let token = CancellationToken::new();
    let cancelled = token.clone();
    let mut signals =
        Signals::new().map_err(|error| Failure::failed(format_args!("cannot wait for signals: {error}")))?;
    tokio::spawn(async move {
        signals.next().await;
        cancelled.cancel();
        signals.next().await;
        end_at_once();
    });
    Ok(token)
}

/// Ends the process now, with the terminal as it was before.
pub fn end_at_once() -> ! {
    terminal::restore();
    std::process::exit(i32::from(ExitStatus::Interrupted as u8))
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(windows)]
struct Signals {
    interrupt: tokio::signal::windows::CtrlC,
    stop: tokio::signal::windows::CtrlBreak,
}

#[cfg(windows)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::windows::{ctrl_break, ctrl_c};
        Ok(Self { interrupt: ctrl_c()?, stop: ctrl_break()? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.stop.recv() => {}
        }
    }
}
