//! Names: `resolve` streams, `--hosts`, and what the policy leaves of an answer.

use serde_json::{Value, json};

use super::Linked;
use crate::support::{
    exchange::{PLACEMENTS, open, receive_all, refusal, request},
    run, servers,
    slicc_process::Home,
};

const HOSTS: &str = "# Names of the tests\n\
    203.0.114.7 site.test Alias.Test\n\
    2606:4700::7 site.test # its other family\n\
    203.0.114.9 site.test.\n\
    203.0.114.7 site.test\n\
    127.0.0.1 home.test\n\
    ::1 home6.test\n\
    169.254.169.254 metadata.test mixed.test\n\
    127.0.0.1 mixed.test\n\
    ::ffff:203.0.114.11 mapped.test\n\
    127.0.0.9 two.test\n\
    127.0.0.1 two.test\n";

async fn linked(arguments: &[&str]) -> Linked {
    let home = Home::new();
    let hosts = home.write("hosts", HOSTS);
    let arguments = [&["--hosts", hosts.to_str().unwrap()], arguments].concat();
    Linked::start_in(home, &arguments).await
}

/// The addresses that a name has, asked for on both kinds of channels.
/// Null stands for no family at all.
async fn addresses(linked: &Linked, name: &str, family: Value) -> Vec<String> {
    let mut answers = Vec::new();
    for placement in PLACEMENTS {
        let mut resolve = json!({ "kind": "resolve", "name": name });
        if !family.is_null() {
            resolve["family"] = family.clone();
        }
        let (mut stream, opened) = open(&linked.link(), resolve, placement).await;
        assert_eq!(opened["ttl"], 30);
        assert_eq!(receive_all(&mut stream).await.unwrap(), b"", "END follows OPENED");
        stream.end();
        answers.push(serde_json::from_value(opened["addresses"].clone()).unwrap());
    }
    assert_eq!(answers[0], answers[1]);
    answers.remove(0)
}

#[test]
fn names_of_the_file_have_its_addresses_in_any_case_with_and_without_a_dot() {
    run(async {
        let linked = linked(&[]).await;
        let (one, two, six) = ("203.0.114.7", "203.0.114.9", "2606:4700::7");
        for name in ["site.test", "SITE.Test", "site.test.", "Site.TEST."] {
            for (family, expected) in [
                (json!(0), vec![one, six, two]),
                (json!(4), vec![one, two]),
                (json!(6), vec![six]),
                (json!(null), vec![one, six, two]),
            ] {
                assert_eq!(addresses(&linked, name, family.clone()).await, expected, "{name} {family}");
            }
        }
        assert_eq!(addresses(&linked, "alias.test", json!(0)).await, [one]);
        assert_eq!(addresses(&linked, "alias.test", json!(6)).await, [""; 0], "the file's answer is the only one");
        assert_eq!(addresses(&linked, "mapped.test", json!(4)).await, ["203.0.114.11"]);
        assert_eq!(addresses(&linked, "mapped.test", json!(6)).await, [""; 0]);
        linked.finish().await;
    });
}

#[test]
fn literals_are_answered_as_themselves_and_what_is_refused_everywhere_is_dropped() {
    run(async {
        let linked = linked(&["--deny", "203.0.114.9", "--deny", "203.0.114.7:443"]).await;
        for (name, family, expected) in [
            ("127.0.0.1", 0, &["127.0.0.1"][..]),
            ("[::1]", 0, &["::1"]),
            ("::1", 4, &[]),
            ("::ffff:10.0.0.1", 0, &["10.0.0.1"]),
            ("169.254.169.254", 0, &[]),
            ("0.0.0.0", 0, &[]),
            ("metadata.test", 0, &[]),
            ("mixed.test", 0, &["127.0.0.1"]),
            // One port of an address is denied, or every port.
            ("site.test", 4, &["203.0.114.7"]),
            (&"x".repeat(300), 0, &[]),
        ] {
            assert_eq!(addresses(&linked, name, json!(family)).await, expected, "{name} {family}");
        }
        let localhost = addresses(&linked, "localhost", json!(0)).await;
        assert!(localhost.iter().any(|address| address == "127.0.0.1" || address == "::1"), "{localhost:?}");
        linked.finish().await;
    });
}

#[test]
fn a_resolve_without_a_name_or_of_another_family_is_eproto() {
    run(async {
        let linked = linked(&[]).await;
        for placement in PLACEMENTS {
            for resolve in [
                json!({ "kind": "resolve" }),
                json!({ "kind": "resolve", "name": "" }),
                json!({ "kind": "resolve", "name": ["site.test"] }),
                json!({ "kind": "resolve", "name": "site.test", "family": 5 }),
                json!({ "kind": "resolve", "name": "site.test", "family": "4" }),
                json!({ "kind": "resolve", "name": "site.test", "family": -4 }),
            ] {
                let (code, message) = refusal(&linked.link(), resolve.clone(), placement).await;
                assert_eq!(code, "EPROTO", "{resolve}: {message}");
            }
        }
        linked.finish().await;
    });
}

#[test]
fn tcp_by_name_tries_the_files_addresses_in_order_and_judges_each() {
    run(async {
        let linked = linked(&["--deny", "127.0.0.2"]).await;
        let echo = servers::echo().await;
        for name in ["home.test", "HOME.test.", "mixed.test", "two.test"] {
            for placement in PLACEMENTS {
                let tcp = json!({ "kind": "tcp", "host": name, "port": echo.port() });
                let (_, opened) = open(&linked.link(), tcp, placement).await;
                assert_eq!(opened["remoteAddr"], echo.address().to_string(), "{name}");
            }
        }
        let metadata = json!({ "kind": "tcp", "host": "metadata.test", "port": 80 });
        let refused = refusal(&linked.link(), metadata, PLACEMENTS[0]).await;
        assert_eq!(refused.0, "EACCES");
        assert!(!refused.1.contains("169.254") && !refused.1.contains("link-local"), "{}", refused.1);
        linked.finish().await;
    });
}

#[test]
fn http_by_name_goes_to_the_files_address_with_the_name_as_host() {
    run(async {
        let linked = linked(&[]).await;
        let server = servers::http(|request| {
            let host = request.headers()["host"].as_bytes().to_vec();
            http::Response::new(http_body_util::Full::from(host))
        })
        .await;
        for placement in PLACEMENTS {
            let url = format!("http://home.test:{}/", server.port());
            let head = json!({ "url": url, "method": "GET", "headers": [] });
            let answer = request(&linked.link(), &head, b"", placement).await.unwrap();
            assert_eq!(String::from_utf8(answer.body).unwrap(), format!("home.test:{}", server.port()));
            let refused = json!({ "url": "http://metadata.test/latest/secret", "method": "GET", "headers": [] });
            let error = request(&linked.link(), &refused, b"", placement).await.unwrap_err().to_string();
            assert!(error.starts_with("EACCES: fetch failed: ") && !error.contains("secret"), "{error}");
        }
        linked.finish().await;
    });
}

#[test]
fn a_hosts_file_may_have_windows_line_ends() {
    run(async {
        let home = Home::new();
        let path = home.write("hosts", "203.0.114.7 site.test\r\n\r\n# end\r\n");
        let linked = Linked::start_in(home, &["--hosts", path.to_str().unwrap()]).await;
        assert_eq!(addresses(&linked, "site.test", json!(0)).await, ["203.0.114.7"]);
        linked.finish().await;
    });
}
