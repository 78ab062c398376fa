//! Installed browsers on Windows: the known paths under `%ProgramFiles%`, `%ProgramFiles(x86)%` and `%LOCALAPPDATA%`.
//! The registry (`StartMenuInternet`, `App Paths`) isn't read, so a browser that was installed elsewhere isn't found.

use std::path::{Path, PathBuf};

use crate::{
    generated::catalog::Browser,
    host::{Os, System},
};

/// What runs this browser here.
pub(super) fn executable(system: &dyn System, browser: &Browser) -> Option<PathBuf> {
    let known = &browser.windows;
    [
        ("ProgramFiles", known.program_files),
        ("ProgramFiles(x86)", known.program_files_x86),
        ("LOCALAPPDATA", known.local_app_data),
    ]
    .into_iter()
    .filter_map(|(variable, paths)| Some((system.env(variable)?, paths)))
    .flat_map(|(base, paths)| {
        paths.iter().map(|relative| Os::Windows.join(Path::new(&base), relative)).collect::<Vec<_>>()
    })
    .find(|path| system.is_executable(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{browser::installed::find, host::system::fake::FakeSystem};

    #[test]
    fn the_known_paths_are_asked_in_order() {
        let machine = r"C:\Program Files\Google\Chrome\Application\chrome.exe";
        let user = r"C:\Users\me\AppData\Local\Google\Chrome\Application\chrome.exe";
        let system = FakeSystem::new(Os::Windows)
            .with_env("ProgramFiles", r"C:\Program Files")
            .with_env("LOCALAPPDATA", r"C:\Users\me\AppData\Local")
            .with_executable(user)
            .with_executable(machine);
        assert_eq!(find(&system)[0].executable, PathBuf::from(machine));
    }

    #[test]
    fn a_32_bit_install_and_a_user_install_count() {
        let system = FakeSystem::new(Os::Windows)
            .with_env("ProgramFiles(x86)", r"C:\Program Files (x86)")
            .with_env("LOCALAPPDATA", r"C:\Users\me\AppData\Local")
            .with_executable(r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe")
            .with_executable(r"C:\Users\me\AppData\Local\Chromium\Application\chrome.exe");
        let ids: Vec<_> = find(&system).iter().map(|browser| browser.id).collect();
        assert_eq!(ids, ["chrome", "chromium"]);
    }

    #[test]
    fn an_unset_variable_names_no_path() {
        let system = FakeSystem::new(Os::Windows).with_executable(r"\Google\Chrome\Application\chrome.exe");
        assert_eq!(find(&system), []);
    }
}
