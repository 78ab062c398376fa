//! The real terminal: taken over, given back, and suspended. It is given back whatever happens: when its owner is dropped, when
//! any thread panics, before the process is stopped, and by [`restore`] before it exits at once.

use std::{
    collections::VecDeque,
    io::{self, IsTerminal as _, Stdout, Write},
    sync::{
        Mutex, Once, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use crossterm::{
    cursor,
    event::{Event, EventStream},
    execute,
    terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode},
};
use futures_util::StreamExt as _;
use ratatui::{Terminal, backend::CrosstermBackend, buffer::Buffer, layout::Rect};

use super::{
    jobs::{Job, Jobs},
    key::Key,
};

/// How many bytes of talk on stderr are held while a screen is shown. The oldest lines go first.
const MOST_HELD: usize = 64 << 10;

/// Whether the terminal shows a screen of slicc's.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// What was said on stderr meanwhile.
static HELD: Mutex<VecDeque<u8>> = Mutex::new(VecDeque::new());

/// Takes the terminal over: no echo, keys at once, and a screen of its own, so that what was there comes back.
fn take() -> io::Result<()> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // First, so that the message can be read. Whoever shows a screen and goes on takes the terminal over again.
            restore();
            before(panic);
        }));
    });
    // Before the first change, so that a failure half-way is undone.
    TAKEN.store(true, Ordering::SeqCst);
    let taken = enable_raw_mode().and_then(|()| execute!(io::stdout(), EnterAlternateScreen, cursor::Hide));
    if taken.is_err() {
        restore();
    }
    taken
}

/// Gives the terminal back as it was, and says what was held meanwhile. Without a screen on it, nothing happens.
pub fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // A terminal that is gone needs no restoring, and no other failure can be told.
    let _ = execute!(io::stdout(), cursor::Show, LeaveAlternateScreen);
    let _ = disable_raw_mode();
    let held: Vec<u8> = HELD.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect();
    let _ = io::stderr().lock().write_all(&held);
}

/// stderr for status lines and diagnostics. While the terminal shows a screen, what is said on it waits until the screen is
/// gone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Talk;

impl Write for Talk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !TAKEN.load(Ordering::SeqCst) || !io::stderr().is_terminal() {
            return io::stderr().lock().write(bytes);
        }
        hold(&mut HELD.lock().unwrap_or_else(PoisonError::into_inner), bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}

/// Adds to what is held, and lets whole lines go when it becomes too much.
fn hold(held: &mut VecDeque<u8>, bytes: &[u8]) {
    held.extend(bytes);
    while held.len() > MOST_HELD {
        let line = held.iter().position(|&byte| byte == b'\n').map_or(held.len(), |end| end + 1);
        held.drain(..line);
    }
}

/// What comes from the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// A key.
    Key(Key),
    /// The screen must be drawn: its size has changed, or something else was on it.
    Redraw,
    /// Nothing will ever come: the terminal is gone.
    Gone,
}

/// The terminal with a screen of slicc's.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    events: EventStream,
    jobs: Jobs,
}

impl Screen {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// When stdout is no terminal, or can't be used as one.
    pub(super) fn new() -> io::Result<Self> {
        let jobs = Jobs::new()?;
        take()?;
        // The rest is dropped on an error, and with it the terminal is given back.
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout()));
        let terminal = terminal.inspect_err(|_| restore())?;
        Ok(Self { terminal, events: EventStream::new(), jobs })
    }

    /// Draws a screen; only changes are written.
    ///
    /// # Errors
    /// When the terminal can't be written.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Buffer)) -> io::Result<()> {
        if !TAKEN.load(Ordering::SeqCst) {
            // A thread has panicked, or the process was stopped.
            self.retake()?;
        }
        self.terminal.draw(|frame| draw(frame.buffer_mut())).map(drop)
    }

    fn retake(&mut self) -> io::Result<()> {
        take()?;
        self.forget()
    }

    /// Clears the terminal, so that the next drawing writes everything. `Terminal::clear` asks the terminal where its cursor is,
    /// and the answer would come among the keys.
    fn forget(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))
    }

    /// Waits for the next input. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Input {
        loop {
            tokio::select! {
                event = self.events.next() => match event {
                    Some(Ok(Event::Key(key))) => match Key::read(key) {
                        Some(Key::Suspend) => Jobs::suspend(),
                        Some(Key::Redraw) => {
                            // What was drawn may be gone. An error shows when it is drawn again.
                            let _ = self.forget();
                            return Input::Redraw;
                        }
                        Some(key) => return Input::Key(key),
                        None => {}
                    },
                    Some(Ok(Event::Resize(..))) => return Input::Redraw,
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return Input::Gone,
                },
                job = self.jobs.next() => {
                    if job == Job::HungUp {
                        return Input::Gone;
                    }
                    // Stopped and continued. Whoever continues the process may have changed the terminal's modes, which are
                    // set anew only when they were given back.
                    restore();
                    if self.retake().is_err() {
                        return Input::Gone;
                    }
                    return Input::Redraw;
                }
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_bounded_and_loses_whole_lines() {
        let mut held = VecDeque::new();
        for line in 0..10_000 {
            hold(&mut held, format!("line {line}\n").as_bytes());
        }
        assert!(held.len() <= MOST_HELD);
        let text = String::from_utf8(held.into_iter().collect()).unwrap();
        assert!(text.starts_with("line ") && text.ends_with("line 9999\n"));
    }

    #[test]
    fn a_terminal_that_was_not_taken_is_left_alone() {
        restore();
        assert!(!TAKEN.load(Ordering::SeqCst));
    }
}
