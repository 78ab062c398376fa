//! A browser's processes: one group, its exit, its stderr. A group is never signalled once its leader was reaped, so a
//! signal can't reach a stranger who was given the same number.

use std::{
    io::{self, Read},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

use tokio::sync::watch;

use super::{active_port::parse_listening_line, record::has_argument};
use crate::{
    cdp::Endpoint,
    host::{ProcessLine, RealSystem, System as _},
};

/// The longest part of a stderr line that is kept, in bytes.
const MAX_LINE: usize = 4096;
/// How long the process list may take.
const PROCESS_LIST: Duration = Duration::from_secs(2);
/// How long a dropped browser may take to die after its kill.
const DROP_LIMIT: Duration = Duration::from_secs(3);

/// What a browser has said on stderr.
#[derive(Debug, Clone, Default)]
pub(super) struct Stderr {
    /// The last line that wasn't empty, without control characters.
    pub last_line: String,
    /// The endpoint that it announced.
    pub endpoint: Option<Endpoint>,
    /// Whether every process that could write to it is gone.
    pub ended: bool,
}

/// How a group is signalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kill {
    /// It may clean up first.
    Terminate,
    /// At once.
    Kill,
}

/// The group, as long as its leader isn't reaped.
#[derive(Debug)]
struct Group(Option<u32>);

/// A running browser and every process that it started. Dropping it kills them.
#[derive(Debug)]
pub(super) struct BrowserProcess {
    pid: u32,
    /// The argument that tells the browser's processes from others, when the child only starts the browser and waits for it.
    elsewhere: Option<String>,
    group: Arc<Mutex<Group>>,
    exit: watch::Receiver<Option<ExitStatus>>,
    stderr: watch::Receiver<Stderr>,
    /// Closed when the leader is reaped.
    reaped: mpsc::Receiver<()>,
    /// Closed when stderr is closed.
    silent: mpsc::Receiver<()>,
}

impl BrowserProcess {
    /// Starts the command in a process group of its own, so that a terminal's Ctrl-C reaches only slicc. `elsewhere` is an
    /// argument that tells the browser from other processes, when it isn't the command itself.
    pub(super) fn spawn(mut command: Command, elsewhere: Option<String>) -> io::Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        platform::own_group(&mut command);
        let mut child = command.spawn()?;
        let pid = child.id();
        let group = Arc::new(Mutex::new(Group(Some(pid))));
        let (exit_tx, exit) = watch::channel(None);
        let (stderr_tx, stderr) = watch::channel(Stderr::default());
        let (reaped_tx, reaped) = mpsc::sync_channel(0);
        let (silent_tx, silent) = mpsc::sync_channel(0);
        let pipe = child.stderr.take();
        // From here on, dropping `process` ends the child, whatever fails below.
        let process = Self { pid, elsewhere, group: Arc::clone(&group), exit, stderr, reaped, silent };
        thread::Builder::new().name("browser-exit".into()).spawn(move || {
            let status = wait(child, &group);
            exit_tx.send_replace(Some(status));
            drop(reaped_tx);
        })?;
        if let Some(pipe) = pipe {
            thread::Builder::new().name("browser-stderr".into()).spawn(move || {
                read_stderr(pipe, &stderr_tx);
                stderr_tx.send_modify(|stderr| stderr.ended = true);
                drop(silent_tx);
            })?;
        }
        Ok(process)
    }

    /// The child's process id.
    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    /// The browser's main process, when it isn't the child and the process list shows it.
    pub(super) fn main_process(&self) -> Option<u32> {
        let argument = self.elsewhere.as_ref()?;
        let lines = RealSystem.processes(PROCESS_LIST).into_iter();
        let is_main = |line: &ProcessLine| {
            line.pid != self.pid && has_argument(&line.command, argument) && !line.command.contains(" --type=")
        };
        // What starts the browser names the argument, too, and came first.
        lines.filter(is_main).map(|line| line.pid).max()
    }

    /// What was said on stderr so far.
    pub(super) fn stderr(&self) -> Stderr {
        self.stderr.borrow().clone()
    }

    /// Resolves with the leader's status once it was reaped and the rest of its group was killed. Dropping the future
    /// loses nothing.
    pub(super) async fn exited(&self) -> ExitStatus {
        let mut exit = self.exit.clone();
        let status = exit.wait_for(Option::is_some).await.ok().and_then(|status| *status);
        // The sender is dropped only after it sent a status.
        status.unwrap_or_default()
    }

    /// Resolves once no process holds stderr any more, so that all that the browser started are gone.
    pub(super) async fn silent(&self) {
        let mut stderr = self.stderr.clone();
        // An error means that the reading thread is gone, which it is only after the end.
        let _ended = stderr.wait_for(|stderr| stderr.ended).await;
    }

    /// Resolves when something new was said on stderr.
    pub(super) async fn said(&self, seen: &mut watch::Receiver<Stderr>) {
        if seen.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// A cursor for [`BrowserProcess::said`].
    pub(super) fn cursor(&self) -> watch::Receiver<Stderr> {
        self.stderr.clone()
    }

    /// Signals the whole group, and a main process that isn't in it. Nothing happens once the leader was reaped.
    pub(super) fn kill(&self, how: Kill) -> io::Result<()> {
        let main = self.main_process();
        let group = self.group.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(pid) = group.0 else { return Ok(()) };
        if let Some(main) = main {
            platform::signal_process(main, how)?;
            if how == Kill::Terminate {
                // The child waits for the browser, and ends with it.
                return Ok(());
            }
        }
        platform::signal(pid, how)
    }
}

