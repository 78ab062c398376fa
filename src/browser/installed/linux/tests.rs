use super::*;
use crate::{
    browser::installed::{Options, all},
    host::system::fake::FakeSystem,
};

fn machine() -> FakeSystem {
    FakeSystem::new(Os::Linux).with_env("HOME", "/home/me").with_env("PATH", "/usr/local/bin:/usr/bin")
}

fn found(system: &FakeSystem) -> Vec<Installed> {
    all(system, &Options::default())
}

fn ids(found: &[Installed]) -> Vec<&str> {
    found.iter().map(|app| app.id.as_str()).collect()
}

const STATUS: &str = "Package: google-chrome-stable\nStatus: install ok installed\nVersion: 154.0.8037.98-1\n\n\
    Package: slack-desktop\nStatus: install ok installed\nVersion: 4.39.95\n";

#[test]
fn a_browser_on_path_has_its_version_from_dpkg() {
    let system = machine()
        .with_executable("/usr/bin/google-chrome-stable")
        .with_executable("/usr/bin/google-chrome")
        .with_file(places::DPKG_STATUS, STATUS);
    let expected = Installed {
        version: Some("154.0.8037.98".into()),
        user_data_dir: Some("/home/me/.config/google-chrome".into()),
        ..chromium(crate::browser::installed::browser("chrome").unwrap(), "/usr/bin/google-chrome-stable".into())
    };
    assert_eq!(found(&system), [expected]);
    assert_eq!(system.ran(), Vec::<Vec<String>>::new(), "nothing is run");
}

#[test]
fn a_browser_outside_of_packages_says_its_version_itself() {
    for path in ["/usr/local/bin/google-chrome-stable", "/home/me/bin/google-chrome-stable"] {
        let system = machine()
            .with_env("PATH", "/home/me/bin:/usr/local/bin")
            .with_executable(path)
            .with_file(places::DPKG_STATUS, STATUS)
            .with_command(&[path, "--version"], "Google Chrome 155.0.1.2 \n");
        assert_eq!(found(&system)[0].version.as_deref(), Some("155.0.1.2"), "{path}");
    }
}

#[test]
fn a_browser_that_says_no_version_is_listed_without_one() {
    let system =
        machine().with_executable("/usr/bin/chromium").with_command(&["/usr/bin/chromium", "--version"], "oops");
    assert_eq!(found(&system)[0].version, None);
    assert_eq!(system.ran(), [["/usr/bin/chromium", "--version"]]);
}

#[test]
fn a_snap_comes_before_path_and_flatpaks() {
    let system = machine()
        .with_env("PATH", "/usr/bin:/snap/bin")
        .with_executable("/usr/bin/snap")
        .with_link("/snap/bin/chromium", "/usr/bin/snap")
        .with_link("/snap/bin/opera", "/usr/bin/snap")
        .with_executable("/usr/bin/chromium")
        .with_executable("/usr/bin/flatpak")
        .with_file("/var/lib/flatpak/app/org.chromium.Chromium/current/x", "")
        .with_file("/snap/chromium/current/meta/snap.yaml", "name: chromium\nversion: 131.0.6778.85\n");
    let found = found(&system);
    assert_eq!(ids(&found), ["opera", "chromium"], "one program runs all snaps, and each is a browser of its own");
    let chromium = &found[1];
    assert_eq!((chromium.via, chromium.package.as_deref()), (Some(Via::Snap), Some("chromium")));
    assert_eq!(chromium.path, PathBuf::from("/snap/bin/chromium"));
    assert_eq!(chromium.executable, chromium.path);
    assert_eq!(chromium.version.as_deref(), Some("131.0.6778.85"));
    assert_eq!(chromium.user_data_dir, Some("/home/me/snap/chromium/common/chromium".into()));
}

#[test]
fn a_snap_is_found_without_path() {
    let system = FakeSystem::new(Os::Linux).with_executable("/snap/bin/brave");
    let found = found(&system);
    assert_eq!(ids(&found), ["brave"]);
    assert_eq!(found[0].user_data_dir, None, "without a home there is no user data dir");
}

