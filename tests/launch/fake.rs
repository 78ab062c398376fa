//! Launches of a fake browser.

use std::{os::unix::fs::symlink, process::Stdio};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::support::{event, gone, home, kill, launch, logged, notices, profile, started, started_with_json, tree};
use crate::support::{
    run,
    slicc_process::{Home, Slicc},
};

/// What slicc says to a launch that it refuses, and its exit status.
fn refused(home: &Home, arguments: &[&str]) -> (Option<i32>, String) {
    let output = launch(home, "", arguments).stdin(Stdio::null()).output().unwrap();
    assert!(output.stdout.is_empty());
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn people_get_the_endpoint_on_stdout_and_ctrl_c_closes_the_browser() {
    run(async {
        let home = home();
        let command = launch(&home, "", ["--url", "https://seven.sliccy.ai/"]);
        let mut slicc = Slicc::spawn(home, command);
        let cdp = slicc.line().await.unwrap();
        assert!(cdp.strip_prefix("http://127.0.0.1:").is_some_and(|port| port.parse::<u16>().is_ok()), "{cdp}");
        slicc.expect_status(&notices()).await;
        slicc.expect_status(&["launched Chromium with profile chromium; press Ctrl-C to close it"]).await;
        slicc.signal(Signal::SIGINT);
        slicc.expect_exit(0, &["slicc: closed Chromium"]).await;
        assert_eq!(slicc.home().leftovers(), Vec::<String>::new());
        assert_eq!(logged(slicc.home()).last().unwrap()["call"], "Browser.close");
    });
}

#[test]
fn programs_get_events_and_the_profile_stays_ready() {
    run(async {
        let (mut slicc, launched) = started_with_json(home(), "", &["--profile", "work", "--headless"]).await;
        let dir = profile(slicc.home(), "work");
        let port = launched["cdp"].as_str().unwrap().strip_prefix("http://127.0.0.1:").unwrap().to_owned();
        let pid = launched["pid"].as_u64().unwrap();
        let mut rest = launched.clone();
        // The version can be that of a package of this machine.
        rest.as_object_mut().unwrap().remove("version");
        assert_eq!(
            rest,
            json!({
                "event": "launched", "id": "chromium", "name": "Chromium", "engine": "chromium", "pid": pid,
                "profile": "work", "profileDir": dir, "cdp": format!("http://127.0.0.1:{port}"),
                "webSocketDebuggerUrl": format!("ws://127.0.0.1:{port}/devtools/browser/{pid}-{port}"),
            })
        );
        slicc.signal(Signal::SIGTERM);
        assert_eq!(event(&mut slicc).await, json!({ "event": "closed" }));
        assert_eq!(slicc.json().await, None);
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        let text = std::fs::read_to_string(dir.join("Default/Preferences")).unwrap();
        let preferences: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(preferences["performance_tuning"]["tab_discarding"]["exceptions"], json!(["[*.]sliccy.ai"]));
        assert!(!dir.join(".slicc-launch").exists());
    });
}

#[test]
fn the_browser_gets_the_documented_arguments_and_the_keychain_only_where_it_matters() {
    run(async {
        let arguments = ["--headless", "--url", "about:blank"];
        let (mut slicc, _) = started_with_json(home(), "", &arguments).await;
        slicc.signal(Signal::SIGINT);
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        let started = started(slicc.home()).remove(0);
        let dir = profile(slicc.home(), "chromium");
        let mut expected = vec![
            "--remote-debugging-port=0".to_owned(),
            format!("--user-data-dir={}", dir.display()),
            "--no-first-run".into(),
            "--no-default-browser-check".into(),
            "--disable-background-timer-throttling".into(),
            "--disable-backgrounding-occluded-windows".into(),
            "--disable-renderer-backgrounding".into(),
            "--disable-background-tracing".into(),
            "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,IntensiveWakeUpThrottling,\
             HighEfficiencyModeAvailable,InfiniteTabsFreezing,InfiniteTabsFreezingOnMemoryPressure,\
             CPUMeasurementInFreezingPolicy,MemoryMeasurementInFreezingPolicy,AllowDevtoolsConnectedDiscard"
                .into(),
            "--headless=new".into(),
            "about:blank".into(),
        ];
        expected.splice(9..9, (!notices().is_empty()).then(|| "--no-sandbox".to_owned()));
        // The home of a test lies in the temp dir, and its own temp dir lies in it: so the profile is no throwaway one.
        assert_eq!(started, expected);
    });
}

#[test]
fn a_profile_in_the_temp_dir_asks_for_no_keychain() {
    run(async {
        let home = home();
        let mut command = launch(&home, "", ["--json"]);
        command.env("XDG_CONFIG_HOME", home.temp().join("config"));
        let mut slicc = Slicc::spawn(home, command);
        event(&mut slicc).await;
        slicc.signal(Signal::SIGINT);
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        let started = started(slicc.home()).remove(0);
        assert_eq!(started[4..6], ["--use-mock-keychain", "--password-store=basic"]);
    });
}

#[test]
fn without_the_seven_flags_neither_flags_nor_prefs_are_there() {
    run(async {
        let (mut slicc, _) = started_with_json(home(), "", &["--no-seven-flags"]).await;
        slicc.signal(Signal::SIGINT);
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        let started = started(slicc.home()).remove(0);
        assert!(!started.iter().any(|argument| argument.starts_with("--disable-")), "{started:?}");
        assert!(!profile(slicc.home(), "chromium").join("Default").exists());
    });
}

#[test]
fn a_browser_that_quits_by_itself_ends_the_launch() {
    run(async {
        let (mut slicc, launched) = started_with_json(home(), "", &[]).await;
        kill(launched["pid"].as_u64().unwrap(), Signal::SIGKILL);
        assert_eq!(event(&mut slicc).await, json!({ "event": "exited" }));
        assert_eq!(slicc.exit().await.0.code(), Some(0));
    });
}

#[test]
fn the_line_on_stderr_stands_in_for_a_port_file_that_is_never_written() {
    run(async {
        let (mut slicc, launched) = started_with_json(home(), "quiet", &[]).await;
        assert_eq!(launched["event"], "launched");
        assert!(!profile(slicc.home(), "chromium").join("DevToolsActivePort").exists());
        slicc.signal(Signal::SIGINT);
        assert_eq!(event(&mut slicc).await["event"], "closed");
    });
}

#[test]
fn a_browser_that_ignores_the_request_to_close_is_ended_by_a_signal() {
    run(async {
        let (mut slicc, _) = started_with_json(home(), "stay", &[]).await;
        slicc.signal(Signal::SIGINT);
        assert_eq!(event(&mut slicc).await["event"], "closed");
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        assert_eq!(slicc.home().leftovers(), Vec::<String>::new());
    });
}

#[test]
fn an_interrupt_while_the_browser_starts_ends_it() {
    run(async {
        let home = home();
        let command = launch(&home, "silent", ["--json"]);
        let mut slicc = Slicc::spawn(home, command);
        while started(slicc.home()).is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        slicc.signal(Signal::SIGINT);
        slicc.expect_exit(130, &["slicc: interrupted"]).await;
        gone(&profile(slicc.home(), "chromium")).await;
        assert!(!profile(slicc.home(), "chromium").join(".slicc-launch").exists());
    });
}

#[test]
fn a_profile_that_another_browser_holds_is_refused_untouched() {
    let home = home();
    let dir = profile(&home, "chromium");
    std::fs::create_dir_all(dir.join("Default")).unwrap();
    std::fs::write(dir.join("Default/Preferences"), "{}").unwrap();
    std::fs::write(dir.join("DevToolsActivePort"), "1\n/devtools/browser/stale\n").unwrap();
    let pid = std::process::id();
    symlink(format!("host-{pid}"), dir.join("SingletonLock")).unwrap();
    let before = tree(&dir);
    let (status, said) = refused(&home, &[]);
    let dir_shown = dir.display();
    let message = format!(
        "slicc: the profile {dir_shown} is in use by process {pid}; quit that browser, or pick another --profile\n"
    );
    assert_eq!((status, said), (Some(1), message));
    assert_eq!(tree(&dir), before);
    assert!(started(&home).is_empty());
}

#[test]
fn a_slicc_profile_that_is_sixs_is_refused_untouched() {
    let home = home();
    let dir = profile(&home, "chromium");
    std::fs::create_dir_all(&dir).unwrap();
    let before = tree(&dir);
    let output = launch(&home, "", [""; 0]).env("SLICC_USER_DATA_DIR", &dir).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, format!("slicc: {} is SLICC six's profile; only --profile six uses it\n", dir.display()));
    assert_eq!((output.status.code(), tree(&dir)), (Some(1), before));
}

