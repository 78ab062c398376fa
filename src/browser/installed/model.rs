//! What is known about an installed browser: the facts of `installed` in `slicc browsers --json`.

use std::path::PathBuf;

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

impl Installed {
    /// One of which nothing but its executable is known.
    pub fn new(id: impl Into<String>, name: impl Into<String>, engine: Engine, executable: impl Into<PathBuf>) -> Self {
        let executable = executable.into();
        Self {
            id: id.into(),
            name: name.into(),
            engine,
            channel: None,
            version: None,
            path: executable.clone(),
            executable,
            bundle_id: None,
            via: None,
            package: None,
            user_data_dir: None,
            debug_support: DebugSupport::Supported,
            debug_build: false,
        }
    }
}
