//! SLICC six's own profile, in place: fake trees of it, compared before and after.

use std::{
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use nix::sys::signal::Signal;
use serde_json::json;

use super::support::{event, fake_browser, home, launch, log, logged, started, tree};
use crate::support::{
    run,
    slicc_process::{Home, Slicc},
    within,
};

/// A profile of six's with everything that a launch into a SLICC profile would touch.
fn six(home: &Home, name: &str) -> PathBuf {
    let dir = home.path().join("state/slicc/profiles").join(name);
    std::fs::create_dir_all(dir.join("Default/Sessions")).unwrap();
    for (file, text) in [
        ("DevToolsActivePort", "1\n/devtools/browser/stale\n"),
        ("Last Version", "156.0.1.2"),
        ("Local State", "{}"),
        ("Default/Preferences", r#"{"profile":{"exit_type":"Crashed"}}"#),
        ("Default/Sessions/Session_1", "tabs"),
        ("Default/Cookies", "cookies"),
    ] {
        std::fs::write(dir.join(file), text).unwrap();
    }
    symlink("host-4194999", dir.join("SingletonLock")).unwrap();
    dir
}

/// A Chrome that runs in a profile of six's.
struct Running(Child);

impl Running {
    async fn start(home: &Home, dir: &Path) -> Self {
        std::fs::remove_file(dir.join("DevToolsActivePort")).unwrap();
        let mut command = Command::new(fake_browser());
        command.arg("--remote-debugging-port=0").arg(format!("--user-data-dir={}", dir.display()));
        command.env("FAKE_BROWSER_LOG", log(home)).stdin(Stdio::null()).stderr(Stdio::null());
        let running = Self(command.spawn().unwrap());
        let written = || std::fs::read_to_string(dir.join("DevToolsActivePort")).is_ok_and(|text| text.contains('/'));
        within("its port", async {
            while !written() {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        })
        .await;
        running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_launch_writes_nothing_to_the_profile() {
    run(async {
        for (profile, name) in
            [("six", "browser-coding-agent-chrome"), ("six:5711", "browser-coding-agent-chrome-5711")]
        {
            let home = home();
            let dir = six(&home, name);
            let root = home.path().join("state");
            let before = tree(&root);
            let arguments =
                ["--json", "--profile", profile, "--browser", "chromium", "--url", "https://seven.sliccy.ai/"];
            let command = launch(&home, "quiet", arguments);
            let mut slicc = Slicc::spawn(home, command);
            let launched = event(&mut slicc).await;
            assert_eq!((&launched["event"], &launched["profile"]), (&json!("launched"), &json!(profile)));
            assert_eq!(launched["profileDir"], json!(dir));
            assert_eq!(tree(&root), before, "while it runs");
            slicc.signal(Signal::SIGINT);
            assert_eq!(event(&mut slicc).await["event"], "closed");
            assert_eq!(slicc.exit().await.0.code(), Some(0));
            assert_eq!(tree(&root), before, "after it was closed");
            let started = started(slicc.home()).remove(0);
            assert_eq!(started[1], format!("--user-data-dir={}", dir.display()));
            assert_eq!(started[4], "--disable-background-timer-throttling");
            // The config dir gets nothing either: no record points into six's profile.
            assert!(!slicc.home().path().join("config").exists());
        }
    });
}

#[test]
fn a_running_chrome_is_used_and_keeps_running() {
    run(async {
        let home = home();
        let dir = six(&home, "browser-coding-agent-chrome");
        let mut running = Running::start(&home, &dir).await;
        let root = home.path().join("state");
        let before = tree(&root);
        let command = launch(&home, "", ["--json", "--profile", "six", "--url", "https://seven.sliccy.ai/"]);
        let mut slicc = Slicc::spawn(home, command);
        let attached = event(&mut slicc).await;
        assert_eq!((&attached["event"], &attached["name"]), (&json!("attached"), &json!("Chrome")));
        assert_eq!(attached["profile"], "six");
        let cdp = attached["cdp"].as_str().unwrap();
        let line = format!("using Chrome (profile six) at {cdp}, which slicc didn't launch; opened a new tab");
        slicc.expect_status(&[&line]).await;
        slicc.signal(Signal::SIGINT);
        assert_eq!(event(&mut slicc).await["event"], "detached");
        slicc.expect_exit(0, &["slicc: detached; Chrome keeps running"]).await;
        assert_eq!(tree(&root), before);
        assert!(running.0.try_wait().unwrap().is_none(), "it runs");
        let calls = logged(slicc.home());
        let calls: Vec<_> = calls.iter().filter_map(|line| line["call"].as_str()).collect();
        assert_eq!(calls, ["Target.createTarget"]);
    });
}

#[test]
fn a_chrome_that_quits_ends_the_stay() {
    run(async {
        let home = home();
        let dir = six(&home, "browser-coding-agent-chrome");
        let running = Running::start(&home, &dir).await;
        let command = launch(&home, "", ["--json", "--profile", "six"]);
        let mut slicc = Slicc::spawn(home, command);
        assert_eq!(event(&mut slicc).await["event"], "attached");
        drop(running);
        assert_eq!(event(&mut slicc).await["event"], "exited");
        assert_eq!(slicc.exit().await.0.code(), Some(0));
    });
}

#[test]
fn a_live_chrome_without_a_port_and_a_missing_profile_are_refused() {
    let home = home();
    let refused = |arguments: &[&str]| {
        let output = launch(&home, "", arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let missing = "slicc: SLICC six's Chrome profile doesn't exist; start SLICC six once, or pick another --profile\n";
    assert_eq!(refused(&["--profile", "six"]), (Some(1), missing.to_owned()));
    assert!(!home.path().join("state").exists(), "slicc never makes it");

    let dir = six(&home, "browser-coding-agent-chrome");
    std::fs::remove_file(dir.join("SingletonLock")).unwrap();
    symlink(format!("a-host-{}", std::process::id()), dir.join("SingletonLock")).unwrap();
    let before = tree(&dir);
    let in_use = "slicc: six's Chrome is using this profile; close it, or use --browser/--profile to pick another\n";
    assert_eq!(refused(&["--profile", "six"]), (Some(1), in_use.to_owned()));
    assert_eq!(tree(&dir), before);
    assert!(started(&home).is_empty());
}

#[test]
fn a_profile_behind_a_link_and_one_from_the_environment_are_used_in_place() {
    run(async {
        let home = home();
        let data = home.path().join("data");
        let dir = six(&home, "browser-coding-agent-chrome");
        std::fs::rename(&dir, &data).unwrap();
        symlink(&data, &dir).unwrap();
        let before = tree(&data);
        let mut command = launch(&home, "quiet", ["--json", "--profile", "six", "--browser", "chromium"]);
        command.env("SLICC_USER_DATA_DIR", format!("  {} ", dir.display()));
        let mut slicc = Slicc::spawn(home, command);
        assert_eq!(event(&mut slicc).await["event"], "launched");
        slicc.signal(Signal::SIGINT);
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        assert_eq!(tree(&data), before);
    });
}
