//! What makes an app an Electron app, and what its id is.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::DebugSupport;
use crate::{generated::catalog::electron, host::System};

/// The folder next to an app's executable that holds its code.
const RESOURCES: &str = "resources";
/// The largest `package.json` that is read.
const MAX_MANIFEST: u64 = 1 << 20;

/// The end of an app's id, after `electron:`: its name in lower case, with a hyphen for every run of other characters than
/// letters and digits. Empty for a name without any.
pub fn slug(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// Whether this is the directory of an Electron app's executable: it holds the app's code and Chromium's files.
pub(super) fn is_app_dir(system: &dyn System, dir: &Path) -> bool {
    let os = system.os();
    let resources = os.join(dir, RESOURCES);
    let has_code = electron::RESOURCES.iter().map(|name| os.join(&resources, name));
    let has = |names: &[&str]| names.iter().any(|name| system.is_file(&os.join(dir, name)));
    has_code.into_iter().any(|path| system.is_file(&path) || system.is_dir(&path))
        && has(electron::PAKS)
        && has(electron::SNAPSHOTS)
}

/// The version that an app states in `resources/app/package.json`. One that is packed into `app.asar` isn't read.
pub(super) fn manifest_version(system: &dyn System, dir: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Manifest {
        version: String,
    }
    let os = system.os();
    let path = ["app", "package.json"].iter().fold(os.join(dir, RESOURCES), |path, part| os.join(&path, part));
    let manifest: Manifest = serde_json::from_slice(&system.read(&path, MAX_MANIFEST).ok()?).ok()?;
    super::version::leading(&manifest.version)
}

/// Whether an app of this name or bundle id opens a debugging port.
pub(super) fn debug_support(name: &str, bundle_id: Option<&str>) -> DebugSupport {
    let refuses = electron::UNDEBUGGABLE.iter().any(|app| {
        app.name.eq_ignore_ascii_case(name) || bundle_id.is_some_and(|id| app.bundle_id.eq_ignore_ascii_case(id))
    });
    if refuses { DebugSupport::Disabled } else { DebugSupport::Supported }
}

/// The executable of the app in this directory (Windows): the one named like `app`, otherwise the only one that isn't an
/// installer's or a helper's.
pub(super) fn windows_executable(system: &dyn System, dir: &Path, app: &str) -> Option<(String, PathBuf)> {
    const HELPERS: &[&str] =
        &["unins", "update", "squirrel", "elevate", "crash", "setup", "install", "helper", "notif"];

    let os = system.os();
    let mut programs: Vec<(String, PathBuf)> = Vec::new();
    for name in system.list(dir) {
        let text = name.to_string_lossy();
        let Some((stem, extension)) = text.rsplit_once('.') else { continue };
        let path = os.join(dir, &name);
        if extension.eq_ignore_ascii_case("exe") && !stem.is_empty() && system.is_file(&path) {
            programs.push((stem.to_owned(), path));
        }
    }
    let bare = |name: &str| slug(name).replace('-', "");
    if let Some(at) = programs.iter().position(|(stem, _)| bare(stem) == bare(app)) {
        return Some(programs.swap_remove(at));
    }
    let is_helper = |stem: &str| HELPERS.iter().any(|helper| stem.to_lowercase().contains(helper));
    programs.retain(|(stem, _)| !is_helper(stem));
    if programs.len() == 1 { programs.pop() } else { None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::host::{Os, system::fake::FakeSystem};

    #[test]
    fn a_slug_is_made_of_letters_and_digits() {
        for (name, expected) in [
            ("Slack", "slack"),
            ("Visual Studio Code", "visual-studio-code"),
            ("1Password", "1password"),
            ("  a--b (Beta)! ", "a-b-beta"),
            ("Zürich", "zürich"),
            ("…", ""),
        ] {
            assert_eq!(slug(name), expected, "{name}");
        }
    }

    #[test]
    fn an_app_needs_its_code_and_chromiums_files() {
        let app = |files: &[&str]| {
            let mut system = FakeSystem::new(Os::Windows);
            for file in files {
                system = system.with_file(&format!("C:\\A\\{file}"), "");
            }
            is_app_dir(&system, Path::new("C:\\A"))
        };
        assert!(app(&["resources\\app.asar", "resources.pak", "snapshot_blob.bin"]));
        assert!(app(&["resources\\app\\package.json", "chrome_100_percent.pak", "v8_context_snapshot.bin"]));
        assert!(!app(&["resources\\other.asar", "resources.pak", "snapshot_blob.bin"]));
        assert!(!app(&["resources\\app.asar", "resources.pak"]));
        assert!(!app(&["resources\\app.asar", "snapshot_blob.bin"]));
    }

    proptest! {
        #[test]
        fn a_slug_of_a_slug_is_the_same(name in any::<String>()) {
            let once = slug(&name);
            prop_assert!(!once.starts_with('-') && !once.ends_with('-') && !once.contains("--"));
            prop_assert!(!once.contains(['/', ':', ' ']));
        }
    }
}
