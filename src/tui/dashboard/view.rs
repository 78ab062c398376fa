//! What the dashboard looks like.

use std::time::{Duration, Instant};

use ratatui::{buffer::Buffer, style::Style};

use super::{LinkState, Model};
use crate::tui::{lines, style::Styles, text};

/// The columns of the labels, on a screen that is wide enough for them.
const LABEL: usize = 10;
/// The columns from which on there are labels.
const WIDE: u16 = 40;
/// The columns of a status line's time.
const TIME: usize = 8;

/// Pieces of a line.
type Pieces = Vec<(String, Style)>;

/// A line of the upper part.
struct Fact {
    label: &'static str,
    pieces: Pieces,
    /// What gives way first on a low screen: the highest.
    rank: usize,
}

impl Model {
    /// Draws the dashboard over the whole buffer.
    pub fn draw(&self, buffer: &mut Buffer, styles: Styles, now: Instant) {
        buffer.reset();
        let height = usize::from(buffer.area.height);
        let wide = buffer.area.width >= WIDE;
        let mut screen: Vec<Pieces> = vec![self.state(styles, now)];
        let foot = usize::from(height >= 3);
        let room = height.saturating_sub(screen.len() + foot);
        let mut facts = self.facts(styles);
        let air = room >= facts.len() + 2;
        while facts.len() > room {
            let least = facts.iter().enumerate().max_by_key(|(_, fact)| fact.rank).map(|(place, _)| place);
            let Some(least) = least else { break };
            facts.remove(least);
        }
        if air {
            screen.push(Pieces::new());
        }
        for fact in facts {
            let mut pieces = Pieces::new();
            if wide {
                pieces.push((text::fit(fact.label, LABEL), styles.faint()));
            }
            pieces.extend(fact.pieces);
            screen.push(pieces);
        }
        let left = height.saturating_sub(screen.len() + foot);
        if air && left > 1 {
            screen.push(Pieces::new());
            screen.extend(self.last_lines(left - 1, buffer.area.width, styles));
        }
        for (row, pieces) in screen.iter().enumerate() {
            lines::draw(buffer, u16::try_from(row).unwrap_or(u16::MAX), pieces, Style::new());
        }
        if foot > 0 {
            let closing = ["closing the browsers that slicc launched", "Ctrl-C ends at once"];
            let keys: &[&str] = if self.closing { &closing } else { &["q quit"] };
            let keys = lines::keys(keys, buffer.area.width.into());
            lines::draw(buffer, buffer.area.height - 1, &[(keys, styles.faint())], Style::new());
        }
    }

    /// The first line: how far the link is.
    fn state(&self, styles: Styles, now: Instant) -> Pieces {
        let title = styles.title();
        match &self.link {
            _ if self.closing => vec![("closing".to_owned(), styles.warning())],
            LinkState::Waiting => vec![("waiting for seven".to_owned(), styles.warning())],
            LinkState::Connecting => vec![("connecting".to_owned(), styles.warning())],
            LinkState::Reconnecting => vec![
                ("reconnecting".to_owned(), styles.warning()),
                (": waiting for seven to offer a link again".to_owned(), styles.faint()),
            ],
            LinkState::Linked { since, peer } => {
                let uptime = clock(now.saturating_duration_since(*since));
                let with = if peer.is_empty() { String::new() } else { format!(" with \"{peer}\"") };
                vec![("linked".to_owned(), styles.good()), (format!(" {uptime}"), title), (with, Style::new())]
            }
        }
    }

    /// What is known, in the order in which it is drawn.
    fn facts(&self, styles: Styles) -> Vec<Fact> {
        let plain = |label, rank, text: &str| Fact { label, rank, pieces: vec![(text.to_owned(), Style::new())] };
        let mut facts = Vec::new();
        for (place, browser) in self.browsers.iter().enumerate() {
            let (name, about) = browser.texts();
            let mut pieces = vec![(name, Style::new())];
            if browser.gone {
                // Before the rest, where no narrow screen cuts it off.
                pieces.push((" · gone".to_owned(), styles.warning()));
            }
            pieces.push((about, styles.faint()));
            let label = if place == 0 { "browsers" } else { "" };
            // The first is the most important fact, and the others are the least.
            facts.push(Fact { label, rank: if place == 0 { 0 } else { 10 + place }, pieces });
        }
        facts.push(plain("tab", 2, self.tab.as_deref().unwrap_or("none shows seven")));
        let optional = [
            ("offers", 4, &self.caps),
            ("policy", 5, &self.policy),
            ("compute", 6, &self.compute),
            ("kernel", 3, &self.kernel),
        ];
        for (label, rank, value) in optional {
            let value = value.as_ref().map(|value| match label {
                "compute" => format!("ssh via {value}"),
                _ => value.clone(),
            });
            facts.extend(value.map(|value| plain(label, rank, &value)));
        }
        facts.push(plain("streams", 1, &self.stream_counts()));
        facts
    }

    fn stream_counts(&self) -> String {
        let counts = self.streams.values();
        let counts: Vec<_> =
            counts.map(|(kind, count)| format!("{} {}/{}", kind.as_str(), count.open, count.total)).collect();
        if counts.is_empty() { "none yet".to_owned() } else { format!("{} (open/total)", counts.join(" · ")) }
    }

    /// The last status lines, as many as fit, each with its time since the start.
    fn last_lines(&self, rows: usize, columns: u16, styles: Styles) -> Vec<Pieces> {
        let wide = columns >= WIDE;
        let before = if wide { TIME } else { 0 };
        let room = usize::from(columns).saturating_sub(before);
        let mut shown = Vec::new();
        for (at, line) in self.log.iter().rev() {
            let mut parts: Vec<Pieces> = Vec::new();
            for part in text::wrap(line, room) {
                let time = if parts.is_empty() { clock(*at) } else { String::new() };
                let mut pieces = Pieces::new();
                if wide {
                    pieces.push((text::fit(&time, before), styles.faint()));
                }
                pieces.push((part, Style::new()));
                parts.push(pieces);
            }
            shown.extend(parts.into_iter().rev());
            if shown.len() >= rows {
                break;
            }
        }
        shown.truncate(rows);
        shown.reverse();
        shown
    }
}

/// A time as on a stopwatch: `0:07`, `1:02:03`, `2d 1:02:03`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (days, hours, minutes, seconds) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}:{seconds:02}"),
        (0, _) => format!("{hours}:{minutes:02}:{seconds:02}"),
        _ => format!("{days}d {hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_reads_as_on_a_stopwatch() {
        let read = |seconds| clock(Duration::from_secs(seconds));
        assert_eq!(read(7), "0:07");
        assert_eq!(read(761), "12:41");
        assert_eq!(read(3723), "1:02:03");
        assert_eq!(read(2 * 86_400 + 3723), "2d 1:02:03");
    }
}
