//! Who launched the browser of a profile, so that one that outlived a crashed slicc is told apart from one whose slicc still
//! runs (section "Linking seven in your everyday browser", "Restarts", of the requirement).
//!
//! A slicc that launches a browser in a profile of its own holds the lock of a small file in it. The system frees that lock
//! when slicc ends in whatever way, and the file stays behind after a crash alone. Nothing of the kind is ever put into
//! SLICC six's profile.

use std::{
    fmt,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Seek as _, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::{
    profile::{Place, ProfileName},
    running,
};
use crate::{cdp::Endpoint, generated::catalog::process_scan::DIRECTORY_SWITCH, host::System};

/// The file, in the profile.
pub const RECORD: &str = ".slicc-launch";
/// How the throwaway profiles that slicc makes are called, in the system's temp dir.
pub(super) const THROWAWAY_PREFIX: &str = "slicc-browser-";

/// A record is a short line.
const MAX_RECORD: u64 = 4096;
/// How long the process list may take.
pub(super) const PROCESS_LIST: Duration = Duration::from_secs(2);

/// What the file says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Written {
    /// The slicc that launched the browser.
    slicc: u32,
    /// The browser's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    browser: Option<u32>,
}

/// The lock of a profile that this slicc launched a browser in.
#[derive(Debug)]
pub struct Record {
    file: File,
    path: PathBuf,
    keep: bool,
}

impl Record {
    /// Takes the lock of a profile that exists. `None` when another slicc holds it.
    pub fn take(profile: &Path) -> io::Result<Option<Self>> {
        let path = profile.join(RECORD);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let mut record = Self { file, path, keep: false };
        record.write(None)?;
        Ok(Some(record))
    }

    /// Takes the lock of a profile whose browser outlived its slicc. The file stays when this slicc ends, since the browser
    /// does. `None` when no slicc left one, or another holds it.
    pub fn adopt(profile: &Path) -> Option<Self> {
        let path = profile.join(RECORD);
        let file = OpenOptions::new().read(true).write(true).open(&path).ok()?;
        file.try_lock().ok()?;
        Some(Self { file, path, keep: true })
    }

    /// Notes the browser's process.
    pub fn write(&mut self, browser: Option<u32>) -> io::Result<()> {
        let text = serde_json::to_string(&Written { slicc: std::process::id(), browser })?;
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(text.as_bytes())
    }

    /// Leaves the file, as a browser that couldn't be ended stays.
    pub fn keep(mut self) {
        self.keep = true;
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        // While the lock is held: a file that another slicc locked afterwards must not go.
        if !self.keep
            && let Err(error) = fs::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::debug!(%error, "the record of the launch stays");
        }
    }
}

/// A browser that slicc launched and that outlived it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// The profile's name; `None` for a throwaway one.
    pub profile: Option<ProfileName>,
    /// The profile.
    pub dir: PathBuf,
    /// The browser's process, when the process list shows it.
    pub pid: Option<u32>,
    /// Where it answers, when it does.
    pub endpoint: Option<Endpoint>,
}

impl fmt::Display for Leftover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a browser that slicc launched still runs in ")?;
        match &self.profile {
            Some(profile) => write!(f, "profile {profile}")?,
            None => write!(f, "the throwaway profile {}", self.dir.display())?,
        }
        if let Some(pid) = self.pid {
            write!(f, " (process {pid})")?;
        }
        match &self.profile {
            Some(profile) => write!(f, "; quit it, or use it with slicc launch --profile {profile}"),
            None => f.write_str("; quit it, then remove that folder"),
        }
    }
}

/// Every browser that slicc launched and that outlived it: in SLICC profiles, and in throwaway ones in the temp dir.
pub async fn leftovers(system: &dyn System) -> Vec<Leftover> {
    let named = Place::all(system)
        .into_iter()
        .flat_map(|place| place.profiles(system))
        .map(|(name, dir)| (Some(name), dir))
        .collect::<Vec<_>>();
    let temp = system.temp_dir();
    let throwaway = system.list(&temp).into_iter();
    let throwaway = throwaway.filter(|name| name.to_string_lossy().starts_with(THROWAWAY_PREFIX));
    let throwaway = throwaway.map(|name| (None, temp.join(name)));
    let mut left = Vec::new();
    for (profile, dir) in named.into_iter().chain(throwaway).filter(|(_, dir)| is_abandoned(system, dir)) {
        let endpoint = running::find(system, &dir).await.map(|(endpoint, _)| endpoint);
        let pid = process_of(system, &dir);
        if endpoint.is_some() || pid.is_some() {
            left.push(Leftover { profile, dir, pid, endpoint });
        }
    }
    left
}

/// Whether a slicc left its record there and is gone.
fn is_abandoned(system: &dyn System, dir: &Path) -> bool {
    let path = dir.join(RECORD);
    let text = system.read(&path, MAX_RECORD).unwrap_or_default();
    // A slicc that is about to begin hasn't written anything yet.
    serde_json::from_slice::<Written>(&text).is_ok()
        && File::open(path).is_ok_and(|file| file.try_lock_shared().is_ok())
}

/// The browser's main process, by the profile that it was started with.
pub(super) fn process_of(system: &dyn System, dir: &Path) -> Option<u32> {
    let switch = format!("{DIRECTORY_SWITCH}={}", dir.to_str()?);
    let processes = system.processes(PROCESS_LIST).into_iter();
    let mut started =
        processes.filter(|line| has_argument(&line.command, &switch) && !line.command.contains(" --type="));
    started.next().map(|line| line.pid)
}

/// Whether a command line holds an argument, which can hold spaces itself.
pub(super) fn has_argument(command: &str, argument: &str) -> bool {
    let mut from = 0;
    while let Some(at) = command[from..].find(argument) {
        let (start, end) = (from + at, from + at + argument.len());
        let before = command[..start].chars().next_back().is_none_or(|c| c == ' ' || c == '"');
        let after = command[end..].chars().next().is_none_or(|c| c == ' ' || c == '"');
        if before && after {
            return true;
        }
        from = end;
    }
    false
}

#[cfg(test)]
mod tests;
