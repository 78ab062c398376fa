//! Arguments, command, exit status.

use std::process::ExitCode;

/// A link's channels come and go, each with a queue of some kilobytes, between small values that stay. glibc's allocator keeps the
/// holes: 30,000 channels cost up to 19 MB with it, and 6 MB with this one.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    slicc::cli::main()
}
