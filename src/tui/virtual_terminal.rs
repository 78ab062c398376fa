//! A terminal in memory: what the real one would show of the bytes that it gets.

use std::{cell::RefCell, io, num::NonZeroU16, rc::Rc};

use ratatui::{Terminal, TerminalOptions, Viewport, backend::CrosstermBackend, buffer::Buffer, layout::Rect};

/// The bytes that were written.
#[derive(Debug, Clone, Default)]
struct Written(Rc<RefCell<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A terminal of a size, with what was drawn on it.
pub(crate) struct VirtualTerminal {
    terminal: Terminal<CrosstermBackend<Written>>,
    written: Written,
    screen: vt100::Parser,
    /// All bytes so far.
    pub(crate) bytes: Vec<u8>,
}

fn size(columns: u16, rows: u16) -> (NonZeroU16, NonZeroU16) {
    (NonZeroU16::new(rows).expect("a terminal has rows"), NonZeroU16::new(columns).expect("a terminal has columns"))
}

impl VirtualTerminal {
    pub(crate) fn new(columns: u16, rows: u16) -> Self {
        let written = Written::default();
        let options = TerminalOptions { viewport: Viewport::Fixed(Rect::new(0, 0, columns, rows)) };
        let terminal =
            Terminal::with_options(CrosstermBackend::new(written.clone()), options).expect("memory takes it");
        let (height, width) = size(columns, rows);
        Self { terminal, written, screen: vt100::Parser::new(height, width, 0), bytes: Vec::new() }
    }

    /// The user changes the size of the window.
    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        let (height, width) = size(columns, rows);
        self.screen.screen_mut().set_size(height, width);
        self.terminal.resize(Rect::new(0, 0, columns, rows)).expect("memory takes it");
    }

    /// Draws a screen, of which only the changes are written.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Buffer)) {
        self.terminal.draw(|frame| draw(frame.buffer_mut())).expect("memory takes it");
        let bytes = self.written.0.take();
        self.screen.process(&bytes);
        self.bytes.extend(bytes);
    }

    /// What the screen shows.
    pub(crate) fn text(&self) -> String {
        let (_, columns) = self.screen.screen().size();
        let rows: Vec<_> = self.screen.screen().rows(0, columns.get()).map(|row| row.trim_end().to_owned()).collect();
        rows.join("\n")
    }
}

/// Compares with snapshots/<name>.snap.
pub(crate) fn assert_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Expects that README.md shows this screen.
pub(crate) fn assert_in_readme(screen: &str) {
    let readme = include_str!("../../README.md");
    let screen = screen.trim_end();
    assert!(
        readme.contains(&format!("```\n{screen}\n```\n")),
        "README.md shows another screen than this one:\n{screen}"
    );
}
