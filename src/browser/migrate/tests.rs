#![cfg(unix)]

use std::{collections::BTreeSet, os::unix::fs::symlink};

use tempfile::TempDir;

use super::*;
use crate::host::{Os, system::relocated::Relocated};

struct Machine {
    home: TempDir,
    system: Relocated,
}

impl Machine {
    fn new(os: Os) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut system = Relocated { os: Some(os), ..Relocated::default() };
        system.env.insert("HOME".into(), home.path().into());
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "SLICC_USER_DATA_DIR"] {
            system.env.insert(name.into(), "".into());
        }
        Self { home, system }
    }

    fn linux() -> Self {
        Self::new(Os::Linux)
    }

    fn place(&self) -> Place {
        Place::general(&self.system).unwrap()
    }

    /// Makes a profile in the old folder.
    fn old(&self, name: &str) -> PathBuf {
        let dir = self.place().old.join(name);
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("Local State"), name).unwrap();
        dir
    }

    fn migrate(&self) -> Vec<String> {
        migrate(&self.system).iter().map(ToString::to_string).collect()
    }
}

fn names(dir: &Path) -> BTreeSet<String> {
    let entries =
        fs::read_dir(dir).map(|entries| entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()));
    entries.map(Iterator::collect).unwrap_or_default()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn profiles_are_moved_once() {
    let machine = Machine::linux();
    machine.old("work");
    machine.old("chrome");
    assert_eq!(machine.migrate(), Vec::<String>::new());
    let place = machine.place();
    assert_eq!(names(&place.profiles), set(&[MIGRATED_MARKER, "chrome", "work"]));
    assert_eq!(fs::read_to_string(place.profiles.join("work/Local State")).unwrap(), "work");
    machine.old("late");
    assert_eq!(machine.migrate(), Vec::<String>::new());
    assert_eq!(names(&place.old), set(&["late"]));
}

#[test]
fn without_an_old_folder_nothing_is_written() {
    let machine = Machine::linux();
    assert_eq!(machine.migrate(), Vec::<String>::new());
    assert_eq!(names(machine.home.path()), set(&[]));
}

#[test]
fn a_name_that_exists_stays_with_a_notice() {
    let machine = Machine::linux();
    machine.old("work");
    let place = machine.place();
    fs::create_dir_all(place.profiles.join("work")).unwrap();
    let (old, new) = (place.old.display(), place.profiles.display());
    assert_eq!(machine.migrate(), [format!("profile work stays in {old}, since {new}/work already exists")]);
    assert!(place.old.join("work/Local State").is_file());
    assert!(place.profiles.join(MIGRATED_MARKER).is_file());
}

#[test]
fn a_profile_in_use_stays_with_a_notice() {
    let machine = Machine::linux();
    let pid = std::process::id();
    symlink(format!("host-{pid}"), machine.old("busy").join("SingletonLock")).unwrap();
    symlink("host-4194999", machine.old("stale").join("SingletonLock")).unwrap();
    let place = machine.place();
    let (old, new) = (place.old.display(), place.profiles.display());
    let notice = format!(
        "profile busy is in use by process {pid}, so it stays in {old}; quit that browser, then move it to {new}"
    );
    assert_eq!(machine.migrate(), [notice]);
    assert_eq!(names(&place.old), set(&["busy"]));
    assert_eq!(names(&place.profiles), set(&[MIGRATED_MARKER, "stale"]));
}

#[test]
fn sixs_profiles_dotfiles_and_other_names_are_left_alone() {
    // On a volume that ignores case, this is six's own folder.
    for os in [Os::Macos, Os::Linux] {
        let machine = Machine::new(os);
        let kept = ["browser-coding-agent-chrome", "Browser-Coding-Agent-Chrome-5711", ".hidden", "a name", "mine"];
        for name in kept {
            machine.old(name);
        }
        machine.old("work");
        let place = machine.place();
        fs::write(place.old.join(".profile-migration-complete"), "").unwrap();
        fs::write(place.old.join("file"), "").unwrap();
        symlink(machine.home.path(), place.old.join("linked")).unwrap();
        symlink("work", place.old.join("relative")).unwrap();
        let mut system = machine.system;
        system.env.insert("SLICC_USER_DATA_DIR".into(), place.old.join("MINE").into());
        assert_eq!(migrate(&system), []);
        let mut left = set(&kept);
        left.extend(set(&[".profile-migration-complete", "file", "relative"]));
        assert_eq!(names(&place.old), left);
        assert_eq!(names(&place.profiles), set(&[MIGRATED_MARKER, "work", "linked"]));
    }
}

#[test]
fn nothing_moves_when_the_old_folder_lies_in_sixs_profile() {
    for dir in ["", "work", "../.."] {
        let mut machine = Machine::linux();
        machine.old("work");
        let place = machine.place();
        let inside = if dir == "work" { place.old.clone() } else { place.old.join(dir) };
        machine.system.env.insert("SLICC_USER_DATA_DIR".into(), inside.into());
        assert_eq!(machine.migrate(), Vec::<String>::new());
        assert_eq!(names(&place.old), set(&["work"]), "{dir}");
        assert!(!place.profiles.exists(), "{dir}");
    }
}

#[test]
fn a_snaps_profiles_move_within_the_snap() {
    let machine = Machine::linux();
    let place = Place::of_snap(&machine.system, "chromium").unwrap();
    fs::create_dir_all(place.old.join("work")).unwrap();
    assert_eq!(machine.migrate(), Vec::<String>::new());
    assert_eq!(names(&place.profiles), set(&[MIGRATED_MARKER, "work"]));
    assert!(!machine.place().profiles.exists());
}

#[test]
fn a_run_that_was_cut_short_goes_on() {
    let machine = Machine::linux();
    machine.old("b");
    let place = machine.place();
    // As after a crash between two profiles: the first is there, and the mark isn't.
    fs::create_dir_all(place.profiles.join("a")).unwrap();
    assert_eq!(machine.migrate(), Vec::<String>::new());
    assert_eq!(names(&place.profiles), set(&[MIGRATED_MARKER, "a", "b"]));
}

#[test]
fn a_folder_that_cannot_be_written_is_no_failure() {
    let machine = Machine::linux();
    machine.old("work");
    let place = machine.place();
    fs::write(&place.profiles, "a file").unwrap();
    let notices = machine.migrate();
    assert_eq!(notices.len(), 1);
    assert!(notices[0].starts_with("older profiles stay where they are for now: cannot write "), "{notices:?}");
    assert_eq!(names(&place.old), set(&["work"]));
}
