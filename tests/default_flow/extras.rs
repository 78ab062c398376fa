//! Browsers beside the one that hosts seven.

use nix::sys::signal::Signal;
use serde_json::json;

use super::support::{Running, event, expect, kinds, start};
use crate::{
    launch::support::{home, started},
    support::run,
};

#[test]
fn extras_are_launched_without_a_page_or_used_as_they_are_and_only_launched_ones_are_closed() {
    run(async {
        let home = home();
        let running = Running::start(&home, &home.path().join("elsewhere"), 0).await;
        let id = format!("cdp:127.0.0.1:{}", running.port);
        let arguments = ["--json", "--no-kernel", "--cdp", &running.cdp(), "--browser", &id, "--browser", "Chromium"];
        let mut slicc = start(home, "", &arguments);
        let mut events = Vec::new();
        for _ in 0..4 {
            events.push(event(&mut slicc).await);
        }
        assert_eq!(kinds(&events), ["discovered", "attached", "launched", "attached"]);
        assert_eq!((&events[1]["browser"], &events[1]["role"]), (&json!(id), &json!("seven")));
        assert_eq!((&events[3]["browser"], &events[3]["role"]), (&json!("chromium"), &json!("extra")));
        slicc.signal(Signal::SIGINT);
        assert_eq!(expect(&mut slicc, "closed").await["browsers"], json!(["chromium"]));
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        let arguments = started(slicc.home()).remove(0);
        assert!(!arguments.iter().any(|argument| argument.starts_with("http")), "{arguments:?}");
    });
}

#[test]
fn an_extra_that_stops_answering_is_gone_until_it_answers_again() {
    run(async {
        let home = home();
        let dir = home.path().join("elsewhere");
        let running = Running::start(&home, &dir, 0).await;
        let (port, id) = (running.port, format!("cdp:127.0.0.1:{}", running.port));
        let arguments = ["--json", "--no-kernel", "--cdp", &running.cdp(), "--browser", "chromium", "--browser", &id];
        let mut slicc = start(home, "", &arguments);
        for kind in ["discovered", "launched", "attached", "attached"] {
            expect(&mut slicc, kind).await;
        }
        drop(running);
        let told = json!({"schema": 1, "event": "browser-gone", "browser": id, "name": "Chrome", "role": "extra"});
        assert_eq!(event(&mut slicc).await, told);
        let _running = Running::start(slicc.home(), &dir, port).await;
        let told = json!({"schema": 1, "event": "browser-back", "browser": id, "name": "Chrome", "role": "extra"});
        assert_eq!(event(&mut slicc).await, told);
        slicc.signal(Signal::SIGINT);
        assert_eq!(expect(&mut slicc, "closed").await["browsers"], json!(["chromium"]));
        assert_eq!(slicc.exit().await.0.code(), Some(0));
    });
}

#[test]
fn an_extra_that_cannot_be_launched_takes_what_was_launched_with_it() {
    run(async {
        let home = home();
        let running = Running::start(&home, &home.path().join("elsewhere"), 0).await;
        // The profile of the extra is in use by a process that lives, and that isn't a browser.
        let dir = crate::launch::support::profile(&home, "chromium");
        std::fs::create_dir_all(&dir).unwrap();
        std::os::unix::fs::symlink(format!("host-{}", std::process::id()), dir.join("SingletonLock")).unwrap();
        let id = format!("cdp:127.0.0.1:{}", running.port);
        let arguments = ["--json", "--no-kernel", "--cdp", &running.cdp(), "--browser", &id, "--browser", "chromium"];
        let mut slicc = start(home, "", &arguments);
        for kind in ["discovered", "attached", "error"] {
            expect(&mut slicc, kind).await;
        }
        assert_eq!(expect(&mut slicc, "closed").await["browsers"], json!([]));
        assert_eq!(slicc.exit().await.0.code(), Some(1));
    });
}
