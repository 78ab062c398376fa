//! The command line: one module per command, and what they share.

pub mod completions;
pub mod failure;
pub mod schema;
pub mod stdout;

use std::{ffi::OsString, process::ExitCode};

use clap::error::ErrorKind;

pub use failure::{Failure, FailureKind};

use crate::generated::cli::{Cli, Command, ExitStatus};

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

/// Runs a command line: its words, the program's name first.
fn run(words: impl IntoIterator<Item = OsString>) -> Result<ExitStatus, Failure> {
    let cli = match Cli::read(words) {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            // Help and the version, which were asked for.
            return stdout::print(&error.render().to_string()).map(|()| ExitStatus::Success);
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // Nothing was asked for, so the help is what to do about it. A stderr that is gone changes nothing.
            let _ = error.print();
            return Ok(ExitStatus::Usage);
        }
        Err(error) => return Err(error.into()),
    };
    match cli.command {
        Command::Schema(args) => schema::run(&args)?,
        Command::Completions(args) => completions::run(&args)?,
        Command::Attach(_) => return Err(not_in_this_build("attach")),
        Command::Doctor(_) => return Err(not_in_this_build("doctor")),
    }
    Ok(ExitStatus::Success)
}

fn not_in_this_build(command: &str) -> Failure {
    Failure::failed(format_args!("{command} is not part of this build"))
}

#[cfg(test)]
mod tests;
