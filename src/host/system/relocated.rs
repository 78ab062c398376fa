//! The real machine with another environment and another directory for temporary files, for tests that run real programs
//! and may not touch the user's own files.

use std::{collections::BTreeMap, io};

use super::{Duration, Hive, Os, OsStr, OsString, Path, PathBuf, ProcessLine, RealSystem, System};

/// The real machine, elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Relocated {
    /// The operating system whose rules hold; the real one's when it is unset.
    pub os: Option<Os>,
    /// Variables that differ from the real ones; an empty one is unset.
    pub env: BTreeMap<String, OsString>,
    /// The directory for temporary files; the real one when it is empty.
    pub temp_dir: PathBuf,
}

impl System for Relocated {
    fn os(&self) -> Os {
        self.os.unwrap_or_else(|| RealSystem.os())
    }
    fn env(&self, name: &str) -> Option<OsString> {
        match self.env.get(name) {
            Some(value) => Some(value.clone()).filter(|value| !value.is_empty()),
            None => RealSystem.env(name),
        }
    }
    fn is_root(&self) -> bool {
        RealSystem.is_root()
    }
    fn temp_dir(&self) -> PathBuf {
        if self.temp_dir.as_os_str().is_empty() { RealSystem.temp_dir() } else { self.temp_dir.clone() }
    }
    fn own_pid(&self) -> u32 {
        RealSystem.own_pid()
    }
    fn is_executable(&self, path: &Path) -> bool {
        RealSystem.is_executable(path)
    }
    fn is_file(&self, path: &Path) -> bool {
        RealSystem.is_file(path)
    }
    fn is_dir(&self, path: &Path) -> bool {
        RealSystem.is_dir(path)
    }
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        RealSystem.read(path, max)
    }
    fn list(&self, path: &Path) -> Vec<OsString> {
        RealSystem.list(path)
    }
    fn read_link(&self, path: &Path) -> Option<PathBuf> {
        RealSystem.read_link(path)
    }
    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        RealSystem.canonical(path)
    }
    fn is_locked(&self, path: &Path) -> bool {
        RealSystem.is_locked(path)
    }
    fn registry_value(&self, hive: Hive, key: &str, value: &str) -> Option<String> {
        RealSystem.registry_value(hive, key, value)
    }
    fn registry_keys(&self, hive: Hive, key: &str) -> Vec<String> {
        RealSystem.registry_keys(hive, key)
    }
    fn run(&self, program: &OsStr, args: &[&OsStr], limit: Duration) -> Option<String> {
        RealSystem.run(program, args, limit)
    }
    fn processes(&self, limit: Duration) -> Vec<ProcessLine> {
        RealSystem.processes(limit)
    }
    fn is_process_alive(&self, pid: u32) -> bool {
        RealSystem.is_process_alive(pid)
    }
}
