//! The picker and the dashboard on the real terminal.

use std::{
    future::Future,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::Notify;

use super::{
    dashboard::{Asked, Model},
    event::SessionEvent,
    picker::{Outcome, Picked, Picker},
    style::Styles,
    terminal::{Input, Screen},
};

/// The least time between two drawings of the dashboard, however much happens.
const FRAME: Duration = Duration::from_millis(50);

/// What the dashboard wants of the run that it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// The user pressed q or Ctrl-C. It comes each time.
    Quit,
    /// The terminal is gone, so that nobody sees the run or can end it.
    Gone,
}

/// Lets the user pick. `None` when they quit, or when the terminal is gone.
///
/// # Errors
/// When the terminal can't be used.
pub async fn pick(mut picker: Picker) -> io::Result<Option<Picked>> {
    let styles = Styles::from_environment();
    let mut screen = Screen::new()?;
    loop {
        screen.draw(|buffer| picker.draw(buffer, styles))?;
        match screen.next().await {
            Input::Redraw => {}
            Input::Gone => return Ok(None),
            Input::Key(key) => match picker.key(key) {
                Outcome::Stay => {}
                Outcome::Quit => return Ok(None),
                Outcome::Go(picked) => return Ok(Some(picked)),
            },
        }
    }
}

/// The dashboard, which takes what happens from any thread.
#[derive(Debug, Clone)]
pub struct Dashboard(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    model: Mutex<Model>,
    changed: Notify,
}

impl Default for Dashboard {
    fn default() -> Self {
        Self::new()
    }
}

impl Dashboard {
    /// A dashboard of a run that starts now. Nothing is drawn yet.
    pub fn new() -> Self {
        let shared = Shared { model: Mutex::new(Model::new(Instant::now())), changed: Notify::new() };
        Self(Arc::new(shared))
    }

    /// Takes an event. It never waits for the terminal.
    pub fn tell(&self, event: &SessionEvent) {
        self.model().tell(event, Instant::now());
        self.0.changed.notify_one();
    }

    fn model(&self) -> MutexGuard<'_, Model> {
        // A panic while it was told something leaves a model that can still be drawn.
        self.0.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the dashboard while `run` runs, and gives the terminal back after it. `wish` is told what the run should do; it
    /// goes on until it is over by itself.
    ///
    /// # Errors
    /// When the terminal can't be used; `run` hasn't begun then.
    pub async fn show<T>(&self, run: impl Future<Output = T>, mut wish: impl FnMut(Wish)) -> io::Result<T> {
        let styles = Styles::from_environment();
        let mut screen = Screen::new()?;
        tokio::pin!(run);
        let mut drawn: Option<Instant> = None;
        let mut stale = true;
        loop {
            let now = Instant::now();
            let next = if stale {
                Some(drawn.map_or(Duration::ZERO, |drawn| (drawn + FRAME).saturating_duration_since(now)))
            } else {
                self.model().next_change(now)
            };
            let drawing = async {
                match next {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => std::future::pending().await,
                }
            };
            let gone = tokio::select! {
                output = &mut run => return Ok(output),
                // While the screen is to be drawn anyway, more news change nothing.
                () = self.0.changed.notified(), if !stale => {
                    stale = true;
                    false
                }
                input = screen.next() => match input {
                    Input::Redraw => {
                        stale = true;
                        false
                    }
                    Input::Key(key) => {
                        if self.model().key(key) == Asked::Quit {
                            wish(Wish::Quit);
                        }
                        stale = true;
                        false
                    }
                    Input::Gone => true,
                },
                () = drawing => {
                    let now = Instant::now();
                    drawn = Some(now);
                    stale = false;
                    screen.draw(|buffer| self.model().draw(buffer, styles, now)).is_err()
                }
            };
            if gone {
                // Nobody sees the run any more, but it still ends in good order.
                wish(Wish::Gone);
                drop(screen);
                return Ok(run.await);
            }
        }
    }
}
