//! Browsers that run already.

use std::process::Stdio;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::support::{event, gone, home, kill, launch, logged, profile, started, started_with_json};
use crate::support::{
    run,
    schemas::assert_doctor_event,
    slicc_process::{Home, Slicc},
};

/// What `slicc doctor` names as left behind.
fn leftovers(home: &Home) -> Vec<Value> {
    // Nobody answers there, so the checks don't run; what is left behind is named before.
    let mut command = home.slicc(["doctor", "--json", "--cdp", "1"]);
    command.env("SLICC_DISCOVERY", "isolated").stdin(Stdio::null());
    let output = command.output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let events = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let events: Vec<Value> = events.inspect(assert_doctor_event).collect();
    events.into_iter().filter(|event| event["event"] == "leftover").collect()
}

#[test]
fn a_browser_that_outlived_its_slicc_is_named_and_used_by_the_next_one() {
    run(async {
        let home = home();
        let command = launch(&home, "", ["--json", "--profile", "work"]);
        let mut child = tokio::process::Command::from(command);
        let mut child = child.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(child.stdout.take().unwrap()));
        let launched: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!(leftovers(&home), Vec::<Value>::new(), "its slicc runs");
        child.kill().await.unwrap();

        let dir = profile(&home, "work");
        let left = leftovers(&home);
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!((&left[0]["profile"], &left[0]["profileDir"]), (&json!("work"), &json!(dir)));
        assert_eq!((&left[0]["pid"], &left[0]["cdp"]), (&launched["pid"], &launched["cdp"]));

        let (mut slicc, attached) =
            started_with_json(home, "", &["--profile", "work", "--url", "https://seven.sliccy.ai/"]).await;
        assert_eq!(attached["event"], "attached");
        assert_eq!(attached["webSocketDebuggerUrl"], launched["webSocketDebuggerUrl"]);
        assert_eq!(attached["id"], attached["cdp"].as_str().unwrap().replace("http://", "cdp:"));
        let cdp = attached["cdp"].as_str().unwrap();
        let line = format!(
            "using Chrome (profile work) at {cdp}, which outlived the slicc that launched it; opened a new tab"
        );
        slicc.expect_status(&[&line]).await;
        assert_eq!(started(slicc.home()).len(), 1, "nothing was launched");
        let call = logged(slicc.home()).into_iter().find(|line| line["call"] == "Target.createTarget").unwrap();
        assert_eq!(call["params"]["url"], "https://seven.sliccy.ai/");
        assert_eq!(leftovers(slicc.home()), Vec::<Value>::new(), "it is in use");
        slicc.signal(Signal::SIGINT);
        assert_eq!(event(&mut slicc).await, json!({ "event": "detached" }));
        slicc.expect_exit(0, &["slicc: detached; Chrome keeps running"]).await;
        assert_eq!(leftovers(slicc.home()).len(), 1, "it runs on");

        kill(launched["pid"].as_u64().unwrap(), Signal::SIGKILL);
        gone(&dir).await;
        assert_eq!(leftovers(slicc.home()), Vec::<Value>::new());
    });
}

#[test]
fn a_browser_of_another_slicc_is_used_and_left_to_it() {
    run(async {
        let (mut first, launched) = started_with_json(home(), "", &[]).await;
        let mut second = tokio::process::Command::from(launch(first.home(), "", ["--json"]));
        let mut second = second.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(second.stdout.take().unwrap()));
        let attached: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!((&attached["event"], &attached["cdp"]), (&json!("attached"), &launched["cdp"]));
        first.signal(Signal::SIGINT);
        assert_eq!(event(&mut first).await["event"], "closed");
        let exited: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!(exited, json!({ "event": "exited" }));
        assert_eq!(second.wait().await.unwrap().code(), Some(0));
    });
}

#[test]
fn a_stale_port_file_is_no_running_browser() {
    run(async {
        let home = home();
        let dir = profile(&home, "chromium");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("DevToolsActivePort"), "1\n/devtools/browser/stale\n").unwrap();
        std::fs::write(dir.join(".slicc-launch"), r#"{"slicc":1,"browser":4194999}"#).unwrap();
        assert_eq!(leftovers(&home), Vec::<Value>::new());
        let command = launch(&home, "", ["--json"]);
        let mut slicc = Slicc::spawn(home, command);
        assert_eq!(event(&mut slicc).await["event"], "launched");
        slicc.signal(Signal::SIGINT);
        assert_eq!(slicc.exit().await.0.code(), Some(0));
    });
}
