//! Installed browsers (section "Browsers" of the requirement), found by the catalog's names and paths. Finding only asks
//! whether a file can be executed: nothing is run or read.

mod linux;
mod macos;
mod windows;

use std::path::PathBuf;

use crate::{
    generated::cli::env::SLICC_TEST_CHROME,
    host::{Os, System},
};

/// An installed browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledBrowser {
    /// Its id in the catalog, such as `chrome`.
    pub id: &'static str,
    /// Its name, as people know it.
    pub name: &'static str,
    /// What is run.
    pub executable: PathBuf,
}

/// Every browser of the catalog that is installed, best first: in the catalog's order, each id once, with its first find.
///
/// When [`SLICC_TEST_CHROME`] is set, its executable comes first, whether it exists or not: a test that names a browser must
/// not run on another one.
pub fn find(system: &dyn System) -> Vec<InstalledBrowser> {
    let mut found: Vec<InstalledBrowser> = Vec::new();
    if let Some(executable) = system.env(SLICC_TEST_CHROME) {
        found.push(InstalledBrowser { id: "test-chrome", name: "the test browser", executable: executable.into() });
    }
    for browser in crate::generated::catalog::BROWSERS {
        let executable = match system.os() {
            Os::Linux => linux::executable(system, browser),
            Os::Macos => macos::executable(system, browser),
            Os::Windows => windows::executable(system, browser),
        };
        let Some(executable) = executable else { continue };
        // Two entries of the catalog can name one file (chrome.exe): the first find keeps it.
        if !found.iter().any(|earlier| earlier.executable == executable) {
            found.push(InstalledBrowser { id: browser.id, name: browser.name, executable });
        }
    }
    found
}

/// The best installed browser.
pub fn best(system: &dyn System) -> Option<InstalledBrowser> {
    find(system).into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::system::fake::FakeSystem;

    fn ids(system: &FakeSystem) -> Vec<&'static str> {
        find(system).iter().map(|browser| browser.id).collect()
    }

    #[test]
    fn the_catalog_order_decides_not_the_path_order() {
        let system = FakeSystem::new(Os::Linux)
            .with_env("PATH", "/first:/second")
            .with_executable("/first/chromium")
            .with_executable("/second/google-chrome-stable");
        assert_eq!(ids(&system), ["chrome", "chromium"]);
    }

    #[test]
    fn the_test_browser_wins_even_when_it_is_missing() {
        let system = FakeSystem::new(Os::Linux)
            .with_env("PATH", "/usr/bin")
            .with_env(SLICC_TEST_CHROME, "/nowhere/chrome")
            .with_executable("/usr/bin/chromium");
        assert_eq!(best(&system).unwrap().executable, PathBuf::from("/nowhere/chrome"));
        assert_eq!(ids(&system), ["test-chrome", "chromium"]);
    }

    #[test]
    fn one_file_is_listed_once() {
        let system = FakeSystem::new(Os::Linux)
            .with_env("PATH", "/usr/bin")
            .with_env(SLICC_TEST_CHROME, "/usr/bin/chromium")
            .with_executable("/usr/bin/chromium");
        assert_eq!(ids(&system), ["test-chrome"]);
    }

    #[test]
    fn a_machine_without_browsers_has_none() {
        for os in [Os::Linux, Os::Macos, Os::Windows] {
            assert_eq!(best(&FakeSystem::new(os)), None);
        }
    }
}
