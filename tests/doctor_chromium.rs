//! `slicc doctor` from outside.

use std::{process::Stdio, time::Duration};

use nix::sys::signal::Signal;
use serde_json::Value;
use slicc::{
    browser::installed,
    generated::cli::env::SLICC_TEST_CHROME,
    host::{RealSystem, System},
};

use crate::support::{
    chromium::Chromium,
    processes, run,
    schemas::assert_doctor_event,
    slicc_process::{Home, Slicc},
    tab::Tab,
    within,
};

/// The names of the checks, in order.
const CHECKS: [&str; 12] = [
    "link set-up",
    "resolve",
    "tcp echo",
    "http",
    "WebSocket echo",
    "refuses cloud metadata",
    "refuses the browser's debugging port",
    "throughput to the page",
    "throughput from the page",
    "round trip",
    "page server",
    "page server from the browser",
];

/// Everything that `slicc doctor --json` prints. All of it fits the schema.
async fn events(slicc: &mut Slicc) -> Vec<Value> {
    let mut events = Vec::new();
    while let Some(event) = slicc.json().await {
        assert_doctor_event(&event);
        events.push(event);
    }
    events
}

/// Whether every check passed.
fn assert_passed(events: &[Value]) {
    let (checks, done) = (&events[1..events.len() - 1], &events[events.len() - 1]);
    assert!(checks.iter().all(|check| check["event"] == "check" && check["ok"] == true), "{checks:#?}");
    assert_eq!(checks.iter().map(|check| check["name"].as_str().unwrap()).collect::<Vec<_>>(), CHECKS);
    assert_eq!((&done["event"], &done["passed"], &done["failed"]), (&"done".into(), &CHECKS.len().into(), &0.into()));
}

/// What slicc says about a browser that root runs.
fn notices() -> Vec<&'static str> {
    if RealSystem.is_root() {
        vec!["slicc: running as root, so the browser runs without its sandbox (--no-sandbox)"]
    } else {
        Vec::new()
    }
}

/// Puts a word in place of each number, and a space in place of the spaces before it.
fn without_figures(table: &str) -> String {
    let mut out = String::new();
    for word in table.split_inclusive(' ') {
        let number = word.trim().parse::<f64>().is_ok();
        if number {
            out = format!("{} <figure> ", out.trim_end());
        } else {
            out.push_str(word);
        }
    }
    out
}

#[test]
fn every_check_passes_and_nothing_is_left() {
    run(async {
        let mut slicc = Slicc::start(["doctor"]);
        let mut table = String::new();
        let browser = slicc.line().await.expect("the browser's name");
        while let Some(line) = slicc.line().await {
            table.push_str(&without_figures(&line));
            table.push('\n');
        }
        assert!(browser.chars().any(|c| c.is_ascii_digit()), "its version: {browser}");
        slicc.expect_exit(0, &notices()).await;
        assert_eq!(slicc.home().leftovers(), Vec::<String>::new());
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("doctor", table));
    });
}

#[test]
fn programs_get_an_event_for_each_check() {
    run(async {
        let mut slicc = Slicc::start(["doctor", "--json"]);
        let events = events(&mut slicc).await;
        assert_eq!((&events[0]["event"], &events[0]["headless"]), (&"browser".into(), &true.into()));
        assert_passed(&events);
        slicc.expect_exit(0, &notices()).await;
        assert_eq!(slicc.home().leftovers(), Vec::<String>::new());
    });
}

#[test]
fn a_running_browser_stays_and_loses_only_the_doctors_tab() {
    run(async {
        let chromium = Chromium::launch().await;
        let tab = Tab::open(&chromium, "data:text/html,mine").await;
        let mut slicc = Slicc::start(["doctor", "--json", "--cdp", &chromium.cdp()]);
        assert_passed(&events(&mut slicc).await);
        slicc.expect_exit(0, &[]).await;
        assert_eq!(tab.evaluate("document.body.textContent").await, "mine");
        chromium.expect_tabs(&["about:blank", "data:text/html,mine"]).await;
        assert_eq!(slicc.home().leftovers(), Vec::<String>::new());
    });
}

#[test]
fn a_running_browser_stays_when_the_doctor_is_interrupted() {
    run(async {
        let chromium = Chromium::launch().await;
        let mut slicc = Slicc::start(["doctor", "--json", "--cdp", &chromium.cdp()]);
        assert_eq!(slicc.json().await.unwrap()["event"], "browser");
        assert_eq!(slicc.json().await.unwrap()["name"], "link set-up");
        slicc.signal(Signal::SIGINT);
        slicc.expect_exit(130, &["slicc: interrupted"]).await;
        chromium.expect_tabs(&["about:blank"]).await;
    });
}

