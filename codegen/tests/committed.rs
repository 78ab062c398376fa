//! What is committed is what the data says.

use std::path::Path;

#[test]
fn nothing_generated_is_stale() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let outputs = codegen::generate(&root).expect("the data is sound");
    let diff = codegen::output::check(&root, &outputs).expect("the project can be read");
    assert!(diff.is_empty(), "these files are stale; run `cargo codegen` and commit what it writes:\n{diff}");
}

#[test]
fn no_file_is_generated_twice() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut places: Vec<_> = codegen::generate(&root)
        .expect("the data is sound")
        .into_iter()
        .map(|output| (output.path, output.block))
        .collect();
    let all = places.len();
    places.sort();
    places.dedup();
    assert_eq!(places.len(), all);
}

#[test]
fn every_file_of_the_link_is_generated() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let outputs = codegen::generate(&root).expect("the data is sound");
    for entry in std::fs::read_dir(root.join("src/generated/link")).expect("there are files") {
        let name = entry.expect("a file").file_name();
        let path = format!("src/generated/link/{}", name.to_string_lossy());
        assert!(outputs.iter().any(|output| output.path == path), "{path} is left over: no kind has it any more");
    }
}
