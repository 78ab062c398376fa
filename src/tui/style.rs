//! How the screens look. Each reads the same without colour.

use ratatui::style::{Color, Modifier, Style};

/// The styles, with or without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Styles {
    colour: bool,
}

impl Styles {
    /// With colour unless NO_COLOR is set to anything.
    pub fn new(no_color: Option<&std::ffi::OsStr>) -> Self {
        Self { colour: no_color.is_none_or(std::ffi::OsStr::is_empty) }
    }

    /// As the environment of this process says.
    pub fn from_environment() -> Self {
        Self::new(std::env::var_os(crate::generated::cli::env::NO_COLOR).as_deref())
    }

    fn coloured(self, style: Style, colour: Color) -> Style {
        if self.colour { style.fg(colour) } else { style }
    }

    /// A screen's title.
    pub fn title(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What is less important.
    pub fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// The line that the cursor is on.
    pub fn cursor(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// What is well.
    pub fn good(self) -> Style {
        self.coloured(Style::new(), Color::Green)
    }

    /// What waits or is missing.
    pub fn warning(self) -> Style {
        self.coloured(Style::new().add_modifier(Modifier::BOLD), Color::Yellow)
    }
}
