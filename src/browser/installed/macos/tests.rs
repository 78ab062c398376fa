use super::*;
use crate::{
    browser::installed::{Engine, Options, all},
    host::system::fake::FakeSystem,
};

const SCAN: Options = Options { bundle_scan: true };
const LOOK: Options = Options { bundle_scan: false };

fn machine() -> FakeSystem {
    FakeSystem::new(Os::Macos).with_env("HOME", "/Users/me")
}

fn info(id: &str, name: &str, version: &str, executable: &str) -> String {
    let pairs = [
        ("CFBundleIdentifier", id),
        ("CFBundleName", name),
        ("CFBundleShortVersionString", version),
        ("CFBundleExecutable", executable),
    ];
    let body = pairs.map(|(key, value)| format!("<key>{key}</key><string>{value}</string>")).concat();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>{body}</dict></plist>\n")
}

fn with_app(system: FakeSystem, path: &str, id: &str, name: &str, version: &str) -> FakeSystem {
    system
        .with_file(&format!("{path}/Contents/Info.plist"), info(id, name, version, "run").as_str())
        .with_executable(&format!("{path}/Contents/MacOS/run"))
}

fn with_electron(system: FakeSystem, path: &str, id: &str, name: &str) -> FakeSystem {
    with_app(system, path, id, name, "4.39.1")
        .with_file(&format!("{path}/Contents/Frameworks/Electron Framework.framework/x"), "")
}

fn ids(found: &[Installed]) -> Vec<&str> {
    found.iter().map(|app| app.id.as_str()).collect()
}

#[test]
fn a_bundle_says_what_a_browser_is() {
    let system =
        with_app(machine(), "/Applications/Google Chrome.app", "com.google.Chrome", "Google Chrome", "154.0.8037.98");
    let chrome = &all(&system, &SCAN)[0];
    let expected = Installed {
        version: Some("154.0.8037.98".into()),
        path: "/Applications/Google Chrome.app".into(),
        bundle_id: Some("com.google.Chrome".into()),
        user_data_dir: Some("/Users/me/Library/Application Support/Google/Chrome".into()),
        ..chromium(
            crate::browser::installed::browser("chrome").unwrap(),
            "/Applications/Google Chrome.app/Contents/MacOS/run".into(),
        )
    };
    assert_eq!(chrome, &expected);
}

#[test]
fn the_bundle_id_counts_and_not_the_name() {
    let renamed =
        with_app(machine(), "/Applications/My Browser.app", "COM.GOOGLE.CHROME", "Google Chrome", "154.0.1.2");
    assert_eq!(ids(&all(&renamed, &SCAN)), ["chrome"]);
    let other = with_app(machine(), "/Applications/Chromium.app", "org.example.other", "Chromium", "1.2");
    assert_eq!(all(&other, &SCAN), []);
    // Without a readable Info.plist the name and the usual executable are all there is.
    let bare = machine()
        .with_executable("/Applications/Chromium.app/Contents/MacOS/Chromium")
        .with_file("/Applications/Chromium.app/Contents/Info.plist", "nonsense");
    assert_eq!(ids(&all(&bare, &SCAN)), ["chromium"]);
    let empty = machine().with_file("/Applications/Chromium.app/x", "");
    assert_eq!(all(&empty, &SCAN), [], "nothing to run");
}

#[test]
fn the_machines_applications_come_before_the_users() {
    let twice = |first: &str, second: &str| {
        let system = with_app(machine(), first, "com.google.Chrome", "Google Chrome", "154.0.1.2");
        with_app(system, second, "com.google.Chrome", "Google Chrome", "155.0.1.2")
    };
    let found = all(&twice("/Users/me/Applications/Google Chrome.app", "/Applications/Google Chrome.app"), &SCAN);
    assert_eq!(ids(&found), ["chrome"]);
    assert_eq!(found[0].path, PathBuf::from("/Applications/Google Chrome.app"));
    let linked = machine().with_link("/Users/me/Applications/Chrome for Testing.app", "/cft/Chrome.app");
    let linked = with_app(linked, "/cft/Chrome.app", "com.google.chrome.for.testing", "CfT", "154.0.1.2");
    assert_eq!(all(&linked, &SCAN)[0].path, PathBuf::from("/Users/me/Applications/Chrome for Testing.app"));
}

