//! Choosing, launching and attaching, with a fake browser.

use std::{os::unix::fs::symlink, process::Stdio};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::support::{Running, ended, expect, kinds, plain, start};
use crate::{
    launch::support::{gone, home, kill, logged, notices, profile, started},
    support::{run, slicc_process::Home},
};

/// The arguments that make slicc launch the fake browser for a program.
const LAUNCH: [&str; 5] = ["--json", "--no-fallback", "--page", "http://127.0.0.1:9/seven", "--no-kernel"];

#[test]
fn a_launch_is_told_from_its_discovery_to_its_end() {
    run(async {
        let mut slicc = start(home(), "", &LAUNCH);
        let discovered = expect(&mut slicc, "discovered").await;
        assert_eq!(discovered["entries"][0]["id"], "chromium");
        let launched = expect(&mut slicc, "launched").await;
        let dir = profile(slicc.home(), "chromium");
        let facts = ["schema", "browser", "name", "role", "profile", "profileDir"].map(|name| launched[name].clone());
        assert_eq!(json!(facts), json!([1, "chromium", "Chromium", "seven", "chromium", dir]));
        let attached = expect(&mut slicc, "attached").await;
        for name in ["browser", "name", "version", "role", "cdp", "webSocketDebuggerUrl"] {
            assert_eq!(attached[name], launched[name], "{name}");
        }
        assert_eq!(attached["launched"], true);
        slicc.expect_status(&notices()).await;
        let cdp = launched["cdp"].as_str().unwrap();
        slicc
            .expect_status(&[
                &format!("launched Chromium with profile chromium at {cdp}"),
                &format!("attached to Chromium at {cdp}, it hosts seven"),
                "offering net, http, credentialed, ws; policy: every public address, this machine, and the local network",
                "waiting for a seven tab",
            ])
            .await;
        // Nothing reads stdin, and nothing ends with it.
        slicc.close_stdin();
        slicc.signal(Signal::SIGINT);
        assert_eq!(
            expect(&mut slicc, "closed").await,
            json!({"schema": 1, "event": "closed", "browsers": ["chromium"]})
        );
        assert_eq!(slicc.json().await, None);
        slicc.expect_exit(0, &["slicc: closed chromium"]).await;
        assert_eq!(slicc.home().leftovers(), Vec::<String>::new());
        let arguments = started(slicc.home()).remove(0);
        assert_eq!(arguments.last().unwrap(), "http://127.0.0.1:9/seven");
        assert!(!arguments.iter().any(|argument| argument.starts_with("--headless")));
    });
}

#[test]
fn sigterm_ends_it_as_ctrl_c_does_and_people_get_lines_without_escapes() {
    run(async {
        let mut slicc = start(home(), "", &["--yes", "--no-fallback", "--headless", "--profile", "work"]);
        slicc.expect_status(&notices()).await;
        let line = slicc.status().await.unwrap();
        assert!(line.starts_with("slicc: launched Chromium with profile work at http://127.0.0.1:"), "{line}");
        assert!(slicc.status().await.unwrap().starts_with("slicc: attached to Chromium at "));
        slicc.signal(Signal::SIGTERM);
        let (status, rest) = slicc.exit().await;
        assert_eq!(status.code(), Some(0));
        assert_eq!(rest.last().unwrap(), "slicc: closed chromium");
        assert!(!rest.iter().any(|line| line.contains('\u{1b}')));
        assert_eq!(slicc.line().await, None, "stdout is for data");
        assert!(started(slicc.home())[0].contains(&"--headless=new".to_owned()));
    });
}

#[test]
fn without_a_browser_it_says_so_on_both_and_exits_1() {
    let home = Home::new();
    std::fs::create_dir(home.path().join("bin")).unwrap();
    let message = "no browser to control: run `slicc open` to link seven in your everyday browser";
    let (status, events, stderr) = ended(plain(&home, "", &["--json", "--no-fallback"]));
    if events[0]["entries"] != json!([]) {
        eprintln!("skipped: a browser is installed where it is found without PATH");
        return;
    }
    assert_eq!((status, kinds(&events)), (Some(1), vec!["discovered", "error"]));
    assert_eq!(events[1]["message"], message);
    assert_eq!(stderr, format!("slicc: {message}\n"));
    let (status, events, stderr) = ended(plain(&home, "", &["--no-fallback"]));
    assert_eq!((status, events.len(), stderr), (Some(1), 0, format!("slicc: {message}\n")));
}

#[test]
fn without_a_profile_or_endpoint_it_never_launches_by_itself() {
    let home = home();
    let (status, events, stderr) = ended(plain(&home, "", &["--json"]));
    assert_eq!((status, kinds(&events)), (Some(1), vec!["discovered", "error"]));
    let message = events[1]["message"].as_str().unwrap();
    assert!(message.starts_with("no SLICC browser or debugging endpoint found"), "{message}");
    assert!(stderr.starts_with(&format!("slicc: {message}\nhint: ")), "{stderr}");
    assert_eq!(started(&home), Vec::<Vec<String>>::new());
}

