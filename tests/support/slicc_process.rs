//! A running slicc, in a home of its own.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{self, Signal},
    unistd::Pid,
};
use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};

use super::{processes, within};

/// How long a slicc that is told to stop, because its test is over, may take.
const FAREWELL: Duration = Duration::from_secs(15);

/// A home for processes of a test: nothing that they do reaches the user's files or browsers. When it goes, so does every process
/// whose command line names it.
#[derive(Debug)]
pub struct Home {
    dir: TempDir,
}

impl Home {
    /// An empty home.
    ///
    /// # Panics
    /// When the system has no room for one.
    pub fn new() -> Self {
        // Chromium puts a socket into the temporary folder, whose path may not be long.
        let dir = tempfile::Builder::new().prefix("slicc-test-").tempdir().expect("a temporary folder");
        let home = Self { dir };
        std::fs::create_dir(home.temp()).expect("a folder");
        home
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The temporary folder of its processes.
    pub fn temp(&self) -> PathBuf {
        self.path().join("tmp")
    }

    /// Writes a file into it.
    ///
    /// # Panics
    /// When that fails.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// slicc with this home.
    pub fn slicc<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_slicc"));
        command.args(arguments).current_dir(self.path()).env("HOME", self.path()).env("TMPDIR", self.temp());
        for (name, folder) in [
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_STATE_HOME", "state"),
        ] {
            command.env(name, self.path().join(folder));
        }
        for name in ["SLICC_DEBUG", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
        {
            command.env_remove(name);
        }
        // No test meets the browsers of this machine, unless it names what it looks for.
        command.env("SLICC_DISCOVERY", "isolated").env_remove("SLICC_USER_DATA_DIR");
        command
    }

    /// What is left of a slicc that has ended: processes, and files in the temporary folder.
    ///
    /// # Panics
    /// When the folder can't be read.
    pub fn leftovers(&self) -> Vec<String> {
        let processes = processes::naming(self.path()).into_iter().map(|(pid, command)| format!("{pid} {command}"));
        let files = std::fs::read_dir(self.temp()).expect("the folder is there");
        let files = files.map(|entry| entry.expect("an entry").path().display().to_string());
        processes.chain(files).collect()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        processes::kill_naming(self.path());
    }
}

/// A running slicc with pipes to its stdin, stdout and stderr. When it goes, slicc is told to stop, and killed if it doesn't.
#[derive(Debug)]
pub struct Slicc {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<Lines<BufReader<ChildStdout>>>,
    stderr: Lines<BufReader<ChildStderr>>,
    /// What it said on stderr, for whoever reads why a test failed.
    said: Vec<String>,
    // The last to go, after its processes.
    home: Home,
}

impl Slicc {
    /// Starts slicc in an empty home.
    pub fn start<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Self {
        Self::start_in(Home::new(), arguments)
    }

    /// Starts slicc in a home.
    pub fn start_in<A: AsRef<OsStr>>(home: Home, arguments: impl IntoIterator<Item = A>) -> Self {
        let command = home.slicc(arguments);
        Self::spawn(home, command)
    }

    /// Starts a command that [`Home::slicc`] made.
    ///
    /// # Panics
    /// When it can't be started.
    pub fn spawn(home: Home, command: std::process::Command) -> Self {
        Self::spawn_with_stdout(home, command, Stdio::piped())
    }

    /// The same with another stdout than a pipe to [`Slicc::line`].
    ///
    /// # Panics
    /// When it can't be started.
    pub fn spawn_with_stdout(home: Home, command: std::process::Command, stdout: Stdio) -> Self {
        let mut command = Command::from(command);
        command.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("slicc starts");
        let stderr = child.stderr.take().expect("stderr is a pipe");
        Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().map(|stdout| BufReader::new(stdout).lines()),
            stderr: BufReader::new(stderr).lines(),
            said: Vec::new(),
            child,
            home,
        }
    }

    /// Its home.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Its home, after its exit.
    ///
    /// # Panics
    /// When it still runs.
    pub fn into_home(mut self) -> Home {
        assert!(matches!(self.child.try_wait(), Ok(Some(_))), "slicc has exited");
        std::mem::replace(&mut self.home, Home::new())
    }

    /// The next line on stderr; `None` at its end.
    pub async fn status(&mut self) -> Option<String> {
        let line = within("a status line", self.stderr.next_line()).await.expect("stderr is text");
        self.said.extend(line.clone());
        line
    }

    /// Expects the next lines on stderr, without the name of the program that stands before each.
    ///
    /// # Panics
    /// When another line comes.
    pub async fn expect_status(&mut self, lines: &[&str]) {
        for expected in lines {
            let line = self.status().await;
            assert_eq!(line.as_deref(), Some(format!("slicc: {expected}").as_str()), "after {:#?}", self.said);
        }
    }

    /// The next line on stdout; `None` at its end.
    ///
    /// # Panics
    /// When stdout was closed with [`Slicc::close_stdout`].
    pub async fn line(&mut self) -> Option<String> {
        let stdout = self.stdout.as_mut().expect("stdout is open");
        within("a line on stdout", stdout.next_line()).await.expect("stdout is text")
    }

    /// The next line on stdout as JSON; `None` at its end.
    pub async fn json(&mut self) -> Option<Value> {
        let line = self.line().await?;
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?} isn't JSON: {error}")))
    }

    /// Writes bytes to stdin.
    ///
    /// # Panics
    /// When slicc has closed it.
    pub async fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        within("room on stdin", stdin.write_all(bytes)).await.expect("slicc reads stdin");
        stdin.flush().await.expect("slicc reads stdin");
    }

    /// Closes slicc's stdin.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Closes slicc's stdout at the reader's end.
    pub fn close_stdout(&mut self) {
        self.stdout = None;
    }

    /// Sends a signal.
    ///
    /// # Panics
    /// When it has exited.
    pub fn signal(&self, signal: Signal) {
        let pid = self.child.id().expect("slicc runs");
        signal::kill(Pid::from_raw(pid.try_into().expect("a process id")), signal).expect("the signal is delivered");
    }

    /// Waits for the exit, and returns it with the rest of stderr.
    pub async fn exit(&mut self) -> (ExitStatus, Vec<String>) {
        let mut rest = Vec::new();
        while let Some(line) = self.status().await {
            rest.push(line);
        }
        (within("an exit", self.child.wait()).await.expect("slicc is waited for"), rest)
    }

    /// Expects an exit with this status after these last lines on stderr, each with what stands before it.
    ///
    /// # Panics
    /// When it exits otherwise.
    pub async fn expect_exit(&mut self, code: i32, lines: &[&str]) {
        let (status, rest) = self.exit().await;
        assert_eq!((status.code(), rest.iter().map(String::as_str).collect::<Vec<_>>()), (Some(code), lines.to_vec()));
    }
}

impl Drop for Slicc {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("what slicc said: {:#?}", self.said);
        }
        let Some(pid) = self.child.id() else { return };
        if let Ok(pid) = pid.try_into() {
            let _ = signal::kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
        // A doctor takes its browser along when it is told to stop, but not when it is killed.
        let end = Instant::now() + FAREWELL;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
