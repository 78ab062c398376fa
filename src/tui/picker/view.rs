//! What the picker looks like.

use ratatui::{buffer::Buffer, style::Style};

use super::{Picker, Row, RowSubject, chooser::Chooser};
use crate::tui::{lines, style::Styles, text};

/// The columns before a row's name: the cursor, and the place among the selected ones.
const BEFORE_NAME: usize = 6;
/// The least columns for a state; with less, a row is its name.
const LEAST_STATE: usize = 10;

/// Which lines of the screen are what.
struct Layout {
    title: Option<u16>,
    list: u16,
    list_height: u16,
    note: Option<u16>,
    keys: Option<u16>,
}

impl Layout {
    /// The list comes first, then the keys, then what Enter does, then the title, then air.
    fn new(height: u16, lines: usize) -> Self {
        let keys = height >= 2;
        let note = height >= 4;
        let title = height >= 5;
        let used = u16::from(keys) + u16::from(note) + u16::from(title);
        let air = u16::from(usize::from(height) >= lines + usize::from(used) + 2);
        let list = u16::from(title) + air;
        Self {
            title: title.then_some(0),
            list,
            list_height: height.saturating_sub(used + 2 * air),
            note: note.then(|| height - 2),
            keys: keys.then(|| height - 1),
        }
    }
}

impl Picker {
    /// Draws the picker over the whole buffer.
    pub fn draw(&mut self, buffer: &mut Buffer, styles: Styles) {
        buffer.reset();
        if let Some(chooser) = &mut self.chooser {
            let row = &self.rows[chooser.row];
            draw_chooser(chooser, &text::clean(&row.name), buffer, styles);
            return;
        }
        let layout = Layout::new(buffer.area.height, self.rows.len());
        let height = usize::from(layout.list_height);
        self.page = height.max(1);
        self.top = lines::top(self.top, self.cursor.unwrap_or(0), self.rows.len(), height);
        if let Some(line) = layout.title {
            let mut title = vec![("Where to open seven".to_owned(), styles.title())];
            if self.rows.len() > height {
                let place = self.cursor.map_or(0, |cursor| cursor + 1);
                title.push((format!("  {place} of {}", self.rows.len()), styles.faint()));
            }
            lines::draw(buffer, line, &title, Style::new());
        }
        let names: Vec<String> = self.rows.iter().map(name).collect();
        let columns = usize::from(buffer.area.width).saturating_sub(BEFORE_NAME);
        let widest = names.iter().map(|name| text::width(name)).max().unwrap_or(0);
        // A name takes half of the line at most, unless nothing is left for the state anyway.
        let name_columns = widest.min((columns / 2).max(18)).min(columns);
        for (line, row) in (self.top..self.rows.len()).take(height).enumerate() {
            let mut pieces = vec![(self.before(row), Style::new())];
            if columns < name_columns + 2 + LEAST_STATE {
                pieces.push((text::cut(&names[row], columns), Style::new()));
            } else {
                pieces.push((text::fit(&names[row], name_columns), Style::new()));
                pieces.push((format!("  {}", self.state(row)), styles.faint()));
                if row == 0 && self.rows[row].can_host() && !self.rows[row].is_six() {
                    pieces.push((" · best match".to_owned(), styles.good()));
                }
            }
            let whole = if self.cursor == Some(row) { styles.cursor() } else { Style::new() };
            let line = layout.list + u16::try_from(line).unwrap_or(u16::MAX);
            lines::draw(buffer, line, &pieces, whole);
        }
        let keys = ["↑↓ move", "p profile", "space select", "Enter go", "q quit"];
        draw_foot(buffer, &layout, self.note.as_deref(), &self.plan(), &keys, styles);
    }

    /// The cursor, and the place among the selected ones.
    fn before(&self, row: usize) -> String {
        let cursor = if self.cursor == Some(row) { '>' } else { ' ' };
        match self.selected.iter().position(|&selected| selected == row) {
            Some(place) if place < 9 => format!("{cursor} [{}] ", place + 1),
            Some(_) => format!("{cursor} [+] "),
            None => format!("{cursor} [ ] "),
        }
    }

