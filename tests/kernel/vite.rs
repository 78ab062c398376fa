//! The use behind kernel services: a dev server in the page's kernel, with keep-alive, chunked bodies and its WebSocket.

use std::{
    collections::HashMap,
    convert::Infallible,
    io,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::Stdio,
};

use bytes::Bytes;
use futures_util::StreamExt as _;
use http_body_util::{BodyExt, Full, StreamBody, combinators::BoxBody};
use hyper::{Request, Response, body::Frame, client::conn::http1::SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::TcpStream,
    process::{Child, ChildStdin, Command},
};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::Attached;
use crate::support::{run, servers::pattern, slicc_process::Home, within};

type Body = BoxBody<Bytes, Infallible>;

const INDEX: &str = r#"<!doctype html><html><head><title>kernel</title></head>
<body><script type="module" src="/main.js"></script></body></html>"#;
const MODULE: &str = "export const answer = 42;\n";
const UPLOAD: usize = 3 * 1024 * 1024;

/// A running dev server. It ends with its stdin.
struct DevServer {
    port: u16,
    is_vite: bool,
    root: PathBuf,
    _process: Child,
    _stdin: ChildStdin,
    _home: Home,
}

impl DevServer {
    /// Starts Vite, or what stands for it where it isn't installed. `None` on a machine without Node.
    async fn start() -> Option<Self> {
        let home = Home::new();
        let root = home.path().join("site");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("index.html"), INDEX).unwrap();
        std::fs::write(root.join("main.js"), MODULE).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vite/server.mjs");
        let mut command = Command::new("node");
        command.arg(script).arg(&root).env("HOME", home.path()).kill_on_drop(true);
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut process = match spawned {
            Ok(process) => process,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                eprintln!("SKIPPED: Node isn't installed, so no dev server was tested");
                return None;
            }
            Err(error) => panic!("node: {error}"),
        };
        let (stdin, stdout) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let said = within("the dev server", BufReader::new(stdout).lines().next_line()).await.unwrap();
        let said: Value = serde_json::from_str(&said.expect("the dev server starts")).unwrap();
        let port = said["port"].as_u64().and_then(|port| port.try_into().ok()).expect("a port");
        match said["vite"].as_str() {
            Some(version) => eprintln!("the dev server is Vite {version}"),
            None => eprintln!("NOT VITE: run `npm install` in tests/vite; a server of Node's own stands for it"),
        }
        let is_vite = said["vite"].is_string();
        Some(Self { port, is_vite, root, _process: process, _stdin: stdin, _home: home })
    }
}

async fn send(sender: &mut SendRequest<Body>, request: Request<Body>) -> (Response<()>, Bytes) {
    let exchange = async {
        sender.ready().await?;
        let (head, body) = sender.send_request(request).await?.into_parts();
        Ok::<_, hyper::Error>((Response::from_parts(head, ()), body.collect().await?.to_bytes()))
    };
    within("an answer", exchange).await.expect("an answer")
}

fn request(host: &str, method: &str, target: &str, body: Body) -> Request<Body> {
    Request::builder().method(method).uri(target).header("Host", host).header("Accept", "*/*").body(body).unwrap()
}

fn empty() -> Body {
    BodyExt::boxed(Full::new(Bytes::new()))
}

#[test]
fn a_dev_server_in_the_kernel_is_used_over_one_connection_and_its_websocket() {
    run(async {
        let Some(server) = DevServer::start().await else { return };
        let (_attached, port) = Attached::on_free_port(HashMap::from([(5173, server.port)])).await;
        let host = format!("5173.kernel.localhost:{port}");
        let socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
        let handshake = hyper::client::conn::http1::handshake(TokioIo::new(socket)).await;
        let (mut sender, connection) = handshake.unwrap();
        let connection = tokio::spawn(connection);

        let (head, page) = send(&mut sender, request(&host, "GET", "/", empty())).await;
        let page = String::from_utf8_lossy(&page).into_owned();
        assert!(head.status().is_success() && page.contains("/@vite/client") && page.contains("/main.js"), "{page}");
        let (head, module) = send(&mut sender, request(&host, "GET", "/main.js", empty())).await;
        assert!(head.status().is_success() && module.starts_with(MODULE.trim_end().as_bytes()));

        let sent = pattern(UPLOAD, 5);
        let pieces: Vec<_> = sent.chunks(50_000).map(|piece| Ok(Frame::data(Bytes::copy_from_slice(piece)))).collect();
        let body = BodyExt::boxed(StreamBody::new(futures_util::stream::iter(pieces)));
        let (head, received) = send(&mut sender, request(&host, "POST", "/upload", body)).await;
        assert_eq!(head.headers()["x-framing"], "chunked");
        assert!(received == sent, "{} of {UPLOAD} bytes came back", received.len());

        let (_, client) = send(&mut sender, request(&host, "GET", "/@vite/client", empty())).await;
        let client = String::from_utf8_lossy(&client).into_owned();
        let (_, rest) = client.split_once("wsToken = \"").expect("Vite's client has a token");
        let token = rest.split('"').next().unwrap();
        assert!(!connection.is_finished(), "all of it went over one connection");

        let mut upgrade = format!("ws://{host}/?token={token}").into_client_request().unwrap();
        upgrade.headers_mut().insert("Sec-WebSocket-Protocol", "vite-hmr".parse().unwrap());
        upgrade.headers_mut().insert("Origin", format!("http://{host}").parse().unwrap());
        let socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
        let handshake = Box::pin(tokio_tungstenite::client_async(upgrade, socket));
        let (mut updates, _) = within("the handshake", handshake).await.unwrap();
        let first = within("a message", updates.next()).await.unwrap().unwrap();
        assert_eq!(first.to_text().unwrap(), r#"{"type":"connected"}"#);

        if server.is_vite {
            std::fs::write(server.root.join("main.js"), "export const answer = 43;\n").unwrap();
            let update = within("an update", updates.next()).await.unwrap().unwrap();
            let update: Value = serde_json::from_str(update.to_text().unwrap()).unwrap();
            assert!(matches!(update["type"].as_str(), Some("full-reload" | "update")), "{update}");
        }
    });
}
