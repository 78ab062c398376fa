//! Where browsers keep their users' data by default, whether they are installed or not.

use std::path::PathBuf;

use super::{Via, place, windows_place};
use crate::{
    generated::catalog::{BROWSERS, Browser, Flatpak, Snap, WindowsFolder, private_paths},
    host::{Os, System},
};

/// A default user data dir.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDataDir {
    /// The browser's id.
    pub browser: &'static str,
    /// The directory, whether it exists or not.
    pub path: PathBuf,
    /// The sandbox that it belongs to.
    pub via: Option<Via>,
    /// The snap's name or the flatpak's id.
    pub package: Option<&'static str>,
}

/// The default user data dirs of every browser on this system, in id order: its own, then those of its flatpaks and snaps.
pub fn user_data_dirs(system: &dyn System) -> Vec<UserDataDir> {
    let mut dirs = Vec::new();
    for browser in BROWSERS {
        let mut add = |path: Option<PathBuf>, via, package| {
            dirs.extend(path.map(|path| UserDataDir { browser: browser.id, path, via, package }));
        };
        add(native(system, browser), None, None);
        if system.os() == Os::Linux {
            for package in browser.linux.flatpaks {
                add(flatpak(system, package), Some(Via::Flatpak), Some(package.id));
            }
            for package in browser.linux.snaps {
                add(snap(system, package), Some(Via::Snap), Some(package.name));
            }
        }
    }
    dirs
}

/// Folders with browsers' data that are never shared: every default user data dir, and the catalog's private paths. The
/// folders of profiles, slicc's and SLICC six's, are not among them.
pub fn private_dirs(system: &dyn System) -> Vec<PathBuf> {
    let more: Vec<PathBuf> = match system.os() {
        Os::Macos => private_paths::MACOS.iter().filter_map(|path| place(system, path)).collect(),
        Os::Linux => private_paths::LINUX.iter().filter_map(|path| place(system, path)).collect(),
        Os::Windows => private_paths::WINDOWS.iter().filter_map(|path| windows_place(system, path)).collect(),
    };
    user_data_dirs(system).into_iter().map(|dir| dir.path).chain(more).collect()
}

/// A browser's default user data dir, when it runs outside of a sandbox. `None` when it isn't made for this system, and when
/// the system doesn't say where data goes.
pub(super) fn native(system: &dyn System, browser: &Browser) -> Option<PathBuf> {
    let os = system.os();
    let (base, relative) = match os {
        Os::Macos => (system.home_dir(), browser.macos.user_data_dir),
        Os::Linux => (system.config_dir(), browser.linux.user_data_dir),
        Os::Windows => {
            let variable = match browser.windows.user_data_dir_in {
                WindowsFolder::LocalAppData => "LOCALAPPDATA",
                WindowsFolder::AppData => "APPDATA",
            };
            (system.env_dir(variable), browser.windows.user_data_dir)
        }
    };
    if relative.is_empty() { None } else { Some(os.join(&base?, relative)) }
}

/// The default user data dir of a flatpak.
pub(super) fn flatpak(system: &dyn System, flatpak: &Flatpak) -> Option<PathBuf> {
    Some(system.os().join(&system.home_dir()?, flatpak.user_data_dir))
}

/// The default user data dir of a snap.
pub(super) fn snap(system: &dyn System, snap: &Snap) -> Option<PathBuf> {
    Some(system.os().join(&system.home_dir()?, snap.user_data_dir))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::system::fake::FakeSystem;

    fn dirs(system: &FakeSystem, id: &str) -> Vec<PathBuf> {
        user_data_dirs(system).into_iter().filter(|dir| dir.browser == id).map(|dir| dir.path).collect()
    }

    #[test]
    fn each_system_has_its_own_user_data_dirs() {
        let linux = FakeSystem::new(Os::Linux).with_env("HOME", "/home/me");
        assert_eq!(
            dirs(&linux, "brave"),
            [
                "/home/me/.config/BraveSoftware/Brave-Browser",
                "/home/me/.var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser",
                "/home/me/snap/brave/current/.config/BraveSoftware/Brave-Browser",
            ]
            .map(PathBuf::from)
        );
        let linux = linux.with_env("XDG_CONFIG_HOME", "/xdg");
        assert_eq!(dirs(&linux, "chrome")[0], PathBuf::from("/xdg/google-chrome"));
        assert_eq!(dirs(&linux, "arc"), Vec::<PathBuf>::new());
        let windows = FakeSystem::new(Os::Windows)
            .with_env("LOCALAPPDATA", r"C:\Users\me\AppData\Local")
            .with_env("APPDATA", r"C:\Users\me\AppData\Roaming");
        assert_eq!(dirs(&windows, "chrome"), [PathBuf::from(r"C:\Users\me\AppData\Local\Google\Chrome\User Data")]);
        assert_eq!(
            dirs(&windows, "opera"),
            [PathBuf::from(r"C:\Users\me\AppData\Roaming\Opera Software\Opera Stable")]
        );
        let macos = FakeSystem::new(Os::Macos).with_env("HOME", "/Users/me");
        assert_eq!(dirs(&macos, "dia"), [PathBuf::from("/Users/me/Library/Application Support/Dia/User Data")]);
    }

    #[test]
    fn a_machine_without_a_home_has_no_dirs() {
        for os in [Os::Linux, Os::Macos, Os::Windows] {
            assert_eq!(user_data_dirs(&FakeSystem::new(os)), [], "{os:?}");
            assert_eq!(private_dirs(&FakeSystem::new(os)), Vec::<PathBuf>::new(), "{os:?}");
        }
    }

    #[test]
    fn private_dirs_hold_every_user_data_dir_and_more() {
        let linux = FakeSystem::new(Os::Linux).with_env("HOME", "/home/me");
        let private = private_dirs(&linux);
        assert!(user_data_dirs(&linux).iter().all(|dir| private.contains(&dir.path)));
        assert!(private.contains(&PathBuf::from("/home/me/snap/brave")));
        let macos = FakeSystem::new(Os::Macos).with_env("HOME", "/Users/me");
        assert!(private_dirs(&macos).contains(&"/Users/me/Library/Application Support/com.openai.atlas".into()));
        let windows = FakeSystem::new(Os::Windows).with_env("LOCALAPPDATA", r"C:\L");
        assert!(private_dirs(&windows).contains(&r"C:\L\Packages\TheBrowserCompany.Arc_ttt1ap7aakyb4".into()));
    }
}
