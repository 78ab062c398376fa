use proptest::prelude::*;

use super::*;
use crate::{
    browser::installed::{DebugSupport, Options, all},
    host::system::fake::FakeSystem,
};

const LOCAL: &str = r"C:\Users\me\AppData\Local";
const CHROME: &str = r"C:\Program Files\Google\Chrome\Application\chrome.exe";

fn machine() -> FakeSystem {
    FakeSystem::new(Os::Windows)
        .with_env("ProgramFiles", r"C:\Program Files")
        .with_env("ProgramFiles(x86)", r"C:\Program Files (x86)")
        .with_env("LOCALAPPDATA", LOCAL)
        .with_env("APPDATA", r"C:\Users\me\AppData\Roaming")
}

fn found(system: &FakeSystem) -> Vec<Installed> {
    all(system, &Options::default())
}

fn ids(found: &[Installed]) -> Vec<&str> {
    found.iter().map(|app| app.id.as_str()).collect()
}

/// A browser in the start menu.
fn with_start_menu(system: FakeSystem, hive: &str, key: &str, command: &str) -> FakeSystem {
    system.with_registry(&format!(r"{hive}\SOFTWARE\Clients\StartMenuInternet\{key}\shell\open\command"), "", command)
}

fn with_app_path(system: FakeSystem, hive: &str, exe: &str, path: &str) -> FakeSystem {
    system.with_registry(&format!(r"{hive}\SOFTWARE\Microsoft\Windows\CurrentVersion\App Paths\{exe}"), "", path)
}

#[test]
fn a_registered_browser_has_the_highest_version_beside_it() {
    let system = with_start_menu(machine(), "HKLM", "Google Chrome", &format!("\"{CHROME}\""))
        .with_file(CHROME, "")
        .with_file(r"C:\Program Files\Google\Chrome\Application\99.0.1.2\chrome.dll", "")
        .with_file(r"C:\Program Files\Google\Chrome\Application\154.0.8037.98\chrome.dll", "")
        .with_file(r"C:\Program Files\Google\Chrome\Application\999.0.0.0", "a file")
        .with_file(r"C:\Program Files\Google\Chrome\Application\SetupMetrics\x", "");
    let expected = Installed {
        version: Some("154.0.8037.98".into()),
        user_data_dir: Some(format!(r"{LOCAL}\Google\Chrome\User Data").into()),
        ..chromium(crate::browser::installed::browser("chrome").unwrap(), CHROME.into())
    };
    assert_eq!(found(&system), [expected]);
}

#[test]
fn the_current_user_comes_before_the_machine_and_the_start_menu_before_app_paths() {
    let (user, machines) = (r"D:\me\chrome.exe", r"D:\all\chrome.exe");
    let base = || {
        machine().with_file(user, "").with_file(machines, "").with_file(CHROME, "").with_file(r"D:\app\chrome.exe", "")
    };
    let both = with_start_menu(base(), "HKLM", "Google Chrome", machines);
    let both = with_start_menu(both, "HKCU", "Google Chrome.ABCDEF", user);
    assert_eq!(found(&both)[0].path, PathBuf::from(user));
    let system = with_app_path(base(), "HKCU", "chrome.exe", r"D:\app\chrome.exe");
    assert_eq!(found(&system)[0].path, PathBuf::from(r"D:\app\chrome.exe"));
    let system = with_start_menu(system, "HKLM", "google chrome", machines);
    assert_eq!(found(&system)[0].path, PathBuf::from(machines));
    assert_eq!(found(&base())[0].path, PathBuf::from(CHROME), "the known paths come last");
}

#[test]
fn the_path_tells_browsers_with_one_executable_name_apart() {
    let system =
        with_app_path(machine(), "HKCU", "chrome.exe", &format!(r"{LOCAL}\Google\Chrome SxS\Application\chrome.exe"))
            .with_file(&format!(r"{LOCAL}\Google\Chrome SxS\Application\chrome.exe"), "");
    assert_eq!(ids(&found(&system)), ["chrome-canary"]);
    let system = with_app_path(machine(), "HKLM", "CHROME.EXE", r"D:\portable\chrome.exe")
        .with_file(r"D:\portable\chrome.exe", "");
    assert_eq!(ids(&found(&system)), ["chrome"]);
    let system =
        with_start_menu(machine(), "HKCU", "Chromium.XYZ", &format!(r"{LOCAL}\Chromium\Application\chrome.exe"))
            .with_file(&format!(r"{LOCAL}\Chromium\Application\chrome.exe"), "");
    assert_eq!(ids(&found(&system)), ["chromium"]);
}

#[test]
fn the_32_bit_view_of_the_registry_counts() {
    let system = machine().with_file(r"D:\Opera\launcher.exe", "").with_registry(
        r"HKLM\SOFTWARE\WOW6432Node\Clients\StartMenuInternet\OperaStable\shell\open\command",
        "",
        r#""D:\Opera\launcher.exe" --x"#,
    );
    let found = found(&system);
    assert_eq!(ids(&found), ["opera"]);
    assert_eq!(found[0].user_data_dir, Some(r"C:\Users\me\AppData\Roaming\Opera Software\Opera Stable".into()));
}

