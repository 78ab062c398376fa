//! Runs of plain `slicc` in a home in which the fake browser is all there is.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::Value;

use crate::{
    launch::support::{fake_browser, launch},
    support::{
        schemas::assert_fits,
        slicc_process::{Home, Slicc},
        within,
    },
};

/// Plain `slicc` in a home. `does` is what the fake browser does otherwise.
pub fn plain(home: &Home, does: &str, arguments: &[&str]) -> Command {
    // The same environment as a launch has, with other words.
    let model = launch(home, does, [""; 0]);
    let mut command = Command::new(model.get_program());
    command.args(arguments).current_dir(home.path());
    for (name, value) in model.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    // Files under the home tell of running browsers, too, and none of the machine's folders of installed ones.
    command.env("SLICC_DISCOVERY", "home").env("XDG_DATA_DIRS", home.path());
    command
}

/// Starts it.
pub fn start(home: Home, does: &str, arguments: &[&str]) -> Slicc {
    let command = plain(&home, does, arguments);
    Slicc::spawn(home, command)
}

/// The next event, which fits the schema.
pub async fn event(slicc: &mut Slicc) -> Value {
    let event = slicc.json().await.expect("an event");
    assert_fits("default", "sessionLine", &event);
    event
}

/// The next event, which has to be of this kind.
pub async fn expect(slicc: &mut Slicc, kind: &str) -> Value {
    let event = event(slicc).await;
    assert_eq!(event["event"], kind, "{event}");
    event
}

/// What a run that ends by itself says on stdout and stderr, and its exit status. What is JSON fits the schema.
pub fn ended(mut command: Command) -> (Option<i32>, Vec<Value>, String) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let events: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for event in &events {
        assert_fits("default", "sessionLine", event);
    }
    (output.status.code(), events, String::from_utf8(output.stderr).unwrap())
}

/// The kinds of these events.
pub fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["event"].as_str().unwrap()).collect()
}

/// A fake browser that slicc doesn't launch.
pub struct Running {
    child: Child,
    /// Its debugging port.
    pub port: u16,
}

impl Running {
    /// Starts it with this user data dir, on a port of its own or on this one.
    pub async fn start(home: &Home, dir: &Path, port: u16) -> Self {
        std::fs::create_dir_all(dir).unwrap();
        let file = dir.join("DevToolsActivePort");
        let _ = std::fs::remove_file(&file);
        let mut command = Command::new(fake_browser());
        command.arg(format!("--remote-debugging-port={port}")).arg(format!("--user-data-dir={}", dir.display()));
        command.env("FAKE_BROWSER_LOG", home.path().join("running.log")).stdin(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().unwrap();
        let read = || {
            let text = std::fs::read_to_string(&file).ok()?;
            text.split_once('\n').filter(|(_, path)| path.starts_with('/'))?.0.parse().ok()
        };
        let port = within("its port", async {
            loop {
                match read() {
                    Some(port) => break port,
                    None => tokio::time::sleep(Duration::from_millis(5)).await,
                }
            }
        });
        let port = port.await;
        Self { child, port }
    }

    /// Its debugging endpoint.
    pub fn cdp(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
