//! The blocks of `README.md` that come from the command line.

use crate::{
    Output,
    model::cli::{Command, CommandLine},
    render::cli::markdown,
};

/// The file with the blocks.
const FILE: &str = "README.md";

/// The README's blocks. A block for a command's flags exists once the command does.
pub fn blocks(line: &CommandLine) -> Vec<Output> {
    let mut blocks = vec![
        Output::block(FILE, "commands", markdown::commands_table(line)),
        Output::block(FILE, "environment", markdown::variables_table(line.variables(false))),
    ];
    let flags = |command: &Command| Output::block(FILE, "attach flags", markdown::flags_list(command));
    blocks.extend(line.commands.iter().find(|command| command.name == "attach").map(flags));
    blocks
}
