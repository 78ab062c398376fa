//! Generated files: written, or compared with what is committed.

use std::{fmt::Write as _, io, path::Path};

/// One generated text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Where it goes, relative to the project's root.
    pub path: String,
    /// Its text.
    pub text: String,
    /// The name of the block that it fills between markers, when the rest of the file is written by hand.
    pub block: Option<&'static str>,
}

impl Output {
    /// A file that is generated as a whole.
    pub fn file(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into(), block: None }
    }

    /// A block between `<!-- generated: name -->` and `<!-- end: name -->` in a file that is otherwise written by hand.
    pub fn block(path: impl Into<String>, name: &'static str, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into(), block: Some(name) }
    }

    fn wanted(&self, present: Option<&str>) -> io::Result<String> {
        let Some(name) = self.block else { return Ok(self.text.clone()) };
        let (start, end) = (format!("<!-- generated: {name} -->\n"), format!("<!-- end: {name} -->"));
        let missing = || io::Error::other(format!("{}: no block `{name}` between its markers", self.path));
        let present = present.ok_or_else(missing)?;
        let from = present.find(&start).ok_or_else(missing)? + start.len();
        let to = present[from..].find(&end).ok_or_else(missing)? + from;
        Ok(format!("{}{}{}", &present[..from], self.text, &present[to..]))
    }
}

fn read(path: &Path) -> io::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes every output whose text differs from what is there. Returns a line for each file written.
pub fn write(root: &Path, outputs: &[Output]) -> io::Result<String> {
    let mut report = String::new();
    for output in outputs {
        let path = root.join(&output.path);
        let present = read(&path)?;
        let wanted = output.wanted(present.as_deref())?;
        if present.as_deref() == Some(wanted.as_str()) {
            continue;
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, wanted)?;
        let _ = writeln!(report, "wrote {}", output.path);
    }
    Ok(report)
}

/// Compares every output with what is there. Returns a unified diff, empty when nothing is stale.
pub fn check(root: &Path, outputs: &[Output]) -> io::Result<String> {
    let mut report = String::new();
    for output in outputs {
        let present = read(&root.join(&output.path))?;
        let wanted = output.wanted(present.as_deref())?;
        let present = present.unwrap_or_default();
        if present != wanted {
            let diff = similar::TextDiff::from_lines(&present, &wanted);
            let _ = write!(report, "{}", diff.unified_diff().header(&output.path, "generated"));
        }
    }
    Ok(report)
}