#[test]
fn without_a_browser_it_says_what_to_install() {
    let home = Home::new();
    for json in [false, true] {
        let mut command = home.slicc(["doctor"]);
        command
            .env("PATH", home.path())
            .env("XDG_DATA_DIRS", home.path())
            .env_remove(SLICC_TEST_CHROME)
            .stdin(Stdio::null());
        if json {
            command.arg("--json");
        }
        let output = command.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        if installed_outside_of_path() {
            eprintln!("skipped: a browser is installed where it is found without PATH");
            return;
        }
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        let (message, hint) = stderr.trim_end().split_once('\n').expect("a message and a hint");
        assert!(message.starts_with("slicc: no Chrome or Chromium was found"), "{message}");
        assert!(hint.starts_with("hint: install ") && hint.contains("--cdp <url>"), "{hint}");
        if json {
            let event: Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
            assert_doctor_event(&event);
            assert_eq!(event["event"], "error");
            assert_eq!(format!("slicc: {}", event["message"].as_str().unwrap()), message);
            assert_eq!(format!("hint: {}", event["hint"].as_str().unwrap()), hint);
        } else {
            assert!(output.stdout.is_empty());
        }
    }
}

/// Whether a browser lies where slicc finds it in any environment, such as the folder of a snap or of an application.
fn installed_outside_of_path() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = |browser: &installed::Installed| {
        std::env::split_paths(&path).any(|folder| browser.executable.starts_with(folder))
    };
    let found = installed::all(&RealSystem, &installed::Options::default());
    found.iter().any(|browser| browser.engine == installed::Engine::Chromium && !on_path(browser))
}

/// Stops a doctor after it has printed so many lines, and checks that nothing is left of it.
async fn stop_after(lines: usize, signal: Signal) {
    let mut slicc = Slicc::start(["doctor", "--json"]);
    for _ in 0..lines {
        assert_doctor_event(&slicc.json().await.expect("a line"));
    }
    expect_interrupted(slicc, signal).await;
}

async fn expect_interrupted(mut slicc: Slicc, signal: Signal) {
    slicc.signal(signal);
    let (status, said) = slicc.exit().await;
    assert_eq!(status.code(), Some(130), "{said:?}");
    assert_eq!(said.last().map(String::as_str), Some("slicc: interrupted"));
    assert_eq!(slicc.home().leftovers(), Vec::<String>::new());
}

#[test]
fn a_signal_while_the_browser_starts_leaves_nothing() {
    run(async {
        let slicc = Slicc::start(["doctor", "--json"]);
        let started = async {
            // Nothing but the process itself announces it.
            while processes::naming(&slicc.home().temp()).is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        within("a browser's process", started).await;
        expect_interrupted(slicc, Signal::SIGINT).await;
    });
}

#[test]
fn a_signal_before_the_first_check_leaves_nothing() {
    run(stop_after(1, Signal::SIGTERM));
}

#[test]
fn a_signal_between_checks_leaves_nothing() {
    run(stop_after(2, Signal::SIGINT));
}

#[test]
fn a_signal_while_bytes_flow_leaves_nothing() {
    run(stop_after(7, Signal::SIGTERM));
}

#[test]
fn a_page_that_is_kept_stays_until_ctrl_c() {
    run(async {
        let mut slicc = Slicc::start(["doctor", "--json", "--keep"]);
        let mut events = Vec::new();
        while events.last().is_none_or(|event: &Value| event["event"] != "done") {
            events.push(slicc.json().await.expect("a line"));
        }
        assert_passed(&events);
        for notice in notices() {
            assert_eq!(slicc.status().await.as_deref(), Some(notice));
        }
        let kept = slicc.status().await.unwrap();
        assert!(kept.starts_with("slicc: the page stays open at http://127.0.0.1:"), "{kept}");
        assert!(!processes::naming(&slicc.home().temp()).is_empty(), "the browser runs");
        slicc.signal(Signal::SIGINT);
        slicc.expect_exit(0, &[]).await;
        assert_eq!(slicc.home().leftovers(), Vec::<String>::new());
    });
}

#[test]
fn a_reader_that_hung_up_changes_nothing_but_the_output() {
    run(async {
        for arguments in [&["doctor"][..], &["doctor", "--json"]] {
            let mut slicc = Slicc::start(arguments);
            slicc.close_stdout();
            slicc.expect_exit(0, &notices()).await;
            assert_eq!(slicc.home().leftovers(), Vec::<String>::new());
        }
    });
}