impl Drop for BrowserProcess {
    fn drop(&mut self) {
        if let Err(error) = self.kill(Kill::Kill) {
            tracing::debug!(%error, pid = self.pid, "could not kill the browser");
        }
        // Both channels carry nothing: they only close.
        let _ = self.reaped.recv_timeout(DROP_LIMIT);
        let _ = self.silent.recv_timeout(DROP_LIMIT);
    }
}

/// Waits for the leader, then kills what is left of its group while its number is still taken, then reaps it.
fn wait(mut child: Child, group: &Mutex<Group>) -> ExitStatus {
    platform::await_exit(&mut child);
    let mut group = group.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pid) = group.0.take()
        && let Err(error) = platform::signal(pid, Kill::Kill)
    {
        tracing::debug!(%error, pid, "could not kill the rest of the browser's group");
    }
    child.wait().unwrap_or_else(|error| {
        tracing::debug!(%error, "could not read the browser's exit status");
        ExitStatus::default()
    })
}

/// Reads stderr to its end in bounded memory.
fn read_stderr(mut pipe: impl Read, state: &watch::Sender<Stderr>) {
    let mut line = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let read = match pipe.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                tracing::debug!(%error, "could not read the browser's stderr");
                break;
            }
        };
        for &byte in &chunk[..read] {
            if byte == b'\n' {
                said(&line, state);
                line.clear();
            } else if line.len() < MAX_LINE {
                line.push(byte);
            }
        }
    }
    said(&line, state);
}

fn said(line: &[u8], state: &watch::Sender<Stderr>) {
    let text: String = String::from_utf8_lossy(line).chars().filter(|c| !c.is_control()).collect();
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    let endpoint = parse_listening_line(text);
    state.send_modify(|stderr| {
        text.clone_into(&mut stderr.last_line);
        if endpoint.is_some() {
            stderr.endpoint = endpoint;
        }
    });
}

#[cfg(unix)]
mod platform {
    use std::{
        io,
        os::unix::process::CommandExt as _,
        process::{Child, Command},
    };

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

    use super::Kill;

    pub(super) fn own_group(command: &mut Command) {
        command.process_group(0);
    }

    /// Waits until the child is a zombie, without reaping it.
    pub(super) fn await_exit(child: &mut Child) {
        let pid = Pid::from_child(child);
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        {
        }
    }

    pub(super) fn signal(pid: u32, how: Kill) -> io::Result<()> {
        let signal = match how {
            Kill::Terminate => Signal::TERM,
            Kill::Kill => Signal::KILL,
        };
        let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return Ok(()) };
        match kill_process_group(pid, signal) {
            // No such group: all of it is gone. Not permitted: only zombies are left, as macOS puts it.
            Ok(()) | Err(rustix::io::Errno::SRCH | rustix::io::Errno::PERM) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn signal_process(pid: u32, how: Kill) -> io::Result<()> {
        signal(pid, how)?;
        let signal = match how {
            Kill::Terminate => Signal::TERM,
            Kill::Kill => Signal::KILL,
        };
        let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return Ok(()) };
        match kill_process(pid, signal) {
            Ok(()) | Err(rustix::io::Errno::SRCH | rustix::io::Errno::PERM) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(windows)]
mod platform {
    use std::{
        io,
        os::windows::process::CommandExt as _,
        process::{Child, Command, Stdio},
    };

    use super::Kill;

    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;

    pub(super) fn own_group(command: &mut Command) {
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
    }

    /// Waits until the child has exited. Its handle keeps the number until `child` is dropped.
    pub(super) fn await_exit(child: &mut Child) {
        // The status is kept in the child, where the caller reads it, or the error again.
        let _kept = child.wait();
    }

    pub(super) fn signal(pid: u32, how: Kill) -> io::Result<()> {
        let mut command = Command::new("taskkill");
        command.args(["/T", "/PID", &pid.to_string()]);
        if how == Kill::Kill {
            command.arg("/F");
        }
        // Its status says only whether the tree was still there.
        command
            .creation_flags(CREATE_NO_WINDOW)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map(drop)
    }

    pub(super) fn signal_process(pid: u32, how: Kill) -> io::Result<()> {
        signal(pid, how)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_endless_line_takes_bounded_memory_and_the_last_line_counts() {
        let (state, seen) = watch::channel(Stderr::default());
        let mut text = vec![b'x'; 1 << 20];
        text.extend_from_slice(b"\nDevTools listening on ws://127.0.0.1:5/a\n\x1b[31mlast\n\n");
        read_stderr(text.as_slice(), &state);
        assert_eq!(seen.borrow().last_line, "[31mlast");
        assert_eq!(seen.borrow().endpoint.as_ref().unwrap().port(), 5);
    }

    proptest! {
        #[test]
        fn whatever_is_said_the_last_line_is_clean(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b'\x1b')], 0..200),
        ) {
            let (state, seen) = watch::channel(Stderr::default());
            read_stderr(bytes.as_slice(), &state);
            let said = seen.borrow();
            prop_assert!(!said.last_line.chars().any(char::is_control));
            prop_assert_eq!(said.last_line.trim(), said.last_line.as_str());
            prop_assert!(said.endpoint.is_none());
        }
    }
}
