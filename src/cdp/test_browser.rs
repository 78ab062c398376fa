//! A real Chromium for tests: headless, with a temporary profile, and gone with its whole process group on drop.

use std::{
    env,
    io::{BufRead, BufReader},
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use tempfile::TempDir;

use super::Endpoint;

/// How long Chromium may take to start on a busy machine.
const START: Duration = Duration::from_mins(1);

/// A running Chromium.
#[derive(Debug)]
pub(crate) struct TestBrowser {
    child: Child,
    /// The browser's WebSocket.
    pub endpoint: Endpoint,
    _profile: TempDir,
}

impl TestBrowser {
    /// Launches the Chromium in `$SLICC_TEST_CHROMIUM`, or the one on PATH.
    pub(crate) fn launch() -> Self {
        let program = env::var_os("SLICC_TEST_CHROMIUM").map_or_else(|| PathBuf::from("chromium"), PathBuf::from);
        let profile = tempfile::Builder::new().prefix("slicc-test-profile-").tempdir().unwrap();
        let mut child = Command::new(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-breakpad",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--remote-debugging-port=0",
                "about:blank",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the tests need Chromium on PATH, or in SLICC_TEST_CHROMIUM");
        let stderr = child.stderr.take().unwrap();
        let (sender, receiver) = mpsc::channel();
        // It reads until Chromium is gone, so that Chromium never blocks on a full pipe.
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if let Some(url) = line.strip_prefix("DevTools listening on ") {
                    let _ = sender.send(url.to_owned());
                }
            }
        });
        let mut browser = Self { child, endpoint: Endpoint::parse("1").unwrap(), _profile: profile };
        let url = receiver.recv_timeout(START).expect("Chromium says where it listens");
        browser.endpoint = Endpoint::parse(&url).unwrap();
        browser
    }
}

impl Drop for TestBrowser {
    fn drop(&mut self) {
        let group = Pid::from_raw(self.child.id().try_into().expect("a process id is an i32"));
        // The group is there until its leader is waited for; the profile's folder goes after its processes.
        let _ = killpg(group, Signal::SIGKILL);
        let _ = self.child.wait();
    }
}