#[test]
fn a_key_that_outlived_its_browser_does_not_count() {
    let system = with_start_menu(machine(), "HKLM", "Google Chrome", CHROME);
    let system =
        with_start_menu(system, "HKLM", "Firefox-308046B0AF4A39CB", r"C:\Program Files\Mozilla Firefox\firefox.exe")
            .with_file(r"C:\Program Files\Mozilla Firefox\firefox.exe", "")
            .with_registry(r"HKLM\SOFTWARE\Clients\StartMenuInternet\Vivaldi", "", "Vivaldi");
    let system = with_app_path(system, "HKLM", "brave.exe", r"relative\brave.exe").with_file(r"relative\brave.exe", "");
    assert_eq!(found(&system), []);
}

#[test]
fn the_known_paths_are_asked_in_every_folder() {
    let edge = r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe";
    let system = machine()
        .with_file(CHROME, "")
        .with_file(edge, "")
        .with_file(&format!(r"{LOCAL}\Vivaldi\Application\vivaldi.exe"), "")
        .with_file(&format!(r"{LOCAL}\Programs\Opera\opera.exe"), "");
    assert_eq!(ids(&found(&system)), ["chrome", "edge", "opera", "vivaldi"]);
    let unset = FakeSystem::new(Os::Windows).with_file(r"\Google\Chrome\Application\chrome.exe", "");
    assert_eq!(found(&unset), []);
}

fn with_app(system: FakeSystem, dir: &str, exe: &str) -> FakeSystem {
    system
        .with_file(&format!(r"{dir}\{exe}"), "")
        .with_file(&format!(r"{dir}\resources\app.asar"), "")
        .with_file(&format!(r"{dir}\resources.pak"), "")
        .with_file(&format!(r"{dir}\v8_context_snapshot.bin"), "")
}

#[test]
fn directories_with_electrons_files_are_apps() {
    let code = &format!(r"{LOCAL}\Programs\Microsoft VS Code");
    let system = with_app(machine(), code, "Code.exe")
        .with_file(&format!(r"{code}\unins000.exe"), "")
        .with_file(&format!(r"{code}\resources\app\package.json"), r#"{"name":"Code","version":"1.96.2"}"#);
    let system = with_app(system, r"C:\Program Files\GitHub Desktop", "GitHubDesktop.exe")
        .with_file(r"C:\Program Files\GitHub Desktop\other.exe", "");
    let system = with_app(system, r"C:\Program Files (x86)\1Password", "1Password.exe");
    let system = with_app(system, r"C:\Program Files\Two", "one.exe").with_file(r"C:\Program Files\Two\three.exe", "");
    let system = system.with_file(r"C:\Program Files\Plain\plain.exe", "");
    let found = found(&system);
    assert_eq!(ids(&found), ["electron:1password", "electron:code", "electron:githubdesktop"]);
    assert_eq!(found[0].debug_support, DebugSupport::Disabled);
    assert_eq!((found[1].name.as_str(), found[1].version.as_deref()), ("Code", Some("1.96.2")));
    assert_eq!(found[1].executable, PathBuf::from(format!(r"{code}\Code.exe")));
}

#[test]
fn squirrel_keeps_the_newest_version_in_a_directory_of_its_own() {
    let slack = format!(r"{LOCAL}\slack");
    let system = machine().with_file(&format!(r"{slack}\Update.exe"), "").with_file(&format!(r"{slack}\slack.exe"), "");
    let system = with_app(system, &format!(r"{slack}\app-4.9.0"), "slack.exe");
    let system = with_app(system, &format!(r"{slack}\app-4.39.90"), "slack.exe")
        .with_file(&format!(r"{slack}\app-4.40.0\half"), "")
        .with_file(&format!(r"{slack}\app-x\y"), "");
    let system = with_app(system, &format!(r"{LOCAL}\NoUpdate\app-1.2.3"), "NoUpdate.exe");
    let found = found(&system);
    assert_eq!(ids(&found), ["electron:slack"]);
    assert_eq!(found[0].version.as_deref(), Some("4.39.90"));
    assert_eq!(found[0].path, PathBuf::from(format!(r"{slack}\app-4.39.90\slack.exe")));
}

#[test]
fn a_command_names_its_program() {
    for (command, expected) in [
        (r#""C:\Program Files\x.exe" --a"#, Some(r"C:\Program Files\x.exe")),
        (r"C:\Program Files\x.EXE --a", Some(r"C:\Program Files\x.EXE")),
        (r"C:\x", Some(r"C:\x")),
        (r#""""#, None),
        ("", None),
        ("  ", None),
        ("\"C:\\a\u{0}b.exe\"", None),
    ] {
        assert_eq!(parse_command(command).as_deref(), expected, "{command:?}");
    }
    let system = machine();
    assert_eq!(expand(&system, r"%LOCALAPPDATA%\a"), format!(r"{LOCAL}\a"));
    assert_eq!(expand(&system, r"%localappdata%%programfiles%"), format!(r"{LOCAL}C:\Program Files"));
    assert_eq!(expand(&system, "100% of %UNSET% and %"), "100% of %UNSET% and %");
}

proptest! {
    #[test]
    fn any_command_names_a_program_or_none(command in any::<String>()) {
        if let Some(program) = parse_command(&command) {
            prop_assert!(!program.is_empty() && !program.contains(char::is_control));
        }
        let _ = expand(&machine(), &command);
    }
}
