//! Whether a browser holds a profile (section "Using SLICC six's Chrome profile" of the requirement): Chrome's
//! `SingletonLock` on macOS and Linux, its `lockfile` on Windows. Looking changes nothing.

use std::path::Path;

use crate::host::{Os, System};

/// A symbolic link to `<host>-<pid>`.
pub const SINGLETON_LOCK: &str = "SingletonLock";
/// The file that Chrome on Windows holds open.
pub const LOCKFILE: &str = "lockfile";

/// `/proc/<pid>/stat` is a line.
const MAX_STAT: u64 = 4096;

/// Who holds a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// Nobody: there is no lock, or a stale one.
    Free,
    /// A browser that runs. Windows doesn't tell its process.
    Live(Option<u32>),
}

impl Lock {
    /// Who holds this profile.
    pub fn of(system: &dyn System, profile: &Path) -> Self {
        let os = system.os();
        if os == Os::Windows {
            return if system.is_locked(&os.join(profile, LOCKFILE)) { Self::Live(None) } else { Self::Free };
        }
        match named_process(system, profile) {
            Some(pid) if system.is_process_alive(pid) && !is_zombie(system, pid) => Self::Live(Some(pid)),
            _ => Self::Free,
        }
    }

    /// Whether a browser runs in the profile.
    pub fn is_live(self) -> bool {
        self != Self::Free
    }
}

/// Whether a process has exited and waits to be reaped, as one does for ever where nobody reaps orphans. It counts as alive
/// for the system and holds nothing any more.
fn is_zombie(system: &dyn System, pid: u32) -> bool {
    if system.os() != Os::Linux {
        return false;
    }
    let stat = system.read(Path::new(&format!("/proc/{pid}/stat")), MAX_STAT).unwrap_or_default();
    // The state follows the program's name, which stands in parentheses and can hold some itself.
    let state = String::from_utf8_lossy(&stat).rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    matches!(state, Some('Z' | 'X'))
}

/// The process that a profile's lock names, alive or not.
pub fn named_process(system: &dyn System, profile: &Path) -> Option<u32> {
    let link = system.read_link(&system.os().join(profile, SINGLETON_LOCK))?;
    parse_singleton(link.to_str()?)
}

/// The process in `<host>-<pid>`. A host's name can hold hyphens itself.
pub fn parse_singleton(target: &str) -> Option<u32> {
    let (_, pid) = target.rsplit_once('-')?;
    let digits = !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| pid.parse().ok()).flatten().filter(|pid| *pid > 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_process_stands_after_the_last_hyphen() {
        assert_eq!(parse_singleton("my-host-4242"), Some(4242));
        assert_eq!(parse_singleton("-1"), Some(1));
        for target in ["", "host", "host-", "host-x", "host-0", "host-99999999999", "host- 1", "4242"] {
            assert_eq!(parse_singleton(target), None, "{target:?}");
        }
    }

    proptest! {
        #[test]
        fn any_link_names_a_process_or_none(target in "\\PC{0,20}(-[0-9]{0,12})?") {
            if let Some(pid) = parse_singleton(&target) {
                prop_assert!(target.ends_with(&pid.to_string()));
            }
        }
    }
}
