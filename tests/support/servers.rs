//! Servers on loopback that streams of a link reach. They end with their owner.

use std::{
    future::Future,
    io,
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, service::service_fn};
use hyper_util::rt::TokioIo;
use socket2::{Domain, Socket, Type};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinSet,
};
use tokio_util::task::AbortOnDropHandle;

/// A running server.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    _task: AbortOnDropHandle<()>,
}

impl Server {
    /// Serves each connection.
    ///
    /// # Panics
    /// When there is no free port.
    pub async fn start<F>(serve: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        Self::listen(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port"), serve)
    }

    /// Serves each connection to a listener.
    ///
    /// # Panics
    /// When the listener has no address.
    pub fn listen<F>(listener: TcpListener, serve: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        let address = listener.local_addr().expect("an address");
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((socket, _)) = listener.accept().await {
                // What becomes of a connection is what tests see at its other end.
                let served = serve(socket);
                connections.spawn(async move { drop(served.await) });
            }
        });
        Self { address, _task: AbortOnDropHandle::new(task) }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The port on which it listens.
    pub fn port(&self) -> u16 {
        self.address.port()
    }
}

/// Sends back what comes, until the client's end.
pub async fn echo() -> Server {
    Server::start(|mut socket| async move {
        let (mut read, mut write) = socket.split();
        tokio::io::copy(&mut read, &mut write).await?;
        write.shutdown().await
    })
    .await
}

/// Sends some bytes and the end, then takes what comes.
pub async fn source(bytes: Vec<u8>) -> Server {
    let bytes = Bytes::from(bytes);
    Server::start(move |mut socket| {
        let bytes = bytes.clone();
        async move {
            socket.write_all(&bytes).await?;
            socket.shutdown().await?;
            tokio::io::copy(&mut socket, &mut tokio::io::sink()).await.map(drop)
        }
    })
    .await
}

/// Takes what comes until the client's end, and hands it to the test.
pub async fn sink() -> (Server, mpsc::Receiver<Vec<u8>>) {
    let (sender, received) = mpsc::channel(16);
    let server = Server::start(move |mut socket| {
        let sender = sender.clone();
        async move {
            let mut bytes = Vec::new();
            socket.read_to_end(&mut bytes).await?;
            sender.send(bytes).await.map_err(io::Error::other)
        }
    })
    .await;
    (server, received)
}

/// Takes connections and then nothing of them: it neither reads nor writes, and little fits into its sockets' buffers.
///
/// # Panics
/// When there is no free port.
pub fn deaf() -> Server {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.set_recv_buffer_size(4096).expect("a small buffer");
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).expect("a free port");
    socket.listen(64).expect("a listener");
    socket.set_nonblocking(true).expect("a socket that does not block");
    let listener = TcpListener::from_std(socket.into()).expect("a listener");
    Server::listen(listener, |socket| async move {
        let _held = socket;
        std::future::pending().await
    })
}

/// Breaks a connection off, with a reset, once a byte came.
pub async fn breaking() -> Server {
    Server::start(|mut socket| async move {
        socket.read_u8().await?;
        // Without lingering, closing is a reset.
        socket2::SockRef::from(&socket).set_linger(Some(Duration::ZERO))
    })
    .await
}

/// A port on which connections neither come about nor fail: its queue is full.
#[derive(Debug)]
pub struct Unanswering {
    address: SocketAddr,
    _listener: Socket,
    _waiting: Vec<TcpStream>,
}

impl Unanswering {
    /// Fills a queue.
    ///
    /// # Panics
    /// When there is no free port.
    pub async fn start() -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).expect("a free port");
        socket.listen(0).expect("a listener");
        let address = socket.local_addr().expect("an address").as_socket().expect("an IP address");
        let mut waiting = Vec::new();
        // Systems differ in how many fit into a queue of none.
        while let Ok(connected) = tokio::time::timeout(Duration::from_millis(300), TcpStream::connect(address)).await {
            waiting.push(connected.expect("a connection"));
            assert!(waiting.len() < 64, "the queue has an end");
        }
        Self { address, _listener: socket, _waiting: waiting }
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }
}

/// A port of 127.0.0.1 on which nothing listens.
///
/// # Panics
/// When there is none.
pub fn closed_port() -> u16 {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// Answers HTTP requests, whose bodies are complete by then.
pub async fn http(answer: fn(Request<Bytes>) -> Response<Full<Bytes>>) -> Server {
    Server::start(move |socket| async move {
        let service = service_fn(move |request: Request<hyper::body::Incoming>| async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
            Ok::<_, io::Error>(answer(Request::from_parts(head, body)))
        });
        let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(socket), service);
        connection.await.map_err(|error| io::Error::other(error) as io::Error)
    })
    .await
}

/// Bytes that repeat only after 4 GiB: the same as `linkTest.pattern` of the doctor's page makes.
pub fn pattern(length: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.max(1);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}
