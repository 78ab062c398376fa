use super::*;
use crate::host::system::fake::FakeSystem;

#[test]
fn a_machine_without_browsers_has_none() {
    for os in [Os::Linux, Os::Macos, Os::Windows] {
        assert_eq!(all(&FakeSystem::new(os), &Options::default()), [], "{os:?}");
        assert_eq!(all(&FakeSystem::new(os), &Options { bundle_scan: false }), [], "{os:?}");
        assert_eq!(best_executable(&FakeSystem::new(os)), None, "{os:?}");
    }
}

#[test]
fn the_catalog_order_decides_not_the_path_order() {
    let system = FakeSystem::new(Os::Linux)
        .with_env("PATH", "/first:/second")
        .with_executable("/first/chromium")
        .with_executable("/first/vivaldi")
        .with_executable("/second/google-chrome-stable");
    let ids: Vec<_> = all(&system, &Options::default()).into_iter().map(|app| app.id).collect();
    assert_eq!(ids, ["chrome", "vivaldi", "chromium"]);
}

#[test]
fn the_test_browser_wins_even_when_it_is_missing() {
    let system = FakeSystem::new(Os::Linux)
        .with_env("PATH", "/usr/bin")
        .with_env(SLICC_TEST_CHROME, "/nowhere/chrome")
        .with_executable("/usr/bin/chromium");
    assert_eq!(best_executable(&system), Some("/nowhere/chrome".into()));
    // `slicc browsers` doesn't show it.
    assert_eq!(all(&system, &Options::default()).len(), 1);
}

#[test]
fn the_best_executable_is_that_of_a_browser() {
    let system = FakeSystem::new(Os::Linux)
        .with_env("HOME", "/home/me")
        .with_env("PATH", "/usr/bin")
        .with_executable("/usr/bin/flatpak")
        .with_file("/var/lib/flatpak/app/com.google.Chrome/x", "")
        .with_executable("/usr/bin/chromium");
    assert_eq!(best_executable(&system), Some("/usr/bin/chromium".into()));
}

/// A guess in the catalog leads to no browser that a sure fact gives to another one, and to no other place.
#[test]
fn a_guess_never_shadows_a_sure_fact() {
    // The names of Chrome for Testing on Linux are a guess; those of Chromium are sure.
    assert!(browser("chrome-for-testing").unwrap().guesses.contains(&"linux.pathNames"));
    let system = FakeSystem::new(Os::Linux)
        .with_env("PATH", "/usr/bin")
        .with_executable("/opt/chromium/chromium")
        .with_link("/usr/bin/chrome-for-testing", "/opt/chromium/chromium")
        .with_link("/usr/bin/chromium", "/opt/chromium/chromium");
    let found = all(&system, &Options::default());
    assert_eq!(found.iter().map(|app| app.id.as_str()).collect::<Vec<_>>(), ["chromium"]);
    // On its own the guess is enough.
    let system = FakeSystem::new(Os::Linux).with_env("PATH", "/usr/bin").with_executable("/usr/bin/chrome-for-testing");
    assert_eq!(all(&system, &Options::default())[0].id, "chrome-for-testing");
}

#[test]
fn one_file_is_one_browser() {
    let system = FakeSystem::new(Os::Linux)
        .with_env("PATH", "/usr/bin")
        .with_executable("/opt/google/chrome/google-chrome")
        .with_link("/usr/bin/google-chrome-stable", "/opt/google/chrome/google-chrome")
        .with_link("/usr/bin/chromium", "/opt/google/chrome/google-chrome");
    let found = all(&system, &Options::default());
    assert_eq!(found.iter().map(|app| app.id.as_str()).collect::<Vec<_>>(), ["chrome"]);
    assert_eq!(found[0].path, PathBuf::from("/usr/bin/google-chrome-stable"));
}

/// Whatever lies in the places that are looked into: it is skipped.
#[cfg(unix)]
#[test]
fn hostile_files_are_skipped_on_a_real_machine() {
    use crate::host::system::relocated::Relocated;

    let home = tempfile::tempdir().unwrap();
    let apps = home.path().join(".local/share/applications");
    std::fs::create_dir_all(apps.join("google-chrome.desktop")).unwrap();
    nix::unistd::mkfifo(&apps.join("chromium.desktop"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::fs::write(
        apps.join("opera.desktop"),
        [b"[Desktop Entry]\nName=\xff\nExec=".as_slice(), &[0xff; 1000]].concat(),
    )
    .unwrap();
    std::fs::write(apps.join("brave-browser.desktop"), vec![b'x'; 1 << 20]).unwrap();
    let link = apps.join("vivaldi-stable.desktop");
    std::os::unix::fs::symlink(&link, &link).unwrap();
    let env = [
        ("HOME", home.path()),
        ("XDG_DATA_DIRS", home.path()),
        ("XDG_DATA_HOME", Path::new("")),
        ("PATH", Path::new("")),
    ];
    let env = env.map(|(name, value)| (name.to_owned(), value.as_os_str().to_owned())).into();
    let system = Relocated { env, ..Relocated::default() };
    let started = std::time::Instant::now();
    let found = all(&system, &Options::default());
    assert!(started.elapsed() < std::time::Duration::from_secs(10));
    assert!(found.iter().all(|app| !app.path.starts_with(home.path())), "{found:?}");
}