#[test]
fn spotlight_finds_browsers_elsewhere() {
    let missing: Vec<&str> = bundle_ids().filter(|(browser, _)| browser.id != "chrome").map(|(_, id)| id).collect();
    let system =
        with_app(machine(), "/Applications/Google Chrome.app", "com.google.Chrome", "Google Chrome", "154.0.1.2");
    let system = with_app(system, "/Volumes/X/Dia.app", "company.thebrowser.dia", "Dia", "1.2.3");
    let system = with_electron(system, "/Volumes/X/Slack.app", "com.tinyspeck.slackmacgap", "Slack");
    let system = system.with_command(
        &["mdfind", &spotlight::query(&missing)],
        "/Volumes/X/Dia.app\n/Volumes/X/Slack.app\n/gone/Arc.app\n",
    );
    let found = all(&system, &SCAN);
    assert_eq!(ids(&found), ["chrome", "dia"]);
    assert_eq!(system.ran().len(), 1);
}

#[test]
fn an_app_with_the_framework_is_an_electron_app() {
    let system = with_electron(machine(), "/Applications/Slack.app", "com.tinyspeck.slackmacgap", "Slack");
    let system =
        with_app(system, "/Users/me/Applications/Teams.app", "com.microsoft.teams2", "Microsoft Teams", "24.1")
            .with_file("/Users/me/Applications/Teams.app/Contents/Frameworks/MSWebView2.framework/x", "");
    let system = with_app(system, "/Applications/Pages.app", "com.apple.Pages", "Pages", "1.2");
    let found = all(&system, &SCAN);
    assert_eq!(ids(&found), ["electron:microsoft-teams", "electron:slack"]);
    let slack = &found[1];
    assert_eq!(
        (slack.engine, slack.debug_support, slack.debug_build),
        (Engine::Electron, DebugSupport::Supported, false)
    );
    assert_eq!(slack.version.as_deref(), Some("4.39.1"));
    assert_eq!(slack.executable, PathBuf::from("/Applications/Slack.app/Contents/MacOS/run"));
    assert_eq!(slack.bundle_id.as_deref(), Some("com.tinyspeck.slackmacgap"));
}

#[test]
fn claude_and_1password_are_listed_as_disabled() {
    let system = with_electron(machine(), "/Applications/Claude.app", "com.anthropic.claudefordesktop", "Claude");
    let system = with_electron(system, "/Applications/1Password.app", "com.1password.1password", "1Password");
    let found = all(&system, &SCAN);
    assert_eq!(ids(&found), ["electron:1password", "electron:claude"]);
    assert!(found.iter().all(|app| app.debug_support == DebugSupport::Disabled));
}

fn with_debug_build(system: FakeSystem) -> FakeSystem {
    let system = with_electron(system, "/Applications/1Password.app", "com.1password.1password", "1Password");
    with_electron(system, "/Users/me/Applications/1Password Debug.app", "com.1password.1password", "1Password")
}

#[test]
fn a_debug_build_replaces_the_app() {
    for options in [SCAN, LOOK] {
        let system = with_debug_build(machine());
        let found = all(&system, &options);
        assert_eq!(ids(&found), ["electron:1password"], "{options:?}");
        assert_eq!(found[0].path, PathBuf::from("/Users/me/Applications/1Password Debug.app"));
        assert!(found[0].debug_build);
        assert_eq!((found[0].name.as_str(), found[0].debug_support), ("1Password", DebugSupport::Supported));
        assert_eq!(found[0].version.as_deref(), Some("4.39.1"));
    }
    let elsewhere = with_electron(machine(), "/Applications/Foo Debug.app", "x", "Foo Debug");
    assert!(!all(&elsewhere, &SCAN)[0].debug_build);
    let no_framework = with_app(machine(), "/Users/me/Applications/Foo Debug.app", "x", "Foo", "1.2");
    assert_eq!(all(&no_framework, &SCAN), []);
}

