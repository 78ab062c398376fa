//! Arguments, command, exit status.

fn main() -> std::process::ExitCode {
    slicc::cli::main()
}
