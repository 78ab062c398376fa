//! This machine as discovery sees it, behind one trait, so that a test can describe another machine and the rules of one
//! operating system can be checked on another.
//!
//! Every method is synchronous and bounded: a file that is no plain file, or that is larger than its reader wants, is an
//! error and never a wait; a command that takes too long is killed. What remains is the file system's own time, so async
//! callers use a blocking thread.

mod processes;
mod real;
mod run;

#[cfg(test)]
pub(crate) mod fake;
#[cfg(test)]
pub(crate) mod relocated;

use std::{
    ffi::{OsStr, OsString},
    fmt, io,
    path::{Path, PathBuf},
    time::Duration,
};

pub use self::{
    processes::{ProcessLine, parse_ps, parse_win32_process},
    real::RealSystem,
};
use super::Os;

/// The most entries of one directory, and the most subkeys of one registry key, that are listed.
pub const MAX_LISTED: usize = 10_000;
/// The most bytes of a command's output that are kept.
pub const MAX_OUTPUT: u64 = 16 << 20;

/// A root of the Windows registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hive {
    /// `HKEY_CURRENT_USER`.
    CurrentUser,
    /// `HKEY_LOCAL_MACHINE`.
    LocalMachine,
}

/// What discovery and launching read of a machine.
pub trait System: fmt::Debug + Send + Sync {
    /// The operating system.
    fn os(&self) -> Os;
    /// An environment variable; `None` when it is unset or empty. Names compare as the system compares them.
    fn env(&self, name: &str) -> Option<OsString>;
    /// Whether slicc runs as the superuser, whose browser has no sandbox on Linux.
    fn is_root(&self) -> bool;
    /// The system's directory for temporary files.
    fn temp_dir(&self) -> PathBuf;
    /// The id of slicc's own process.
    fn own_pid(&self) -> u32;

    /// Whether the path is a file that this user can execute. On Windows every file counts.
    fn is_executable(&self, path: &Path) -> bool;
    /// Whether the path leads to a plain file.
    fn is_file(&self, path: &Path) -> bool;
    /// Whether the path leads to a directory.
    fn is_dir(&self, path: &Path) -> bool;
    /// The whole content of a plain file of at most `max` bytes.
    ///
    /// # Errors
    /// The system's error when the file can't be read, and [`io::ErrorKind::InvalidInput`] when it is no plain file (a
    /// directory, a FIFO, a socket, a device) and [`io::ErrorKind::FileTooLarge`] when it is larger than `max`.
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>>;
    /// The names in a directory, sorted, at most [`MAX_LISTED`]. Empty when it can't be read.
    fn list(&self, path: &Path) -> Vec<OsString>;
    /// What a symbolic link holds, unresolved. `None` for anything else.
    fn read_link(&self, path: &Path) -> Option<PathBuf>;
    /// The path with every symbolic link resolved. `None` when it doesn't exist.
    fn canonical(&self, path: &Path) -> Option<PathBuf>;
    /// Whether another process holds this file open, so that it can't be opened exclusively. Only Windows has that; it is
    /// opened for reading and closed at once. `false` on other systems, and for a file that isn't there.
    fn is_locked(&self, path: &Path) -> bool;

    /// A text in the Windows registry: a value of a key, or the key's default value when `value` is empty. The variables of
    /// an expandable text are left as they are. `None` on other systems.
    fn registry_value(&self, hive: Hive, key: &str, value: &str) -> Option<String>;
    /// The names of a registry key's subkeys, sorted, at most [`MAX_LISTED`]. Empty on other systems.
    fn registry_keys(&self, hive: Hive, key: &str) -> Vec<String>;

    /// What a program writes to stdout, read as UTF-8 with U+FFFD for the rest, at most [`MAX_OUTPUT`] bytes. It gets no
    /// input, and after `limit` it is killed. A bare name is looked for on PATH. `None` when it doesn't start, fails,
    /// writes more or takes longer.
    fn run(&self, program: &OsStr, args: &[&OsStr], limit: Duration) -> Option<String>;

    /// Every process's id and command line, with its arguments joined by spaces: on Linux from /proc, on macOS from `ps`,
    /// on Windows from `Win32_Process`. `limit` bounds the command on the latter two. A process whose command line can't
    /// be read isn't listed.
    fn processes(&self, limit: Duration) -> Vec<ProcessLine>;
    /// Whether a process with this id is running, be it this user's or another's.
    fn is_process_alive(&self, pid: u32) -> bool;

    /// The home directory, from the environment.
    fn home_dir(&self) -> Option<PathBuf> {
        let name = if self.os() == Os::Windows { "USERPROFILE" } else { "HOME" };
        self.env(name).map(PathBuf::from)
    }

    /// A directory from an environment variable. `None` when it isn't absolute: it would depend on the working directory.
    fn env_dir(&self, name: &str) -> Option<PathBuf> {
        self.env(name).map(PathBuf::from).filter(|dir| self.os().is_absolute(dir))
    }

    /// The directory of the user's configuration: `~/Library/Application Support` on macOS, `%APPDATA%` on Windows,
    /// `$XDG_CONFIG_HOME` or `~/.config` on Linux.
    fn config_dir(&self) -> Option<PathBuf> {
        let os = self.os();
        match os {
            Os::Macos => Some(os.join(&self.home_dir()?, "Library/Application Support")),
            Os::Windows => self.env_dir("APPDATA"),
            Os::Linux => self.env_dir("XDG_CONFIG_HOME").or_else(|| Some(os.join(&self.home_dir()?, ".config"))),
        }
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

#[cfg(test)]
mod tests;
