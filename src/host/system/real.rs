//! The machine that slicc runs on.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, OpenOptions},
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{Hive, MAX_LISTED, Os, ProcessLine, System, run};

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

    fn is_root(&self) -> bool {
        platform::is_root()
    }

    fn temp_dir(&self) -> PathBuf {
        std::env::temp_dir()
    }

    fn own_pid(&self) -> u32 {
        std::process::id()
    }

    fn is_executable(&self, path: &Path) -> bool {
        platform::is_executable(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        let file = open(path)?;
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file"));
        }
        let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {max} bytes"));
        if meta.len() > max {
            return Err(too_large());
        }
        // A file can grow, and the kernel's files have no length.
        let mut content = Vec::new();
        file.take(max.saturating_add(1)).read_to_end(&mut content)?;
        if content.len() as u64 > max { Err(too_large()) } else { Ok(content) }
    }

    fn list(&self, path: &Path) -> Vec<OsString> {
        let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
        let mut names: Vec<_> = entries.take(MAX_LISTED).filter_map(|entry| Some(entry.ok()?.file_name())).collect();
        names.sort_unstable();
        names
    }

    fn read_link(&self, path: &Path) -> Option<PathBuf> {
        fs::read_link(path).ok()
    }

    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        fs::canonicalize(path).ok().map(platform::without_verbatim_prefix)
    }

    fn is_locked(&self, path: &Path) -> bool {
        platform::is_locked(path)
    }

    fn registry_value(&self, hive: Hive, key: &str, value: &str) -> Option<String> {
        platform::registry_value(hive, key, value)
    }

    fn registry_keys(&self, hive: Hive, key: &str) -> Vec<String> {
        platform::registry_keys(hive, key)
    }

    fn run(&self, program: &OsStr, args: &[&OsStr], limit: Duration) -> Option<String> {
        run::run(program, args, limit)
    }

    fn processes(&self, limit: Duration) -> Vec<ProcessLine> {
        platform::processes(limit)
    }

    fn is_process_alive(&self, pid: u32) -> bool {
        platform::is_process_alive(pid)
    }

    fn home_dir(&self) -> Option<PathBuf> {
        std::env::home_dir().filter(|home| !home.as_os_str().is_empty())
    }
}

/// Opens a file for reading. Opening a FIFO or a device doesn't wait for its other end.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

/// Opens a file for reading. A path that names a pipe or a device is asked for its kind first: opening can block.
#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file"));
    }
    OpenOptions::new().read(true).open(path)
}

/// Runs a command that is one list, program first.
#[cfg_attr(target_os = "linux", expect(dead_code, reason = "Linux reads /proc"))]
fn run_listed(command: &[&str], limit: Duration) -> Option<String> {
    let (program, args) = command.split_first()?;
    let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
    run::run(program.as_ref(), &args, limit)
}

#[cfg(unix)]
mod platform {
    use std::{
        fs,
        os::unix::fs::PermissionsExt as _,
        path::{Path, PathBuf},
        time::Duration,
    };

    use rustix::{io::Errno, process::Pid};

    use super::{Hive, ProcessLine};
    #[cfg(target_os = "linux")]
    use super::{RealSystem, System};

    pub(super) fn is_root() -> bool {
        rustix::process::geteuid().is_root()
    }

    pub(super) fn is_executable(path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    }

    pub(super) fn without_verbatim_prefix(path: PathBuf) -> PathBuf {
        path
    }

    pub(super) fn is_locked(_: &Path) -> bool {
        false
    }

    pub(super) fn registry_value(_: Hive, _: &str, _: &str) -> Option<String> {
        None
    }

    pub(super) fn registry_keys(_: Hive, _: &str) -> Vec<String> {
        Vec::new()
    }

    pub(super) fn is_process_alive(pid: u32) -> bool {
        let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
        // A process of another user may not be signalled, and is alive.
        matches!(rustix::process::test_kill_process(pid), Ok(()) | Err(Errno::PERM))
    }

