//! `slicc browsers` from outside: what it prints, what it asks, and how it ends beside bad endpoints.

use std::{
    process::{Output, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{
    chromium::Chromium,
    run,
    schemas::assert_browser_list,
    servers::{Server, Unanswering, closed_port, deaf},
    slicc_process::Home,
};

/// What a discovery may take at most; the rest is for starting the program on a busy machine.
const WHOLE: Duration = Duration::from_secs(3);
const START: Duration = Duration::from_secs(4);

/// Runs a command to its end without holding up the servers of the test.
async fn output(mut command: std::process::Command) -> Output {
    command.stdin(Stdio::null());
    tokio::task::spawn_blocking(move || command.output().expect("slicc runs")).await.expect("it ends")
}

/// The document that it prints, and stderr.
async fn listed(command: std::process::Command) -> (Value, String) {
    let output = output(command).await;
    let stderr = String::from_utf8(output.stderr).expect("stderr is text");
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let document = serde_json::from_slice(&output.stdout).expect("one JSON document");
    assert_browser_list(&document);
    (document, stderr)
}

/// A browser's endpoint, as far as discovery asks, with this list of targets. It notes every request's head.
async fn endpoint(list: &'static str) -> (Server, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let server = Server::start(move |mut socket| {
        let noted = Arc::clone(&noted);
        async move {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(socket.read_u8().await?);
            }
            let head = String::from_utf8_lossy(&head).into_owned();
            let port = socket.local_addr()?.port();
            let body = if head.starts_with("GET /json/version ") {
                format!(
                    r#"{{"Browser":"Chrome/154.0.8037.98","User-Agent":"Chrome/154.0.0.0","webSocketDebuggerUrl":"ws://127.0.0.1:{port}/devtools/browser/aaa"}}"#
                )
            } else {
                list.to_owned()
            };
            noted.lock().unwrap().push(head);
            socket.write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await
        }
    })
    .await;
    (server, asked)
}

/// Sends a head, then bytes without end: all at once, or one a second.
async fn endless(at_once: bool) -> Server {
    Server::start(move |mut socket| async move {
        socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n{").await?;
        loop {
            if at_once {
                socket.write_all(&[b' '; 65_536]).await?;
            } else {
                tokio::time::sleep(Duration::from_secs(1)).await;
                socket.write_all(b" ").await?;
            }
        }
    })
    .await
}

/// Answers everything with a redirect to this port.
async fn redirecting(to: u16) -> Server {
    Server::start(move |mut socket| async move {
        let answer =
            format!("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{to}/json/version\r\nContent-Length: 0\r\n\r\n");
        socket.write_all(answer.as_bytes()).await
    })
    .await
}

#[test]
fn nothing_is_found_and_nothing_is_wrong_on_an_empty_machine() {
    run(async {
        let home = Home::new();
        let (document, stderr) = listed(home.slicc(["browsers", "--json"])).await;
        assert_eq!(document, serde_json::json!({ "schema": 1, "minChromium": 116, "entries": [] }));
        assert_eq!(stderr, "");
        let table = output(home.slicc(["browsers"])).await;
        assert_eq!((table.status.code(), table.stdout.len()), (Some(0), 0));
        assert_eq!(String::from_utf8_lossy(&table.stderr), "slicc: no browser was found\n");
    });
}

#[test]
fn an_endpoint_gets_two_gets_and_nothing_else_whatever_the_environment_says() {
    run(async {
        let home = Home::new();
        let (server, asked) = endpoint("[]").await;
        let proxy = closed_port();
        for arguments in [&["browsers", "--json", "--cdp"][..], &["browsers", "--cdp"]] {
            let mut command = home.slicc(arguments);
            command.arg(server.port().to_string()).env("SLICC_DEBUG", "1");
            for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
                command.env(name, format!("http://127.0.0.1:{proxy}"));
            }
            command.env("NO_PROXY", "");
            let listed = output(command).await;
            assert!(String::from_utf8_lossy(&listed.stdout).contains(&format!("cdp:127.0.0.1:{}", server.port())));
            let heads = std::mem::take(&mut *asked.lock().unwrap());
            let lines: Vec<_> = heads.iter().map(|head| head.lines().next().unwrap()).collect();
            assert_eq!(lines, ["GET /json/version HTTP/1.1", "GET /json/list HTTP/1.1"]);
            assert!(heads.iter().all(|head| !head.to_lowercase().contains("upgrade")), "{heads:?}");
        }
    });
}

#[test]
fn of_other_tabs_nothing_is_ever_shown() {
    run(async {
        let home = Home::new();
        let (server, _) = endpoint(
            r#"[{"type":"page","id":"T9","url":"https://bank.test/secret?k=1","title":"SECRET"},
                {"type":"page","id":"A","url":"https://lars.sliccy.ai/","title":"seven"}]"#,
        )
        .await;
        let (broken, _) = endpoint(r#"[{"type":"page","id":"T9","url":"https://bank.test/","title":"SECRET"},"#).await;
        for json in [true, false] {
            for debug in ["0", "1", "trace"] {
                let mut command = home.slicc(["browsers"]);
                command.args(json.then_some("--json")).env("SLICC_DEBUG", debug);
                for server in [&server, &broken] {
                    command.args(["--cdp", &server.port().to_string()]);
                }
                let output = output(command).await;
                assert_eq!(output.status.code(), Some(0));
                let said =
                    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
                for secret in ["bank.test", "SECRET", "T9"] {
                    assert!(!said.contains(secret), "{secret} with SLICC_DEBUG={debug}: {said}");
                }
                assert_eq!(said.contains("lars.sliccy.ai"), json, "{said}");
            }
        }
    });
}

