//! A machine described by data: what isn't described isn't there. A conformance case is such a description in JSON.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use serde::Deserialize;

use super::{Hive, Os, ProcessLine, System, parse_ps, parse_win32_process};

/// The most links that one path may lead through.
const MAX_LINKS: usize = 40;

/// The described machine. Paths are texts with the system's separators; on macOS and Windows their case doesn't count.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct FakeSystem {
    /// The operating system.
    pub os: Os,
    /// The environment. On Windows the case of a name doesn't count.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Whether slicc runs as the superuser.
    #[serde(default)]
    pub root: bool,
    /// The directory for temporary files.
    #[serde(default = "temp_dir")]
    pub temp_dir: String,
    /// slicc's own process.
    #[serde(default = "own_pid")]
    pub own_pid: u32,
    /// Files with their contents. The directories that hold them exist, too.
    #[serde(default)]
    pub files: BTreeMap<String, Content>,
    /// Files that can be executed; one that isn't in `files` is empty.
    #[serde(default)]
    pub executables: BTreeSet<String>,
    /// Directories, for those that hold nothing.
    #[serde(default)]
    pub directories: BTreeSet<String>,
    /// Symbolic links and what they hold: an absolute path, a path relative to the link, or any other text.
    #[serde(default)]
    pub links: BTreeMap<String, String>,
    /// FIFOs, sockets, devices.
    #[serde(default)]
    pub special: BTreeSet<String>,
    /// Files and directories that this user may not read.
    #[serde(default)]
    pub unreadable: BTreeSet<String>,
    /// Files that another process holds open (Windows).
    #[serde(default)]
    pub locked: BTreeSet<String>,
    /// The registry: `HKCU\…` and `HKLM\…` keys, each with its values; the empty name is the default value.
    #[serde(default)]
    pub registry: BTreeMap<String, BTreeMap<String, String>>,
    /// Commands and what they print.
    #[serde(default)]
    pub commands: Vec<Answer>,
    /// What the command that lists processes prints on this system: `ps` on Linux and macOS, JSON on Windows.
    #[serde(default)]
    pub processes: String,
    /// Processes that run, next to those that `processes` names.
    #[serde(default)]
    pub alive: BTreeSet<u32>,
    /// The commands that were run, each with its arguments.
    #[serde(skip)]
    pub ran: Mutex<Vec<Vec<String>>>,
}

/// What a file holds.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Content {
    /// This text.
    Text(String),
    /// These lines, each with its line feed.
    Lines(Vec<String>),
    /// These bytes.
    Bytes {
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A text so often in a row.
    Repeated {
        /// The text.
        repeat: String,
        /// How often.
        times: usize,
    },
}

impl Content {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Lines(lines) => lines.iter().fold(String::new(), |all, line| all + line + "\n").into_bytes(),
            Self::Bytes { bytes } => bytes.clone(),
            Self::Repeated { repeat, times } => repeat.repeat(*times).into_bytes(),
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A command and what it prints.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Answer {
    /// The program and its arguments. `*` stands for any one of them.
    pub argv: Vec<String>,
    /// What it prints.
    pub output: String,
}

fn temp_dir() -> String {
    "/tmp".to_owned()
}

fn own_pid() -> u32 {
    // Above every id that a case gives to a browser.
    4_000_000
}

impl FakeSystem {
    /// A machine with nothing on it.
    pub(crate) fn new(os: Os) -> Self {
        Self {
            os,
            env: BTreeMap::new(),
            root: false,
            temp_dir: temp_dir(),
            own_pid: own_pid(),
            files: BTreeMap::new(),
            executables: BTreeSet::new(),
            directories: BTreeSet::new(),
            links: BTreeMap::new(),
            special: BTreeSet::new(),
            unreadable: BTreeSet::new(),
            locked: BTreeSet::new(),
            registry: BTreeMap::new(),
            commands: Vec::new(),
            processes: String::new(),
            alive: BTreeSet::new(),
            ran: Mutex::default(),
        }
    }

