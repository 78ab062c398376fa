//! The page's end of a stream, and servers that do what a test says.

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    time::timeout,
};

use super::super::{Client, Connector, serve};
use crate::{
    generated::link::{ErrorCode, HttpOpen},
    link::{RecvHalf, SendHalf, memory::pair},
};

/// Runs a test, and fails it rather than letting it hang.
pub async fn bounded<T>(future: impl Future<Output = T>) -> T {
    timeout(Duration::from_mins(1), Box::pin(future)).await.expect("the test ends in time")
}

/// A connector that goes to one address whatever is asked for, and counts.
#[derive(Debug, Clone)]
pub struct To {
    pub address: SocketAddr,
    pub dialled: Arc<AtomicUsize>,
}

impl To {
    pub fn new(address: SocketAddr) -> Self {
        Self { address, dialled: Arc::default() }
    }

    pub fn dialled(&self) -> usize {
        self.dialled.load(Ordering::SeqCst)
    }
}

impl Connector for To {
    async fn connect(&self, _host: &str, _port: u16, _limit: Duration) -> Result<TcpStream, (ErrorCode, String)> {
        self.dialled.fetch_add(1, Ordering::SeqCst);
        TcpStream::connect(self.address)
            .await
            .map_err(|_| (ErrorCode::Econnrefused, "the connection was refused".into()))
    }
}

/// A client for the server at this address.
pub fn client(address: SocketAddr) -> Client<To> {
    Client::new(To::new(address))
}

/// The page's end of an http stream.
pub struct Page {
    pub receive: RecvHalf,
    pub send: SendHalf,
}

/// What the page got.
#[derive(Debug, Default)]
pub struct Outcome {
    pub bytes: Vec<u8>,
    pub reset: Option<String>,
}

impl Outcome {
    pub fn head(&self) -> Value {
        assert!(self.bytes.len() >= 4, "no head: {:?}", self.reset);
        let length = u32::from_be_bytes(self.bytes[..4].try_into().unwrap()) as usize;
        serde_json::from_slice(&self.bytes[4..4 + length]).unwrap()
    }

    pub fn body(&self) -> &[u8] {
        let length = u32::from_be_bytes(self.bytes[..4].try_into().unwrap()) as usize;
        &self.bytes[4 + length..]
    }

    pub fn text(&self) -> String {
        assert_eq!(self.reset, None);
        String::from_utf8(self.body().to_vec()).unwrap()
    }

    pub fn header(&self, name: &str) -> Option<String> {
        let head = self.head();
        let found = head["headers"].as_array().unwrap().iter().find(|pair| pair[0] == name)?;
        Some(found[1].as_str().unwrap().to_owned())
    }

    /// The RESET, which must be all there is.
    pub fn refusal(self) -> String {
        assert_eq!(self.bytes, b"", "{}", String::from_utf8_lossy(&self.bytes));
        self.reset.unwrap()
    }
}

/// Opens an http stream.
pub async fn open<C: Connector + Clone + 'static>(client: &Client<C>, open: Value) -> Page {
    let (node, mut page) = pair().await;
    let Value::Object(open) = open else { panic!("an OPEN is an object") };
    let open = HttpOpen::parse(&open).unwrap();
    let client = client.clone();
    tokio::spawn(async move { serve(open, node, &client).await });
    assert_eq!(page.opened().await.unwrap(), Map::new());
    let (receive, send) = page.split();
    Page { receive, send }
}

impl Page {
    /// Sends a request head.
    pub async fn head(&mut self, head: &Value) {
        self.raw_head(head.to_string().as_bytes()).await;
    }

    pub async fn raw_head(&mut self, json: &[u8]) {
        let mut bytes = u32::try_from(json.len()).unwrap().to_be_bytes().to_vec();
        bytes.extend_from_slice(json);
        // A stream that is refused while its head is sent says so when it is read.
        let _ = self.send.send(bytes.into()).await;
    }

    pub async fn piece(&mut self, data: impl Into<Bytes>) {
        self.send.send(data.into()).await.unwrap();
    }

    /// Reads until at least `length` bytes are there.
    pub async fn read(&mut self, outcome: &mut Outcome, length: usize) {
        while outcome.bytes.len() < length {
            let data = self.receive.recv().await.unwrap().unwrap();
            self.receive.credit(data.len());
            outcome.bytes.extend_from_slice(&data);
        }
    }

