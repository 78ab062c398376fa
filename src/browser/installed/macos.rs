//! Installed browsers on macOS: app bundles in /Applications and ~/Applications. Nothing inside a bundle is read, so
//! macOS asks for no permission; the executable is named after the app, as it is in every browser of the catalog.

use std::path::PathBuf;

use crate::{
    generated::catalog::Browser,
    host::{Os, System},
};

/// What runs this browser here.
pub(super) fn executable(system: &dyn System, browser: &Browser) -> Option<PathBuf> {
    let home = system.home_dir().map(|home| Os::Macos.join(&home, "Applications"));
    let folders: Vec<PathBuf> = std::iter::once(PathBuf::from("/Applications")).chain(home).collect();
    browser
        .macos
        .app_names
        .iter()
        .flat_map(|app| folders.iter().map(move |folder| (app, folder)))
        .map(|(app, folder)| Os::Macos.join(folder, &format!("{app}.app/Contents/MacOS/{app}")))
        .find(|path| system.is_executable(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{browser::installed::find, host::system::fake::FakeSystem};

    const CHROME: &str = "Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

    #[test]
    fn the_machines_applications_come_before_the_users() {
        let system = FakeSystem::new(Os::Macos)
            .with_env("HOME", "/Users/me")
            .with_executable(&format!("/Users/me/{CHROME}"))
            .with_executable(&format!("/{CHROME}"));
        assert_eq!(find(&system)[0].executable, PathBuf::from(format!("/{CHROME}")));
    }

    #[test]
    fn the_users_applications_count() {
        let system =
            FakeSystem::new(Os::Macos).with_env("HOME", "/Users/me").with_executable(&format!("/Users/me/{CHROME}"));
        let found = find(&system);
        assert_eq!(found[0].id, "chrome");
        assert_eq!(found[0].executable, PathBuf::from(format!("/Users/me/{CHROME}")));
    }
}
