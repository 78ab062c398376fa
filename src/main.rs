//! Arguments, command, exit status.

use std::process::ExitCode;

fn main() -> ExitCode {
    slicc::cli::main()
}
