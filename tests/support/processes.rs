//! Processes of this machine, told apart by their command line.

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

/// How long a process that was killed may take to go.
const GONE: Duration = Duration::from_secs(5);

/// The processes whose command line names this path.
///
/// # Panics
/// When the system's list of processes can't be read.
pub fn naming(path: &Path) -> Vec<(Pid, String)> {
    let path = path.to_str().expect("a temporary path is text");
    all().into_iter().filter(|(_, command)| command.contains(path)).collect()
}

/// Kills the processes whose command line names this path, and waits until they are gone.
pub fn kill_naming(path: &Path) {
    let end = Instant::now() + GONE;
    loop {
        let left = naming(path);
        if left.is_empty() || Instant::now() > end {
            return;
        }
        for (pid, _) in left {
            // It may be gone by now.
            let _ = kill(pid, Signal::SIGKILL);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn all() -> Vec<(Pid, String)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return listed() };
    let numbered = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    // A process that is gone meanwhile has no command line any more, and neither has a zombie.
    let command = |pid: i32| std::fs::read(format!("/proc/{pid}/cmdline")).ok();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).replace('\0', " ");
    numbered.filter_map(|pid| Some((Pid::from_raw(pid), text(command(pid)?)))).collect()
}

/// The same on systems without /proc.
fn listed() -> Vec<(Pid, String)> {
    let output = Command::new("ps").args(["-A", "-o", "pid=", "-o", "args="]).output().expect("ps lists the processes");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let read = |line: &str| {
        let (pid, command) = line.trim_start().split_once(' ')?;
        Some((Pid::from_raw(pid.parse().ok()?), command.to_owned()))
    };
    lines.lines().filter_map(read).collect()
}
