//! `fake-browser`: stands in for a Chromium where a real one would be too slow or would write to the profile itself.
//!
//! It takes a browser's switches, announces a debugging port as a browser does, and serves `/json/version`, `/json/list` and
//! a WebSocket on which it answers every call. Next to the file in `FAKE_BROWSER_LOG` it has no memory: its arguments and
//! each call go there, a line each. `FAKE_BROWSER` is a list of what it does otherwise, separated by commas:
//!
//! - `quiet`: writes nothing to the profile, and announces its port on stderr alone
//! - `stay`: ignores `Browser.close`
//! - `silent`: never announces its port
//! - `exit`: exits at once

use std::{
    fs::OpenOptions,
    io::{self, BufRead as _, BufReader, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::PathBuf,
    process, thread,
};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{self, Message};

/// What `/json/version` names.
const PRODUCT: &str = "Chrome/156.0.1.2";

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["--version"] {
        println!("Chromium 156.0.1.2");
        return Ok(());
    }
    log(&json!({ "arguments": arguments }));
    let value = |name: &str| arguments.iter().find_map(|argument| argument.strip_prefix(name));
    let does = std::env::var("FAKE_BROWSER").unwrap_or_default();
    let does = |what: &str| does.split(',').any(|one| one == what);
    if does("exit") {
        eprintln!("no display");
        process::exit(7);
    }
    let port: u16 = value("--remote-debugging-port=").and_then(|port| port.parse().ok()).unwrap_or_default();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let port = listener.local_addr()?.port();
    let path = format!("/devtools/browser/{}-{port}", process::id());
    if !does("silent") {
        eprintln!("\nDevTools listening on ws://127.0.0.1:{port}{path}");
        if let Some(profile) = value("--user-data-dir=").filter(|_| !does("quiet")) {
            let profile = PathBuf::from(profile);
            std::fs::create_dir_all(&profile)?;
            std::fs::write(profile.join("DevToolsActivePort"), format!("{port}\n{path}"))?;
        }
    }
    let stays = does("stay");
    for stream in listener.incoming() {
        let (stream, path) = (stream?, path.clone());
        // One that hangs up early is none of the others' business.
        thread::spawn(move || drop(serve(stream, port, &path, stays)));
    }
    Ok(())
}

/// Notes something in the log.
fn log(line: &Value) {
    let Some(path) = std::env::var_os("FAKE_BROWSER_LOG") else { return };
    let mut file = OpenOptions::new().append(true).create(true).open(path).expect("the log can be written");
    writeln!(file, "{line}").expect("the log can be written");
}

fn serve(stream: TcpStream, port: u16, path: &str, stays: bool) -> io::Result<()> {
    let mut beginning = [0; 10];
    stream.peek(&mut beginning)?;
    if &beginning == b"GET /json/" {
        return answer(stream, port, path);
    }
    let mut socket = tungstenite::accept(stream).map_err(io::Error::other)?;
    loop {
        let Ok(Message::Text(text)) = socket.read() else { return Ok(()) };
        let call: Value = serde_json::from_str(&text)?;
        log(&json!({ "call": call["method"], "params": call["params"] }));
        let result = match call["method"].as_str() {
            Some("Target.createTarget") => json!({ "targetId": "T" }),
            Some("Target.getTargets") => json!({ "targetInfos": [] }),
            _ => json!({}),
        };
        let answer = json!({ "id": call["id"], "result": result }).to_string();
        socket.send(Message::text(answer)).map_err(io::Error::other)?;
        if call["method"] == "Browser.close" && !stays {
            process::exit(0);
        }
    }
}

fn answer(mut stream: TcpStream, port: u16, path: &str) -> io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let body = if request.starts_with("GET /json/version ") {
        let socket = format!("ws://127.0.0.1:{port}{path}");
        json!({ "Browser": PRODUCT, "User-Agent": "Chrome/156.0.0.0", "webSocketDebuggerUrl": socket })
    } else {
        json!([])
    };
    let body = body.to_string();
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}
