//! From the first tab to the last: section "Setup over CDP" and its rules, as status lines tell them.

use nix::sys::signal::Signal;
use serde_json::json;

use super::{Scene, attach};
use crate::support::{chromium::Chromium, run, servers, slicc_process::Slicc, tab::Tab, within};

#[test]
fn a_tab_is_found_linked_and_served_until_sigterm() {
    run(async {
        let mut scene = Scene::start().await;
        let tab = scene.open_page().await;
        let hello = tab.evaluate("linkTest.link().then(link => link.peer)").await;
        assert_eq!(hello["caps"], json!(["net", "http", "credentialed", "ws"]));
        // The link may be up before the last candidate is known.
        let gathered = async {
            loop {
                let messages = tab.setup_messages().await;
                if messages.last().is_some_and(|last| last["t"] == "candidate" && last["candidate"].is_null()) {
                    return messages;
                }
            }
        };
        let messages = within("the end of the candidates", gathered).await;
        let kinds: Vec<&str> = messages.iter().map(|message| message["t"].as_str().unwrap()).collect();
        assert_eq!(kinds[..2], ["hello", "answer"]);
        assert!(kinds[2..].iter().all(|kind| *kind == "candidate"), "{kinds:?}");
        assert_eq!(messages[0]["node"], hello["node"]);
        assert!(messages.iter().all(|message| message["nonce"] == messages[0]["nonce"]));

        scene.slicc.signal(Signal::SIGTERM);
        scene.slicc.expect_exit(0, &["slicc: the link is closed"]).await;
        tab.evaluate("linkTest.closed()").await;
        let bye = tab.setup_messages().await.pop().unwrap();
        assert_eq!(bye, json!({ "t": "bye", "nonce": messages[0]["nonce"], "reason": "slicc is exiting" }));
        assert!(scene.chromium.tabs().await.contains(&scene.servers.page_url()), "the tab stays open");
    });
}

#[test]
fn a_reload_links_anew_with_a_new_nonce_of_the_same_node() {
    run(async {
        let mut scene = Scene::start().await;
        let tab = scene.open_page().await;
        let first = tab.setup_messages().await.remove(0);
        tab.reload().await;
        scene.expect_page_gone("the page was reloaded or left").await;
        scene.expect_linked().await;
        let second = tab.setup_messages().await.remove(0);
        assert_ne!(first["nonce"], second["nonce"]);
        assert_eq!(first["node"], second["node"]);
        assert_eq!(tab.evaluate("linkTest.setup.sessions.length").await, 1);
        assert_eq!(tab.evaluate("linkTest.resolve('127.0.0.1')").await, json!(["127.0.0.1"]));
    });
}

#[test]
fn a_tab_that_leaves_seven_is_unlinked_and_comes_back() {
    run(async {
        let mut scene = Scene::start().await;
        let tab = scene.open_page().await;
        for elsewhere in ["about:blank", "data:text/html,elsewhere"] {
            tab.navigate(elsewhere).await;
            scene.expect_page_gone("the page was reloaded or left").await;
            scene.slicc.expect_status(&["the seven tab left seven"]).await;
            tab.navigate(&scene.servers.page_url()).await;
            scene.expect_found().await;
        }
        assert_eq!(tab.evaluate("linkTest.resolve('127.0.0.1')").await, json!(["127.0.0.1"]));
    });
}

#[test]
fn a_closed_tab_is_waited_for_and_the_next_one_linked() {
    run(async {
        let mut scene = Scene::start().await;
        for _ in 0..2 {
            let tab = scene.open_page().await;
            tab.close().await;
            scene.expect_page_gone("the seven tab was closed").await;
            scene.slicc.expect_status(&["the seven tab was closed", "waiting for a seven tab"]).await;
        }
        scene.open_page().await;
    });
}

#[test]
fn a_second_tab_of_seven_is_left_alone_until_the_first_is_closed() {
    run(async {
        let mut scene = Scene::start().await;
        let first = scene.open_page().await;
        let second = Tab::open(&scene.chromium, &scene.servers.page_url()).await;
        assert_eq!(first.evaluate("linkTest.resolve('127.0.0.1')").await, json!(["127.0.0.1"]));
        first.close().await;
        scene.expect_page_gone("the seven tab was closed").await;
        scene.slicc.expect_status(&["the seven tab was closed"]).await;
        let line = scene.slicc.status().await.unwrap();
        // It may say that it waits before it looks at the tabs that are there.
        if line.contains("waiting for a seven tab") {
            scene.expect_found().await;
        } else {
            assert!(line.contains("found seven on"), "{line}");
            scene.expect_linked().await;
        }
        assert_eq!(second.evaluate("linkTest.setup.sessions.length").await, 1);
    });
}

