//! A page that is no browser: it plays the page role of the link, with slicc's own multiplexer and peer connection, against
//! a `slicc attach --signal stdio` that it starts. Suites and benchmarks drive slicc's streams through it.

use std::{
    collections::HashMap,
    ffi::OsString,
    io,
    net::Ipv4Addr,
    path::Path,
    process::{ExitStatus, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Map, Value, json};
use slicc::{
    generated::link::{Accepted, ErrorCode, KernelOpen, channels, timeouts},
    link::{
        Link, LinkEvent, Stream,
        mux::{Placement, Role},
        relay,
        rtc::{self, Certificate, Connection},
        transport::ChannelId,
    },
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    net::TcpStream,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    sync::{mpsc, oneshot},
    task::JoinSet,
    time::timeout,
};

/// The number of the control channel, which the page creates first.
const CONTROL: ChannelId = ChannelId(1);
/// How long the certificate of a page is valid, in seconds.
const CERTIFICATE: Duration = Duration::from_hours(24);
/// How long the node may take to exit once it was told to.
const EXIT: Duration = Duration::from_secs(10);

/// A page that is linked to a node.
#[derive(Debug)]
pub struct NativePage {
    link: Link,
    events: mpsc::Receiver<LinkEvent>,
    hello: Map<String, Value>,
    set_up: Duration,
    node: Node,
}

/// A node that is set up over its stdin and stdout.
#[derive(Debug)]
struct Node {
    process: Child,
    /// Keeps the node alive: it exits when its stdin closes.
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    /// What the page's messages have to carry.
    nonce: Value,
    /// Everything that it wrote.
    said: Vec<Value>,
}

fn broken(what: impl std::fmt::Display) -> io::Error {
    io::Error::other(what.to_string())
}

/// Sets one end of a link up from the page's side: `exchange` hands the offer over and gets the answer.
pub fn offer<F>(hello: String, config: rtc::Config, exchange: F) -> io::Result<(Link, mpsc::Receiver<LinkEvent>)>
where
    F: AsyncFnOnce(String) -> Result<String, String> + Send + 'static,
{
    Link::spawn(Role::Page, hello, async move || {
        let text = |error: rtc::RtcError| error.to_string();
        let (connection, _) = Connection::offer(config, CONTROL, channels::CONTROL).await.map_err(text)?;
        let offer = connection.gathered_description().await.map_err(text)?;
        let answer = exchange(offer).await?;
        connection.accept_answer(&answer).await.map_err(text)?;
        Ok(connection)
    })
}

/// The HELLO of a page with these capabilities.
pub fn page_hello(caps: &[&str]) -> String {
    json!({ "v": 1, "role": "page", "name": "native page", "mode": "local", "caps": caps }).to_string()
}

impl NativePage {
    /// Starts `slicc attach --signal stdio` with more arguments, and links to it.
    ///
    /// # Errors
    /// When slicc can't be started, or the link isn't up within the protocol's own limits.
    pub async fn start(slicc: &Path, arguments: &[OsString], caps: &[&str]) -> io::Result<Self> {
        let mut command = Command::new(slicc);
        command.args(["attach", "--signal", "stdio"]).args(arguments);
        Self::link(command, caps).await
    }

    /// Links to the node that `command` starts.
    ///
    /// # Errors
    /// As [`NativePage::start`].
    pub async fn link(command: Command, caps: &[&str]) -> io::Result<Self> {
        let mut node = Node::start(command)?;
        node.await_hello().await?;
        let start = Instant::now();
        let (link, events, hello) = node.link(page_hello(caps)).await?;
        Ok(Self { link, events, hello, set_up: start.elapsed(), node })
    }

    /// Offers once more under the same nonce, as a page does that starts over. Returns the link that was there before.
    ///
    /// # Errors
    /// As [`NativePage::start`].
    pub async fn relink(&mut self, caps: &[&str]) -> io::Result<(Link, mpsc::Receiver<LinkEvent>)> {
        let (link, events, hello) = self.node.link(page_hello(caps)).await?;
        self.hello = hello;
        Ok((std::mem::replace(&mut self.link, link), std::mem::replace(&mut self.events, events)))
    }

    /// Asks the node for a fresh hello, and waits for it.
    ///
    /// # Errors
    /// When none comes.
    pub async fn renew(&mut self) -> io::Result<()> {
        self.node.write(&json!({ "t": "hello" })).await?;
        self.node.await_hello().await
    }

    /// Sends the node a setup message.
    ///
    /// # Errors
    /// When its stdin is closed.
    pub async fn send(&mut self, message: &Value) -> io::Result<()> {
        self.node.write(message).await
    }

    /// Everything that the node wrote on stdout so far.
    pub fn said(&self) -> &[Value] {
        &self.node.said
    }

    /// The nonce of the node's last hello.
    pub fn nonce(&self) -> &Value {
        &self.node.nonce
    }

    /// The node's stderr, when it is a pipe.
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.node.process.stderr.take()
    }

    /// The node's HELLO.
    pub fn hello(&self) -> &Map<String, Value> {
        &self.hello
    }

    /// The time from the setup's hello to the node's HELLO.
    pub fn set_up(&self) -> Duration {
        self.set_up
    }

    /// The process that runs the node.
    pub fn node_pid(&self) -> Option<u32> {
        self.node.process.id()
    }

    /// The link, to open streams on.
    pub fn handle(&self) -> Link {
        self.link.clone()
    }

    /// Opens a stream and waits for its OPENED.
    ///
    /// # Errors
    /// When the link is down or the node resets the stream.
    pub async fn open(&self, open: &Value, placement: Placement) -> io::Result<(Stream, Map<String, Value>)> {
        open_on(&self.link, open, placement).await
    }

    /// The next thing that happens on the link.
    pub async fn next_event(&mut self) -> Option<LinkEvent> {
        self.events.recv().await
    }

    /// Plays the page's kernel until the link is down: a connection to a port goes to the port of 127.0.0.1 that `targets` has
    /// for it, and is refused where it has none.
    pub async fn serve_kernel(&mut self, targets: &HashMap<u16, u16>) {
        let mut connections = JoinSet::new();
        loop {
            let incoming = tokio::select! {
                event = self.events.recv() => match event {
                    Some(LinkEvent::Incoming(incoming)) => incoming,
                    Some(LinkEvent::Down { .. }) | None => return,
                    Some(_) => continue,
                },
                Some(_) = connections.join_next() => continue,
            };
            match KernelOpen::parse(&incoming.open) {
                Ok(open) => drop(connections.spawn(dial(incoming.stream, targets.get(&open.port).copied()))),
                Err(error) => incoming.stream.reset(ErrorCode::Eproto, &error.to_string()),
            }
        }
    }

    /// Ends the node by closing its stdin, and returns everything that it wrote and how it exited.
    ///
    /// # Errors
    /// When the node doesn't exit in time.
    pub async fn finish(self) -> io::Result<(Vec<Value>, ExitStatus)> {
        let Self { link, node, .. } = self;
        let Node { process, input, output, said, .. } = node;
        drop(input);
        let ended = ended(process, output, said).await;
        drop(link);
        ended
    }

    /// Waits until the node ends by itself, and returns everything that it wrote and how it exited.
    ///
    /// # Errors
    /// When the node doesn't exit in time.
    pub async fn ended(self) -> io::Result<(Vec<Value>, ExitStatus)> {
        let Self { link, node, .. } = self;
        let Node { process, input, output, said, .. } = node;
        let ended = ended(process, output, said).await;
        drop((link, input));
        ended
    }
}

