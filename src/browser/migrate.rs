//! Older profiles: earlier versions kept them in `slicc/profiles`, and this moves them once (section `slicc launch` of the
//! requirement). On macOS's usual volumes that folder is SLICC six's own, so six's profiles are told apart first.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use super::{
    lock::Lock,
    profile::{Place, ProfileName},
    six::SixDirs,
};
use crate::{
    generated::catalog::profiles::MIGRATED_MARKER,
    host::{System, files::create_private_dir},
};

/// What the user should know about an older profile.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MigrationNotice {
    /// There is a profile of its name already.
    Exists {
        /// The profile.
        name: ProfileName,
        /// The old folder, where it stays.
        old: PathBuf,
        /// The new folder.
        new: PathBuf,
    },
    /// A browser runs in it.
    InUse {
        /// The profile.
        name: ProfileName,
        /// The browser's process, where the system tells.
        pid: Option<u32>,
        /// The old folder, where it stays.
        old: PathBuf,
        /// The new folder.
        new: PathBuf,
    },
    /// It couldn't be moved. The next run tries again.
    Failed {
        /// The profile.
        name: ProfileName,
        /// The old folder, where it stays.
        old: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The new folder or the mark in it couldn't be written. The next run tries again.
    Unwritable {
        /// The new folder.
        new: PathBuf,
        /// What the system said.
        reason: String,
    },
}

impl fmt::Display for MigrationNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists { name, old, new } => {
                let there = new.join(name.as_str());
                write!(f, "profile {name} stays in {}, since {} already exists", old.display(), there.display())
            }
            Self::InUse { name, pid, old, new } => {
                write!(f, "profile {name} is in use")?;
                if let Some(pid) = pid {
                    write!(f, " by process {pid}")?;
                }
                let (old, new) = (old.display(), new.display());
                write!(f, ", so it stays in {old}; quit that browser, then move it to {new}")
            }
            Self::Failed { name, old, reason } => {
                write!(f, "profile {name} stays in {} for now: {reason}", old.display())
            }
            Self::Unwritable { new, reason } => {
                write!(f, "older profiles stay where they are for now: cannot write {}: {reason}", new.display())
            }
        }
    }
}

/// Moves the older profiles of every place that were never looked at. A run that is cut short goes on the next time.
pub fn migrate(system: &dyn System) -> Vec<MigrationNotice> {
    let six = SixDirs::of(system);
    Place::all(system).iter().flat_map(|place| migrate_place(system, &six, place)).collect()
}

fn migrate_place(system: &dyn System, six: &SixDirs, place: &Place) -> Vec<MigrationNotice> {
    let marker = place.profiles.join(MIGRATED_MARKER);
    // Without an old folder there is nothing to look at, so nothing is written either.
    if !system.is_dir(&place.old) || marker.symlink_metadata().is_ok() || six.contains(system, &place.old) {
        return Vec::new();
    }
    let mut notices = Vec::new();
    let unwritable =
        |error: &io::Error| MigrationNotice::Unwritable { new: place.profiles.clone(), reason: error.to_string() };
    if let Err(error) = create_private_dir(&place.profiles) {
        return vec![unwritable(&error)];
    }
    for name in system.list(&place.old) {
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
        let Ok(name) = ProfileName::parse(name) else { continue };
        let from = place.old.join(name.as_str());
        if is_movable(system, &from) && !six.is_six(system, &from) && !super::six::is_profile_name(name.as_str()) {
            notices.extend(move_profile(system, place, name, &from));
        }
    }
    let all_looked_at = !notices.iter().any(|notice| matches!(notice, MigrationNotice::Failed { .. }));
    if all_looked_at && let Err(error) = fs::write(&marker, "") {
        notices.push(unwritable(&error));
    }
    notices
}

/// Whether it is a dir, or a link to one that leads there from anywhere.
fn is_movable(system: &dyn System, path: &Path) -> bool {
    system.is_dir(path) && system.read_link(path).is_none_or(|target| target.is_absolute())
}

fn move_profile(system: &dyn System, place: &Place, name: ProfileName, from: &Path) -> Option<MigrationNotice> {
    let (old, new) = (place.old.clone(), place.profiles.clone());
    let to = new.join(name.as_str());
    if to.symlink_metadata().is_ok() {
        return Some(MigrationNotice::Exists { name, old, new });
    }
    if let Lock::Live(pid) = Lock::of(system, from) {
        return Some(MigrationNotice::InUse { name, pid, old, new });
    }
    match fs::rename(from, &to) {
        Ok(()) => None,
        // Another slicc moved it at the same time.
        Err(error) if error.kind() == io::ErrorKind::NotFound && from.symlink_metadata().is_err() => None,
        Err(error) if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty) => {
            Some(MigrationNotice::Exists { name, old, new })
        }
        Err(error) => Some(MigrationNotice::Failed { name, old, reason: error.to_string() }),
    }
}

#[cfg(test)]
mod tests;