    /// /proc says what `ps` says, without starting it.
    #[cfg(target_os = "linux")]
    pub(super) fn processes(_: Duration) -> Vec<ProcessLine> {
        use super::super::processes::parse_cmdline;

        /// The longest command line that is read. The kernel allows longer ones; no browser has one.
        const MAX_CMDLINE: u64 = 1 << 20;

        let proc = Path::new("/proc");
        RealSystem
            .list(proc)
            .iter()
            .filter_map(|name| {
                let pid: u32 = name.to_str()?.parse().ok()?;
                let bytes = RealSystem.read(&proc.join(name).join("cmdline"), MAX_CMDLINE).ok()?;
                Some(ProcessLine { pid, command: parse_cmdline(&bytes)? })
            })
            .collect()
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn processes(limit: Duration) -> Vec<ProcessLine> {
        let output = super::run_listed(crate::generated::catalog::process_scan::POSIX_COMMAND, limit);
        output.map(|output| super::super::parse_ps(&output)).unwrap_or_default()
    }
}

#[cfg(windows)]
mod platform {
    use std::{
        ffi::OsStr,
        fs::{self, OpenOptions},
        os::windows::fs::OpenOptionsExt as _,
        path::{Path, PathBuf},
        time::Duration,
    };

    use windows_registry::{CURRENT_USER, Key, LOCAL_MACHINE};

    use super::{super::parse_win32_process, Hive, MAX_LISTED, ProcessLine, RealSystem, System};
    use crate::generated::catalog::process_scan::WINDOWS_COMMAND;

    /// How long Windows may take to say whether a process runs.
    const ALIVE_LIMIT: Duration = Duration::from_secs(5);
    /// `ERROR_SHARING_VIOLATION`: another process has the file open.
    const SHARING_VIOLATION: i32 = 32;

    pub(super) fn is_root() -> bool {
        false
    }

    /// The alias of a packaged app can be run and not be followed.
    pub(super) fn is_executable(path: &Path) -> bool {
        fs::metadata(path).or_else(|_| fs::symlink_metadata(path)).is_ok_and(|meta| meta.is_file())
    }

    /// Windows writes a resolved path as `\\?\C:\…`, which no browser shows and no comparison expects.
    pub(super) fn without_verbatim_prefix(path: PathBuf) -> PathBuf {
        match path.to_str().and_then(|text| text.strip_prefix(r"\\?\")) {
            Some(rest) if rest.as_bytes().get(1) == Some(&b':') => PathBuf::from(rest),
            _ => path,
        }
    }

    pub(super) fn is_locked(path: &Path) -> bool {
        let opened = OpenOptions::new().read(true).share_mode(0).open(path);
        opened.is_err_and(|error| error.raw_os_error() == Some(SHARING_VIOLATION))
    }

    fn root(hive: Hive) -> &'static Key {
        match hive {
            Hive::CurrentUser => CURRENT_USER,
            Hive::LocalMachine => LOCAL_MACHINE,
        }
    }

    pub(super) fn registry_value(hive: Hive, key: &str, value: &str) -> Option<String> {
        root(hive).open(key).ok()?.get_string(value).ok().filter(|text| !text.is_empty())
    }

    pub(super) fn registry_keys(hive: Hive, key: &str) -> Vec<String> {
        let Ok(key) = root(hive).open(key) else { return Vec::new() };
        let Ok(keys) = key.keys() else { return Vec::new() };
        let mut names: Vec<String> = keys.take(MAX_LISTED).collect();
        names.sort_unstable();
        names
    }

    pub(super) fn processes(limit: Duration) -> Vec<ProcessLine> {
        super::run_listed(WINDOWS_COMMAND, limit).map(|output| parse_win32_process(&output)).unwrap_or_default()
    }

    pub(super) fn is_process_alive(pid: u32) -> bool {
        let filter = format!("PID eq {pid}");
        let args = ["/FI", &filter, "/NH", "/FO", "CSV"].map(OsStr::new);
        // Without a match it prints a sentence in the user's language, and succeeds.
        RealSystem
            .run("tasklist".as_ref(), &args, ALIVE_LIMIT)
            .is_some_and(|output| output.contains(&format!("\"{pid}\"")))
    }
}