    /// Sets an environment variable.
    pub(crate) fn with_env(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Adds an executable.
    pub(crate) fn with_executable(mut self, path: &str) -> Self {
        self.executables.insert(path.into());
        self
    }

    /// Adds a file.
    pub(crate) fn with_file(mut self, path: &str, content: impl Into<Content>) -> Self {
        self.files.insert(path.into(), content.into());
        self
    }

    /// Adds a symbolic link.
    pub(crate) fn with_link(mut self, path: &str, target: &str) -> Self {
        self.links.insert(path.into(), target.into());
        self
    }

    /// Adds a registry value.
    pub(crate) fn with_registry(mut self, key: &str, value: &str, text: &str) -> Self {
        self.registry.entry(key.into()).or_default().insert(value.into(), text.into());
        self
    }

    /// Adds a command.
    pub(crate) fn with_command(mut self, argv: &[&str], output: &str) -> Self {
        let argv = argv.iter().map(|arg| (*arg).to_owned()).collect();
        self.commands.push(Answer { argv, output: output.to_owned() });
        self
    }

    /// The commands that were run so far, each with its arguments.
    pub(crate) fn ran(&self) -> Vec<Vec<String>> {
        self.ran.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A path as it is compared.
    fn key(&self, path: &str) -> String {
        let mut key = if self.os == Os::Windows { path.replace('/', "\\") } else { path.to_owned() };
        while key.len() > 1 && key.ends_with(self.os.separator()) {
            key.pop();
        }
        if self.os.ignores_case() { key.to_lowercase() } else { key }
    }

    fn has(&self, set: &BTreeSet<String>, path: &str) -> bool {
        let key = self.key(path);
        set.iter().any(|known| self.key(known) == key)
    }

    fn link(&self, path: &str) -> Option<&str> {
        let key = self.key(path);
        self.links.iter().find(|(link, _)| self.key(link) == key).map(|(_, target)| target.as_str())
    }

    fn content(&self, path: &str) -> Option<Vec<u8>> {
        let key = self.key(path);
        let file = self.files.iter().find(|(known, _)| self.key(known) == key);
        file.map(|(_, content)| content.bytes()).or_else(|| self.has(&self.executables, path).then(Vec::new))
    }

    fn paths(&self) -> impl Iterator<Item = &String> {
        let maps = self.files.keys().chain(self.links.keys());
        maps.chain(&self.executables).chain(&self.directories).chain(&self.special).chain(&self.locked)
    }

    fn is_directory(&self, path: &str) -> bool {
        let below = format!("{}{}", self.key(path).trim_end_matches(self.os.separator()), self.os.separator());
        self.has(&self.directories, path) || self.paths().any(|known| self.key(known).starts_with(&below))
    }

    /// The path with the links in it followed; `None` for a loop. What it leads to need not exist.
    fn resolve(&self, path: &Path) -> Option<String> {
        let separator = self.os.separator();
        let mut path = path.to_string_lossy().into_owned();
        if self.os == Os::Windows {
            path = path.replace('/', "\\");
        }
        'links: for _ in 0..MAX_LINKS {
            let ends = path.match_indices(separator).map(|(at, _)| at).chain([path.len()]);
            for end in ends.filter(|end| *end > 0) {
                let Some(target) = self.link(&path[..end]) else { continue };
                let rest = &path[end..];
                path = if self.os.is_absolute(Path::new(target)) {
                    format!("{target}{rest}")
                } else {
                    let parent = self.os.parent(Path::new(&path[..end]))?;
                    format!("{}{rest}", self.os.join(&parent, target).display())
                };
                continue 'links;
            }
            return Some(path);
        }
        None
    }

    fn registry_name(hive: Hive, key: &str) -> String {
        let root = match hive {
            Hive::CurrentUser => "HKCU",
            Hive::LocalMachine => "HKLM",
        };
        format!("{root}\\{key}").to_lowercase()
    }
}

impl System for FakeSystem {
    fn os(&self) -> Os {
        self.os
    }

    fn env(&self, name: &str) -> Option<OsString> {
        let same = |known: &str| if self.os == Os::Windows { known.eq_ignore_ascii_case(name) } else { known == name };
        let found = self.env.iter().find(|(known, value)| same(known) && !value.is_empty());
        found.map(|(_, value)| value.into())
    }

