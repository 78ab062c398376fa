//! The generator on a toy spec, apart from the real one: what comes out is in `tests/toy/golden`.

use std::path::Path;

use codegen::{output, render, section};

#[test]
fn the_toy_spec_gives_the_golden_text() {
    let toy = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy");
    let outputs = section::generate(&[render::link::section, render::policy::section], &toy).expect("the toy is sound");
    let golden = toy.join("golden");
    if std::env::var_os("CODEGEN_BLESS").is_some() {
        output::write(&golden, &outputs).expect("the golden text can be written");
    }
    let diff = output::check(&golden, &outputs).expect("the golden text can be read");
    assert!(diff.is_empty(), "run the test with CODEGEN_BLESS=1 once the change is meant:\n{diff}");
}