    /// A row's state, in the requirement's words.
    fn state(&self, row: usize) -> String {
        match &self.rows[row].subject {
            RowSubject::Endpoint { place, seven_open: true, .. } => format!("CDP {place} · seven open"),
            RowSubject::Endpoint { place, .. } => format!("CDP {place}"),
            RowSubject::Installed { default, existing, .. } => {
                let profile = self.profile_of(row).unwrap_or(default);
                let new = if existing.contains(profile) { "" } else { "new SLICC " };
                format!("installed · {new}profile {profile}")
            }
            RowSubject::App { .. } => "installed · Electron".to_owned(),
            RowSubject::Six(_) => "SLICC six's own profile, used in place".to_owned(),
        }
    }

    /// What Enter does.
    fn plan(&self) -> String {
        let going = self.going();
        let Some((&first, rest)) = going.split_first() else { return String::new() };
        let mut plan = format!("Enter: seven in {}", text::clean(&self.rows[first].name));
        if !rest.is_empty() {
            let extras: Vec<_> = rest.iter().map(|&row| text::clean(&self.rows[row].name)).collect();
            plan.push_str("; extras: ");
            plan.push_str(&extras.join(", "));
        }
        plan
    }
}

/// A row's name with its version.
fn name(row: &Row) -> String {
    let version = row.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    text::clean(&format!("{}{version}", row.name))
}

fn draw_foot(buffer: &mut Buffer, layout: &Layout, note: Option<&str>, plan: &str, keys: &[&str], styles: Styles) {
    let note = note.map(|note| vec![(note.to_owned(), styles.warning())]);
    let keys = vec![(lines::keys(keys, usize::from(buffer.area.width)), styles.faint())];
    if let Some(line) = layout.note {
        let plan = vec![(plan.to_owned(), Style::new())];
        lines::draw(buffer, line, note.as_ref().unwrap_or(&plan), Style::new());
    }
    if let Some(line) = layout.keys {
        // On a low screen, what is in the way takes the place of the keys.
        let pieces = note.as_ref().filter(|_| layout.note.is_none()).unwrap_or(&keys);
        lines::draw(buffer, line, pieces, Style::new());
    }
}

fn draw_chooser(chooser: &mut Chooser, browser: &str, buffer: &mut Buffer, styles: Styles) {
    let count = chooser.choices.len() + 1;
    let layout = Layout::new(buffer.area.height, count);
    let height = usize::from(layout.list_height);
    chooser.page = height.max(1);
    chooser.top = lines::top(chooser.top, chooser.cursor, count, height);
    if let Some(line) = layout.title {
        lines::draw(buffer, line, &[(format!("Profile for {browser}"), styles.title())], Style::new());
    }
    for (line, place) in (chooser.top..count).take(height).enumerate() {
        let at = chooser.cursor == place;
        let mut pieces = vec![(if at { "> " } else { "  " }.to_owned(), Style::new())];
        match (chooser.choices.get(place), &chooser.new) {
            (Some(choice), _) => {
                pieces.push((choice.name.to_string(), Style::new()));
                let about = match (choice.default, choice.exists) {
                    (true, true) => "  default",
                    (true, false) => "  default · new SLICC profile",
                    (false, true) => "",
                    (false, false) => "  new SLICC profile",
                };
                pieces.push((about.to_owned(), styles.faint()));
            }
            (None, None) => pieces.push(("new profile…".to_owned(), Style::new())),
            (None, Some(name)) => {
                // The end of a long name is what is being typed.
                let room = usize::from(buffer.area.width).saturating_sub(9);
                let shown = &name[name.len().saturating_sub(room)..];
                pieces.push((format!("name: {shown}_"), Style::new()));
            }
        }
        let whole = if at && chooser.new.is_none() { styles.cursor() } else { Style::new() };
        let line = layout.list + u16::try_from(line).unwrap_or(u16::MAX);
        lines::draw(buffer, line, &pieces, whole);
    }
    let keys: &[&str] = if chooser.new.is_some() {
        &["letters, digits, . _ -", "Enter use it", "Esc back"]
    } else {
        &["↑↓ move", "q quit", "Enter choose", "Esc back"]
    };
    draw_foot(buffer, &layout, chooser.note.as_deref(), "", keys, styles);
}