#[test]
fn a_snaps_command_on_path_is_a_snap() {
    let system = machine().with_env("PATH", "/snap/bin").with_executable("/snap/bin/vivaldi.vivaldi-stable");
    let found = found(&system);
    assert_eq!((found[0].id.as_str(), found[0].package.as_deref()), ("vivaldi", Some("vivaldi")));
    assert_eq!(snap_of(Path::new("/snap/binary/x")), None);
}

#[test]
fn a_flatpak_is_its_directory_and_runs_through_flatpak() {
    let flatpak = |root: &str| {
        machine()
            .with_executable("/usr/bin/flatpak")
            .with_file(&format!("{root}/com.brave.Browser/current/x"), "")
            .with_command(&["/usr/bin/flatpak", "run", "com.brave.Browser", "--version"], "Brave Browser 131.1.73.89\n")
    };
    for root in ["/home/me/.local/share/flatpak/app", "/var/lib/flatpak/app"] {
        let found = found(&flatpak(root));
        assert_eq!(ids(&found), ["brave"], "{root}");
        let brave = &found[0];
        assert_eq!((brave.via, brave.package.as_deref()), (Some(Via::Flatpak), Some("com.brave.Browser")));
        assert_eq!(brave.path, PathBuf::from(format!("{root}/com.brave.Browser")));
        assert_eq!(brave.executable, PathBuf::from("/usr/bin/flatpak"));
        assert_eq!(brave.version.as_deref(), Some("131.1.73.89"));
        let data = "/home/me/.var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser";
        assert_eq!(brave.user_data_dir, Some(data.into()));
    }
    let without = machine().with_file("/var/lib/flatpak/app/com.brave.Browser/current/x", "");
    assert_eq!(found(&without), [], "nothing can run it");
}

#[test]
fn two_flatpaks_are_two_browsers() {
    let system = machine()
        .with_executable("/usr/bin/flatpak")
        .with_file("/var/lib/flatpak/app/com.brave.Browser/x", "")
        .with_file("/var/lib/flatpak/app/com.google.Chrome/x", "");
    assert_eq!(ids(&found(&system)), ["chrome", "brave"]);
}

#[test]
fn a_desktop_file_names_a_browser_that_is_not_on_path() {
    for dir in [
        "/home/me/.local/share/applications",
        "/usr/share/applications",
        "/usr/local/share/applications",
        "/var/lib/flatpak/exports/share/applications",
        "/home/me/.local/share/flatpak/exports/share/applications",
        "/var/lib/snapd/desktop/applications",
    ] {
        let system = machine().with_executable("/opt/vivaldi/vivaldi").with_file(
            &format!("{dir}/vivaldi-stable.desktop"),
            "[Desktop Entry]\nName=Viv\nExec=/opt/vivaldi/vivaldi %U\n",
        );
        let found = found(&system);
        assert_eq!(ids(&found), ["vivaldi"], "{dir}");
        assert_eq!((found[0].name.as_str(), &found[0].path), ("Vivaldi", &PathBuf::from("/opt/vivaldi/vivaldi")));
    }
    let elsewhere = machine()
        .with_env("XDG_DATA_DIRS", "relative:/xdg")
        .with_env("XDG_DATA_HOME", "/data")
        .with_executable("/opt/a")
        .with_file("/xdg/applications/opera.desktop", "[Desktop Entry]\nName=O\nExec=/opt/a\n")
        .with_file("/data/applications/chromium.desktop", "[Desktop Entry]\nName=C\nExec=/opt/a\n")
        .with_file("/usr/share/applications/vivaldi-stable.desktop", "[Desktop Entry]\nName=V\nExec=/opt/a\n");
    assert_eq!(ids(&found(&elsewhere)), ["chromium"], "one file, and the first .desktop file counts");
}