#[test]
fn failures_are_events_and_wrong_words_are_not() {
    let home = home();
    let output = launch(&home, "", ["--json", "--browser", "netscape"]).output().unwrap();
    let event: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(event, json!({ "event": "error", "message": "no installed browser is called \"netscape\"" }));
    assert_eq!(output.status.code(), Some(1));
    for arguments in [&["--profile", "a/b"][..], &["--profile", "six:x"], &["--url", "seven.sliccy.ai"]] {
        let (status, said) = refused(&home, arguments);
        assert_eq!(status, Some(2), "{arguments:?}: {said}");
    }
    assert!(!home.path().join("config").exists());
}

#[test]
fn older_profiles_are_moved_before_the_launch() {
    run(async {
        let home = home();
        let old = home.path().join("config/slicc/profiles/chromium");
        std::fs::create_dir_all(&old).unwrap();
        std::fs::write(old.join("mine"), "kept").unwrap();
        let (mut slicc, launched) = started_with_json(home, "", &[]).await;
        let dir = profile(slicc.home(), "chromium");
        assert_eq!(launched["profileDir"], json!(dir));
        assert_eq!(std::fs::read_to_string(dir.join("mine")).unwrap(), "kept");
        assert!(!old.exists());
        slicc.signal(Signal::SIGINT);
        assert_eq!(slicc.exit().await.0.code(), Some(0));
    });
}
