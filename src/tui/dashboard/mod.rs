//! The dashboard: what a run of plain `slicc` is doing (section "The default: slicc" of the requirement, "The dashboard"). A
//! model without a terminal or a clock: session events, keys and time in, a screen out.

mod shown;
#[cfg(test)]
mod tests;
mod view;

use std::{
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};

use crate::{
    generated::link::StreamKind,
    kernel,
    node::DownReason,
    tui::{
        event::{Role, SessionBrowser, SessionEvent},
        key::Key,
        text,
    },
};

use self::shown::ShownBrowser;

/// How many status lines are kept. A screen shows the last of them.
const LOG: usize = 200;

/// How far the link is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum LinkState {
    /// No seven has offered a link yet.
    Waiting,
    /// An offer is being answered.
    Connecting,
    /// It is up.
    Linked {
        since: Instant,
        /// seven's name, clean.
        peer: String,
    },
    /// It was lost, and slicc waits for seven to offer again.
    Reconnecting,
}

/// How many streams of a kind there are and were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    open: u64,
    total: u64,
}

/// What a key means in the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Nothing.
    Nothing,
    /// Close down: q or Ctrl-C. It comes for each of them.
    Quit,
}

/// The dashboard's model. All its texts are clean.
#[derive(Debug, Clone)]
pub struct Model {
    started: Instant,
    browsers: Vec<ShownBrowser>,
    tab: Option<String>,
    link: LinkState,
    closing: bool,
    caps: Option<String>,
    policy: Option<String>,
    compute: Option<String>,
    kernel: Option<String>,
    /// By the kind's place in the docs.
    streams: BTreeMap<usize, (StreamKind, Count)>,
    /// The last status lines, each with its time since the start.
    log: VecDeque<(Duration, String)>,
}

impl Model {
    /// The dashboard of a run that starts now.
    pub fn new(now: Instant) -> Self {
        Self {
            started: now,
            browsers: Vec::new(),
            tab: None,
            link: LinkState::Waiting,
            closing: false,
            caps: None,
            policy: None,
            compute: None,
            kernel: None,
            streams: BTreeMap::new(),
            log: VecDeque::new(),
        }
    }

    /// Takes an event.
    pub fn tell(&mut self, event: &SessionEvent, now: Instant) {
        match event {
            SessionEvent::Launched { browser, profile, .. } => {
                self.browser(browser).launched_in(profile.as_deref());
            }
            SessionEvent::Attached { browser, launched } => {
                let shown = self.browser(browser);
                shown.launched |= *launched;
            }
            SessionEvent::Offering { caps, policy, compute } => {
                self.offers(caps, policy);
                self.compute = compute.as_deref().map(text::clean);
            }
            SessionEvent::WaitingForSeven => {
                self.tab = None;
                // A lost link stays lost, be there a tab or not.
                if self.link != LinkState::Reconnecting {
                    self.link = LinkState::Waiting;
                }
            }
            SessionEvent::Tab { url, title } => self.tab = Some(tab(url, title)),
            SessionEvent::TabGone => self.tab = None,
            SessionEvent::Connecting => self.link = LinkState::Connecting,
            SessionEvent::Linked { peer, tab: url, caps, policy } => {
                self.link = LinkState::Linked { since: now, peer: text::clean(peer) };
                self.offers(caps, policy);
                if let (None, Some(url)) = (&self.tab, url) {
                    self.tab = Some(tab(url, ""));
                }
            }
            SessionEvent::LinkLost(reason) => {
                self.closing |= *reason == DownReason::Exiting;
                self.link = LinkState::Reconnecting;
            }
            SessionEvent::StreamOpen { kind } => {
                let count = self.count(*kind);
                count.open += 1;
                count.total += 1;
            }
            SessionEvent::StreamClose { kind } => {
                let count = self.count(*kind);
                count.open = count.open.saturating_sub(1);
            }
            SessionEvent::Kernel(notice) => self.kernel_services(notice),
            SessionEvent::BrowserGone { id, .. } => self.set_gone(id, true),
            SessionEvent::BrowserBack { id, .. } => self.set_gone(id, false),
            SessionEvent::Closed { .. } => self.closing = true,
            SessionEvent::Error { message, .. } => self.say(message, now),
            SessionEvent::Discovered { .. } | SessionEvent::Foreign(_) | SessionEvent::Status(_) => {}
        }
        if let Some(line) = event.line() {
            self.say(&line, now);
        }
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> Asked {
        match key {
            Key::Char('q') | Key::Interrupt => {
                self.closing = true;
                Asked::Quit
            }
            _ => Asked::Nothing,
        }
    }

    /// The run was told to end, by a signal for one.
    pub fn close(&mut self) {
        self.closing = true;
    }

    /// When the screen changes by itself: at the next full second of the link. `None` while nothing counts.
    pub fn next_change(&self, now: Instant) -> Option<Duration> {
        let LinkState::Linked { since, .. } = self.link else { return None };
        let up = now.saturating_duration_since(since);
        Some(Duration::from_secs(up.as_secs() + 1).saturating_sub(up))
    }

    /// The shown form of a browser, which is known by its id.
    fn browser(&mut self, browser: &SessionBrowser) -> &mut ShownBrowser {
        let place = match self.browsers.iter().position(|shown| shown.id == browser.id) {
            Some(place) => {
                self.browsers[place].update(browser);
                place
            }
            // The one that hosts seven comes first.
            None if browser.role == Role::Seven => {
                self.browsers.insert(0, ShownBrowser::new(browser));
                0
            }
            None => {
                self.browsers.push(ShownBrowser::new(browser));
                self.browsers.len() - 1
            }
        };
        &mut self.browsers[place]
    }

    fn set_gone(&mut self, id: &str, gone: bool) {
        for browser in self.browsers.iter_mut().filter(|browser| browser.id == id) {
            browser.gone = gone;
        }
    }

    fn offers(&mut self, caps: &[crate::generated::link::Cap], policy: &str) {
        let caps: Vec<_> = caps.iter().map(|cap| cap.as_str()).collect();
        self.caps = Some(caps.join(", "));
        self.policy = Some(text::clean(policy));
    }

    fn kernel_services(&mut self, notice: &kernel::Notice) {
        match notice {
            kernel::Notice::On { port: kernel::DEFAULT_PORT } => {
                self.kernel = Some("http://<port>.kernel.localhost/".to_owned());
            }
            kernel::Notice::On { port } => self.kernel = Some(format!("http://<port>.kernel.localhost:{port}/")),
            kernel::Notice::Off { .. } => self.kernel = Some("off".to_owned()),
            // They are on, and the status line says what isn't.
            kernel::Notice::OnIpv4Alone { .. } => {}
        }
    }

    fn count(&mut self, kind: StreamKind) -> &mut Count {
        let place = StreamKind::ALL.iter().position(|known| *known == kind).unwrap_or(StreamKind::ALL.len());
        &mut self.streams.entry(place).or_insert((kind, Count::default())).1
    }

    fn say(&mut self, line: &str, now: Instant) {
        if self.log.len() == LOG {
            self.log.pop_front();
        }
        self.log.push_back((now.saturating_duration_since(self.started), text::clean(line)));
    }
}

/// The tab: its title, when it has one, and its URL.
fn tab(url: &str, title: &str) -> String {
    let (url, title) = (text::clean(url), text::clean(title));
    if title.is_empty() { url } else { format!("{title} · {url}") }
}
