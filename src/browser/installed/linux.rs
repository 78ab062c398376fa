//! Installed browsers on Linux: snaps first, then names on PATH.

use std::path::{Path, PathBuf};

use crate::{
    generated::catalog::Browser,
    host::{Os, System},
};

/// Where snapd puts its commands, whether or not it is on PATH.
const SNAP_BIN: &str = "/snap/bin";

/// What runs this browser here.
pub(super) fn executable(system: &dyn System, browser: &Browser) -> Option<PathBuf> {
    let names = browser.linux.path_names;
    names
        .iter()
        .map(|name| Os::Linux.join(Path::new(SNAP_BIN), name))
        .find(|path| system.is_executable(path))
        .or_else(|| names.iter().find_map(|name| system.find_on_path(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{browser::installed::find, host::system::fake::FakeSystem};

    #[test]
    fn a_snap_is_found_without_path() {
        let found = find(&FakeSystem::new(Os::Linux).with_executable("/snap/bin/chromium"));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].executable, PathBuf::from("/snap/bin/chromium"));
    }

    #[test]
    fn the_stable_name_comes_before_the_general_one() {
        let system = FakeSystem::new(Os::Linux)
            .with_env("PATH", "/usr/bin")
            .with_executable("/usr/bin/google-chrome")
            .with_executable("/usr/bin/google-chrome-stable");
        assert_eq!(find(&system)[0].executable, PathBuf::from("/usr/bin/google-chrome-stable"));
    }
}
