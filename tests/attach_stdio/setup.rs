//! The setup messages: section "Setup over stdio", and the rules for incoming ones.

use serde_json::{Value, json};

use super::Linked;
use crate::support::{
    exchange::{PLACEMENTS, open},
    run,
    schemas::assert_setup_message,
    servers,
    slicc_process::Slicc,
    within,
};

#[test]
fn the_messages_of_a_link_come_in_order_and_fit_the_schema() {
    run(async {
        let linked = Linked::start(&[]).await;
        let nonce = linked.page.nonce().clone();
        let (said, status) = linked.page.finish().await.unwrap();
        assert_eq!(status.code(), Some(0));
        said.iter().for_each(assert_setup_message);
        let kinds: Vec<&str> = said.iter().map(|message| message["t"].as_str().unwrap()).collect();
        assert_eq!(kinds[..2], ["hello", "answer"]);
        assert_eq!(kinds.last(), Some(&"bye"));
        let candidates = &said[2..said.len() - 1];
        assert!(!candidates.is_empty() && candidates.iter().all(|message| message["t"] == "candidate"), "{kinds:?}");
        assert!(said.iter().all(|message| message["nonce"] == nonce));
        assert_eq!(said.last().unwrap()["reason"], "slicc is exiting");
    });
}

#[test]
fn candidates_are_of_this_host_and_none_goes_through_a_server() {
    run(async {
        let linked = Linked::start(&[]).await;
        let (said, _) = linked.page.finish().await.unwrap();
        let lines: Vec<&str> = said.iter().filter_map(|message| message["candidate"]["candidate"].as_str()).collect();
        assert!(!lines.is_empty() && lines.iter().all(|line| line.contains(" typ host")), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains(" 127.0.0.1 ")), "loopback is one of them: {lines:?}");
    });
}

#[test]
fn a_hello_line_brings_a_fresh_hello_with_a_new_nonce_of_the_same_node() {
    run(async {
        let mut slicc = Slicc::start(["attach", "--signal", "stdio"]);
        let mut nonces = Vec::new();
        let mut node = Value::Null;
        for _ in 0..3 {
            let hello = slicc.json().await.unwrap();
            assert_setup_message(&hello);
            assert_eq!(hello["t"], "hello");
            assert!(node.is_null() || node == hello["node"]);
            node = hello["node"].clone();
            assert!(!nonces.contains(&hello["nonce"]));
            nonces.push(hello["nonce"].clone());
            slicc.write(b"{\"t\":\"hello\"}\n").await;
        }
        assert_eq!(slicc.json().await.unwrap()["t"], "hello");
        slicc.close_stdin();
        assert_eq!(slicc.json().await, None, "there is no link, and no bye");
        slicc.expect_exit(0, &[]).await;
    });
}

#[test]
fn a_fresh_hello_ends_the_link_and_the_next_offer_links_again() {
    run(async {
        let mut linked = Linked::start(&[]).await;
        let first = linked.page.nonce().clone();
        linked.page.renew().await.unwrap();
        linked.expect_status(&["the link is down: the harness asked for a new hello"]).await;
        assert_ne!(*linked.page.nonce(), first);
        within("a second link", linked.page.relink(&[])).await.unwrap();
        linked.expect_status(&["linking", "linked with native page"]).await;
        linked.finish().await;
    });
}

