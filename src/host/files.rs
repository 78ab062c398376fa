//! Files and dirs of this user's.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

/// Makes a dir that only this user can read, and the dirs above it.
///
/// # Errors
/// What the system says.
pub fn create_private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Replaces a file as a whole, so that a crash leaves the old one or the new one. `folder` is the one that it is in.
///
/// # Errors
/// What the system says.
pub fn replace(folder: &Path, path: &Path, text: &str) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(".slicc-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
