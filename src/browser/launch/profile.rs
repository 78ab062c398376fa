//! A browser's profile that goes away with it.

use std::{io, path::Path};

use tempfile::TempDir;

use super::CloseError;
use crate::browser::record::THROWAWAY_PREFIX;

/// How often the removal is tried: a process that was just killed can still leave a file behind.
const REMOVE_ATTEMPTS: usize = 5;

/// A throwaway profile, removed on drop.
#[derive(Debug)]
pub(super) struct Profile {
    dir: TempDir,
    removed: bool,
}

impl Profile {
    /// Makes one in this folder.
    pub(super) fn new(temp: &Path) -> io::Result<Self> {
        let dir = tempfile::Builder::new().prefix(THROWAWAY_PREFIX).tempdir_in(temp)?;
        Ok(Self { dir, removed: false })
    }

    /// Its folder.
    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Removes it; a second call does nothing.
    pub(super) fn remove(&mut self) -> Result<(), CloseError> {
        if self.removed {
            return Ok(());
        }
        let path = self.dir.path();
        let mut attempt = 1;
        loop {
            match std::fs::remove_dir_all(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    if attempt == REMOVE_ATTEMPTS {
                        return Err(CloseError::Profile { path: path.to_owned(), error });
                    }
                    attempt += 1;
                }
                // NotFound can also mean that a file vanished during the walk.
                _ if path.exists() && attempt < REMOVE_ATTEMPTS => attempt += 1,
                _ => break,
            }
        }
        self.removed = true;
        self.dir.disable_cleanup(true);
        Ok(())
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        if let Err(error) = self.remove() {
            tracing::warn!("{error}");
        }
    }
}
