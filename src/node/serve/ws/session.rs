//! An open WebSocket: messages between the page and the far end, and every way in which it ends. Section "Link", ws.
//!
//! Two directions run side by side. [`Upload`] alone writes to the far end; [`Download`] alone reads from it and writes to the
//! page. They tell each other what they know through an [`Outbox`] and a [`Word`].

use std::{
    collections::VecDeque,
    future::pending,
    io,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use bytes::{BufMut, Bytes, BytesMut};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf},
    sync::{Notify, oneshot},
    time::{Instant, sleep_until, timeout_at},
};

use super::{
    close::Close,
    frames::{self, Event, Fault, MASK, Message, Opcode},
    records::{self, Item},
};
use crate::{
    generated::link::limits,
    link::{RecvHalf, SendHalf, Stream},
};

/// Bytes that are read from the far end at once.
const READ: usize = 16 * 1024;
/// Pongs that may wait to be written. Past that, the newest goes for the next one: only the latest ping needs an answer.
const MAX_PONGS: usize = 16;

/// The page reset the stream, or the link is down.
struct PageGone;

/// What the direction to the far end tells the other one.
enum Word {
    /// The far end has this long to close.
    Closing(Instant),
    /// The page broke the rules: the WebSocket is closed with this code.
    Refused(u16),
    /// The page went without a close.
    Dropped,
}

/// How the WebSocket ends.
enum End {
    /// A close was agreed on, or is our answer to a broken rule: a close record, then END. The far end gets its part.
    Closed(Option<Close>),
    /// The far end broke the protocol, and is told so: END alone.
    Failed,
    /// The connection is gone or is dropped: END alone.
    Dropped,
}

/// Carries messages both ways until the WebSocket has ended. `limit` is how long the far end may take for its part in a
/// close.
pub(super) async fn run<S>(socket: S, stream: Stream, limit: Duration)
where
    S: AsyncRead + AsyncWrite + Send + Unpin,
{
    let (from_far, to_far) = tokio::io::split(socket);
    let (from_page, mut to_page) = stream.split();
    let outbox = Outbox::default();
    let (tell, told) = oneshot::channel();
    let mut uploading = true;
    let decoder = records::Decoder::default();
    let upload = Upload { from_page, to_far, decoder, outbox: &outbox, tell: Some(tell), limit };
    let mut upload = Box::pin(upload.run());
    let mut download = Download::new(from_far, told, &outbox);
    let ended = {
        let mut running = std::pin::pin!(download.run(&mut to_page));
        loop {
            tokio::select! {
                biased;
                ended = &mut running => break ended,
                () = &mut upload, if uploading => uploading = false,
            }
        }
    };
    let Ok(end) = ended else { return };
    let Download { reader, mut held, .. } = download;
    let deadline = Instant::now() + limit;
    let far_end = async {
        if matches!(end, End::Dropped) {
            return drop((upload, reader));
        }
        let rest = async {
            if uploading {
                upload.await;
            }
            reader.drain().await;
        };
        // A far end that takes longer is dropped.
        drop(timeout_at(deadline, rest).await);
    };
    let page = async {
        held.pass_on(&mut to_page).await?;
        if let End::Closed(close) = &end {
            held.pieces.push_back(records::close_record(close.as_ref()));
            held.pass_on(&mut to_page).await?;
        }
        to_page.end();
        Ok::<_, PageGone>(())
    };
    // A page that is gone takes the far end with it.
    drop(tokio::try_join!(page, async {
        far_end.await;
        Ok(())
    }));
}

/// Control frames that the far end is owed.
#[derive(Default)]
struct Outbox {
    owed: Mutex<Owed>,
    filled: Notify,
}

#[derive(Default)]
struct Owed {
    pongs: VecDeque<Bytes>,
    close: Option<Control>,
}

/// A control frame to write.
enum Control {
    Pong(Bytes),
    Close(Option<Close>),
}

impl Outbox {
    fn pong(&self, payload: Bytes) {
        self.owe(|owed| {
            owed.pongs.truncate(MAX_PONGS - 1);
            owed.pongs.push_back(payload);
        });
    }

    fn close(&self, code: Option<u16>) {
        self.owe(|owed| owed.close = Some(Control::Close(code.map(Close::with_code))));
    }

    fn owe(&self, change: impl FnOnce(&mut Owed)) {
        change(&mut self.owed.lock().unwrap_or_else(PoisonError::into_inner));
        self.filled.notify_one();
    }

