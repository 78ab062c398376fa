//! SLICC profiles: where they are, how they are named, and which are throwaway ones (section `slicc launch` of the
//! requirement). The dirs are shared with playwright-cli, which launches into the same ones.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use super::{
    paths::{Parts, join},
    six,
};
use crate::{
    generated::catalog::{
        BROWSERS,
        profiles::{FOLDER, MIGRATED_MARKER, OLD_FOLDER, SNAP_PARENT},
    },
    host::{Os, System},
};

/// The longest name of a profile, in characters.
pub const MAX_NAME: usize = 100;

/// The name of a SLICC profile: letters, digits, `.`, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProfileName(String);

/// A text that can't be a profile's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a profile's name has letters, digits, '.', '_' and '-', and at most {MAX_NAME} of them")]
pub struct NotAName;

impl ProfileName {
    /// Reads a name. One of dots alone would be another dir, and a dot at the end is lost on Windows.
    pub fn parse(text: &str) -> Result<Self, NotAName> {
        let characters = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        if !characters || text.is_empty() || text.len() > MAX_NAME || text.ends_with('.') || text == MIGRATED_MARKER {
            return Err(NotAName);
        }
        Ok(Self(text.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A place where profiles are: one for browsers in general, and one for each snap, which can write nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The dir with the profiles.
    pub profiles: PathBuf,
    /// The dir where earlier versions kept them. It is never scanned or launched into.
    pub old: PathBuf,
}

impl Place {
    /// The place for every browser but snaps. `None` on a machine without a config dir.
    pub fn general(system: &dyn System) -> Option<Self> {
        Some(Self::under(system, &system.config_dir()?))
    }

    /// The place for a snap.
    pub fn of_snap(system: &dyn System, snap: &str) -> Option<Self> {
        Some(Self::under(system, &join(system, &system.home_dir()?, &SNAP_PARENT.replace("<snap>", snap))))
    }

    /// Every place: the general one, then those of the catalog's snaps.
    pub fn all(system: &dyn System) -> Vec<Self> {
        let snaps = BROWSERS.iter().flat_map(|browser| browser.linux.snaps).filter(|_| system.os() == Os::Linux);
        let snaps = snaps.filter_map(|snap| Self::of_snap(system, snap.name));
        Self::general(system).into_iter().chain(snaps).collect()
    }

    fn under(system: &dyn System, base: &Path) -> Self {
        Self { profiles: join(system, base, FOLDER), old: join(system, base, OLD_FOLDER) }
    }

    /// The dir of a profile, whether or not it exists.
    pub fn dir(&self, system: &dyn System, name: &ProfileName) -> PathBuf {
        system.os().join(&self.profiles, name.as_str())
    }

    /// The profiles that exist, by name.
    pub fn profiles(&self, system: &dyn System) -> Vec<(ProfileName, PathBuf)> {
        let names = system.list(&self.profiles);
        let named = names.iter().filter_map(|name| ProfileName::parse(name.to_str()?).ok());
        named.map(|name| (name.clone(), self.dir(system, &name))).filter(|(_, dir)| system.is_dir(dir)).collect()
    }
}

/// Whether a dir lies in a `slicc/profiles` folder, in any case, where earlier versions of slicc and SLICC six keep
/// profiles.
pub fn is_in_old_profiles(system: &dyn System, dir: &Path) -> bool {
    let old: Vec<&str> = OLD_FOLDER.split('/').collect();
    Parts::ignoring_case(system, dir).holds(&old)
}

/// Whether a profile is a throwaway one: it lies in the system's temp dir, with symbolic links resolved, and without
/// regard to case on macOS and Windows.
pub fn is_throwaway(system: &dyn System, dir: &Path) -> bool {
    let parts = match system.os() {
        Os::Linux => Parts::of,
        Os::Macos | Os::Windows => Parts::ignoring_case,
    };
    parts(system, dir).is_inside(&parts(system, &system.temp_dir()))
}

/// Whether a dir is SLICC six's profile, or lies in it: no SLICC profile may.
pub fn is_six(system: &dyn System, dir: &Path) -> bool {
    six::SixDirs::of(system).contains(system, dir)
}

#[cfg(test)]
mod tests;
