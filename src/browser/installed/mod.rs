//! Installed browsers and Electron apps (section "Browsers" of the requirement), found by the catalog's names and places on
//! three systems. Everything is read through [`System`], so each system's rules hold on every machine.

mod data_dirs;
mod electron;
mod finds;
mod linux;
mod macos;
mod model;
mod version;
mod windows;

use std::path::{Path, PathBuf};

pub use self::{
    data_dirs::{UserDataDir, private_dirs, user_data_dirs},
    electron::slug,
    linux::{DesktopEntry, parse_desktop_entry, parse_dpkg_status, parse_snap_manifest},
    macos::{Attributes, BundleInfo, parse_info_plist, parse_mdfind, parse_mdls},
    model::{DebugSupport, Engine, Installed, Via},
    windows::parse_command,
};
use crate::{
    generated::{
        catalog::{BROWSERS, Browser},
        cli::env::SLICC_TEST_CHROME,
    },
    host::{Os, System},
};

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
/// its first find, and a find by a sure fact before one by a guess. No version is filtered here.
///
/// Nothing is launched but Spotlight's commands on macOS and, on Linux, `<browser> --version` where no file says the version.
pub fn all(system: &dyn System, options: &Options) -> Vec<Installed> {
    let finds = match system.os() {
        Os::Linux => linux::find(system),
        Os::Macos => macos::find(system, options.bundle_scan),
        Os::Windows => windows::find(system),
    };
    let mut found = finds.settle();
    if system.os() == Os::Linux {
        linux::ask_versions(system, &mut found);
    }
    found
}

/// The executable of the best installed browser: that of [`SLICC_TEST_CHROME`] when it is set, whether it exists or not (a
/// test that names a browser must not run on another one), otherwise that of the first browser. Versions don't count.
pub fn best_executable(system: &dyn System) -> Option<PathBuf> {
    if let Some(executable) = system.env(SLICC_TEST_CHROME) {
        return Some(executable.into());
    }
    let finds = match system.os() {
        Os::Linux => linux::find(system),
        Os::Macos => macos::find(system, true),
        Os::Windows => windows::find(system),
    };
    let mut found = finds.settle().into_iter();
    // A flatpak runs through another program, so its executable alone is no browser.
    found.find(|app| app.engine == Engine::Chromium && app.via != Some(Via::Flatpak)).map(|app| app.executable)
}

/// A browser of the catalog, by its id.
pub fn browser(id: &str) -> Option<&'static Browser> {
    BROWSERS.iter().find(|browser| browser.id == id)
}

/// The place of an id in id order. One that the catalog doesn't have, such as an Electron app's, comes after all others.
pub fn id_order(id: &str) -> usize {
    BROWSERS.iter().position(|browser| browser.id == id).unwrap_or(BROWSERS.len())
}

/// A path of the catalog that may begin with `~/`. `None` when it does and there is no home dir.
fn place(system: &dyn System, path: &str) -> Option<PathBuf> {
    match path.strip_prefix("~/") {
        Some(rest) => Some(system.os().join(&system.home_dir()?, rest)),
        None => Some(PathBuf::from(path)),
    }
}

/// A path of the catalog that begins with an environment variable, such as `%LOCALAPPDATA%\Programs`. `None` when it isn't
/// set to an absolute path.
fn windows_place(system: &dyn System, path: &str) -> Option<PathBuf> {
    let (variable, rest) = path.strip_prefix('%')?.split_once('%')?;
    let base = system.env_dir(variable)?;
    let rest = rest.trim_start_matches('\\');
    Some(if rest.is_empty() { base } else { system.os().join(&base, rest) })
}

/// A small text file: at most `max` bytes, with U+FFFD for what is no UTF-8. `None` when there is none or it is larger.
fn read_text(system: &dyn System, path: &Path, max: u64) -> Option<String> {
    let bytes = system.read(path, max).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests;