#[test]
fn a_cdp_that_does_not_answer_is_one_line_on_stderr() {
    run(async {
        let home = Home::new();
        let (server, _) = endpoint("[]").await;
        let closed = closed_port();
        let mut command = home.slicc(["browsers", "--json"]);
        command.args(["--cdp", &server.port().to_string(), "--cdp", &format!("localhost:{closed}")]);
        let (document, stderr) = listed(command).await;
        assert_eq!(document["entries"][0]["id"], format!("cdp:127.0.0.1:{}", server.port()));
        assert_eq!(document["entries"].as_array().unwrap().len(), 1);
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.starts_with(&format!("slicc: --cdp: http://127.0.0.1:{closed} can't be reached")), "{stderr}");
    });
}

#[test]
fn bad_endpoints_delay_nobody_and_end_within_3_s() {
    run(async {
        let home = Home::new();
        let (good, _) = endpoint("[]").await;
        let (target, reached) = endpoint("[]").await;
        let unanswering = Unanswering::start().await;
        let servers = [deaf(), endless(true).await, endless(false).await, redirecting(target.port()).await];
        let mut command = home.slicc(["browsers", "--json", "--cdp"]);
        command.arg(good.port().to_string()).args(["--cdp", &unanswering.port().to_string()]);
        for server in &servers {
            command.args(["--cdp", &server.port().to_string()]);
        }
        let start = Instant::now();
        let (document, stderr) = listed(command).await;
        assert!(start.elapsed() < WHOLE + START, "{:?}", start.elapsed());
        let ids: Vec<_> = document["entries"].as_array().unwrap().iter().map(|entry| entry["id"].clone()).collect();
        assert_eq!(ids, [format!("cdp:127.0.0.1:{}", good.port())]);
        assert_eq!(stderr.lines().count(), servers.len() + 1, "{stderr}");
        assert_eq!(*reached.lock().unwrap(), Vec::<String>::new());
    });
}

#[test]
fn a_devtools_active_port_that_is_no_file_is_skipped() {
    run(async {
        let home = Home::new();
        let config = home.path().join("config");
        let dirs = ["google-chrome", "chromium", "microsoft-edge"].map(|name| config.join(name));
        for dir in &dirs {
            std::fs::create_dir_all(dir).unwrap();
        }
        nix::unistd::mkfifo(&dirs[0].join("DevToolsActivePort"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        std::fs::create_dir(dirs[1].join("DevToolsActivePort")).unwrap();
        std::fs::write(dirs[2].join("DevToolsActivePort"), "9".repeat(1 << 20)).unwrap();
        let mut command = home.slicc(["browsers", "--json"]);
        command.env("SLICC_DISCOVERY", "home").env("PATH", home.path());
        let start = Instant::now();
        let (document, stderr) = listed(command).await;
        assert!(start.elapsed() < WHOLE + START, "{:?}", start.elapsed());
        let entries = document["entries"].as_array().unwrap();
        assert!(entries.iter().all(|entry| entry["kind"] == "installed"), "{document}");
        assert_eq!(stderr, "");
    });
}

#[test]
fn a_cdp_that_means_nothing_exits_2_before_anything_is_asked() {
    run(async {
        let home = Home::new();
        let (server, asked) = endpoint("[]").await;
        let mut command = home.slicc(["browsers", "--cdp", "ftp://x", "--cdp"]);
        command.arg(server.port().to_string());
        let output = output(command).await;
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty() && asked.lock().unwrap().is_empty());
    });
}

#[test]
fn a_real_chromium_is_listed_by_its_file_and_by_its_flag() {
    run(async {
        let chromium = Chromium::launch().await;
        let home = Home::new();
        // The profile is Chrome's default one in this home.
        let config = home.path().join("config");
        std::fs::create_dir(&config).unwrap();
        let file = format!("{}\n{}\n", chromium.port(), socket_path(&chromium));
        std::fs::create_dir(config.join("google-chrome")).unwrap();
        std::fs::write(config.join("google-chrome/DevToolsActivePort"), file).unwrap();
        for (mode, source) in [("home", "devtools-active-port"), ("isolated", "flag")] {
            let mut command = home.slicc(["browsers", "--json"]);
            command.env("SLICC_DISCOVERY", mode);
            if mode == "isolated" {
                command.args(["--cdp", &chromium.cdp()]);
            }
            let (document, stderr) = listed(command).await;
            let entry = &document["entries"][0];
            assert_eq!(entry["id"], format!("cdp:127.0.0.1:{}", chromium.port()), "{document}");
            assert_eq!(entry["tier"], 2);
            assert_eq!(entry["endpoint"]["source"], source);
            assert_eq!(entry["endpoint"]["webSocketDebuggerUrl"], chromium.web_socket_url());
            assert_eq!(stderr, "");
        }
        let mut command = home.slicc(["browsers"]);
        command.env("SLICC_DISCOVERY", "isolated").args(["--cdp", &chromium.cdp()]);
        let table = String::from_utf8(output(command).await.stdout).unwrap();
        let lines: Vec<_> = table.lines().collect();
        assert!(lines[0].starts_with("ID ") && lines[0].ends_with("WHERE"), "{table}");
        assert!(lines[1].starts_with(&format!("cdp:127.0.0.1:{}", chromium.port())), "{table}");
        assert!(lines[1].contains("running") && lines[1].ends_with(&chromium.cdp()), "{table}");
        chromium.quit().await;
        assert_eq!(home.leftovers(), Vec::<String>::new());
    });
}

/// The path of the browser's WebSocket.
fn socket_path(chromium: &Chromium) -> String {
    let url = chromium.web_socket_url();
    format!("/{}", url.splitn(4, '/').nth(3).expect("a path"))
}
