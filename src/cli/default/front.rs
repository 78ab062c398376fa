//! Where the events of a run go: lines for people, NDJSON for programs, or whoever draws them.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    time::Duration,
};

use tokio_util::sync::CancellationToken;

use crate::cli::{
    Failure, console,
    stdout::{self, Stopped},
};
use crate::tui::{event::SessionEvent, ndjson};

/// Lines that wait for the reader of stdout. A run says little, so more of them means that nobody reads.
const QUEUE: usize = 1024;
/// How long the reader may take for what waits when the run is over.
const FLUSH: Duration = Duration::from_secs(5);

/// Who is told what happens.
pub enum Front {
    /// People: status lines on stderr.
    Lines,
    /// A program: NDJSON on stdout, and the status lines.
    Json,
    /// Whoever draws it. It is called on any thread, so it must return quickly and never block.
    Drawn(Arc<dyn Fn(&SessionEvent) + Send + Sync>),
}

/// The way to it. It is shared by everything that has something to tell.
pub struct Output {
    front: Front,
    json: Option<Json>,
}

impl Output {
    /// Starts it. `stop` is cancelled when nobody reads stdout any more, or when it can't be written.
    pub fn new(front: Front, stop: CancellationToken) -> Self {
        let json = matches!(front, Front::Json).then(|| Json::start(io::stdout(), stop));
        Self { front, json }
    }

    /// Tells what happened.
    pub fn tell(&self, event: &SessionEvent) {
        match &self.front {
            Front::Lines => say(event),
            Front::Json => {
                say(event);
                if let (Some(json), Some(line)) = (&self.json, ndjson::line(event)) {
                    json.write(&line);
                }
            }
            Front::Drawn(draw) => draw(event),
        }
    }

    /// Says something that people read.
    pub fn status(&self, line: impl Into<String>) {
        self.tell(&SessionEvent::Status(line.into()));
    }

    /// Waits until everything is written, within bounds.
    ///
    /// # Errors
    /// Why stdout isn't whole.
    pub async fn finish(&self) -> Result<(), Stopped> {
        match &self.json {
            Some(json) => json.finish().await,
            None => Ok(()),
        }
    }
}

fn say(event: &SessionEvent) {
    if let Some(line) = event.line() {
        console::status(&line);
    }
}

/// A thread that writes lines, so that a reader that is slow holds up nothing else.
struct Json {
    lines: Mutex<Option<mpsc::SyncSender<String>>>,
    written: tokio::sync::watch::Receiver<Option<Result<(), WriteError>>>,
    lost: Arc<Mutex<Option<Failure>>>,
    stop: CancellationToken,
}

/// Why the thread stopped early.
#[derive(Debug, Clone)]
enum WriteError {
    Unread,
    Failed(Failure),
}

impl Json {
    fn start(mut out: impl Write + Send + 'static, stop: CancellationToken) -> Self {
        let (sender, receiver) = mpsc::sync_channel::<String>(QUEUE);
        let (done, written) = tokio::sync::watch::channel(None);
        let ended = stop.clone();
        std::thread::spawn(move || {
            let result = receiver
                .iter()
                .try_for_each(|line| stdout::written(writeln!(out, "{line}").and_then(|()| out.flush())));
            if result.is_err() {
                ended.cancel();
            }
            // A run that is over already doesn't ask.
            let _ = done.send(Some(result.map_err(|stopped| match stopped {
                Stopped::Unread => WriteError::Unread,
                Stopped::Failed(failure) => WriteError::Failed(failure),
            })));
        });
        Self { lines: Mutex::new(Some(sender)), written, lost: Arc::default(), stop }
    }

    fn write(&self, line: &crate::generated::events::SessionLine) {
        let lines = lock(&self.lines);
        let Some(sender) = lines.as_ref() else { return };
        let failure = match serde_json::to_string(line) {
            Ok(text) => match sender.try_send(text) {
                // The thread that is gone says why.
                Ok(()) | Err(mpsc::TrySendError::Disconnected(_)) => return,
                Err(mpsc::TrySendError::Full(_)) => Failure::failed("nobody reads what slicc prints on stdout"),
            },
            Err(error) => Failure::failed(format_args!("an event is lost: {error}")),
        };
        lock(&self.lost).get_or_insert(failure);
        self.stop.cancel();
    }

    async fn finish(&self) -> Result<(), Stopped> {
        // Without a sender, the thread ends after the last line.
        drop(lock(&self.lines).take());
        let mut written = self.written.clone();
        let ended = tokio::time::timeout(FLUSH, written.wait_for(Option::is_some)).await;
        let ended = match ended {
            Ok(Ok(result)) => result.clone().unwrap_or(Ok(())),
            Ok(Err(_)) => Ok(()),
            Err(_) => Err(WriteError::Failed(Failure::failed("nobody reads what slicc prints on stdout"))),
        };
        let lost = lock(&self.lost).take();
        match (ended, lost) {
            (Err(WriteError::Unread), _) => Err(Stopped::Unread),
            (Err(WriteError::Failed(failure)), _) | (Ok(()), Some(failure)) => Err(Stopped::Failed(failure)),
            (Ok(()), None) => Ok(()),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it holds one of these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::events::SessionLine;

    struct Out(io::ErrorKind);

    impl Write for Out {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Takes nothing, ever.
    struct Stuck(mpsc::Receiver<()>);

    impl Write for Stuck {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn closed() -> SessionLine {
        SessionLine::Closed { schema: 1, browsers: Vec::new() }
    }

    #[tokio::test]
    async fn a_reader_that_went_away_stops_the_run_quietly() {
        let stop = CancellationToken::new();
        let json = Json::start(Out(io::ErrorKind::BrokenPipe), stop.clone());
        json.write(&closed());
        stop.cancelled().await;
        assert_eq!(json.finish().await, Err(Stopped::Unread));
    }

    #[tokio::test]
    async fn a_stdout_that_cannot_be_written_is_a_failure() {
        let stop = CancellationToken::new();
        let json = Json::start(Out(io::ErrorKind::StorageFull), stop.clone());
        json.write(&closed());
        stop.cancelled().await;
        let Err(Stopped::Failed(failure)) = json.finish().await else { panic!("it is lost") };
        assert!(failure.message.starts_with("stdout can't be written"), "{failure}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_never_reads_stops_the_run() {
        let (free, stuck) = mpsc::channel();
        let stop = CancellationToken::new();
        let json = Json::start(Stuck(stuck), stop.clone());
        for _ in 0..QUEUE + 2 {
            json.write(&closed());
        }
        stop.cancelled().await;
        let Err(Stopped::Failed(failure)) = json.finish().await else { panic!("lines are lost") };
        assert_eq!(failure.message, "nobody reads what slicc prints on stdout");
        drop(free);
    }
}
