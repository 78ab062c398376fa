use proptest::prelude::*;

use super::*;
use crate::host::system::fake::FakeSystem;

const LINUX: &str = "/home/me/.local/state/slicc/profiles";
const MACOS: &str = "/Users/me/Library/Application Support/Slicc/profiles";
const WINDOWS: &str = r"C:\Users\me\AppData\Local\Slicc\profiles";

fn linux() -> FakeSystem {
    FakeSystem::new(Os::Linux).with_env("HOME", "/home/me")
}

fn choice(text: &str) -> SixChoice {
    SixChoice::parse(text).unwrap().unwrap()
}

#[test]
fn each_system_has_its_place() {
    let macos = FakeSystem::new(Os::Macos).with_env("HOME", "/Users/me");
    let windows = FakeSystem::new(Os::Windows).with_env("LOCALAPPDATA", r"C:\Users\me\AppData\Local");
    let windows_home = FakeSystem::new(Os::Windows).with_env("USERPROFILE", r"C:\Users\me");
    let state = linux().with_env("XDG_STATE_HOME", "/state");
    for (system, root) in [(&linux(), LINUX), (&macos, MACOS), (&state, "/state/slicc/profiles")] {
        assert_eq!(choice("six").dir(system), Some(PathBuf::from(format!("{root}/browser-coding-agent-chrome"))));
    }
    for system in [&windows, &windows_home] {
        let dir = choice("six").dir(system).unwrap();
        assert_eq!(dir, PathBuf::from(format!(r"{WINDOWS}\browser-coding-agent-chrome")));
    }
}

#[test]
fn a_port_names_a_profile_of_its_own_unless_it_is_the_usual_one() {
    let name = |text| choice(text).dir(&linux()).unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(name("six:5710"), "browser-coding-agent-chrome");
    assert_eq!(name("six:5711"), "browser-coding-agent-chrome-5711");
}

#[test]
fn only_six_and_a_port_choose_it() {
    for text in ["", "Six", "SIX", "six ", "sixty", "six-5710", "chrome"] {
        assert_eq!(SixChoice::parse(text), None, "{text:?}");
    }
    for text in ["six:", "six:0", "six:65536", "six:-1", "six:+5", "six: 5", "six:x", "six:5710:1"] {
        assert_eq!(SixChoice::parse(text), Some(Err(NotAPort)), "{text:?}");
    }
}

#[test]
fn the_variable_is_trimmed_and_names_the_profile_for_every_port() {
    let system = linux().with_env("SLICC_USER_DATA_DIR", "  /tmp/six ");
    for text in ["six", "six:5711"] {
        assert_eq!(choice(text).dir(&system), Some(PathBuf::from("/tmp/six")));
    }
    for blank in ["   ", "relative"] {
        let system = linux().with_env("SLICC_USER_DATA_DIR", blank);
        assert!(choice("six").dir(&system).unwrap().starts_with(LINUX), "{blank:?}");
    }
}

#[test]
fn a_path_is_sixs_in_any_case_and_through_links() {
    let system = linux()
        .with_file("/data/Chrome/Local State", "{}")
        .with_file(&format!("{LINUX}/Browser-Coding-Agent-Chrome-5712/Local State"), "{}")
        .with_link(&format!("{LINUX}/browser-coding-agent-chrome"), "/data/Chrome")
        .with_link("/home/me/link", "/data/Chrome")
        .with_link("/home/me/state", "/home/me/.local/state");
    let six = SixDirs::of(&system);
    for path in [
        format!("{LINUX}/browser-coding-agent-chrome"),
        format!("{LINUX}/BROWSER-coding-agent-chrome-5711"),
        format!("{LINUX}/browser-coding-agent-chrome-5712"),
        "/data/Chrome".into(),
        "/data/chrome".into(),
        "/home/me/link".into(),
        "/home/me/state/slicc/profiles/browser-coding-agent-chrome-5711".into(),
        "/home/me/../me/link".into(),
    ] {
        assert!(six.is_six(&system, Path::new(&path)), "{path}");
    }
    for path in [
        LINUX.to_owned(),
        format!("{LINUX}/work"),
        format!("{LINUX}/browser-coding-agent-chrome-x"),
        format!("{LINUX}/browser-coding-agent-chrome-"),
        "/data".into(),
        "/data/Chrome/Default".into(),
        "/home/me/browser-coding-agent-chrome".into(),
    ] {
        assert!(!six.is_six(&system, Path::new(&path)), "{path}");
    }
    assert!(six.contains(&system, Path::new("/home/me/link/Default")));
    assert!(!six.contains(&system, Path::new("/data")));
}

#[test]
fn windows_paths_are_compared_by_their_parts() {
    let system = FakeSystem::new(Os::Windows).with_env("LOCALAPPDATA", r"C:\Users\me\AppData\Local");
    let six = SixDirs::of(&system);
    assert!(six.is_six(&system, Path::new(r"c:\users\ME\AppData\Local\slicc\Profiles\browser-coding-agent-chrome")));
    assert!(six.is_six(&system, Path::new(r"C:/Users/me/AppData/Local/Slicc/profiles/browser-coding-agent-chrome\")));
    assert!(!six.is_six(&system, Path::new(r"C:\Users\me\AppData\Local\Slicc\profiles\work")));
}

#[test]
fn the_last_version_counts_before_the_local_state() {
    let profile = Path::new("/p");
    let state = r#"{"user_experience_metrics":{"stability":{"stats_version":"154.0.8037.98-64-devel"}}}"#;
    let system = linux().with_file("/p/Local State", state);
    assert_eq!(last_version(&system, profile).as_deref(), Some("154.0.8037.98"));
    let system = system.with_file("/p/Last Version", "155.0.1.2\n");
    assert_eq!(last_version(&system, profile).as_deref(), Some("155.0.1.2"));
    let system = linux().with_file("/p/Last Version", "../../x").with_file("/p/Local State", "[]");
    assert_eq!(last_version(&system, profile), None);
}

proptest! {
    #[test]
    fn any_local_state_names_a_version_or_none(json in prop::collection::vec(any::<u8>(), 0..200), version in "\\PC{0,80}") {
        let _ = parse_local_state(&json);
        let json = serde_json::json!({"user_experience_metrics": {"stability": {"stats_version": version}}}).to_string();
        if let Some(version) = parse_local_state(json.as_bytes()) {
            prop_assert!(version.chars().all(|c| c.is_ascii_digit() || c == '.'));
        }
    }

    #[test]
    fn any_profile_choice_shows_as_it_was_typed(text in "(six)?:?[0-9]{0,6}") {
        if let Some(Ok(choice)) = SixChoice::parse(&text) {
            prop_assert_eq!(SixChoice::parse(&choice.to_string()), Some(Ok(choice)));
        }
    }
}
