//! `slicc completions`: scripts that complete the command line.

use clap::{Command, CommandFactory};
use clap_complete::Shell as Generator;

use super::{Failure, stdout};
use crate::generated::cli::{Cli, CompletionsArgs, Shell};

/// Prints the script for the shell.
///
/// # Errors
/// A failure when stdout can't be written.
pub fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    stdout::print(&script(args.shell))
}

fn script(shell: Shell) -> String {
    let generator = match shell {
        Shell::Bash => Generator::Bash,
        Shell::Elvish => Generator::Elvish,
        Shell::Fish => Generator::Fish,
        Shell::Powershell => Generator::PowerShell,
        Shell::Zsh => Generator::Zsh,
    };
    let mut command = visible(&Cli::command());
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(generator, &mut command, name, &mut script);
    // The generators write text that they format as strings.
    String::from_utf8_lossy(&script).into_owned()
}

/// The command with what its help shows: some generators would complete hidden flags, too.
fn visible(command: &Command) -> Command {
    let mut shown = Command::new(command.get_name().to_owned())
        .disable_help_subcommand(true)
        .args(command.get_arguments().filter(|argument| !argument.is_hide_set()).cloned())
        .subcommands(command.get_subcommands().map(visible));
    if let Some(about) = command.get_about() {
        shown = shown.about(about.clone());
    }
    if let Some(version) = command.get_version() {
        shown = shown.version(version.to_owned());
    }
    shown
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn each_shell_gets_a_script_with_every_command_and_no_flag_of_the_tests() {
        let cli = Cli::command();
        // A flag of the tests in one command can be a flag for people in another.
        let public: Vec<_> = cli
            .get_subcommands()
            .flat_map(clap::Command::get_arguments)
            .filter(|argument| !argument.is_hide_set())
            .filter_map(clap::Arg::get_long)
            .collect();
        for shell in Shell::value_variants() {
            let script = script(*shell);
            for command in cli.get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell:?}: {}", command.get_name());
                for argument in command.get_arguments().filter(|argument| argument.is_hide_set()) {
                    let flag = argument.get_long().unwrap_or_default();
                    assert!(public.contains(&flag) || !script.contains(&format!("--{flag}")), "{shell:?}: --{flag}");
                }
            }
        }
    }
}