#[test]
fn two_attaches_on_one_browser_have_a_link_each() {
    run(async {
        let mut scene = Scene::start().await;
        let tab = scene.open_page().await;
        let origin = scene.servers.page_origin();
        let mut second = attach(&scene.chromium, &origin, &["--name", "the second"]);
        let found = format!("found seven on {origin}");
        second.expect_status(&[&found, "linking", "linked with slicc doctor"]).await;
        let nodes = "linkTest.setup.sessions.map(({ node, link }) => [node, link.peer.node, link.reason])";
        let nodes = tab.evaluate(nodes).await;
        let nodes = nodes.as_array().unwrap();
        assert_eq!(nodes.len(), 2);
        assert!(nodes.iter().all(|link| link[0] == link[1] && link[2].is_null()), "{nodes:?}");
        assert_ne!(nodes[0][0], nodes[1][0]);
        second.signal(Signal::SIGINT);
        second.expect_exit(0, &["slicc: the link is closed"]).await;
        tab.evaluate("linkTest.until(() => linkTest.setup.sessions.length === 1)").await;
        assert_eq!(tab.evaluate("linkTest.resolve('127.0.0.1')").await, json!(["127.0.0.1"]));
        assert_eq!(tab.evaluate("linkTest.setup.sessions[0].node").await, nodes[0][0]);
    });
}

#[test]
fn a_browser_that_quits_ends_slicc_with_a_hint() {
    run(async {
        let mut scene = Scene::start().await;
        let _tab = scene.open_page().await;
        scene.chromium.quit().await;
        let (status, mut lines) = scene.slicc.exit().await;
        assert_eq!(status.code(), Some(1));
        // Whether the tab's end or the browser's comes first is the browser's affair.
        let expected =
            ["slicc: the browser closed the connection", "hint: start the browser again, then run slicc attach again"];
        assert_eq!(lines.split_off(lines.len() - 2), expected);
        let before = [
            "slicc: the link is down: ",
            "slicc: the link is closed",
            "slicc: the seven tab was closed",
            "slicc: waiting for a seven tab",
        ];
        assert!(lines.iter().all(|line| before.iter().any(|start| line.starts_with(start))), "{lines:?}");
    });
}

#[test]
fn a_browser_that_quits_while_slicc_waits_ends_slicc_too() {
    run(async {
        let mut scene = Scene::start().await;
        scene.chromium.quit().await;
        let lines =
            ["slicc: the browser closed the connection", "hint: start the browser again, then run slicc attach again"];
        scene.slicc.expect_exit(1, &lines).await;
    });
}

#[test]
fn a_signal_while_slicc_waits_for_a_tab_exits_0() {
    run(async {
        let chromium = Chromium::launch().await;
        for (cdp, signal) in [(chromium.cdp(), Signal::SIGINT), (chromium.web_socket_url().to_owned(), Signal::SIGTERM)]
        {
            let mut slicc = Slicc::start(["attach", "--cdp", &cdp]);
            slicc.expect_status(&["waiting for a seven tab"]).await;
            slicc.signal(signal);
            slicc.expect_exit(0, &[]).await;
        }
    });
}

#[test]
fn every_form_of_cdp_url_finds_the_browser() {
    run(async {
        let chromium = Chromium::launch().await;
        let port = chromium.port().to_string();
        for cdp in [chromium.cdp(), format!("localhost:{port}"), port, chromium.web_socket_url().to_owned()] {
            let mut slicc = Slicc::start(["attach", "--cdp", &cdp]);
            slicc.expect_status(&["waiting for a seven tab"]).await;
        }
        let web = servers::http(|_| http::Response::new(http_body_util::Full::from("a page"))).await;
        let mut slicc = Slicc::start(["attach", "--cdp", &web.address().to_string()]);
        let (status, lines) = slicc.exit().await;
        assert_eq!(status.code(), Some(1));
        assert!(lines[0].contains("doesn't answer like a browser"), "{lines:?}");
        assert_eq!(lines[1], "hint: start the browser with --remote-debugging-port and try again");
    });
}