#[test]
fn a_browser_with_a_profile_is_launched_without_a_flag() {
    run(async {
        let home = home();
        std::fs::create_dir_all(profile(&home, "chromium")).unwrap();
        let mut slicc = start(home, "", &["--json", "--no-kernel"]);
        expect(&mut slicc, "discovered").await;
        expect(&mut slicc, "launched").await;
        expect(&mut slicc, "attached").await;
        slicc.signal(Signal::SIGINT);
        expect(&mut slicc, "closed").await;
        assert_eq!(slicc.exit().await.0.code(), Some(0));
    });
}

#[test]
fn bad_flags_exit_2_and_unknown_browsers_1_before_anything_is_launched() {
    let home = home();
    for line in [
        "--browser",
        "--page ftp://x",
        "--cdp http://",
        "--origin x",
        "--allow x",
        "--profile a/b",
        "--profile six:0",
        "--kernel-port 70000",
        "--json --serve-only",
        "--frobnicate",
        "words",
        "--browser chromium --browser Chromium",
    ] {
        let (status, ..) = ended(plain(&home, "", &line.split(' ').collect::<Vec<_>>()));
        assert_eq!(status, Some(2), "{line}");
    }
    let (status, events, stderr) = ended(plain(&home, "", &["--json", "--browser", "netscape"]));
    assert_eq!((status, kinds(&events)), (Some(1), vec!["discovered", "error"]));
    assert_eq!(stderr, "slicc: no browser is called \"netscape\"\nhint: run slicc browsers to see what there is\n");
    assert_eq!(started(&home), Vec::<Vec<String>>::new());
}

#[test]
fn a_browser_that_exits_at_once_is_an_error_and_closed_is_last() {
    let home = home();
    let (status, events, stderr) = ended(plain(&home, "exit", &LAUNCH));
    assert_eq!((status, kinds(&events)), (Some(1), vec!["discovered", "error", "closed"]));
    let message = events[1]["message"].as_str().unwrap();
    assert!(message.starts_with("the browser exited at once (exit status: 7): no display"), "{message}");
    assert_eq!(events[2]["browsers"], json!([]));
    assert!(stderr.starts_with(&format!("slicc: {message}\n")), "{stderr}");
}

