//! Choosing a SLICC profile for a browser: its own, one that exists, or a new one.

use crate::{
    browser::{
        profile::{MAX_NAME, ProfileName},
        six::SixChoice,
    },
    tui::key::Key,
};

/// A profile that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) name: ProfileName,
    /// Whether it is the browser's own.
    pub(super) default: bool,
    /// Whether it exists already.
    pub(super) exists: bool,
}

/// What a key led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Chosen {
    /// Nothing yet.
    Not,
    /// No other profile.
    Back,
    /// The user wants out of slicc.
    Quit,
    /// This one.
    Profile(ProfileName),
}

/// The chooser: a list whose last line, after [`Chooser::choices`], asks for a new name.
#[derive(Debug, Clone)]
pub(super) struct Chooser {
    /// The row that it is for.
    pub(super) row: usize,
    pub(super) choices: Vec<Choice>,
    pub(super) cursor: usize,
    /// The new name as far as it is typed.
    pub(super) new: Option<String>,
    /// What is wrong with it.
    pub(super) note: Option<String>,
    /// The first line that is drawn, and how many are; drawing sets them.
    pub(super) top: usize,
    pub(super) page: usize,
}

impl Chooser {
    /// A chooser with the cursor on the profile that is chosen now.
    pub(super) fn new(row: usize, default: &ProfileName, existing: &[ProfileName], now: &ProfileName) -> Self {
        let exists = |name: &ProfileName| existing.contains(name);
        let mut choices = vec![Choice { name: default.clone(), default: true, exists: exists(default) }];
        let others = existing.iter().filter(|&name| name != default);
        choices.extend(others.map(|name| Choice { name: name.clone(), default: false, exists: true }));
        if choices.iter().all(|choice| choice.name != *now) {
            choices.push(Choice { name: now.clone(), default: false, exists: false });
        }
        let cursor = choices.iter().position(|choice| choice.name == *now).unwrap_or(0);
        Self { row, choices, cursor, new: None, note: None, top: 0, page: 1 }
    }

    pub(super) fn key(&mut self, key: Key) -> Chosen {
        self.note = None;
        if let Some(name) = &mut self.new {
            match key {
                Key::Escape => self.new = None,
                Key::Backspace => drop(name.pop()),
                Key::Char(c) if c.is_ascii_alphanumeric() || "._-".contains(c) => {
                    if name.len() < MAX_NAME {
                        name.push(c);
                    } else {
                        self.note = Some(format!("a name has at most {MAX_NAME} characters"));
                    }
                }
                Key::Char(_) => self.note = Some("a name has letters, digits, '.', '_' and '-'".to_owned()),
                Key::Enter => match check(name) {
                    Ok(name) => return Chosen::Profile(name),
                    Err(note) => self.note = Some(note),
                },
                _ => {}
            }
            return Chosen::Not;
        }
        let last = self.choices.len();
        match key {
            Key::Up | Key::Char('k') => self.cursor = self.cursor.saturating_sub(1),
            Key::Down | Key::Char('j') => self.cursor = (self.cursor + 1).min(last),
            Key::PageUp => self.cursor = self.cursor.saturating_sub(self.page),
            Key::PageDown => self.cursor = self.cursor.saturating_add(self.page).min(last),
            Key::Home => self.cursor = 0,
            Key::End => self.cursor = last,
            Key::Escape => return Chosen::Back,
            Key::Char('q') => return Chosen::Quit,
            Key::Enter => match self.choices.get(self.cursor) {
                Some(choice) => return Chosen::Profile(choice.name.clone()),
                None => self.new = Some(String::new()),
            },
            _ => {}
        }
        Chosen::Not
    }
}

/// Whether a new profile can have this name.
fn check(name: &str) -> Result<ProfileName, String> {
    if name.is_empty() {
        return Err("type a name, or press Esc".to_owned());
    }
    if SixChoice::parse(name).is_some() {
        return Err(format!("{name} means SLICC six's profile: choose another name"));
    }
    ProfileName::parse(name).map_err(|error| error.to_string())
}
