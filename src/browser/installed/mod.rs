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

/// What an installed application is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// A Chromium browser.
    Chromium,
    /// An app with Electron, or with WebView2 on macOS.
    Electron,
}

impl Engine {
    /// Its name in `--json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Electron => "electron",
        }
    }
}

/// What an application was installed as, when it runs in a sandbox of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// A snap.
    Snap,
    /// A flatpak.
    Flatpak,
}

impl Via {
    /// Its name in `--json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Snap => "snap",
            Self::Flatpak => "flatpak",
        }
    }
}

/// Whether an application opens a debugging port when it is asked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DebugSupport {
    /// It does.
    Supported,
    /// It is known to refuse.
    Disabled,
    /// Nothing is known about it.
    Unknown,
}

impl DebugSupport {
    /// Its name in `--json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Disabled => "disabled",
            Self::Unknown => "unknown",
        }
    }
}

/// An installed browser or Electron app, with the facts of `installed` in `slicc browsers --json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its id in the catalog, such as `chrome`, or `electron:<slug>`.
    pub id: String,
    /// Its name, as people know it.
    pub name: String,
    /// What it is made of.
    pub engine: Engine,
    /// A browser's release channel.
    pub channel: Option<&'static str>,
    /// Its version, where one is known.
    pub version: Option<String>,
    /// The `.app`, the executable or the flatpak's directory.
    pub path: PathBuf,
    /// What is run; for a flatpak, the flatpak program.
    pub executable: PathBuf,
    /// The bundle id on macOS.
    pub bundle_id: Option<String>,
    /// The sandbox that it was installed with.
    pub via: Option<Via>,
    /// The snap's name or the flatpak's id.
    pub package: Option<String>,
    /// The browser's default user data dir, whether it exists or not.
    pub user_data_dir: Option<PathBuf>,
    /// Whether it opens a debugging port.
    pub debug_support: DebugSupport,
    /// Whether it is a debug build that stands in for the app of that name (macOS).
    pub debug_build: bool,
}

/// How installed browsers are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether app bundles are read on macOS (off with `--no-bundle-scan`).
    pub bundle_scan: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { bundle_scan: true }
    }
}

/// Every browser of the catalog that is installed, in id order, then Electron apps by name, then path. Each id once, with
/// its first find. Nothing is launched but `<browser> --version` on Linux, where no file says the version, and Spotlight's
/// commands on macOS. No version is filtered here.
pub fn all(system: &dyn System, _options: &Options) -> Vec<Installed> {
    find(system)
        .into_iter()
        .map(|browser| Installed {
            id: browser.id.to_owned(),
            name: browser.name.to_owned(),
            engine: Engine::Chromium,
            channel: None,
            version: None,
            path: browser.executable.clone(),
            executable: browser.executable,
            bundle_id: None,
            via: None,
            package: None,
            user_data_dir: None,
            debug_support: DebugSupport::Supported,
            debug_build: false,
        })
        .collect()
}

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