/// Spotlight's answers about this app.
fn known(system: FakeSystem, path: &str, id: &str, version: &str) -> FakeSystem {
    let output = format!("kMDItemCFBundleIdentifier = \"{id}\"\nkMDItemVersion = \"{version}\"\n");
    system.with_command(&["mdls", "-name", "kMDItemCFBundleIdentifier", "-name", "kMDItemVersion", path], &output)
}

fn every_id() -> String {
    let ids: Vec<&str> = bundle_ids().map(|(_, id)| id).chain(APPS.iter().map(|app| app.bundle_id)).collect();
    spotlight::query(&ids)
}

#[test]
fn without_a_bundle_scan_nothing_in_a_bundle_is_read() {
    // Nothing in these bundles can be read: the system would answer with an error, and so does the described one.
    let mut system = machine()
        .with_file("/Applications/Google Chrome.app/Contents/Info.plist", "")
        .with_file("/Applications/1Password.app/Contents/Info.plist", "")
        .with_file("/Applications/Unknown.app/Contents/Frameworks/Electron Framework.framework/x", "")
        .with_file("/Users/me/Applications/Slack.app/Contents/Info.plist", "")
        .with_command(
            &["mdfind", &every_id()],
            "/Users/me/Applications/Slack.app\n/Applications/1Password.app\n/Applications/Google Chrome.app\n",
        );
    for path in ["Google Chrome", "1Password", "Unknown"].map(|name| format!("/Applications/{name}.app/Contents")) {
        system.unreadable.insert(format!("{path}/Info.plist"));
        system.unreadable.insert(path);
    }
    let system = known(system, "/Applications/Google Chrome.app", "com.google.Chrome", "154.0.8037.98");
    let system = known(system, "/Applications/1Password.app", "com.1password.1password", "8.10.2");
    let system = known(system, "/Users/me/Applications/Slack.app", "com.tinyspeck.slackmacgap", "4.39.1");
    let found = all(&system, &LOOK);
    assert_eq!(ids(&found), ["chrome", "electron:1password", "electron:slack"]);
    assert_eq!(found[0].version.as_deref(), Some("154.0.8037.98"));
    assert_eq!(found[0].debug_support, DebugSupport::Supported);
    assert_eq!(found[0].executable, PathBuf::from("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"));
    assert!(found[1..].iter().all(|app| app.debug_support == DebugSupport::Unknown));
    assert_eq!(found[1].version.as_deref(), Some("8.10.2"));
}

#[test]
fn without_spotlight_browsers_are_known_by_their_names() {
    let system = machine()
        .with_file("/Applications/Vivaldi.app/x", "")
        .with_file("/Users/me/Applications/google chrome.app/x", "")
        .with_file("/Applications/Slack.app/x", "");
    let found = all(&system, &LOOK);
    assert_eq!(ids(&found), ["chrome", "vivaldi"]);
    assert_eq!(found[1].version, None);
    assert_eq!(found[1].bundle_id.as_deref(), Some("com.vivaldi.Vivaldi"));
}

#[test]
fn an_executable_outside_of_its_bundle_does_not_count() {
    let system = machine()
        .with_file(
            "/Applications/Chromium.app/Contents/Info.plist",
            info("org.chromium.Chromium", "Chromium", "154.0.1.2", "../../../../bin/sh").as_str(),
        )
        .with_executable("/bin/sh");
    assert_eq!(all(&system, &SCAN), []);
}
