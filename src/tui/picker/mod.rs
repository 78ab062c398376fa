//! The picker: which browser hosts seven, which are extras, and in which profile (section "The default: slicc" of the
//! requirement, "The picker"). A model without a terminal: keys in, a screen or a choice out.

mod chooser;
mod rows;
#[cfg(test)]
mod tests;
mod view;

use crate::{
    browser::{profile::ProfileName, six::SixChoice},
    tui::key::Key,
};

use self::chooser::{Chooser, Chosen};
pub use self::rows::{Row, RowSubject, rows};

/// What the user picked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picked {
    /// The browser that hosts seven.
    pub host: PickedHost,
    /// The extras, in the order in which they were selected.
    pub extras: Vec<PickedBrowser>,
}

/// The browser that hosts seven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PickedHost {
    /// A browser of the ranking. It is never an Electron app.
    Browser(PickedBrowser),
    /// SLICC six's profile, as with `--profile six`.
    Six(SixChoice),
}

/// A browser of the ranking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PickedBrowser {
    /// Its place in the ranking.
    pub entry: usize,
    /// The profile that was chosen with p. `None` leaves it to `--profile` and the browser's default.
    pub profile: Option<ProfileName>,
}

/// What a key led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The picker goes on.
    Stay,
    /// Go with this.
    Go(Picked),
    /// The user wants out.
    Quit,
}

/// The picker.
#[derive(Debug, Clone)]
pub struct Picker {
    rows: Vec<Row>,
    /// The value of `--profile`, for the browser that hosts seven.
    profile: Option<ProfileName>,
    /// The profile chosen with p, for each row.
    chosen: Vec<Option<ProfileName>>,
    /// The row of the cursor. There is none while only SLICC six's rows could have it and no key has moved it there.
    cursor: Option<usize>,
    /// The selected rows, in the order of selection.
    selected: Vec<usize>,
    chooser: Option<Chooser>,
    /// What stands in the way of the last key.
    note: Option<String>,
    /// The first row that is drawn, and how many are; drawing sets them.
    top: usize,
    page: usize,
}

impl Picker {
    /// A picker with the cursor on the best match. `profile` is the value of `--profile`.
    pub fn new(rows: Vec<Row>, profile: Option<ProfileName>) -> Self {
        Self {
            cursor: rows.iter().position(|row| !row.is_six()),
            chosen: vec![None; rows.len()],
            rows,
            profile,
            selected: Vec::new(),
            chooser: None,
            note: None,
            top: 0,
            page: 1,
        }
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> Outcome {
        self.note = None;
        if key == Key::Interrupt {
            return Outcome::Quit;
        }
        if let Some(chooser) = &mut self.chooser {
            match chooser.key(key) {
                Chosen::Not => {}
                Chosen::Back => self.chooser = None,
                Chosen::Quit => return Outcome::Quit,
                Chosen::Profile(name) => {
                    self.chosen[chooser.row] = Some(name);
                    self.chooser = None;
                }
            }
            return Outcome::Stay;
        }
        match key {
            Key::Up | Key::Char('k') => self.move_by(-1),
            Key::Down | Key::Char('j') => self.move_by(1),
            Key::PageUp => self.move_by(-self.page_step()),
            Key::PageDown => self.move_by(self.page_step()),
            Key::Home => self.move_by(isize::MIN),
            Key::End => self.move_by(isize::MAX),
            Key::Char(' ') => self.toggle(),
            Key::Char('p') => self.choose_profile(),
            Key::Char('q') => return Outcome::Quit,
            Key::Enter => match self.picked() {
                Ok(picked) => return Outcome::Go(picked),
                Err(note) => self.note = Some(note),
            },
            _ => {}
        }
        Outcome::Stay
    }

    fn page_step(&self) -> isize {
        isize::try_from(self.page).unwrap_or(isize::MAX)
    }

    fn move_by(&mut self, lines: isize) {
        let Some(last) = self.rows.len().checked_sub(1) else { return };
        self.cursor = Some(match self.cursor {
            None => 0,
            Some(cursor) => cursor.saturating_add_signed(lines).min(last),
        });
    }

    /// Selects the row of the cursor, or takes it out.
    fn toggle(&mut self) {
        let Some(cursor) = self.cursor else { return };
        if let Some(place) = self.selected.iter().position(|&row| row == cursor) {
            self.selected.remove(place);
        } else if self.rows[cursor].is_six() && !self.selected.is_empty() {
            self.note = Some("SLICC six's profile can only host seven: select it first".to_owned());
        } else {
            self.selected.push(cursor);
        }
    }

    fn choose_profile(&mut self) {
        let Some(cursor) = self.cursor else { return };
        match &self.rows[cursor].subject {
            RowSubject::Installed { default, existing, .. } => {
                let now = self.profile_of(cursor).unwrap_or(default).clone();
                self.chooser = Some(Chooser::new(cursor, default, existing, &now));
            }
            RowSubject::Endpoint { .. } => {
                self.note = Some("it is running, in the profile that it was started with".to_owned());
            }
            RowSubject::App { .. } => self.note = Some("an Electron app keeps its own data".to_owned()),
            RowSubject::Six(_) => self.note = Some("this row is a profile of its own".to_owned()),
        }
    }

    /// The profile that a browser would be launched in. `None` for what isn't launched in a SLICC profile.
    fn profile_of(&self, row: usize) -> Option<&ProfileName> {
        let RowSubject::Installed { default, .. } = &self.rows[row].subject else { return None };
        let hosts = self.selected.first().is_none_or(|&first| first == row);
        let given = self.profile.as_ref().filter(|_| hosts);
        Some(self.chosen[row].as_ref().or(given).unwrap_or(default))
    }

    /// The rows that Enter goes with: the selected ones, or the one of the cursor.
    fn going(&self) -> Vec<usize> {
        if self.selected.is_empty() { self.cursor.into_iter().collect() } else { self.selected.clone() }
    }

    /// What Enter goes with, or what is in its way.
    fn picked(&self) -> Result<Picked, String> {
        let going = self.going();
        let Some((&first, rest)) = going.split_first() else {
            return Err("move the cursor to a row first".to_owned());
        };
        let browser = |row: usize| match &self.rows[row].subject {
            RowSubject::Endpoint { entry, .. } | RowSubject::App { entry } => {
                Ok(PickedBrowser { entry: *entry, profile: None })
            }
            RowSubject::Installed { entry, .. } => {
                Ok(PickedBrowser { entry: *entry, profile: self.chosen[row].clone() })
            }
            RowSubject::Six(_) => Err("SLICC six's profile can only host seven: select it first".to_owned()),
        };
        let host = match &self.rows[first].subject {
            _ if !self.rows[first].can_host() => {
                return Err("an Electron app can't host seven: select a browser first, then the app".to_owned());
            }
            RowSubject::Six(choice) => PickedHost::Six(*choice),
            _ => PickedHost::Browser(browser(first)?),
        };
        for (place, &row) in going.iter().enumerate() {
            let profile = self.profile_of(row);
            let twice = profile.is_some() && going[..place].iter().any(|&other| self.profile_of(other) == profile);
            if let (true, Some(profile)) = (twice, profile) {
                return Err(format!("two browsers can't use the profile {profile}: press p to choose another"));
            }
        }
        Ok(Picked { host, extras: rest.iter().map(|&row| browser(row)).collect::<Result<_, _>>()? })
    }
}
