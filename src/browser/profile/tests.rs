use proptest::prelude::*;

use super::*;
use crate::host::system::fake::FakeSystem;

#[test]
fn each_system_has_its_place_for_profiles() {
    let linux = FakeSystem::new(Os::Linux).with_env("HOME", "/home/me");
    let config = FakeSystem::new(Os::Linux).with_env("HOME", "/home/me").with_env("XDG_CONFIG_HOME", "/c");
    let macos = FakeSystem::new(Os::Macos).with_env("HOME", "/Users/me");
    let windows = FakeSystem::new(Os::Windows).with_env("APPDATA", r"C:\Users\me\AppData\Roaming");
    let dir = |system| Place::general(system).unwrap().profiles;
    assert_eq!(dir(&linux), Path::new("/home/me/.config/slicc/seven-profiles"));
    assert_eq!(dir(&config), Path::new("/c/slicc/seven-profiles"));
    assert_eq!(dir(&macos), Path::new("/Users/me/Library/Application Support/slicc/seven-profiles"));
    assert_eq!(dir(&windows), Path::new(r"C:\Users\me\AppData\Roaming\slicc\seven-profiles"));
    let snap = Place::of_snap(&linux, "chromium").unwrap();
    assert_eq!(snap.profiles, Path::new("/home/me/snap/chromium/common/slicc/seven-profiles"));
    assert_eq!(snap.old, Path::new("/home/me/snap/chromium/common/slicc/profiles"));
    assert!(Place::all(&linux).contains(&snap));
    assert_eq!(Place::all(&macos).len(), 1);
}

#[test]
fn a_name_never_leads_out_of_the_profiles() {
    for name in ["", ".", "..", "a/b", "/a", r"a\b", "a b", "a:b", "é", "a.", ".migrated-from-profiles", "a\0b"] {
        assert_eq!(ProfileName::parse(name), Err(NotAName), "{name:?}");
    }
    for name in ["chrome", "Work_2", "a.b-c", "-x", "0"] {
        assert_eq!(ProfileName::parse(name).unwrap().as_str(), name);
    }
    assert_eq!(ProfileName::parse(&"x".repeat(MAX_NAME + 1)), Err(NotAName));
}

#[test]
fn a_throwaway_profile_lies_in_the_temp_dir() {
    let mut system = FakeSystem::new(Os::Linux).with_link("/tmp/link", "/home/me").with_link("/home/me/t", "/tmp/deep");
    system.directories.insert("/tmp/deep".into());
    system.temp_dir = "/tmp".into();
    for (dir, throwaway) in [
        ("/tmp/x", true),
        ("/tmp/x/y", true),
        ("/home/me/t/x", true),
        ("/tmp", false),
        ("/tmpx/y", false),
        ("/TMP/x", false),
        ("/tmp/link/x", false),
        ("/tmp/../home/x", false),
    ] {
        assert_eq!(is_throwaway(&system, Path::new(dir)), throwaway, "{dir}");
    }
    let mut macos = FakeSystem::new(Os::Macos).with_link("/var", "/private/var");
    macos.temp_dir = "/var/folders/T".into();
    macos.directories.insert("/private/var/folders/T".into());
    assert!(is_throwaway(&macos, Path::new("/private/VAR/folders/t/x")));
    let mut windows = FakeSystem::new(Os::Windows);
    windows.temp_dir = r"C:\Temp".into();
    assert!(is_throwaway(&windows, Path::new(r"c:\temp\x")));
    assert!(!is_throwaway(&windows, Path::new(r"D:\Temp\x")));
}

#[test]
fn the_old_folder_is_told_in_any_case() {
    let system = FakeSystem::new(Os::Linux);
    for (dir, old) in [
        ("/c/slicc/profiles/work", true),
        ("/c/Slicc/Profiles/work", true),
        ("/c/slicc/profiles", false),
        ("/c/slicc/seven-profiles/work", false),
        ("/c/profiles/work", false),
    ] {
        assert_eq!(is_in_old_profiles(&system, Path::new(dir)), old, "{dir}");
    }
}

proptest! {
    #[test]
    fn any_name_that_is_taken_is_one_part_of_a_path(text in "\\PC{0,12}|[a-z./\\\\_-]{0,12}") {
        if let Ok(name) = ProfileName::parse(&text) {
            let path = Path::new("/p").join(name.as_str());
            prop_assert_eq!(path.parent(), Some(Path::new("/p")));
            prop_assert_eq!(path.components().count(), 3);
        }
    }
}
