//! The generator on a toy command line, toy events and a toy catalog, apart from the real ones. What comes out is in
//! `golden`, and the Rust there is compiled and used.

mod catalog;
mod cli;
mod events;

use std::path::Path;

use codegen::Problem;

/// Compares a text with what is committed under `golden`.
fn golden(name: &str, text: &str) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/surface/golden");
    let outputs = [codegen::Output::file(name, text)];
    if std::env::var_os("CODEGEN_BLESS").is_some() {
        codegen::output::write(&directory, &outputs).expect("the golden text can be written");
    }
    let diff = codegen::output::check(&directory, &outputs).expect("the golden text can be read");
    assert!(diff.is_empty(), "run the test with CODEGEN_BLESS=1 once the change is meant:\n{diff}");
}

/// Checks that one of the problems has this key and reason, and that it reads as file, key and reason.
fn has(problems: &[Problem], key: &str, reason: &str) {
    let found = problems.iter().find(|problem| problem.key == key && problem.reason.contains(reason));
    let found = found.unwrap_or_else(|| panic!("no problem `{key}: {reason}` in {problems:#?}"));
    assert_eq!(found.to_string(), format!("{}: {}: {}", found.file, found.key, found.reason));
}