    fn take(&self) -> Option<Control> {
        let mut owed = self.owed.lock().unwrap_or_else(PoisonError::into_inner);
        // Behind a close, a pong is worth nothing.
        owed.close.take().or_else(|| owed.pongs.pop_front().map(Control::Pong))
    }

    async fn next(&self) -> Control {
        loop {
            if let Some(control) = self.take() {
                return control;
            }
            self.filled.notified().await;
        }
    }
}

/// From the page to the far end.
struct Upload<'a, S> {
    from_page: RecvHalf,
    to_far: WriteHalf<S>,
    decoder: records::Decoder,
    outbox: &'a Outbox,
    tell: Option<oneshot::Sender<Word>>,
    limit: Duration,
}

impl<S: AsyncWrite> Upload<'_, S> {
    /// Passes messages on up to a close of either side.
    async fn run(mut self) {
        if self.relay().await.is_err() {
            // What the far end has sent before it went can still be read.
            self.tell(Word::Closing(Instant::now() + self.limit));
        }
    }

    async fn relay(&mut self) -> io::Result<()> {
        loop {
            let mut out = BytesMut::new();
            tokio::select! {
                biased;
                control = self.outbox.next() => match control {
                    Control::Pong(payload) => {
                        frame(&mut out, Opcode::Pong, true, &payload)?;
                        self.write(out).await?;
                    }
                    Control::Close(close) => {
                        close_frame(&mut out, close.as_ref())?;
                        return self.write(out).await;
                    }
                },
                piece = self.from_page.recv() => {
                    // A stream that was reset fails the other direction as well.
                    let Ok(Some(piece)) = piece else {
                        self.tell(Word::Dropped);
                        return Ok(());
                    };
                    let length = piece.len();
                    let word = translate(&mut self.decoder, piece, &mut out, self.limit)?;
                    let over = word.is_some();
                    if let Some(word) = word {
                        // Before the write, since the far end's time runs while it doesn't read.
                        self.tell(word);
                    }
                    self.write(out).await?;
                    self.from_page.credit(length);
                    if over {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn write(&mut self, mut out: BytesMut) -> io::Result<()> {
        self.to_far.write_all_buf(&mut out).await?;
        self.to_far.flush().await
    }

    fn tell(&mut self, word: Word) {
        if let Some(tell) = self.tell.take() {
            // The other direction may have ended already.
            drop(tell.send(word));
        }
    }
}

/// Turns a piece of the page's records into frames. A [`Word`] says that the last of them is a close.
fn translate(
    decoder: &mut records::Decoder,
    mut piece: Bytes,
    out: &mut BytesMut,
    limit: Duration,
) -> io::Result<Option<Word>> {
    loop {
        match decoder.next(&mut piece) {
            Ok(None) => return Ok(None),
            Ok(Some(Item::Part { kind, first, last, data })) => {
                let opcode = if first { Opcode::beginning(kind) } else { Opcode::Continuation };
                frame(out, opcode, last, &data)?;
            }
            Ok(Some(Item::Close(close))) => {
                close_frame(out, close.as_ref())?;
                return Ok(Some(Word::Closing(Instant::now() + limit)));
            }
            Err(bad) => {
                close_frame(out, Some(&Close::with_code(bad.close_code())))?;
                return Ok(Some(Word::Refused(bad.close_code())));
            }
        }
    }
}

fn close_frame(out: &mut BytesMut, close: Option<&Close>) -> io::Result<()> {
    frame(out, Opcode::Close, true, &Close::payload(close))
}

/// Appends a frame under a mask that nobody can foresee.
fn frame(out: &mut BytesMut, opcode: Opcode, fin: bool, payload: &[u8]) -> io::Result<()> {
    let mut mask = [0; MASK];
    getrandom::fill(&mut mask).map_err(|_| io::Error::other("no random bytes"))?;
    frames::encode(out, opcode, fin, mask, payload);
    Ok(())
}

/// From the far end to the page.
struct Download<'a, S> {
    reader: Reader<S>,
    held: Held,
    told: Option<oneshot::Receiver<Word>>,
    deadline: Option<Instant>,
    outbox: &'a Outbox,
}

impl<'a, S: AsyncRead> Download<'a, S> {
    fn new(from_far: ReadHalf<S>, told: oneshot::Receiver<Word>, outbox: &'a Outbox) -> Self {
        Self { reader: Reader::new(from_far), held: Held::default(), told: Some(told), deadline: None, outbox }
    }

    /// Passes messages on, one at a time, until the WebSocket ends. What is held then is still to be passed on.
    async fn run(&mut self, to_page: &mut SendHalf) -> Result<End, PageGone> {
        loop {
            let Self { reader, held, told, deadline, outbox } = self;
            let ended = ended(told, deadline);
            if !held.is_empty() {
                tokio::select! {
                    biased;
                    passed = held.pass_on(to_page) => passed?,
                    end = ended => return Ok(end),
                }
                continue;
            }
            let event = tokio::select! {
                biased;
                _ = to_page.failed() => return Err(PageGone),
                end = ended => return Ok(end),
                event = reader.next() => event,
            };
            match event {
                Ok(Event::Message(message)) => held.take(message),
                Ok(Event::Ping(payload)) => outbox.pong(payload),
                Ok(Event::Pong) => {}
                Ok(Event::Close(close)) => {
                    // The answer has the same code.
                    outbox.close(close.as_ref().map(Close::code));
                    return Ok(End::Closed(close));
                }
                Err(Broken::Fault(fault)) => {
                    outbox.close(Some(fault.close_code()));
                    return Ok(match fault {
                        Fault::TooLarge => End::Closed(Some(Close::with_code(fault.close_code()))),
                        Fault::Protocol | Fault::NotUtf8 => End::Failed,
                    });
                }
                Err(Broken::Gone) => return Ok(End::Dropped),
            }
        }
    }
}

/// Resolves once the direction to the far end, or the time that the far end has for a close, says that it is over.
async fn ended(told: &mut Option<oneshot::Receiver<Word>>, deadline: &mut Option<Instant>) -> End {
    loop {
        tokio::select! {
            biased;
            word = async {
                match told {
                    Some(word) => word.await,
                    None => pending().await,
                }
            } => {
                *told = None;
                match word {
                    Ok(Word::Closing(until)) => *deadline = Some(until),
                    Ok(Word::Refused(code)) => return End::Closed(Some(Close::with_code(code))),
                    Ok(Word::Dropped) => return End::Dropped,
                    // It has answered the far end's close.
                    Err(_) => {}
                }
            }
            () = async {
                match deadline {
                    Some(until) => sleep_until(*until).await,
                    None => pending().await,
                }
            } => return End::Dropped,
        }
    }
}

/// A message that waits for the page's window.
#[derive(Default)]
struct Held {
    pieces: VecDeque<Bytes>,
}

impl Held {
    fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    fn take(&mut self, message: Message) {
        self.pieces.push_back(records::message_header(message.kind, message.length));
        self.pieces.extend(message.blocks);
    }

    /// Sends what is held. When it is dropped meanwhile, what is left is still held.
    async fn pass_on(&mut self, to_page: &mut SendHalf) -> Result<(), PageGone> {
        while let Some(piece) = self.pieces.front_mut() {
            to_page.write_all_buf(piece).await.map_err(|_| PageGone)?;
            self.pieces.pop_front();
        }
        Ok(())
    }
}

/// Why the far end says nothing more.
enum Broken {
    /// It broke the rules.
    Fault(Fault),
    /// Its connection is gone.
    Gone,
}

/// Reads the far end's frames.
struct Reader<S> {
    from_far: ReadHalf<S>,
    input: BytesMut,
    decoder: frames::Decoder,
}

impl<S: AsyncRead> Reader<S> {
    fn new(from_far: ReadHalf<S>) -> Self {
        Self { from_far, input: BytesMut::new(), decoder: frames::Decoder::new(limits::WS_MESSAGE) }
    }

    /// The next event. When it is dropped meanwhile, nothing is lost.
    async fn next(&mut self) -> Result<Event, Broken> {
        loop {
            if let Some(event) = self.decoder.next(&mut self.input).map_err(Broken::Fault)? {
                return Ok(event);
            }
            if self.read().await? == 0 {
                return Err(Broken::Gone);
            }
        }
    }

    /// Reads and drops everything to the end.
    async fn drain(mut self) {
        loop {
            self.input.clear();
            if !matches!(self.read().await, Ok(read) if read > 0) {
                return;
            }
        }
    }

    async fn read(&mut self) -> Result<usize, Broken> {
        self.input.reserve(READ);
        self.from_far.read_buf(&mut (&mut self.input).limit(READ)).await.map_err(|_| Broken::Gone)
    }
}
