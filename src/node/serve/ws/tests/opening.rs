use std::{io, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
};

use super::support::*;
use crate::{
    generated::link::ErrorCode,
    node::serve::{
        http::{
            Connector,
            tests::secure::{Authority, no_roots},
            tls::Tls,
        },
        ws::Client,
    },
    policy::{
        Base, Dialer, Hosts, Policy, Resolver, Rules,
        resolver::fake::{FakeLookup, Reply},
    },
};

/// A server that answers each handshake with these bytes, whatever it says, and closes.
async fn answering(answer: &'static str) -> std::net::SocketAddr {
    accepting(move |mut socket| async move {
        read_head(&mut socket).await;
        socket.write_all(answer.as_bytes()).await.unwrap();
    })
    .await
}

/// A server that accepts each handshake with these headers, and sends what it got as a text message.
async fn describing(headers: &'static str) -> std::net::SocketAddr {
    accepting(move |mut socket| async move {
        let head = read_head(&mut socket).await;
        // The first frame comes in the same packet as the 101.
        let first = [switching(&head, headers).into_bytes(), frame(0x82, &latin1(&head))].concat();
        socket.write_all(&first).await.unwrap();
        read_frame(&mut socket).await;
    })
    .await
}

fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(character).unwrap()).collect()
}

async fn described(open: Value) -> (String, Value) {
    let address = describing("").await;
    let (mut page, opened) = try_open(&client(address), open).await.unwrap();
    let (kind, head) = page.next().await.unwrap();
    assert_eq!(kind, 2);
    (head.iter().map(|&byte| char::from(byte)).collect(), Value::Object(opened))
}