    /// Reads until the head and `length` bytes of body are there.
    pub async fn read_body(&mut self, outcome: &mut Outcome, length: usize) {
        self.read(outcome, 4).await;
        let head = u32::from_be_bytes(outcome.bytes[..4].try_into().unwrap()) as usize;
        self.read(outcome, 4 + head + length).await;
    }

    /// Reads to the end.
    pub async fn finish(&mut self, mut outcome: Outcome) -> Outcome {
        loop {
            match self.receive.recv().await {
                Ok(Some(data)) => {
                    self.receive.credit(data.len());
                    outcome.bytes.extend_from_slice(&data);
                }
                Ok(None) => return outcome,
                Err(error) => {
                    outcome.reset = Some(error.to_string());
                    return outcome;
                }
            }
        }
    }
}

/// One whole request: the head, the body, END; then everything that came back.
pub async fn fetch_with<C: Connector + Clone + 'static>(
    client: &Client<C>,
    open_fields: Value,
    head: &Value,
    body: &[u8],
) -> Outcome {
    let mut page = open(client, open_fields).await;
    page.head(head).await;
    let _ = page.send.send(Bytes::copy_from_slice(body)).await;
    page.send.end();
    page.finish(Outcome::default()).await
}

/// A request with this method and body.
pub async fn fetch(address: SocketAddr, method: &str, headers: Value, body: &[u8]) -> Outcome {
    let head = json!({"url": "http://page.example/path?query", "method": method, "headers": headers});
    fetch_with(&client(address), json!({}), &head, body).await
}

/// A GET.
pub async fn get(address: SocketAddr) -> Outcome {
    fetch(address, "GET", json!([]), b"").await
}

/// A server that answers every request's head with these bytes and closes. Gives the requests' heads.
pub async fn answering(answer: impl Into<Vec<u8>>) -> (SocketAddr, mpsc::UnboundedReceiver<String>) {
    let answer = answer.into();
    let (sender, requests) = mpsc::unbounded_channel();
    let address = accepting(move |mut socket| {
        let (answer, sender) = (answer.clone(), sender.clone());
        async move {
            let head = read_head(&mut socket).await;
            let _ = sender.send(head);
            let _ = socket.write_all(&answer).await;
            let _ = socket.shutdown().await;
            // Closing with a body unread would reset the connection, and take the answer with it.
            let _ = tokio::io::copy(&mut socket, &mut tokio::io::sink()).await;
        }
    })
    .await;
    (address, requests)
}

/// A server that handles each connection like this.
pub async fn accepting<H, F>(handler: H) -> SocketAddr
where
    H: Fn(TcpStream) -> F + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(handler(socket));
        }
    });
    address
}

/// Reads a request's head.
pub async fn read_head(socket: &mut (impl AsyncRead + Unpin)) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match socket.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    head.iter().map(|&byte| char::from(byte)).collect()
}

/// What a server's answer is made of.
pub type Answer = Response<BoxBody<Bytes, Infallible>>;

/// An answer with this body.
pub fn answer(body: impl Into<Bytes>) -> Answer {
    Response::new(Full::new(body.into()).boxed())
}

/// Serves HTTP/1.1 or HTTP/2 on a connection.
pub async fn serve_http<I, H, F>(io: I, http2: bool, handler: H)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    H: Fn(Request<Incoming>) -> F + Send + Sync + 'static,
    F: Future<Output = Answer> + Send + 'static,
{
    let handler = Arc::new(handler);
    let service = service_fn(move |request| {
        let handler = handler.clone();
        async move { Ok::<_, Infallible>(handler(request).await) }
    });
    // A client that goes away in the middle is what some tests want.
    let _ = if http2 {
        hyper::server::conn::http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(io), service).await
    } else {
        hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(io), service).await
    };
}

/// A server that describes the request in its answer: method, path, headers, body length and checksum.
pub async fn describe(request: Request<Incoming>) -> Answer {
    let (parts, mut body) = request.into_parts();
    let (mut length, mut sum) = (0u64, 0u64);
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return answer("broken") };
        let data = frame.into_data().unwrap_or_default();
        length += data.len() as u64;
        sum += data.iter().map(|&byte| u64::from(byte)).sum::<u64>();
    }
    let headers: Map<String, Value> = parts
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()))
        .collect();
    let described = json!({
        "method": parts.method.as_str(),
        "uri": parts.uri.to_string(),
        "headers": headers,
        "length": length,
        "sum": sum,
    });
    answer(described.to_string())
}

/// An HTTP/1.1 server that describes requests.
pub async fn describing() -> SocketAddr {
    accepting(|socket| serve_http(socket, false, describe)).await
}
