use super::*;

#[test]
fn a_profile_is_taken_by_one_slicc_at_a_time_and_left_without_a_trace() {
    let dir = tempfile::tempdir().unwrap();
    let mut record = Record::take(dir.path()).unwrap().expect("nobody holds it");
    record.write(Some(4242)).unwrap();
    assert!(Record::take(dir.path()).unwrap().is_none());
    assert!(Record::adopt(dir.path()).is_none());
    assert!(!is_abandoned(&crate::host::RealSystem, dir.path()));
    drop(record);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    assert!(Record::adopt(dir.path()).is_none());
}

#[test]
fn a_record_that_stays_is_that_of_a_slicc_that_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    Record::take(dir.path()).unwrap().unwrap().keep();
    assert!(is_abandoned(&crate::host::RealSystem, dir.path()));
    let adopted = Record::adopt(dir.path()).expect("it is free");
    assert!(!is_abandoned(&crate::host::RealSystem, dir.path()));
    drop(adopted);
    assert!(is_abandoned(&crate::host::RealSystem, dir.path()), "its browser still runs");
}

#[test]
fn a_record_of_another_kind_is_none() {
    let dir = tempfile::tempdir().unwrap();
    for text in ["", "{}", "[]", "not json"] {
        std::fs::write(dir.path().join(RECORD), text).unwrap();
        assert!(!is_abandoned(&crate::host::RealSystem, dir.path()), "{text:?}");
    }
    std::fs::remove_file(dir.path().join(RECORD)).unwrap();
    std::fs::create_dir(dir.path().join(RECORD)).unwrap();
    assert!(!is_abandoned(&crate::host::RealSystem, dir.path()));
}

#[test]
fn an_argument_is_found_as_a_whole() {
    let switch = "--user-data-dir=/p/a b";
    for (command, has) in [
        ("chrome --user-data-dir=/p/a b --x", true),
        ("chrome --user-data-dir=/p/a b", true),
        ("chrome \"--user-data-dir=/p/a b\" --x", true),
        ("chrome --user-data-dir=/p/a bc --user-data-dir=/p/a b", true),
        ("chrome --user-data-dir=/p/a bc", false),
        ("chrome --user-data-dir=/p/a b/c", false),
        ("chrome x--user-data-dir=/p/a b", false),
        ("", false),
    ] {
        assert_eq!(has_argument(command, switch), has, "{command}");
    }
}
