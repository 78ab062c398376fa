//! The page's end of a ws stream, and far ends that do what a test says.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

pub use crate::node::serve::http::tests::support::{To, accepting, bounded, read_head};
use crate::{
    generated::link::WsOpen,
    link::{RecvHalf, SendHalf, memory::pair},
    node::serve::{
        http::{Connector, tls::Tls},
        ws::{Client, serve},
    },
};

/// What a test waits for a far end's part in a close: long enough not to pass by accident.
pub const LONG: Duration = Duration::from_secs(50);
/// What a test that wants the time to pass waits.
pub const SHORT: Duration = Duration::from_millis(50);

/// A client for the far end at this address.
pub fn client(address: SocketAddr) -> Client<To> {
    client_with_tls(address, Tls::system())
}

/// A client with TLS settings of its own.
pub fn client_with_tls(address: SocketAddr, tls: Tls) -> Client<To> {
    Client::new(To::new(address), Arc::new(tls)).limits(LONG, LONG)
}

/// The page's end of a ws stream.
pub struct Page {
    pub receive: RecvHalf,
    pub send: SendHalf,
    pub service: JoinHandle<()>,
}

/// Opens a ws stream and gives the OPENED or the RESET.
pub async fn try_open<C>(client: &Client<C>, open: Value) -> Result<(Page, Map<String, Value>), String>
where
    C: Connector + Clone + 'static,
{
    let (node, mut page) = pair().await;
    let Value::Object(open) = open else { panic!("an OPEN is an object") };
    let open = WsOpen::parse(&open).map_err(|error| format!("EPROTO: {error}"))?;
    let client = client.clone();
    let service = tokio::spawn(async move { serve(open, node, &client).await });
    match page.opened().await {
        Ok(opened) => {
            let (receive, send) = page.split();
            Ok((Page { receive, send, service }, opened))
        }
        Err(error) => {
            service.await.unwrap();
            Err(error.to_string())
        }
    }
}

/// The RESET that an OPEN is answered with.
pub async fn refusal(address: SocketAddr, open: Value) -> String {
    try_open(&client(address), open).await.err().expect("the stream is refused")
}

/// An open WebSocket: the page, and the far end as a bare connection after the handshake.
pub async fn connected() -> (Page, TcpStream) {
    connected_within(LONG).await
}

/// As [`connected`], with another limit for closes.
pub async fn connected_within(close: Duration) -> (Page, TcpStream) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let client = client(listener.local_addr().unwrap()).limits(LONG, close);
    let far = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        answer(&mut socket, "").await;
        socket
    };
    let (opened, far) = tokio::join!(try_open(&client, json!({"url": "ws://h/"})), far);
    (opened.unwrap().0, far)
}

/// Answers a handshake with these headers too. Gives the request's head.
pub async fn answer(socket: &mut TcpStream, headers: &str) -> String {
    let head = read_head(socket).await;
    socket.write_all(switching(&head, headers).as_bytes()).await.unwrap();
    head
}

/// The answer to a handshake, with these headers too.
pub fn switching(head: &str, headers: &str) -> String {
    let accept = derive_accept_key(header(head, "sec-websocket-key").unwrap().as_bytes());
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n{headers}\r\n"
    )
}

/// A header of a request's head.
pub fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (found, value) = line.split_once(": ")?;
        found.eq_ignore_ascii_case(name).then_some(value)
    })
}

/// A record.
pub fn record(kind: u8, payload: &[u8]) -> Bytes {
    let length = u32::try_from(payload.len()).unwrap();
    [&[kind][..], &length.to_be_bytes(), payload].concat().into()
}

/// The header of a record of this length.
pub fn announcing(kind: u8, length: u32) -> Bytes {
    [&[kind][..], &length.to_be_bytes()].concat().into()
}

/// A server's frame.
pub fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match payload.len() {
        length @ 0..=125 => bytes.push(u8::try_from(length).unwrap()),
        length @ 126..=0xFFFF => {
            bytes.push(126);
            bytes.extend(u16::try_from(length).unwrap().to_be_bytes());
        }
        length => {
            bytes.push(127);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    bytes.extend_from_slice(payload);
    bytes
}

/// The next frame that the far end got: its first byte, and its payload without the mask, which must be there.
pub async fn read_frame(far: &mut TcpStream) -> (u8, Vec<u8>) {
    let first = far.read_u8().await.unwrap();
    let second = far.read_u8().await.unwrap();
    assert_eq!(second & 0x80, 0x80, "a client masks");
    let length = match second & 0x7F {
        126 => u64::from(far.read_u16().await.unwrap()),
        127 => far.read_u64().await.unwrap(),
        length => u64::from(length),
    };
    let mut mask = [0; 4];
    far.read_exact(&mut mask).await.unwrap();
    let mut payload = vec![0; usize::try_from(length).unwrap()];
    far.read_exact(&mut payload).await.unwrap();
    for (at, byte) in payload.iter_mut().enumerate() {
        *byte ^= mask[at % 4];
    }
    (first, payload)
}

/// Reads frames up to the end of a message: how many there were, its opcode and its bytes.
pub async fn read_message(far: &mut TcpStream) -> (usize, u8, Vec<u8>) {
    let (first, mut message) = read_frame(far).await;
    let (mut count, mut last) = (1, first);
    while last & 0x80 == 0 {
        let (first, payload) = read_frame(far).await;
        assert_eq!(first & 0x0F, 0, "a continuation");
        message.extend_from_slice(&payload);
        (count, last) = (count + 1, first);
    }
    (count, first & 0x0F, message)
}

/// Asserts that the far end's connection is over, and that nothing more came on it.
pub async fn dropped(far: &mut TcpStream) {
    let mut rest = Vec::new();
    // A reset is an end as well.
    let _ = far.read_to_end(&mut rest).await;
    assert_eq!(rest, b"", "the far end got more");
}

impl Page {
    /// Sends bytes of the stream.
    pub async fn piece(&mut self, data: impl Into<Bytes>) {
        self.send.send(data.into()).await.unwrap();
    }

    /// Sends a record.
    pub async fn record(&mut self, kind: u8, payload: &[u8]) {
        self.piece(record(kind, payload)).await;
    }

    async fn read(&mut self, length: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; length];
        let mut filled = 0;
        while filled < length {
            match self.receive.read(&mut bytes[filled..]).await.unwrap() {
                0 if filled == 0 => return None,
                0 => panic!("END inside a record"),
                read => filled += read,
            }
        }
        Some(bytes)
    }

    /// The next record; `None` for END.
    pub async fn next(&mut self) -> Option<(u8, Vec<u8>)> {
        let header = self.read(5).await?;
        let length = u32::from_be_bytes(header[1..].try_into().unwrap()) as usize;
        let payload = if length == 0 { Vec::new() } else { self.read(length).await.expect("a whole record") };
        Some((header[0], payload))
    }

    /// Asserts that END comes next, and that the service is over.
    pub async fn ends(mut self) {
        assert_eq!(self.next().await, None);
        self.service.await.unwrap();
    }

    /// Asserts that a close record with this code comes next, then END.
    pub async fn closes(mut self, code: u16) {
        assert_eq!(self.next().await, Some((8, code.to_be_bytes().to_vec())));
        self.ends().await;
    }
}
