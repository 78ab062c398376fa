//! Running a command for what it prints, within bounds.

use std::{
    ffi::OsStr,
    io::Read as _,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use super::MAX_OUTPUT;

/// How often a command that closed its output is asked whether it is gone.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// [`super::System::run`] on this machine.
pub(super) fn run(program: &OsStr, args: &[&OsStr], limit: Duration) -> Option<String> {
    let deadline = Instant::now() + limit;
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    platform::own_group(&mut command);
    let mut child = command.spawn().ok()?;
    let output = collect(&mut child, limit).filter(|_| ends(&mut child, deadline));
    if output.is_none() {
        platform::kill(&mut child);
        // Nothing more can be done about a process that survives its kill, and none is left unreaped.
        let _ = child.wait();
    }
    String::from_utf8_lossy(&output?).into_owned().into()
}

/// The output until it is closed. `None` when that takes too long, when it is too long, or when it can't be read.
fn collect(child: &mut Child, limit: Duration) -> Option<Vec<u8>> {
    let pipe = child.stdout.take()?;
    let (send, receive) = mpsc::sync_channel(1);
    // The thread ends with the pipe, which the kill of the whole group closes.
    thread::Builder::new()
        .name("command-output".into())
        .spawn(move || {
            let mut output = Vec::new();
            let read = pipe.take(MAX_OUTPUT + 1).read_to_end(&mut output);
            let whole = read.is_ok_and(|length| length as u64 <= MAX_OUTPUT);
            // Nobody waits any more when the time was up.
            let _ = send.send(whole.then_some(output));
        })
        .ok()?;
    receive.recv_timeout(limit).ok()?
}

/// Whether the command succeeds before the deadline. Its output is closed, so it is about to end.
fn ends(child: &mut Child, deadline: Instant) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < deadline => thread::sleep(LOOK_AGAIN),
            Ok(None) | Err(_) => return false,
        }
    }
}

#[cfg(unix)]
mod platform {
    use std::{
        os::unix::process::CommandExt as _,
        process::{Child, Command},
    };

    use rustix::process::{Pid, Signal, kill_process_group};

    pub(super) fn own_group(command: &mut Command) {
        command.process_group(0);
    }

    /// Kills the command and what it started. It isn't reaped yet, so its number is still its own.
    pub(super) fn kill(child: &mut Child) {
        if let Ok(None) = child.try_wait()
            && let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
        {
            // A group that is gone already is what is wanted.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

#[cfg(not(unix))]
mod platform {
    use std::process::{Child, Command};

    pub(super) fn own_group(_: &mut Command) {}

    pub(super) fn kill(child: &mut Child) {
        // A process that is gone already is what is wanted.
        let _ = child.kill();
    }
}
