//! What the system says about the terminal: Ctrl-Z gives it back before the process stops, and takes it again when it goes
//! on; and it can be gone.

/// What has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(windows, allow(dead_code, reason = "Windows says neither"))]
pub(super) enum Job {
    /// The process was stopped, and has been continued.
    Continued,
    /// The terminal is gone.
    HungUp,
}

#[cfg(unix)]
mod system {
    use std::io;

    use rustix::process::{Signal as Number, getpid, kill_current_process_group, kill_process};
    use tokio::signal::unix::{Signal, SignalKind, signal};

    use super::Job;
    use crate::tui::terminal::restore;

    /// The signals of job control.
    pub(in crate::tui) struct Jobs {
        stop: Signal,
        go_on: Signal,
        hang_up: Signal,
    }

    impl Jobs {
        /// # Errors
        /// When the system won't deliver signals.
        pub(in crate::tui) fn new() -> io::Result<Self> {
            let kind = |number: Number| SignalKind::from_raw(number.as_raw());
            Ok(Self {
                stop: signal(kind(Number::TSTP))?,
                go_on: signal(kind(Number::CONT))?,
                hang_up: signal(SignalKind::hangup())?,
            })
        }

        /// Does what the terminal does at Ctrl-Z when it isn't asked for single keys: everything that was started together is
        /// told to stop, a launcher around slicc for one.
        pub(in crate::tui) fn suspend() {
            // The signal comes back to this process, too. Where it can't be sent, nothing stops.
            let _ = kill_current_process_group(Number::TSTP);
        }

        /// Waits for news. When the process is told to stop, it gives the terminal back and stops. Dropping the future loses
        /// nothing.
        pub(in crate::tui) async fn next(&mut self) -> Job {
            loop {
                tokio::select! {
                    _ = self.go_on.recv() => return Job::Continued,
                    _ = self.hang_up.recv() => return Job::HungUp,
                    _ = self.stop.recv() => {
                        restore();
                        let _ = kill_process(getpid(), Number::STOP);
                    }
                }
            }
        }
    }
}

#[cfg(windows)]
mod system {
    use std::io;

    use super::Job;

    /// Windows has no job control, and a console that is closed ends its programs.
    pub(in crate::tui) struct Jobs;

    impl Jobs {
        #[allow(clippy::unnecessary_wraps, reason = "other systems can fail")]
        pub(in crate::tui) fn new() -> io::Result<Self> {
            Ok(Self)
        }

        pub(in crate::tui) fn suspend() {}

        pub(in crate::tui) async fn next(&mut self) -> Job {
            std::future::pending().await
        }
    }
}

pub(super) use system::Jobs;
