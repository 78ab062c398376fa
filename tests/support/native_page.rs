//! A page that is no browser: it plays the page role of the link, with slicc's own multiplexer and peer connection, against
//! a `slicc attach --signal stdio` that it starts. Suites and benchmarks drive slicc's streams through it.

use std::{
    ffi::OsString,
    io,
    path::Path,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use serde_json::{Map, Value, json};
use slicc::{
    generated::link::{channels, timeouts},
    link::{
        Link, LinkEvent, Stream,
        mux::{Placement, Role},
        rtc::{self, Certificate, Connection},
        transport::ChannelId,
    },
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::{mpsc, oneshot},
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
    node: Child,
    /// Keeps the node alive: it exits when its stdin closes.
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
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
    pub async fn link(mut command: Command, caps: &[&str]) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut node = command.spawn()?;
        let mut input = node.stdin.take().ok_or_else(|| broken("the node has no stdin"))?;
        let stdout = node.stdout.take().ok_or_else(|| broken("the node has no stdout"))?;
        let mut output = BufReader::new(stdout).lines();
        let hello = next(&mut output, "hello").await?;
        let nonce = hello["nonce"].clone();

        let certificate = Certificate::generate(CERTIFICATE).map_err(broken)?;
        let (offer_sender, offer_receiver) = oneshot::channel();
        let (answer_sender, answer_receiver) = oneshot::channel::<String>();
        let (link, mut events) = offer(page_hello(caps), rtc::Config::new(certificate), async move |sdp| {
            offer_sender.send(sdp).map_err(|_| "nobody takes the offer".to_owned())?;
            answer_receiver.await.map_err(|_| "no answer came".to_owned())
        })?;
        let sdp = offer_receiver.await.map_err(|_| broken("no offer was made"))?;
        write(&mut input, &json!({ "t": "offer", "nonce": nonce, "sdp": sdp })).await?;
        let answer = next(&mut output, "answer").await?;
        let sdp = answer["sdp"].as_str().ok_or_else(|| broken("an answer without a description"))?;
        answer_sender.send(sdp.to_owned()).map_err(|_| broken("nobody takes the answer"))?;

        let hello = timeout(timeouts::CONNECT + timeouts::HELLO, async {
            loop {
                tokio::select! {
                    line = output.next_line() => {
                        let line = line?.ok_or_else(|| broken("the node hung up"))?;
                        let message: Value = serde_json::from_str(&line)?;
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
        Ok(Self { link, events, hello, node, input, output })
    }

    /// The node's HELLO.
    pub fn hello(&self) -> &Map<String, Value> {
        &self.hello
    }

    /// The process that runs the node.
    pub fn node_pid(&self) -> Option<u32> {
        self.node.id()
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

    /// Ends the node by closing its stdin, and returns what it wrote meanwhile and how it exited.
    ///
    /// # Errors
    /// When the node doesn't exit in time.
    pub async fn finish(self) -> io::Result<(Vec<Value>, ExitStatus)> {
        let Self { link, mut node, input, mut output, .. } = self;
        drop(input);
        let messages = async {
            let mut messages = Vec::new();
            while let Some(line) = output.next_line().await? {
                messages.push(serde_json::from_str(&line)?);
            }
            Ok::<_, io::Error>(messages)
        };
        let ended = timeout(EXIT, async { Ok((messages.await?, node.wait().await?)) }).await;
        drop(link);
        ended.map_err(|_| broken("the node did not exit"))?
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

async fn write(input: &mut ChildStdin, message: &Value) -> io::Result<()> {
    input.write_all(format!("{message}\n").as_bytes()).await?;
    input.flush().await
}

/// Reads the node's lines up to one of this type.
async fn next(output: &mut Lines<BufReader<ChildStdout>>, kind: &str) -> io::Result<Value> {
    loop {
        let line =
            timeout(timeouts::CONNECT, output.next_line()).await.map_err(|_| broken("the node says nothing"))??;
        let message: Value = serde_json::from_str(&line.ok_or_else(|| broken("the node hung up"))?)?;
        if message["t"] == kind {
            return Ok(message);
        }
    }
}