#[test]
fn an_interrupt_while_the_browser_starts_ends_it() {
    run(async {
        let mut slicc = start(home(), "silent", &LAUNCH);
        expect(&mut slicc, "discovered").await;
        crate::support::within("a start", async {
            while started(slicc.home()).is_empty() {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        })
        .await;
        slicc.signal(Signal::SIGINT);
        assert_eq!(expect(&mut slicc, "closed").await["browsers"], json!([]));
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        assert_eq!(slicc.home().leftovers(), Vec::<String>::new());
    });
}

/// The same command where the folder of the profiles is a file system of its own that is full.
fn on_a_full_disk(home: &Home, command: &std::process::Command) -> std::process::Command {
    const FILL: &str = "/bin/mount -t tmpfs -o size=16k full \"$0\" && /usr/bin/head -c 1000000 /dev/zero > \"$0/fill\"; \
                        exec \"$@\"";
    let folder = home.path().join("config/slicc/seven-profiles");
    std::fs::create_dir_all(&folder).unwrap();
    let mut full = std::process::Command::new("/usr/bin/unshare");
    full.args(["--map-root-user", "--mount", "/bin/sh", "-c", FILL]).arg(folder);
    full.arg(command.get_program()).args(command.get_args()).current_dir(home.path()).env_clear();
    full.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    full
}

#[test]
fn a_full_disk_is_an_error_and_no_browser_is_left() {
    let home = home();
    let command = on_a_full_disk(&home, &plain(&home, "", &LAUNCH));
    let (status, events, stderr) = ended(command);
    assert_eq!((status, kinds(&events)), (Some(1), vec!["discovered", "error", "closed"]), "{stderr}");
    assert!(stderr.contains("No space left on device"), "{stderr}");
    assert!(logged(&home).is_empty(), "the browser wasn't started");
}

#[test]
fn a_profile_that_cannot_be_written_is_an_error() {
    let home = home();
    std::fs::create_dir_all(home.path().join("config/slicc")).unwrap();
    std::fs::write(home.path().join("config/slicc/seven-profiles"), "in the way").unwrap();
    let (status, events, stderr) = ended(plain(&home, "", &LAUNCH));
    assert_eq!((status, kinds(&events)), (Some(1), vec!["discovered", "error", "closed"]));
    assert!(stderr.contains("create the profile"), "{stderr}");
}

#[test]
fn the_host_browser_that_goes_away_ends_the_run() {
    run(async {
        let mut slicc = start(home(), "", &LAUNCH);
        expect(&mut slicc, "discovered").await;
        let launched = expect(&mut slicc, "launched").await;
        expect(&mut slicc, "attached").await;
        kill(launched["pid"].as_u64().unwrap(), Signal::SIGKILL);
        let gone = expect(&mut slicc, "browser-gone").await;
        assert_eq!((&gone["browser"], &gone["role"]), (&json!("chromium"), &json!("seven")));
        assert_eq!(expect(&mut slicc, "closed").await["browsers"], json!([]), "it quit by itself");
        assert_eq!(slicc.exit().await.0.code(), Some(0));
    });
}

#[test]
fn a_reader_of_stdout_that_hangs_up_ends_the_run_quietly() {
    run(async {
        let mut slicc = start(home(), "", &LAUNCH);
        expect(&mut slicc, "discovered").await;
        slicc.close_stdout();
        let (status, said) = slicc.exit().await;
        assert_eq!(status.code(), Some(0), "{said:?}");
        assert!(!said.iter().any(|line| line.contains("stdout") || line.contains("pipe")), "{said:?}");
        assert_eq!(slicc.home().leftovers(), Vec::<String>::new());
    });
}

#[test]
fn a_second_ctrl_c_ends_it_at_once() {
    run(async {
        let mut slicc = start(home(), "stay", &LAUNCH);
        expect(&mut slicc, "discovered").await;
        expect(&mut slicc, "launched").await;
        expect(&mut slicc, "attached").await;
        slicc.signal(Signal::SIGINT);
        crate::support::within("a goodbye", async {
            while !logged(slicc.home()).iter().any(|line| line["call"] == "Browser.close") {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        })
        .await;
        slicc.signal(Signal::SIGINT);
        assert_eq!(slicc.exit().await.0.code(), Some(130));
    });
}

#[test]
fn a_slicc_that_was_killed_is_followed_by_one_that_attaches_without_a_launch() {
    run(async {
        let home = home();
        let mut first = tokio::process::Command::from(plain(&home, "", &LAUNCH));
        let mut first = first.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(first.stdout.take().unwrap()));
        let mut seen = Vec::new();
        for _ in 0..3 {
            let line = lines.next_line().await.unwrap().unwrap();
            seen.push(serde_json::from_str::<Value>(&line).unwrap());
        }
        assert_eq!(kinds(&seen), ["discovered", "launched", "attached"]);
        first.kill().await.unwrap();
        for arguments in [&["--json", "--no-kernel"][..], &["--json", "--no-kernel", "--browser", "chromium"]] {
            let mut next = tokio::process::Command::from(plain(&home, "", arguments));
            let mut next = next.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(next.stdout.take().unwrap()));
            let mut events = Vec::new();
            for _ in 0..2 {
                let line = crate::support::within("a line", lines.next_line()).await.unwrap().unwrap();
                events.push(serde_json::from_str::<Value>(&line).unwrap());
            }
            assert_eq!(kinds(&events), ["discovered", "attached"], "{arguments:?}");
            assert_eq!(events[1]["webSocketDebuggerUrl"], seen[1]["webSocketDebuggerUrl"]);
            assert_eq!(events[1].get("launched"), None);
            let pid = nix::unistd::Pid::from_raw(next.id().unwrap().try_into().unwrap());
            nix::sys::signal::kill(pid, Signal::SIGINT).unwrap();
            let line = crate::support::within("a line", lines.next_line()).await.unwrap().unwrap();
            assert_eq!(line, r#"{"event":"closed","schema":1,"browsers":[]}"#, "it is left running");
            assert_eq!(next.wait().await.unwrap().code(), Some(0));
        }
        assert_eq!(started(&home).len(), 1);
        kill(seen[1]["pid"].as_u64().unwrap(), Signal::SIGKILL);
        gone(&profile(&home, "chromium")).await;
    });
}

#[test]
fn a_browser_that_slicc_did_not_launch_is_named_unless_it_was_chosen() {
    run(async {
        let home = home();
        let running = Running::start(&home, &home.path().join("config/chromium"), 0).await;
        let (cdp, id) = (running.cdp(), format!("cdp:127.0.0.1:{}", running.port));
        let mut slicc = start(home, "", &["--json", "--no-kernel"]);
        expect(&mut slicc, "discovered").await;
        assert_eq!(expect(&mut slicc, "attached").await["browser"], id.as_str());
        assert_eq!(
            expect(&mut slicc, "foreign-browser").await,
            json!({"schema": 1, "event": "foreign-browser", "browser": id, "name": "Chromium", "profile": "default",
                "cdp": cdp, "openedTab": true})
        );
        let line = format!(
            "using Chromium (profile default) at {cdp}, which slicc didn't launch; opened a new seven tab. Use --browser or \
             --cdp to choose another."
        );
        slicc.expect_status(&[&format!("attached to Chromium at {cdp}, it hosts seven"), &line]).await;
        slicc.signal(Signal::SIGINT);
        assert_eq!(expect(&mut slicc, "closed").await["browsers"], json!([]));
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        for chosen in [["--browser", &id], ["--cdp", &cdp]] {
            let mut next = start(slicc.into_home(), "", &[&["--json", "--no-kernel"][..], &chosen].concat());
            expect(&mut next, "discovered").await;
            expect(&mut next, "attached").await;
            next.signal(Signal::SIGINT);
            expect(&mut next, "closed").await;
            assert_eq!(next.exit().await.0.code(), Some(0));
            slicc = next;
        }
        assert_eq!(started(slicc.home()), Vec::<Vec<String>>::new());
        let log = std::fs::read_to_string(slicc.home().path().join("running.log")).unwrap();
        assert!(!log.contains("Browser.close"), "it is left running");
    });
}

#[test]
fn a_cdp_url_that_does_not_answer_is_left_out() {
    run(async {
        let mut slicc = start(home(), "", &["--json", "--no-kernel", "--cdp", "http://127.0.0.1:9"]);
        expect(&mut slicc, "discovered").await;
        let line = slicc.status().await.unwrap();
        assert!(line.starts_with("slicc: --cdp: ") && line.ends_with("; it is left out"), "{line}");
        expect(&mut slicc, "launched").await;
        slicc.signal(Signal::SIGINT);
        assert_eq!(slicc.exit().await.0.code(), Some(0));
    });
}

#[test]
fn six_is_used_in_place_and_named_and_never_by_itself() {
    run(async {
        let home = home();
        let dir = home.path().join("state/slicc/profiles/browser-coding-agent-chrome");
        let running = Running::start(&home, &dir, 0).await;
        symlink(format!("host-{}", std::process::id()), dir.join("SingletonLock")).unwrap();
        let id = format!("cdp:127.0.0.1:{}", running.port);
        let (status, events, stderr) = ended(plain(&home, "", &["--json", "--browser", &id]));
        assert_eq!((status, kinds(&events)), (Some(1), vec!["discovered", "error"]));
        assert_eq!(stderr, format!("slicc: {id} is SLICC six's Chrome; only --profile six uses it\n"));
        let (status, events, _) = ended(plain(&home, "", &["--json", "--yes"]));
        assert_eq!((status, kinds(&events)), (Some(1), vec!["discovered", "error"]), "it falls back");

        let mut slicc = start(home, "", &["--json", "--no-kernel", "--profile", "six"]);
        expect(&mut slicc, "discovered").await;
        assert_eq!(expect(&mut slicc, "attached").await["browser"], id.as_str());
        let foreign = expect(&mut slicc, "foreign-browser").await;
        assert_eq!((&foreign["profile"], &foreign["openedTab"]), (&json!("six"), &json!(true)));
        slicc.signal(Signal::SIGINT);
        assert_eq!(expect(&mut slicc, "closed").await["browsers"], json!([]));
        assert_eq!(slicc.exit().await.0.code(), Some(0));
    });
}

#[test]
fn a_launch_in_sixs_profile_is_told_as_six() {
    run(async {
        let home = home();
        let dir = home.path().join("state/slicc/profiles/browser-coding-agent-chrome");
        std::fs::create_dir_all(&dir).unwrap();
        let arguments = ["--json", "--no-kernel", "--profile", "six", "--browser", "chromium"];
        let mut slicc = start(home, "", &arguments);
        expect(&mut slicc, "discovered").await;
        let launched = expect(&mut slicc, "launched").await;
        let facts = ["browser", "profile", "profileDir"].map(|name| launched[name].clone());
        assert_eq!(json!(facts), json!(["six", "six", dir]));
        expect(&mut slicc, "attached").await;
        slicc.signal(Signal::SIGINT);
        assert_eq!(expect(&mut slicc, "closed").await["browsers"], json!(["six"]));
        assert_eq!(slicc.exit().await.0.code(), Some(0));
    });
}

#[test]
fn a_flag_of_six_stops_before_anything_is_looked_for() {
    let home = home();
    let join = "https://www.sliccy.ai/join/secret.token";
    let (status, events, stderr) = ended(plain(&home, "", &["--json", "--lead", join, "--prompt", "two words"]));
    assert_eq!((status, events.len()), (Some(2), 0));
    assert_eq!(
        stderr,
        "slicc: --lead is a SLICC six option. This is the new SLICC (seven). For SLICC six, run: npx sliccy@6 --json --lead \
         <join-url> --prompt 'two words'\n"
    );
}
