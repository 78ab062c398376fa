//! Launches of a real Chromium.

use std::{process::Stdio, time::Duration};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::support::{chromium_home as home, event, gone, kill, launch, on_the_machine, profile};
use crate::support::{
    run,
    slicc_process::{Home, Slicc},
    within,
};

/// The command `slicc launch` in such a home.
fn real(home: &Home, arguments: &[&str]) -> std::process::Command {
    on_the_machine(home, launch(home, "", arguments))
}

#[test]
fn chromium_keeps_the_prefs_and_closes_cleanly() {
    run(async {
        let home = home();
        let dir = profile(&home, "work");
        let command = real(&home, &["--json", "--headless", "--browser", "chromium", "--profile", "work"]);
        let mut slicc = Slicc::spawn(home, command);
        assert_eq!(event(&mut slicc).await["event"], "launched");
        slicc.signal(Signal::SIGINT);
        assert_eq!(event(&mut slicc).await, json!({ "event": "closed" }));
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        gone(slicc.home().path()).await;
        let text = std::fs::read_to_string(dir.join("Default/Preferences")).unwrap();
        let preferences: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(preferences["tab_freezing_enabled"], false);
        let exceptions = &preferences["performance_tuning"]["tab_discarding"]["exceptions_with_time"];
        assert!(exceptions["[*.]sliccy.ai"].is_string(), "{exceptions}");
        assert_eq!(preferences["profile"]["exit_type"], "Normal");
    });
}

#[test]
fn a_chromium_that_outlived_its_slicc_is_used_again() {
    run(async {
        let home = home();
        let dir = profile(&home, "chromium");
        let arguments = ["--json", "--headless", "--browser", "chromium"];
        let mut first = tokio::process::Command::from(real(&home, &arguments));
        let mut first = first.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(first.stdout.take().unwrap()));
        let line = within("a launch", lines.next_line()).await.unwrap().unwrap();
        let launched: Value = serde_json::from_str(&line).unwrap();
        first.kill().await.unwrap();
        let command = real(&home, &arguments);
        let mut slicc = Slicc::spawn(home, command);
        let attached = event(&mut slicc).await;
        assert_eq!(attached["event"], "attached");
        assert_eq!(attached["webSocketDebuggerUrl"], launched["webSocketDebuggerUrl"]);
        kill(launched["pid"].as_u64().unwrap(), Signal::SIGKILL);
        assert_eq!(event(&mut slicc).await, json!({ "event": "exited" }));
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        gone(&dir).await;
    });
}

#[test]
fn a_chromium_that_is_killed_ends_the_launch_and_starts_again_without_a_question() {
    run(async {
        let mut home = home();
        for _ in 0..2 {
            let command = real(&home, &["--json", "--headless", "--browser", "chromium"]);
            let mut slicc = Slicc::spawn(home, command);
            let launched = event(&mut slicc).await;
            assert_eq!(launched["event"], "launched");
            kill(launched["pid"].as_u64().unwrap(), Signal::SIGKILL);
            assert_eq!(event(&mut slicc).await, json!({ "event": "exited" }));
            assert_eq!(slicc.exit().await.0.code(), Some(0));
            gone(&profile(slicc.home(), "chromium")).await;
            home = slicc.into_home();
        }
    });
}

#[test]
fn chromium_opens_a_window_under_a_virtual_display() {
    run(async {
        let home = home();
        let Some(display) = Display::start().await else {
            eprintln!("skipped: there is no Xvfb here");
            return;
        };
        let mut command = real(&home, &["--json", "--browser", "chromium", "--url", "about:blank"]);
        command.env("DISPLAY", &display.name);
        let mut slicc = Slicc::spawn(home, command);
        let launched = event(&mut slicc).await;
        assert_eq!(launched["event"], "launched");
        slicc.signal(Signal::SIGINT);
        assert_eq!(event(&mut slicc).await, json!({ "event": "closed" }));
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        gone(&profile(slicc.home(), "chromium")).await;
    });
}

/// A display that nobody sees.
struct Display {
    server: std::process::Child,
    name: String,
}

impl Display {
    async fn start() -> Option<Self> {
        let number = 1000 + std::process::id() % 50_000;
        let mut command = std::process::Command::new("Xvfb");
        command.arg(format!(":{number}")).args(["-nolisten", "tcp"]);
        let server = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
        let socket = format!("/tmp/.X11-unix/X{number}");
        within("a display", async {
            while !std::path::Path::new(&socket).exists() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
        Some(Self { server, name: format!(":{number}") })
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // Told to stop, it removes its socket.
        let pid = nix::unistd::Pid::from_raw(self.server.id().try_into().expect("a process id"));
        let _ = nix::sys::signal::kill(pid, Signal::SIGTERM);
        let _ = self.server.wait();
    }
}