#[test]
fn the_command_says_whether_a_desktop_file_is_a_flatpaks() {
    let edge = "/usr/share/applications/com.microsoft.Edge.desktop";
    let native = machine()
        .with_executable("/opt/microsoft/msedge/microsoft-edge")
        .with_file(edge, "[Desktop Entry]\nName=Edge\nExec=/opt/microsoft/msedge/microsoft-edge %U\n");
    assert_eq!(found(&native)[0].via, None);
    let snap = machine().with_executable("/snap/bin/chromium.other").with_file(
        "/var/lib/snapd/desktop/applications/chromium_chromium.desktop",
        "[Desktop Entry]\nName=Chromium\nExec=env BAMF_DESKTOP_FILE_HINT=x /snap/bin/chromium.other %U\n",
    );
    assert_eq!(found(&snap)[0].package.as_deref(), Some("chromium"));
    let gone = machine().with_executable("/usr/bin/flatpak").with_file(
        "/var/lib/flatpak/exports/share/applications/com.microsoft.Edge.desktop",
        "[Desktop Entry]\nName=Edge\nExec=/usr/bin/flatpak run --branch=stable com.microsoft.Edge\n",
    );
    assert_eq!(found(&gone), []);
}

/// Slack as its package installs it: a link on PATH to the executable among the app's files.
fn with_slack(system: FakeSystem) -> FakeSystem {
    system
        .with_executable("/usr/lib/slack/slack")
        .with_link("/usr/bin/slack", "/usr/lib/slack/slack")
        .with_file("/usr/lib/slack/resources/app.asar", "x")
        .with_file("/usr/lib/slack/resources.pak", "x")
        .with_file("/usr/lib/slack/snapshot_blob.bin", "x")
        .with_file("/usr/share/applications/slack.desktop", "[Desktop Entry]\nName=Slack\nExec=slack %U\n")
}

#[test]
fn a_desktop_program_among_electrons_files_is_an_app() {
    let system = with_slack(machine()).with_file(places::DPKG_STATUS, STATUS);
    let found = found(&system);
    assert_eq!(ids(&found), ["electron:slack"]);
    let slack = &found[0];
    assert_eq!((slack.name.as_str(), slack.engine, slack.channel), ("Slack", Engine::Electron, None));
    assert_eq!(slack.version.as_deref(), Some("4.39.95"));
    assert_eq!(slack.path, PathBuf::from("/usr/bin/slack"));
    assert_eq!(slack.user_data_dir, None);
    assert_eq!(system.ran(), Vec::<Vec<String>>::new(), "an app is never run for its version");
}

#[test]
fn apps_sort_by_name_and_one_name_is_one_app() {
    let app = |system: FakeSystem, dir: &str, name: &str| {
        system
            .with_executable(&format!("{dir}/run"))
            .with_file(&format!("{dir}/resources/app/package.json"), r#"{"version":"1.2.3"}"#)
            .with_file(&format!("{dir}/resources.pak"), "x")
            .with_file(&format!("{dir}/v8_context_snapshot.bin"), "x")
            .with_file(
                &format!("/usr/share/applications/{}.desktop", dir.replace('/', "-")),
                format!("[Desktop Entry]\nName={name}\nExec=\"{dir}/run\" --x\n").as_str(),
            )
    };
    let system = app(app(app(app(machine(), "/opt/z", "beta"), "/opt/b", "Alpha"), "/opt/a", "Alpha"), "/opt/c", "…");
    let found = found(&app(system, "/opt/1 p", "1Password"));
    assert_eq!(ids(&found), ["electron:1password", "electron:alpha", "electron:beta"]);
    assert_eq!(found[0].debug_support, super::super::DebugSupport::Disabled);
    assert_eq!(found[1].path, PathBuf::from("/opt/a/run"));
    assert_eq!(found[1].version.as_deref(), Some("1.2.3"));
}

#[test]
fn other_desktop_files_are_no_apps() {
    let system = machine()
        .with_executable("/usr/bin/gimp")
        .with_file("/usr/share/applications/gimp.desktop", "[Desktop Entry]\nName=Gimp\nExec=gimp %U\n")
        .with_file("/usr/share/applications/none.desktop", "[Desktop Entry]\nName=None\nExec=none\n")
        .with_file("/usr/share/applications/rel.desktop", "[Desktop Entry]\nName=Rel\nExec=./usr/bin/gimp\n")
        .with_file("/usr/share/applications/readme", "[Desktop Entry]\nName=Gimp\nExec=gimp %U\n");
    assert_eq!(found(&system), []);
}
