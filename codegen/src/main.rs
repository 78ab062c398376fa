//! `cargo codegen` writes what is generated; `cargo codegen --check` prints a diff and exits 1 when something is stale.

use std::{path::Path, process::ExitCode};

fn main() -> ExitCode {
    let check = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => {
            eprintln!("usage: cargo codegen [--check]");
            return ExitCode::from(2);
        }
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let outputs = match codegen::generate(&root) {
        Ok(outputs) => outputs,
        Err(problems) => {
            for problem in problems {
                eprintln!("codegen: {problem}");
            }
            return ExitCode::FAILURE;
        }
    };
    let result = if check { codegen::output::check(&root, &outputs) } else { codegen::output::write(&root, &outputs) };
    match result {
        Ok(report) => {
            print!("{report}");
            if check && !report.is_empty() {
                eprintln!("codegen: the files above are stale; run `cargo codegen` and commit what it writes");
                return ExitCode::FAILURE;
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("codegen: {error}");
            ExitCode::FAILURE
        }
    }
}
