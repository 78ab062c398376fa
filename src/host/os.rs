//! Operating systems, and how paths are written on each. A path of one system is read as text, so that its rules hold on
//! every system that runs the code.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use serde::Deserialize;

/// An operating system that slicc runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Os {
    /// Linux, and every other Unix but macOS.
    Linux,
    /// macOS.
    Macos,
    /// Windows.
    Windows,
}

impl Os {
    /// The system that this binary was built for.
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::Macos
        } else {
            Self::Linux
        }
    }

    /// Joins a relative path with this system's separator, whichever system runs the code.
    pub fn join(self, base: &Path, relative: impl AsRef<OsStr>) -> PathBuf {
        let relative = relative.as_ref();
        if self == Self::current() {
            return base.join(relative);
        }
        let mut joined = base.as_os_str().to_owned();
        let text = joined.as_encoded_bytes();
        if !text.is_empty() && !text.last().is_some_and(|last| self.is_separator(*last)) {
            joined.push(self.separator());
        }
        joined.push(relative);
        PathBuf::from(joined)
    }

    /// Whether a path is absolute on this system, whichever system runs the code.
    pub fn is_absolute(self, path: &Path) -> bool {
        if self == Self::current() {
            return path.is_absolute();
        }
        let text = path.as_os_str().as_encoded_bytes();
        match self {
            Self::Windows => text.starts_with(b"\\\\") || (text.len() > 2 && &text[1..3] == b":\\"),
            Self::Linux | Self::Macos => text.starts_with(b"/"),
        }
    }

    /// The directory that holds a path, whichever system runs the code. `None` for a root and for a bare name.
    pub fn parent(self, path: &Path) -> Option<PathBuf> {
        if self == Self::current() {
            return path.parent().filter(|parent| !parent.as_os_str().is_empty()).map(Path::to_path_buf);
        }
        let text = path.to_string_lossy();
        let trimmed = text.trim_end_matches(|letter| self.is_separator_char(letter));
        let end = trimmed.rfind(|letter| self.is_separator_char(letter))?;
        let parent = if end == 0 { &trimmed[..1] } else { &trimmed[..end] };
        Some(PathBuf::from(parent))
    }

    /// The last part of a path, whichever system runs the code.
    pub fn file_name(self, path: &Path) -> Option<OsString> {
        if self == Self::current() {
            return path.file_name().map(OsStr::to_owned);
        }
        let text = path.to_string_lossy();
        let last = text.split(|letter| self.is_separator_char(letter)).rfind(|part| !part.is_empty())?;
        Some(OsString::from(last))
    }

    /// Whether files whose names differ in case alone are the same file, as they are by default.
    pub const fn ignores_case(self) -> bool {
        matches!(self, Self::Macos | Self::Windows)
    }

    /// The text between the parts of a path.
    pub const fn separator(self) -> &'static str {
        match self {
            Self::Windows => "\\",
            Self::Linux | Self::Macos => "/",
        }
    }

    fn is_separator(self, byte: u8) -> bool {
        byte == b'/' || (self == Self::Windows && byte == b'\\')
    }

    fn is_separator_char(self, letter: char) -> bool {
        letter == '/' || (self == Self::Windows && letter == '\\')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_every_system_are_taken_apart_on_every_system() {
        let windows = Path::new(r"C:\Program Files\Slack\slack.exe");
        assert_eq!(Os::Windows.parent(windows), Some(PathBuf::from(r"C:\Program Files\Slack")));
        assert_eq!(Os::Windows.file_name(windows), Some("slack.exe".into()));
        assert_eq!(Os::Macos.parent(Path::new("/Applications/A.app")), Some(PathBuf::from("/Applications")));
        assert_eq!(Os::Macos.file_name(Path::new("/Applications/A.app/")), Some("A.app".into()));
        for os in [Os::Linux, Os::Macos] {
            assert_eq!(os.parent(Path::new("/usr")), Some(PathBuf::from("/")), "{os:?}");
            assert_eq!(os.parent(Path::new("usr")), None, "{os:?}");
            assert_eq!(os.file_name(Path::new("/usr/a\\b")), Some("a\\b".into()), "{os:?}");
        }
    }

    #[test]
    fn a_root_is_joined_with_one_separator() {
        assert_eq!(Os::Macos.join(Path::new("/"), "Applications").as_os_str(), "/Applications");
        assert_eq!(Os::Windows.join(Path::new("C:\\"), "x").as_os_str(), "C:\\x");
        assert_eq!(Os::Linux.join(Path::new("/"), "usr").as_os_str(), "/usr");
    }
}