    fn is_root(&self) -> bool {
        self.root
    }

    fn temp_dir(&self) -> PathBuf {
        PathBuf::from(&self.temp_dir)
    }

    fn own_pid(&self) -> u32 {
        self.own_pid
    }

    fn is_executable(&self, path: &Path) -> bool {
        let Some(path) = self.resolve(path) else { return false };
        self.has(&self.executables, &path) || (self.os == Os::Windows && self.content(&path).is_some())
    }

    fn is_file(&self, path: &Path) -> bool {
        self.resolve(path).is_some_and(|path| self.content(&path).is_some())
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.resolve(path).is_some_and(|path| self.is_directory(&path))
    }

    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        let path = self.resolve(path).ok_or(io::ErrorKind::NotFound)?;
        if self.has(&self.unreadable, &path) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        if self.has(&self.special, &path) || self.is_directory(&path) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let content = self.content(&path).ok_or(io::ErrorKind::NotFound)?;
        if content.len() as u64 > max { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(content) }
    }

    fn list(&self, path: &Path) -> Vec<OsString> {
        let Some(path) = self.resolve(path).filter(|path| !self.has(&self.unreadable, path)) else { return Vec::new() };
        let below = format!("{}{}", self.key(&path).trim_end_matches(self.os.separator()), self.os.separator());
        let names: BTreeSet<&str> = self
            .paths()
            .filter(|known| self.key(known).starts_with(&below))
            .filter_map(|known| known.get(below.len()..)?.split(['/', '\\']).find(|part| !part.is_empty()))
            .collect();
        names.into_iter().map(OsString::from).collect()
    }

    fn read_link(&self, path: &Path) -> Option<PathBuf> {
        let parent = self.resolve(&self.os.parent(path)?)?;
        let name = self.os.file_name(path)?;
        self.link(&self.os.join(Path::new(&parent), name).to_string_lossy()).map(PathBuf::from)
    }

    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        let path = self.resolve(path)?;
        let exists = self.content(&path).is_some() || self.is_directory(&path) || self.has(&self.special, &path);
        exists.then(|| PathBuf::from(path))
    }

    fn is_locked(&self, path: &Path) -> bool {
        self.os == Os::Windows && self.has(&self.locked, &path.to_string_lossy())
    }

    fn registry_value(&self, hive: Hive, key: &str, value: &str) -> Option<String> {
        let name = Self::registry_name(hive, key);
        let (_, values) = self.registry.iter().find(|(known, _)| known.to_lowercase() == name)?;
        let (_, text) = values.iter().find(|(known, _)| known.eq_ignore_ascii_case(value))?;
        Some(text.clone()).filter(|text| !text.is_empty())
    }

    fn registry_keys(&self, hive: Hive, key: &str) -> Vec<String> {
        let below = Self::registry_name(hive, key) + "\\";
        let names: BTreeSet<&str> = self
            .registry
            .keys()
            .filter(|known| known.to_lowercase().starts_with(&below))
            .filter_map(|known| known.get(below.len()..)?.split('\\').next())
            .collect();
        names.into_iter().map(str::to_owned).collect()
    }

    fn run(&self, program: &OsStr, args: &[&OsStr], _: Duration) -> Option<String> {
        let argv: Vec<String> = std::iter::once(program)
            .chain(args.iter().copied())
            .map(|arg| arg.to_string_lossy().into_owned())
            .collect();
        let same = |known: &[String]| {
            known.len() == argv.len() && known.iter().zip(&argv).all(|(known, arg)| known == "*" || known == arg)
        };
        let answer = self.commands.iter().find(|known| same(&known.argv)).map(|known| known.output.clone());
        self.ran.lock().unwrap_or_else(PoisonError::into_inner).push(argv);
        answer
    }

    fn processes(&self, _: Duration) -> Vec<ProcessLine> {
        if self.os == Os::Windows { parse_win32_process(&self.processes) } else { parse_ps(&self.processes) }
    }

    fn is_process_alive(&self, pid: u32) -> bool {
        self.alive.contains(&pid) || self.processes(Duration::ZERO).iter().any(|process| process.pid == pid)
    }
}