#[tokio::test]
async fn the_handshake_is_http_1_with_the_pages_headers_and_nothing_else() {
    bounded(async {
        let (head, opened) = described(json!({
            "url": "ws://h:81/p?q#f",
            "headers": [["Origin", "https://o"], ["Cookie", "a"], ["X", "caf\u{e9}"], ["cookie", "b"], ["Host", "x"]],
        }))
        .await;
        assert_eq!(opened, json!({"protocol": ""}));
        let mut lines: Vec<&str> = head.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.remove(0), "GET /p?q HTTP/1.1");
        let key = lines.iter().position(|line| line.starts_with("Sec-Websocket-Key: ")).unwrap();
        assert_eq!(lines.remove(key).len(), "Sec-Websocket-Key: ".len() + 24);
        lines.sort_unstable();
        assert_eq!(
            lines,
            [
                "Connection: Upgrade",
                "Cookie: a; b",
                "Host: h:81",
                "Origin: https://o",
                "Sec-Websocket-Version: 13",
                "Upgrade: websocket",
                "X: caf\u{e9}",
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn subprotocols_are_offered_and_the_far_end_chooses_one_or_none() {
    bounded(async {
        let open = json!({"url": "ws://h/", "protocols": ["chat", "v2"]});
        assert_eq!(described(open.clone()).await.1, json!({"protocol": ""}));
        let address = describing("Sec-WebSocket-Protocol: v2\r\n").await;
        let (mut page, opened) = try_open(&client(address), open).await.unwrap();
        assert_eq!(opened["protocol"], "v2");
        let head = String::from_utf8(page.next().await.unwrap().1).unwrap();
        assert_eq!(header(&head, "Sec-WebSocket-Protocol"), Some("chat, v2"));
        let refused = refusal(address, json!({"url": "ws://h/", "protocols": ["chat"]})).await;
        assert_eq!(refused, "ECONNREFUSED: the far end chose a subprotocol that wasn't offered");
        let refused = refusal(address, json!({"url": "ws://h/"})).await;
        assert_eq!(refused, "ECONNREFUSED: the far end chose a subprotocol that wasn't offered");
    })
    .await;
}

#[tokio::test]
async fn an_open_that_is_not_allowed_is_eproto_and_nothing_is_dialled() {
    bounded(async {
        let address = describing("").await;
        let client = client(address);
        for (open, reason) in [
            (json!({}), "url must be a non-empty string"),
            (json!({"url": ""}), "url must be a non-empty string"),
            (json!({"url": 7}), "url must be a non-empty string"),
            (json!({"url": "http://h/"}), "url must be ws: or wss:"),
            (json!({"url": "ws://u:p@h/"}), "url must not hold credentials"),
            (json!({"url": "nowhere"}), "url is not a URL that a WebSocket can have"),
            (json!({"url": "ws://h/", "protocols": "chat"}), "protocols must be a list of strings"),
            (json!({"url": "ws://h/", "protocols": ["a b"]}), "protocols must be tokens"),
            (json!({"url": "ws://h/", "protocols": ["a", "a"]}), "protocols lists one twice"),
            (
                json!({"url": "ws://h/", "headers": {"a": "b"}}),
                "headers must be a list of [name, value] pairs of strings",
            ),
            (json!({"url": "ws://h/", "headers": [["a b", "c"]]}), "a header name is not a token"),
            (
                json!({"url": "ws://h/", "headers": [["a", "\n c \u{100}"]]}),
                "a header value is not Latin-1 without control characters",
            ),
        ] {
            let refused = try_open(&client, open).await.err().unwrap();
            assert_eq!(refused, format!("EPROTO: {reason}"));
        }
        assert_eq!(client.connector.dialled(), 0);
    })
    .await;
}

#[tokio::test]
async fn any_answer_but_101_is_its_status_and_a_redirect_is_not_followed() {
    bounded(async {
        for (answer, expected) in [
            ("HTTP/1.1 302 Found\r\nLocation: ws://elsewhere/\r\n\r\n", "ECONNREFUSED: HTTP 302"),
            ("HTTP/1.1 401 No\r\nContent-Length: 3\r\n\r\nwhy", "ECONNREFUSED: HTTP 401"),
            ("HTTP/1.1 200 OK\r\n\r\n", "ECONNREFUSED: HTTP 200"),
            ("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 503 Busy\r\n\r\n", "ECONNREFUSED: HTTP 503"),
            ("HTTP/1.1 101 Switching Protocols\r\n\r\n", "ECONNREFUSED: the answer doesn't switch to WebSocket"),
            ("SSH-2.0-x\r\n", "ECONNREFUSED: the answer isn't valid HTTP"),
            ("", "ECONNREFUSED: the connection broke before the answer"),
        ] {
            let address = answering(answer).await;
            assert_eq!(refusal(address, json!({"url": "ws://h/"})).await, expected);
        }
        let extension = describing("Sec-WebSocket-Extensions: permessage-deflate\r\n").await;
        let refused = refusal(extension, json!({"url": "ws://h/"})).await;
        assert_eq!(refused, "ECONNREFUSED: the far end chose an extension that wasn't offered");
    })
    .await;
}

#[tokio::test]
async fn an_answer_that_has_no_end_is_refused() {
    bounded(async {
        let address = accepting(|mut socket| async move {
            read_head(&mut socket).await;
            let _ = socket.write_all(b"HTTP/1.1 101 Switching Protocols\r\n").await;
            while socket.write_all(&[b"X-Padding: ".as_slice(), &[b'x'; 1000], b"\r\n"].concat()).await.is_ok() {}
        })
        .await;
        let refused = refusal(address, json!({"url": "ws://h/"})).await;
        assert_eq!(refused, "ECONNREFUSED: the answer's headers are too large");
    })
    .await;
}

#[tokio::test]
async fn a_far_end_that_never_answers_is_given_up_on() {
    bounded(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        for url in ["ws://h/", "wss://h/"] {
            let client = client(listener.local_addr().unwrap()).limits(SHORT, LONG);
            let refused = try_open(&client, json!({"url": url})).await.err().unwrap();
            assert_eq!(refused, "ECONNREFUSED: the far end took too long to answer");
        }
    })
    .await;
}

#[tokio::test]
async fn a_page_that_resets_does_not_wait_for_the_handshake() {
    bounded(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = client(listener.local_addr().unwrap());
        let (node, page) = crate::link::memory::pair().await;
        let open = crate::generated::link::WsOpen { url: "ws://h/".into(), protocols: vec![], headers: vec![] };
        let service = tokio::spawn(async move { crate::node::serve::ws::serve(open, node, &client).await });
        let (mut far, _) = listener.accept().await.unwrap();
        read_head(&mut far).await;
        page.reset(ErrorCode::Econnreset, "");
        service.await.unwrap();
        dropped(&mut far).await;
    })
    .await;
}

#[tokio::test]
async fn wss_is_verified_and_speaks_http_1_alone() {
    bounded(async {
        let authority = Authority::new();
        let acceptor = authority.acceptor(&["h2", "http/1.1"]);
        let address = accepting(move |socket| {
            let acceptor = acceptor.clone();
            async move {
                let Ok(mut socket) = acceptor.accept(socket).await else { return };
                assert_eq!(socket.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
                let head = read_head(&mut socket).await;
                assert_eq!(header(&head, "host"), Some("h"));
                let answer = [switching(&head, "").as_bytes(), &frame(0x81, b"hello")].concat();
                socket.write_all(&answer).await.unwrap();
                socket.write_all(&frame(0x88, b"")).await.unwrap();
                let mut rest = Vec::new();
                let _ = tokio::io::AsyncReadExt::read_to_end(&mut socket, &mut rest).await;
            }
        })
        .await;
        let client = client_with_tls(address, authority.trusted()).limits(LONG, SHORT);
        let (mut page, _) = try_open(&client, json!({"url": "wss://h/"})).await.unwrap();
        assert_eq!(page.next().await, Some((1, b"hello".to_vec())));
        assert_eq!(page.next().await, Some((8, vec![])));
        page.ends().await;

        let refused = try_open(&client, json!({"url": "wss://other/"})).await.err().unwrap();
        assert_eq!(refused, "ECONNREFUSED: x509: the server's certificate is for another name");
        let refused = try_open(&client_with_tls(address, no_roots()), json!({"url": "wss://h/"})).await.err().unwrap();
        assert_eq!(refused, "ECONNREFUSED: x509: this system doesn't trust who issued the server's certificate");
        let plain = accepting(|mut socket| async move {
            socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        })
        .await;
        let refused = try_open(&client_with_tls(plain, authority.trusted()), json!({"url": "wss://h/"})).await;
        assert_eq!(refused.err().unwrap(), "ECONNREFUSED: the server doesn't speak TLS on this port");
    })
    .await;
}

fn through(dialer: Dialer) -> Client<Dialer> {
    Client::new(dialer, Arc::new(Tls::system()))
}

fn dialer(base: Base, reply: Reply) -> Dialer {
    let resolver = Resolver::new(Hosts::default(), FakeLookup::new([reply]));
    Dialer::new(Policy::new(base, Rules::default()), resolver)
}

#[tokio::test]
async fn a_refusal_of_the_policy_is_eacces_and_nothing_is_connected() {
    bounded(async {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        // A browser's debugging port, say.
        let protected = dialer(Base::Local, Reply::Never);
        protected.policy().protect_port(port);
        let url = json!({"url": format!("ws://127.0.0.1:{port}/devtools/browser")});
        let refused = try_open(&through(protected), url.clone()).await.err().unwrap();
        assert_eq!(refused, "EACCES: refused by the network policy: the port is protected");
        let refused = try_open(&through(dialer(Base::Remote, Reply::Never)), url).await.err().unwrap();
        assert_eq!(refused, "EACCES: refused by the network policy: loopback addresses are denied");
        assert_eq!(listener.accept().unwrap_err().kind(), io::ErrorKind::WouldBlock);
    })
    .await;
}

#[tokio::test]
async fn every_other_failure_of_a_dial_is_econnrefused() {
    bounded(async {
        let url = json!({"url": "ws://none.test/"});
        let missing = through(dialer(Base::Local, Reply::Fails(io::ErrorKind::Other)));
        let refused = try_open(&missing, url.clone()).await.err().unwrap();
        assert_eq!(refused, "ECONNREFUSED: the name doesn't resolve");
        let slow = through(dialer(Base::Local, Reply::Fails(io::ErrorKind::TimedOut)));
        assert_eq!(try_open(&slow, url).await.err().unwrap(), "ECONNREFUSED: the name lookup timed out");
    })
    .await;
}

/// A connector that remembers how long it was given.
#[derive(Clone)]
struct Remembering(Arc<std::sync::Mutex<Option<Duration>>>);

impl Connector for Remembering {
    async fn connect(&self, _host: &str, _port: u16, limit: Duration) -> Result<TcpStream, (ErrorCode, String)> {
        *self.0.lock().unwrap() = Some(limit);
        Err((ErrorCode::Ehostunreach, "the host is unreachable".to_owned()))
    }
}

#[tokio::test]
async fn the_connection_and_the_handshake_have_30_seconds() {
    bounded(async {
        let given = Remembering(Arc::default());
        let client = Client::new(given.clone(), Arc::new(Tls::system()));
        let refused = try_open(&client, json!({"url": "ws://h/"})).await.err().unwrap();
        assert_eq!(refused, "ECONNREFUSED: the host is unreachable");
        assert_eq!(*given.0.lock().unwrap(), Some(Duration::from_secs(30)));
        assert_eq!(client.close_limit, Duration::from_secs(5));
    })
    .await;
}
