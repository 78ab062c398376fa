//! This machine as discovery sees it, behind one trait, so that a test can describe another machine and the rules of one
//! operating system can be checked on another.

use std::{
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
};

/// An operating system that slicc runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    pub fn join(self, base: &Path, relative: &str) -> PathBuf {
        if self == Self::current() {
            return base.join(relative);
        }
        let separator = if self == Self::Windows { "\\" } else { "/" };
        let mut joined = base.as_os_str().to_owned();
        joined.push(separator);
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
}

/// What discovery and launching read of a machine.
pub trait System: fmt::Debug + Send + Sync {
    /// The operating system.
    fn os(&self) -> Os;
    /// An environment variable; `None` when it is unset or empty.
    fn env(&self, name: &str) -> Option<OsString>;
    /// Whether the path is a file that this user can execute. On Windows every file counts.
    fn is_executable(&self, path: &Path) -> bool;
    /// Whether slicc runs as the superuser, whose browser has no sandbox on Linux.
    fn is_root(&self) -> bool;
    /// The system's directory for temporary files.
    fn temp_dir(&self) -> PathBuf;

    /// The home directory, from the environment.
    fn home_dir(&self) -> Option<PathBuf> {
        let name = if self.os() == Os::Windows { "USERPROFILE" } else { "HOME" };
        self.env(name).map(PathBuf::from)
    }

    /// The first executable of this name on PATH. Relative entries are skipped: they would run whatever lies in the
    /// working directory.
    fn find_on_path(&self, name: &str) -> Option<PathBuf> {
        let os = self.os();
        let path = self.env("PATH")?;
        let entries: Vec<PathBuf> = if os == Os::current() {
            std::env::split_paths(&path).collect()
        } else {
            let separator = if os == Os::Windows { ';' } else { ':' };
            path.to_string_lossy().split(separator).map(PathBuf::from).collect()
        };
        entries
            .iter()
            .filter(|entry| os.is_absolute(entry))
            .map(|entry| os.join(entry, name))
            .find(|candidate| self.is_executable(candidate))
    }
}

/// The machine that slicc runs on.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealSystem;

impl System for RealSystem {
    fn os(&self) -> Os {
        Os::current()
    }

    fn env(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name).filter(|value| !value.is_empty())
    }

    #[cfg(unix)]
    fn is_executable(&self, path: &Path) -> bool {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    }

    #[cfg(not(unix))]
    fn is_executable(&self, path: &Path) -> bool {
        path.is_file()
    }

    #[cfg(unix)]
    fn is_root(&self) -> bool {
        rustix::process::geteuid().is_root()
    }

    #[cfg(not(unix))]
    fn is_root(&self) -> bool {
        false
    }

    fn temp_dir(&self) -> PathBuf {
        std::env::temp_dir()
    }

    fn home_dir(&self) -> Option<PathBuf> {
        std::env::home_dir().filter(|home| !home.as_os_str().is_empty())
    }
}

/// A machine described by a test.
#[cfg(test)]
pub(crate) mod fake {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{Os, OsString, Path, PathBuf, System};

    /// The described machine: what isn't listed isn't there.
    #[derive(Debug)]
    pub(crate) struct FakeSystem {
        /// The operating system.
        pub os: Os,
        /// The environment.
        pub env: BTreeMap<&'static str, OsString>,
        /// Files that can be executed.
        pub executables: BTreeSet<PathBuf>,
        /// Whether slicc runs as the superuser.
        pub root: bool,
    }

    impl FakeSystem {
        /// A machine with nothing on it.
        pub(crate) fn new(os: Os) -> Self {
            Self { os, env: BTreeMap::new(), executables: BTreeSet::new(), root: false }
        }

        /// Sets an environment variable.
        pub(crate) fn with_env(mut self, name: &'static str, value: &str) -> Self {
            self.env.insert(name, value.into());
            self
        }

        /// Adds an executable.
        pub(crate) fn with_executable(mut self, path: &str) -> Self {
            self.executables.insert(path.into());
            self
        }
    }

    impl System for FakeSystem {
        fn os(&self) -> Os {
            self.os
        }
        fn env(&self, name: &str) -> Option<OsString> {
            self.env.get(name).filter(|value| !value.is_empty()).cloned()
        }
        fn is_executable(&self, path: &Path) -> bool {
            // Compared as text: two spellings of a path are two files on a described machine.
            self.executables.iter().any(|known| known.as_os_str() == path.as_os_str())
        }
        fn is_root(&self) -> bool {
            self.root
        }
        fn temp_dir(&self) -> PathBuf {
            std::env::temp_dir()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{fake::FakeSystem, *};

    #[test]
    fn a_relative_path_entry_is_never_searched() {
        let system = FakeSystem::new(Os::Linux)
            .with_env("PATH", ":.:bin:/usr/bin")
            .with_executable("bin/chromium")
            .with_executable("./chromium")
            .with_executable("/usr/bin/chromium");
        assert_eq!(system.find_on_path("chromium"), Some(PathBuf::from("/usr/bin/chromium")));
    }

    #[test]
    fn the_first_path_entry_wins() {
        let system = FakeSystem::new(Os::Macos)
            .with_env("PATH", "/a:/b")
            .with_executable("/b/chrome")
            .with_executable("/a/chrome");
        assert_eq!(system.find_on_path("chrome"), Some(PathBuf::from("/a/chrome")));
    }

    #[test]
    fn windows_paths_are_split_and_joined_on_every_system() {
        let system = FakeSystem::new(Os::Windows)
            .with_env("PATH", r"C:\Windows;relative;D:\Tools")
            .with_executable(r"D:\Tools\chrome.exe");
        assert_eq!(system.find_on_path("chrome.exe"), Some(PathBuf::from(r"D:\Tools\chrome.exe")));
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        assert_eq!(FakeSystem::new(Os::Linux).with_env("HOME", "").home_dir(), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_or_a_file_without_the_bit_is_not_executable() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("plain");
        std::fs::write(&file, "").unwrap();
        assert!(!RealSystem.is_executable(dir.path()));
        assert!(!RealSystem.is_executable(&file));
        assert!(RealSystem.is_executable(Path::new("/bin/sh")));
    }
}
