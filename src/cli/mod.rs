//! The command line: one module per command, and what they share.

pub mod attach;
pub mod browsers;
pub mod completions;
pub mod console;
pub mod default;
pub mod doctor;
pub mod failure;
pub mod former;
mod given;
mod interrupt;
pub mod launch;
pub mod quote;
pub mod schema;
pub mod stdout;

use std::{ffi::OsString, future::Future, process::ExitCode};

pub use failure::{Failure, FailureKind};

use crate::generated::cli::{Cli, Command, ExitStatus, env};

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    match run(std::env::args_os()) {
        Ok(status) => status.into(),
        Err(failure) => {
            // When stderr can't be written either, the exit status is all that can be told.
            let _ = failure.report(&mut std::io::stderr().lock());
            failure.kind.status().into()
        }
    }
}

/// Reads this machine, which blocks, on a thread of its own.
async fn look_around<T: Send + 'static>(look: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    let looked = tokio::task::spawn_blocking(look).await;
    looked.map_err(|error| Failure::failed(format_args!("cannot look around: {error}")))
}

/// Runs a command line: its words, the program's name first.
fn run(words: impl IntoIterator<Item = OsString>) -> Result<ExitStatus, Failure> {
    let words: Vec<OsString> = words.into_iter().collect();
    if let Some(failure) = former::refusal(&words) {
        return Err(failure);
    }
    let cli = match Cli::read(words) {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            // Help and the version, which were asked for.
            return stdout::print(&error.render().to_string()).map(|()| ExitStatus::Success);
        }
        Err(error) => return Err(error.into()),
    };
    console::start_diagnostics(std::env::var(env::SLICC_DEBUG).ok().as_deref());
    match cli.command {
        None => default::run(&cli.default)?,
        Some(Command::Schema(args)) => schema::run(&args)?,
        Some(Command::Completions(args)) => completions::run(&args)?,
        Some(Command::Attach(args)) => attach::run(&args)?,
        Some(Command::Browsers(args)) => browsers::run(&args)?,
        Some(Command::Launch(args)) => launch::run(args)?,
        Some(Command::Doctor(args)) => doctor::run(&args)?,
    }
    Ok(ExitStatus::Success)
}

/// Runs a command's future on the process's runtime.
fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::failed(format_args!("cannot start the runtime: {error}")))?;
    let result = runtime.block_on(future);
    // A read of stdin can't be cancelled, so it must not hold the exit.
    runtime.shutdown_background();
    result
}

#[cfg(test)]
mod tests;
