//! What is launched, and how.

use std::{path::PathBuf, time::Duration};

use super::START_LIMIT;
use crate::browser::installed::{Installed, Via};
use crate::host::Os;

/// What is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// An executable.
    Executable(PathBuf),
    /// An app of macOS. With a window it starts through `open`, so that permissions for the camera and the microphone are
    /// the app's and not the terminal's.
    App {
        /// The `.app`.
        bundle: PathBuf,
        /// The executable in it, for a launch without a window.
        executable: PathBuf,
    },
    /// A flatpak.
    Flatpak {
        /// The flatpak program.
        flatpak: PathBuf,
        /// The flatpak's id.
        id: String,
    },
}

impl Program {
    /// What runs an installed browser or app.
    pub fn of(installed: &Installed, os: Os) -> Self {
        let executable = installed.executable.clone();
        match (installed.via, &installed.package) {
            (Some(Via::Flatpak), Some(id)) => Self::Flatpak { flatpak: executable, id: id.clone() },
            _ if os == Os::Macos && installed.path.extension().is_some_and(|end| end.eq_ignore_ascii_case("app")) => {
                Self::App { bundle: installed.path.clone(), executable }
            }
            _ => Self::Executable(executable),
        }
    }

    /// The program's file.
    pub fn file(&self) -> &PathBuf {
        match self {
            Self::Executable(file) | Self::App { executable: file, .. } | Self::Flatpak { flatpak: file, .. } => file,
        }
    }
}

/// Which profile is used, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProfileUse {
    /// One in the system's temp dir, which goes away with the browser. It isn't prepared: it has no tabs to freeze but the
    /// one that opens.
    Temporary,
    /// A SLICC profile, which is made when it is missing and prepared.
    Slicc(PathBuf),
    /// SLICC six's own, to which nothing is written.
    InPlace(PathBuf),
    /// An Electron app's own, which slicc doesn't know. The app gets a port of its own.
    Apps,
}

/// What to launch.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// The browser.
    pub program: Program,
    /// Its profile.
    pub profile: ProfileUse,
    /// The page to open; the browser's own start page without one.
    pub url: Option<String>,
    /// Whether to open no window.
    pub headless: bool,
    /// Whether the flags, and in a SLICC profile the prefs, that keep a seven tab running are given.
    pub seven_flags: bool,
    /// Hosts of extra allowed origins, for the prefs.
    pub extra_hosts: Vec<String>,
    /// More switches. Their `--disable-features` are merged with the seven flags' one.
    pub extra_args: Vec<String>,
    /// How long the debugging port may take to answer; [`START_LIMIT`] outside tests.
    pub start_limit: Duration,
}

impl LaunchOptions {
    /// Launches this executable with this page, headless, with the seven flags and a temporary profile.
    pub fn new(executable: impl Into<PathBuf>, url: impl Into<String>) -> Self {
        Self {
            program: Program::Executable(executable.into()),
            profile: ProfileUse::Temporary,
            url: Some(url.into()),
            headless: true,
            seven_flags: true,
            extra_hosts: Vec::new(),
            extra_args: Vec::new(),
            start_limit: START_LIMIT,
        }
    }
}
