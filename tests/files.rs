//! No file under tests/ is forgotten: each is part of a program that is built.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// Where the programs begin that use files under tests/, seen from the package.
const PROGRAMS: [&str; 6] = [
    "tests/main.rs",
    "tests/native_page/main.rs",
    "tests/fake_browser/main.rs",
    "tests/port_guard/main.rs",
    "tests/screen_program/main.rs",
    "benches/link_transport.rs",
];

/// The files that modules of `file` are in. A name alone stands for `name.rs` or `name/mod.rs` in the folder of the module.
fn modules(file: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let folder = file.parent().expect("a file is in a folder");
    let name = file.file_stem().and_then(|name| name.to_str()).expect("a name");
    let own = if matches!(name, "mod" | "main") || folder.ends_with("benches") {
        folder.to_owned()
    } else {
        folder.join(name)
    };
    let mut found = Vec::new();
    let mut path = None;
    for line in text.lines().map(str::trim) {
        if let Some(named) = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) {
            path = Some(folder.join(named));
        } else if let Some(name) = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ")
            && let Some(name) = name.strip_suffix(';')
        {
            let places = [own.join(format!("{name}.rs")), own.join(name).join("mod.rs")];
            found.extend(path.take().or_else(|| places.into_iter().find(|place| place.exists())));
        }
    }
    found
}

fn sources(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("node_modules") {
            continue;
        }
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.insert(path.canonicalize().unwrap());
        }
    }
}

#[test]
fn every_file_is_part_of_a_program() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut reached = BTreeSet::new();
    let mut next: Vec<PathBuf> = PROGRAMS.iter().map(|program| package.join(program)).collect();
    while let Some(file) = next.pop() {
        if reached.insert(file.canonicalize().unwrap()) {
            next.extend(modules(&file));
        }
    }
    let mut all = BTreeSet::new();
    sources(&package.join("tests"), &mut all);
    let forgotten: Vec<_> = all.difference(&reached).collect();
    assert!(forgotten.is_empty(), "declare these files as modules: {forgotten:#?}");
}
