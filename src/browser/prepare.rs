//! What is done to a SLICC profile before each launch (section `slicc launch` of the requirement): leftovers of the last
//! run are removed, its exit is marked clean, and the seven prefs are merged.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::prefs::{self, Edits, MAX_PREFERENCES, Merged};
use crate::{
    generated::catalog::profiles::STALE_FILES,
    host::{System, files},
};

/// A profile that couldn't be made ready.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} {}: {error}", path.display())]
pub struct PrepareError {
    /// What was tried.
    pub what: &'static str,
    /// On what.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub error: io::Error,
}

/// Makes a profile that nobody holds ready for a launch. It is created when it is missing.
pub fn prepare(system: &dyn System, profile: &Path, edits: &Edits<'_>) -> Result<(), PrepareError> {
    let failed = |what, path: &Path| {
        let path = path.to_owned();
        move |error| PrepareError { what, path, error }
    };
    files::create_private_dir(profile).map_err(failed("create the profile", profile))?;
    for name in STALE_FILES {
        let path = profile.join(name);
        remove(&path).map_err(failed("remove what the last run left,", &path))?;
    }
    let folder = profile.join("Default");
    let path = folder.join("Preferences");
    let text = match system.read(&path, MAX_PREFERENCES).map(String::from_utf8) {
        Ok(Ok(text)) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        // It isn't a JSON object that slicc can read, so it is left alone.
        Ok(Err(_)) | Err(_) => {
            tracing::debug!("the profile's Preferences can't be read");
            return Ok(());
        }
    };
    match prefs::merge(text.as_deref(), edits) {
        Merged::Complete => {}
        Merged::NotAnObject => tracing::debug!("the profile's Preferences is no JSON object"),
        Merged::Changed(text) => {
            files::create_private_dir(&folder).map_err(failed("create", &folder))?;
            files::replace(&folder, &path, &text).map_err(failed("write", &path))?;
        }
    }
    Ok(())
}

/// Removes a file, a link or a dir with all that is in it. One that isn't there is removed already.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    removed.or_else(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(()),
        _ => Err(error),
    })
}

#[cfg(test)]
mod tests;
