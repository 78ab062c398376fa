//! Plain `slicc` on a real Chromium. The doctor's page plays seven.

use std::process::Stdio;

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use slicc::doctor::servers::Servers;

use super::support::{expect, plain};
use crate::{
    launch::support::{chromium_home as home, gone, kill, on_the_machine, profile},
    support::{
        chromium::Chromium,
        run,
        slicc_process::{Home, Slicc},
        tab::Tab,
        within,
    },
};

/// Plain `slicc` in such a home.
fn real(home: &Home, arguments: &[&str]) -> std::process::Command {
    on_the_machine(home, plain(home, "", arguments))
}

#[test]
fn a_launched_chromium_opens_the_page_and_is_linked_and_closed() {
    run(async {
        let servers = Servers::start().await.unwrap();
        let page = servers.page_url();
        let home = home();
        let arguments = ["--json", "--browser", "chromium", "--headless", "--no-kernel", "--page", &page];
        let command = real(&home, &arguments);
        let mut slicc = Slicc::spawn(home, command);
        for kind in ["discovered", "launched", "attached"] {
            expect(&mut slicc, kind).await;
        }
        let linked = expect(&mut slicc, "linked").await;
        assert_eq!((&linked["peer"], &linked["tab"]), (&json!("slicc doctor"), &json!(page)));
        assert_eq!(linked["caps"], json!(["net", "http", "credentialed", "ws"]));
        slicc.signal(Signal::SIGINT);
        let lost = json!({"event": "link-lost", "schema": 1, "reason": "slicc is exiting"});
        assert_eq!(expect(&mut slicc, "link-lost").await, lost);
        assert_eq!(expect(&mut slicc, "closed").await["browsers"], json!(["chromium"]));
        assert_eq!(slicc.json().await, None);
        let (status, said) = slicc.exit().await;
        assert_eq!(status.code(), Some(0));
        let line = format!("slicc: linked with \"slicc doctor\" in {page}");
        assert!(said.contains(&line), "{said:#?}");
        assert!(said.contains(&"slicc: link lost: slicc is exiting".to_owned()), "{said:#?}");
        assert_eq!(said.last().unwrap(), "slicc: closed chromium");
        gone(slicc.home().path()).await;
    });
}

#[test]
fn the_tab_of_a_slicc_that_was_killed_is_linked_again() {
    run(async {
        let servers = Servers::start().await.unwrap();
        let page = servers.page_url();
        let home = home();
        let arguments = ["--json", "--browser", "chromium", "--headless", "--no-kernel", "--page", &page];
        let mut first = tokio::process::Command::from(real(&home, &arguments));
        let mut first = first.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(first.stdout.take().unwrap()));
        let mut launched = Value::Null;
        loop {
            let line = within("a line", lines.next_line()).await.unwrap().unwrap();
            let event: Value = serde_json::from_str(&line).unwrap();
            match event["event"].as_str().unwrap() {
                "launched" => launched = event,
                "linked" => break,
                _ => {}
            }
        }
        first.kill().await.unwrap();
        // Found through the profile, with the page's origin as seven's.
        let command = real(&home, &["--json", "--no-kernel", "--page", &page]);
        let mut slicc = Slicc::spawn(home, command);
        let discovered = expect(&mut slicc, "discovered").await;
        assert_eq!(discovered["entries"][0]["endpoint"]["sevenTabs"][0]["url"], page);
        let attached = expect(&mut slicc, "attached").await;
        assert_eq!(attached["webSocketDebuggerUrl"], launched["webSocketDebuggerUrl"]);
        assert_eq!(attached.get("launched"), None);
        assert_eq!(expect(&mut slicc, "linked").await["tab"], page);
        slicc.signal(Signal::SIGTERM);
        expect(&mut slicc, "link-lost").await;
        assert_eq!(expect(&mut slicc, "closed").await["browsers"], json!([]));
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        kill(launched["pid"].as_u64().unwrap(), Signal::SIGKILL);
        gone(&profile(slicc.home(), "chromium")).await;
    });
}

#[test]
fn an_open_tab_is_used_and_a_tab_that_navigates_away_ends_the_link_until_it_comes_back() {
    run(async {
        let servers = Servers::start().await.unwrap();
        let page = servers.page_url();
        let chromium = Chromium::launch().await;
        let tab = Tab::open(&chromium, &page).await;
        let mut tabs = ["about:blank", &page];
        tabs.sort_unstable();
        // A tab that hasn't got there yet is no seven tab.
        chromium.expect_tabs(&tabs).await;
        let cdp = chromium.cdp();
        let home = Home::new();
        let command = home.slicc(["--json", "--no-kernel", "--cdp", &cdp, "--page", &page]);
        let mut slicc = Slicc::spawn(home, command);
        expect(&mut slicc, "discovered").await;
        expect(&mut slicc, "attached").await;
        expect(&mut slicc, "linked").await;
        chromium.expect_tabs(&tabs).await;
        tab.navigate("data:text/html,elsewhere").await;
        expect(&mut slicc, "link-lost").await;
        loop {
            if slicc.status().await.unwrap() == "slicc: the seven tab left seven" {
                break;
            }
        }
        tab.navigate(&page).await;
        assert_eq!(expect(&mut slicc, "linked").await["tab"], page);
        slicc.signal(Signal::SIGINT);
        expect(&mut slicc, "link-lost").await;
        expect(&mut slicc, "closed").await;
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        assert_eq!(tab.evaluate("1 + 1").await, 2, "the browser runs on");
    });
}

#[test]
fn a_page_that_answers_from_another_origin_is_not_linked() {
    run(async {
        let servers = Servers::start().await.unwrap();
        let elsewhere = servers.page_url();
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let page = format!("http://{}/", listener.local_addr().unwrap());
        let answer = format!("HTTP/1.1 302 Found\r\nLocation: {elsewhere}\r\nContent-Length: 0\r\n\r\n");
        let redirect = tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                // A browser also connects ahead of need, and hangs up.
                let _ = tokio::io::AsyncReadExt::read(&mut socket, &mut [0; 4096]).await;
                let _ = tokio::io::AsyncWriteExt::write_all(&mut socket, answer.as_bytes()).await;
            }
        });
        let chromium = Chromium::launch().await;
        let home = Home::new();
        let command = home.slicc(["--json", "--no-kernel", "--cdp", &chromium.cdp(), "--page", &page]);
        let mut slicc = Slicc::spawn(home, command);
        expect(&mut slicc, "discovered").await;
        expect(&mut slicc, "attached").await;
        let mut tabs = ["about:blank", &elsewhere];
        tabs.sort_unstable();
        chromium.expect_tabs(&tabs).await;
        slicc.signal(Signal::SIGINT);
        assert_eq!(expect(&mut slicc, "closed").await["browsers"], json!([]));
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        redirect.abort();
    });
}

#[test]
fn a_page_that_never_loads_is_waited_for_and_the_run_still_ends_at_once() {
    run(async {
        let home = home();
        let page = "http://127.0.0.1:9/";
        let command = real(&home, &["--json", "--browser", "chromium", "--headless", "--no-kernel", "--page", page]);
        let mut slicc = Slicc::spawn(home, command);
        for kind in ["discovered", "launched", "attached"] {
            expect(&mut slicc, kind).await;
        }
        slicc.signal(Signal::SIGINT);
        assert_eq!(expect(&mut slicc, "closed").await["browsers"], json!(["chromium"]));
        assert_eq!(slicc.exit().await.0.code(), Some(0));
        gone(slicc.home().path()).await;
    });
}
