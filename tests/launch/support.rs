//! A home with a fake Chromium that is all there is to launch.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    time::UNIX_EPOCH,
};

use nix::{sys::signal::Signal, unistd::Pid};
use serde_json::Value;
use slicc::{
    browser::installed,
    host::{RealSystem, System as _},
};

use crate::support::{
    processes,
    schemas::assert_fits,
    slicc_process::{Home, Slicc},
    within,
};

/// The fake browser, which is built next to slicc.
pub fn fake_browser() -> PathBuf {
    let slicc = Path::new(env!("CARGO_BIN_EXE_slicc"));
    slicc.parent().expect("a folder").join("examples/fake-browser")
}

/// A home in which the fake browser is installed as `chromium`.
pub fn home() -> Home {
    assert!(fake_browser().is_file(), "build it with: cargo build --example fake-browser");
    home_with(&fake_browser())
}

/// A home in which this machine's Chromium is all there is to launch.
pub fn chromium_home() -> Home {
    home_with(&installed::best_executable(&RealSystem).expect("the tests need Chrome or Chromium"))
}

fn home_with(chromium: &Path) -> Home {
    let home = Home::new();
    let bin = home.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    symlink(chromium, bin.join("chromium")).unwrap();
    home
}

/// A command in such a home, for a real browser, whose own script needs the machine's programs.
pub fn on_the_machine(home: &Home, mut command: Command) -> Command {
    command.env("PATH", format!("{}:/usr/bin:/bin", home.path().join("bin").display()));
    command
}

/// The command `slicc launch` in a home. `does` is what the fake browser does otherwise.
pub fn launch<A: AsRef<OsStr>>(home: &Home, does: &str, arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = home.slicc(["launch"]);
    command.args(arguments).env("PATH", home.path().join("bin")).env("SLICC_DISCOVERY", "installed");
    command.env("FAKE_BROWSER", does).env("FAKE_BROWSER_LOG", log(home));
    for name in ["SLICC_TEST_CHROME", "SLICC_USER_DATA_DIR"] {
        command.env_remove(name);
    }
    command
}

/// Where the fake browser notes what happens.
pub fn log(home: &Home) -> PathBuf {
    home.path().join("browser.log")
}

/// The lines of the log.
pub fn logged(home: &Home) -> Vec<Value> {
    let text = std::fs::read_to_string(log(home)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The arguments of each browser that was started.
pub fn started(home: &Home) -> Vec<Vec<String>> {
    let lines = logged(home).into_iter().filter(|line| line["arguments"].is_array());
    lines.map(|line| serde_json::from_value(line["arguments"].clone()).unwrap()).collect()
}

/// The SLICC profile of this name.
pub fn profile(home: &Home, name: &str) -> PathBuf {
    home.path().join("config/slicc/seven-profiles").join(name)
}

/// The next event, which fits the schema.
pub async fn event(slicc: &mut Slicc) -> Value {
    let event = slicc.json().await.expect("an event");
    assert_fits("launch", "launchEvent", &event);
    event
}

/// The notice that root gets, if it is root who runs the test.
pub fn notices() -> Vec<&'static str> {
    if RealSystem.is_root() {
        vec!["running as root, so the browser runs without its sandbox (--no-sandbox)"]
    } else {
        Vec::new()
    }
}

/// Starts slicc and waits until it has announced the browser.
pub async fn started_with_json(home: Home, does: &str, arguments: &[&str]) -> (Slicc, Value) {
    let command = launch(&home, does, [&["--json"], arguments].concat());
    let mut slicc = Slicc::spawn(home, command);
    let event = event(&mut slicc).await;
    (slicc, event)
}

/// Every path of a tree, with what it is and when it was written.
pub fn tree(root: &Path) -> BTreeMap<PathBuf, (String, u128)> {
    let mut found = BTreeMap::new();
    let mut next = vec![root.to_owned()];
    while let Some(path) = next.pop() {
        let meta = path.symlink_metadata().unwrap();
        let content = if meta.is_symlink() {
            format!("link to {}", std::fs::read_link(&path).unwrap().display())
        } else if meta.is_dir() {
            next.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            "dir".to_owned()
        } else {
            format!("{:?}", std::fs::read(&path).unwrap())
        };
        let written = meta.modified().unwrap().duration_since(UNIX_EPOCH).unwrap().as_nanos();
        found.insert(path, (content, written));
    }
    found
}

/// Waits until no process names this path.
pub async fn gone(path: &Path) {
    within("the browser is gone", async {
        while !processes::naming(path).is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// Kills a process of a browser.
pub fn kill(pid: u64, signal: Signal) {
    nix::sys::signal::kill(Pid::from_raw(pid.try_into().unwrap()), signal).unwrap();
}