#[test]
fn messages_with_another_nonce_and_garbage_are_ignored() {
    run(async {
        let mut linked = Linked::start(&[]).await;
        let nonce = linked.page.nonce().clone();
        for message in [
            json!({ "t": "bye", "nonce": "AAAAAAAAAAAAAAAAAAAAAA", "reason": "forged" }),
            json!({ "t": "bye", "reason": "without a nonce" }),
            json!({ "t": "offer", "nonce": "", "sdp": "v=0" }),
            json!({ "t": "offer", "nonce": nonce }),
            json!({ "t": "offer", "nonce": nonce, "sdp": 7 }),
            json!({ "t": "answer", "nonce": nonce, "sdp": "v=0" }),
            json!({ "t": "candidate", "nonce": nonce, "candidate": "nonsense" }),
            json!({ "t": "candidate", "nonce": nonce, "candidate": { "candidate": "candidate:1 nonsense" } }),
            json!({ "t": "later", "nonce": nonce }),
            json!({ "t": ["hello"] }),
            json!("hello"),
            json!(null),
            json!([[[]]]),
            json!({ "t": "bye", "nonce": nonce, "padding": "x".repeat(1 << 20) }),
        ] {
            linked.page.send(&message).await.unwrap();
        }
        // The link is as alive as before.
        let echo = servers::echo().await;
        for placement in PLACEMENTS {
            let tcp = json!({ "kind": "tcp", "host": "127.0.0.1", "port": echo.port() });
            open(&linked.link(), tcp, placement).await;
        }
        linked.finish().await;
    });
}

#[test]
fn lines_that_are_no_text_or_have_no_end_are_ignored() {
    run(async {
        let mut slicc = Slicc::start(["attach", "--signal", "stdio"]);
        assert_eq!(slicc.json().await.unwrap()["t"], "hello");
        slicc.write(b"\n\r\n{\n\xff\xfe\x00\n").await;
        slicc.write(&vec![b'['; 3 << 20]).await;
        slicc.write(b"\n{\"t\":\"hello\"}\n").await;
        assert_eq!(slicc.json().await.unwrap()["t"], "hello");
        // The last line counts even when nothing ends it.
        slicc.write(b"{\"t\":\"hello\"}").await;
        slicc.close_stdin();
        assert_eq!(slicc.json().await.unwrap()["t"], "hello");
        slicc.expect_exit(0, &[]).await;
    });
}

#[test]
fn an_offer_that_is_no_session_description_fails_and_the_next_one_links() {
    run(async {
        let mut linked = Linked::start(&[]).await;
        let nonce = linked.page.nonce().clone();
        linked.page.send(&json!({ "t": "offer", "nonce": nonce, "sdp": "v=0\r\nnonsense" })).await.unwrap();
        linked.expect_status(&["the link is down: replaced by a new offer", "linking"]).await;
        let line = within("a status line", linked.stderr.next_line()).await.unwrap().unwrap();
        assert!(line.starts_with("slicc: the link is down: "), "{line}");
        within("a second link", linked.page.relink(&[])).await.unwrap();
        linked.expect_status(&["linking", "linked with native page"]).await;
        linked.finish().await;
    });
}

#[test]
fn a_second_offer_replaces_the_link() {
    run(async {
        let mut linked = Linked::start(&[]).await;
        let echo = servers::echo().await;
        let tcp = json!({ "kind": "tcp", "host": "127.0.0.1", "port": echo.port() });
        let (mut stream, _) = open(&linked.link(), tcp.clone(), PLACEMENTS[0]).await;
        let (old, _events) = within("a second link", linked.page.relink(&[])).await.unwrap();
        let replaced = ["the link is down: replaced by a new offer", "linking", "linked with native page"];
        linked.expect_status(&replaced).await;
        within("the old link's end", old.closed()).await;
        assert!(within("the old stream's end", stream.recv()).await.is_err());
        for placement in PLACEMENTS {
            open(&linked.link(), tcp.clone(), placement).await;
        }
        linked.finish().await;
    });
}

#[test]
fn a_bye_of_the_page_ends_the_link_with_its_reason_cleaned() {
    run(async {
        let mut linked = Linked::start(&[]).await;
        let nonce = linked.page.nonce().clone();
        let reason = "the tab\u{1b}[2J was\r\n closed\u{202e}";
        linked.page.send(&json!({ "t": "bye", "nonce": nonce, "reason": reason })).await.unwrap();
        linked.expect_status(&["the link is down: the tab [2J was closed"]).await;
        within("the link's end", linked.link().closed()).await;
        // There is no link to say bye to any more.
        let (said, status) = linked.page.finish().await.unwrap();
        assert_eq!((status.code(), &said.last().unwrap()["t"]), (Some(0), &json!("candidate")));
    });
}