/// Carries a `kernel` stream to a server on this machine.
async fn dial(mut stream: Stream, target: Option<u16>) {
    let socket = match target {
        Some(port) => TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.ok(),
        None => None,
    };
    match socket {
        Some(socket) if stream.accept(&Accepted {}).is_ok() => relay(socket, stream).await,
        _ => stream.reset(ErrorCode::Econnrefused, "nothing listens there"),
    }
}

async fn ended(
    mut process: Child,
    mut output: Lines<BufReader<ChildStdout>>,
    mut said: Vec<Value>,
) -> io::Result<(Vec<Value>, ExitStatus)> {
    let ended = timeout(EXIT, async {
        while let Some(line) = output.next_line().await? {
            said.push(serde_json::from_str(&line)?);
        }
        Ok((said, process.wait().await?))
    });
    ended.await.map_err(|_| broken("the node did not exit"))?
}

impl Node {
    fn start(mut command: Command) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn()?;
        let input = process.stdin.take().ok_or_else(|| broken("the node has no stdin"))?;
        let output = process.stdout.take().ok_or_else(|| broken("the node has no stdout"))?;
        Ok(Self { process, input, output: BufReader::new(output).lines(), nonce: Value::Null, said: Vec::new() })
    }

    async fn await_hello(&mut self) -> io::Result<()> {
        self.nonce = self.next("hello").await?["nonce"].take();
        Ok(())
    }

    /// Sets a link up under the current nonce, and waits until it is up.
    async fn link(&mut self, hello: String) -> io::Result<(Link, mpsc::Receiver<LinkEvent>, Map<String, Value>)> {
        let certificate = Certificate::generate(CERTIFICATE).map_err(broken)?;
        let (offer_sender, offer_receiver) = oneshot::channel();
        let (answer_sender, answer_receiver) = oneshot::channel::<String>();
        let (link, mut events) = offer(hello, rtc::Config::new(certificate), async move |sdp| {
            offer_sender.send(sdp).map_err(|_| "nobody takes the offer".to_owned())?;
            answer_receiver.await.map_err(|_| "no answer came".to_owned())
        })?;
        let sdp = offer_receiver.await.map_err(|_| broken("no offer was made"))?;
        let nonce = self.nonce.clone();
        self.write(&json!({ "t": "offer", "nonce": nonce, "sdp": sdp })).await?;
        let answer = self.next("answer").await?;
        let sdp = answer["sdp"].as_str().ok_or_else(|| broken("an answer without a description"))?;
        answer_sender.send(sdp.to_owned()).map_err(|_| broken("nobody takes the answer"))?;

        let hello = timeout(timeouts::CONNECT + timeouts::HELLO, async {
            loop {
                tokio::select! {
                    message = self.message() => {
                        let message = message?;
                        if message["t"] == "candidate" {
                            link.add_candidate(serde_json::from_value(message["candidate"].clone())?).await;
                        }
                    }
                    event = events.recv() => match event {
                        Some(LinkEvent::Linked(hello)) => return Ok(hello),
                        Some(LinkEvent::Down { reason }) => return Err(broken(reason)),
                        Some(_) => {}
                        None => return Err(broken("the link's thread ended")),
                    },
                }
            }
        });
        let hello = hello.await.map_err(|_| broken("the link did not come up"))??;
        Ok((link, events, hello))
    }

    async fn write(&mut self, message: &Value) -> io::Result<()> {
        self.input.write_all(format!("{message}\n").as_bytes()).await?;
        self.input.flush().await
    }

    /// The next message. Dropping the future loses none.
    async fn message(&mut self) -> io::Result<Value> {
        let line = self.output.next_line().await?.ok_or_else(|| broken("the node hung up"))?;
        let message: Value = serde_json::from_str(&line)?;
        self.said.push(message.clone());
        Ok(message)
    }

    /// Reads messages up to one of this type.
    async fn next(&mut self, kind: &str) -> io::Result<Value> {
        loop {
            let message =
                timeout(timeouts::CONNECT, self.message()).await.map_err(|_| broken("the node says nothing"))??;
            if message["t"] == kind {
                return Ok(message);
            }
        }
    }
}

/// Opens a stream on a link and waits for its OPENED.
///
/// # Errors
/// When the link is down or the node resets the stream.
pub async fn open_on(link: &Link, open: &Value, placement: Placement) -> io::Result<(Stream, Map<String, Value>)> {
    let open = open.as_object().ok_or_else(|| broken("an OPEN is a JSON object"))?;
    let mut stream = link.open(open, placement).await.map_err(broken)?;
    let opened = stream.opened().await?;
    Ok((stream, opened))
}
