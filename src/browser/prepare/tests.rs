use std::time::SystemTime;

use serde_json::Value;
use tempfile::TempDir;

use super::*;
use crate::host::RealSystem;

fn edits() -> Edits<'static> {
    Edits { seven: true, extra_hosts: &[], now: SystemTime::UNIX_EPOCH }
}

fn profile() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let profile = dir.path().join("a/work");
    (dir, profile)
}

fn preferences(profile: &Path) -> PathBuf {
    profile.join("Default/Preferences")
}

#[test]
fn a_missing_profile_is_made_for_this_user_alone() {
    let (_dir, profile) = profile();
    prepare(&RealSystem, &profile, &edits()).unwrap();
    let written: Value = serde_json::from_slice(&fs::read(preferences(&profile)).unwrap()).unwrap();
    assert_eq!(written["tab_freezing_enabled"], false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&profile), mode(&preferences(&profile))), (0o700, 0o600));
    }
}

#[cfg(unix)]
#[test]
fn what_the_last_run_left_goes_and_everything_else_stays() {
    let (dir, profile) = profile();
    let default = profile.join("Default");
    fs::create_dir_all(default.join("Sessions")).unwrap();
    fs::create_dir_all(default.join("Sync Data")).unwrap();
    for name in ["DevToolsActivePort", "Default/Sessions/Session_1", "Default/Last Session", "Default/Last Tabs"] {
        fs::write(profile.join(name), "x").unwrap();
    }
    for name in ["Local State", "Default/Cookies", "Default/History"] {
        fs::write(profile.join(name), name).unwrap();
    }
    let outside = dir.path().join("outside");
    fs::write(&outside, "mine").unwrap();
    for name in ["SingletonLock", "SingletonSocket", "SingletonCookie"] {
        std::os::unix::fs::symlink(&outside, profile.join(name)).unwrap();
    }
    fs::write(preferences(&profile), r#"{"profile":{"exit_type":"Crashed"}}"#).unwrap();
    prepare(&RealSystem, &profile, &edits()).unwrap();
    let list = |dir: &Path| {
        let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(list(&profile), ["Default", "Local State"]);
    assert_eq!(list(&default), ["Cookies", "History", "Preferences", "Sync Data"]);
    assert_eq!(fs::read_to_string(outside).unwrap(), "mine");
    let written: Value = serde_json::from_slice(&fs::read(preferences(&profile)).unwrap()).unwrap();
    assert_eq!(written["profile"]["exit_type"], "Normal");
}

#[test]
fn preferences_that_are_complete_or_no_object_keep_their_bytes() {
    let (_dir, profile) = profile();
    prepare(&RealSystem, &profile, &edits()).unwrap();
    // The first run marked no exit, since there was none.
    prepare(&RealSystem, &profile, &edits()).unwrap();
    let complete = fs::read(preferences(&profile)).unwrap();
    for content in [complete, b"[1, 2]".to_vec(), b"{\"cut\":".to_vec(), b"\xff\xfe{}".to_vec(), Vec::new()] {
        fs::write(preferences(&profile), &content).unwrap();
        let before = preferences(&profile).metadata().unwrap().modified().unwrap();
        prepare(&RealSystem, &profile, &edits()).unwrap();
        assert_eq!(fs::read(preferences(&profile)).unwrap(), content);
        assert_eq!(preferences(&profile).metadata().unwrap().modified().unwrap(), before);
    }
}

#[cfg(unix)]
#[test]
fn a_port_file_that_is_a_dir_or_a_fifo_goes_and_preferences_of_that_kind_are_left_alone() {
    let (_dir, profile) = profile();
    fs::create_dir_all(profile.join("DevToolsActivePort/deep")).unwrap();
    fs::create_dir_all(preferences(&profile)).unwrap();
    prepare(&RealSystem, &profile, &edits()).unwrap();
    assert!(!profile.join("DevToolsActivePort").exists());
    assert!(preferences(&profile).is_dir());
    nix::unistd::mkfifo(&profile.join("DevToolsActivePort"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    prepare(&RealSystem, &profile, &edits()).unwrap();
    assert!(!profile.join("DevToolsActivePort").exists());
}

#[test]
fn without_the_seven_flags_a_new_profile_gets_no_preferences() {
    let (_dir, profile) = profile();
    prepare(&RealSystem, &profile, &Edits { seven: false, ..edits() }).unwrap();
    assert!(!profile.join("Default").exists());
}
