//! What the node says of itself: section "Link", "HELLO from attach".

use serde_json::{Value, json};

use super::Linked;
use crate::support::{run, servers::closed_port};

#[test]
fn attach_says_what_it_offers_and_under_which_policy() {
    run(async {
        let linked = Linked::start(&[]).await;
        let hello = Value::Object(linked.page.hello().clone());
        let (name, host) = (hello["name"].as_str().unwrap(), hello["host"].as_str().unwrap());
        assert_eq!(name, format!("slicc on {host}"));
        assert!(!host.is_empty() && !host.contains('.') && host == host.to_lowercase(), "{host}");
        assert_eq!(
            hello,
            json!({
                "v": 1,
                "role": "node",
                "name": name,
                "host": host,
                "version": env!("CARGO_PKG_VERSION"),
                "mode": "local",
                "node": linked.page.said()[0]["node"],
                "caps": ["net", "http", "credentialed"],
                "routes": { "prefixes": [], "exit": true },
                // The port of kernel services.
                "policy": { "allow": [], "deny": ["127.0.0.0/8:80", "127.0.0.1/32:80", "[::1]/128:80"], "summary": hello["policy"]["summary"] },
            })
        );
        linked.finish().await;
    });
}

#[test]
fn a_name_is_the_links_name_and_its_host() {
    run(async {
        let linked = Linked::start(&["--name", "Lars’ Mac"]).await;
        let hello = linked.page.hello();
        assert_eq!((&hello["name"], &hello["host"]), (&json!("Lars’ Mac"), &json!("Lars’ Mac")));
        linked.finish().await;
    });
}

#[test]
fn the_policy_lists_the_users_rules_and_what_is_protected() {
    run(async {
        // Nothing answers there, and nothing has to.
        let port = closed_port();
        let endpoint = format!("http://127.0.0.1:{port}");
        let arguments = [
            "--cdp",
            &endpoint,
            "--allow",
            "169.254.1.9/16,[fe80::1]:22",
            "--deny",
            "::ffff:10.0.0.0/104",
            "--deny",
            "192.168.7.7",
            "--no-kernel",
        ];
        let linked = Linked::start(&arguments).await;
        let policy = &linked.page.hello()["policy"];
        assert_eq!(policy["allow"], json!(["169.254.0.0/16", "[fe80::1]/128:22"]));
        let protected = [format!("127.0.0.0/8:{port}"), format!("127.0.0.1/32:{port}"), format!("[::1]/128:{port}")];
        let deny = [&["10.0.0.0/8".to_owned(), "192.168.7.7/32".to_owned()][..], &protected].concat();
        assert_eq!(policy["deny"], json!(deny));
        let summary = policy["summary"].as_str().unwrap();
        let rules = "; allow 169.254.0.0/16, [fe80::1]/128:22; deny 10.0.0.0/8, 192.168.7.7/32";
        assert!(summary.ends_with(rules), "{summary}");
        linked.finish().await;
    });
}

#[test]
fn two_runs_have_two_ids() {
    run(async {
        let one = Linked::start(&[]).await;
        let two = Linked::start(&[]).await;
        assert_ne!(one.page.hello()["node"], two.page.hello()["node"]);
        assert_ne!(one.page.nonce(), two.page.nonce());
        one.finish().await;
        two.finish().await;
    });
}
