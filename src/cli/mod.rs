//! The commands: arguments in, exit status out.

mod attach;
pub mod console;
mod doctor;
mod failure;
mod interrupt;

use std::{future::Future, process::ExitCode};

pub use failure::{Failure, Kind};

use crate::generated::cli::{Cli, Command, ExitStatus, env};

/// Runs slicc with the process's arguments.
pub fn main() -> ExitCode {
    let cli = match Cli::read(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // A closed stdout or stderr has nobody to tell.
            drop(error.print());
            let wrong = error.use_stderr();
            return if wrong { ExitStatus::Usage.into() } else { ExitStatus::Success.into() };
        }
    };
    console::start_diagnostics(std::env::var(env::SLICC_DEBUG).ok().as_deref());
    let result = match cli.command {
        Command::Attach(args) => attach::run(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Schema(_) | Command::Completions(_) => Ok(()),
    };
    match result {
        Ok(()) => ExitStatus::Success.into(),
        Err(failure) => {
            console::status(&failure.message);
            for hint in &failure.hints {
                console::hint(hint);
            }
            failure.status().into()
        }
    }
}

/// Runs a command's future on the process's runtime.
fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::failed(format!("cannot start the runtime: {error}")))?;
    let result = runtime.block_on(future);
    // A read of stdin can't be cancelled, so it must not hold the exit.
    runtime.shutdown_background();
    result
}
