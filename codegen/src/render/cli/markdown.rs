//! `docs/cli.md`.

use std::fmt::Write as _;

use crate::{
    model::cli::{Argument, Choice, Command, CommandLine, Example, Flag, Leading, Takes, Variable},
    render::text::{markdown_table, wrap},
};

/// Columns of a line of the reference.
const WIDTH: usize = 120;

/// The reference of the command line.
pub fn reference(line: &CommandLine) -> String {
    let program = &line.program;
    let mut out = format!(
        "<!-- Generated from spec/cli.toml by `cargo codegen`. Do not edit. -->\n\n# {}\n\n{}.\n",
        program.name, program.about
    );
    if let Some(details) = &program.details {
        let _ = write!(out, "\n{}", wrap(details, "", WIDTH));
    }
    let _ = write!(out, "\n{}", commands_table(line));
    let _ = writeln!(
        out,
        "\n`{name} --help` and `{name} <command> --help` say what is here, `-h` the short form, and `{name} --version` the \
         version.",
        name = program.name
    );
    out += &examples(&program.examples);
    for command in line.everything() {
        let _ = write!(out, "\n{}", command_section(line, command));
    }
    let _ = write!(out, "\n## Environment\n\n{}", variables_table(line.variables(false)));
    let statuses = line.exits.iter().map(|exit| vec![exit.code.to_string(), exit.doc.clone()]).collect::<Vec<_>>();
    let _ = write!(out, "\n## Exit status\n\n{}", markdown_table(&["status", "when"], &statuses));
    let hidden = line.everything().map(|command| (command, command.flags(true).collect::<Vec<_>>()));
    let hidden: Vec<_> = hidden.filter(|(_, flags)| !flags.is_empty()).collect();
    if !hidden.is_empty() || line.variables(true).next().is_some() {
        out += "\n## For tests\n\nThese are left out of the help.\n";
    }
    if line.variables(true).next().is_some() {
        let _ = write!(out, "\n{}", variables_table(line.variables(true)));
    }
    for (command, flags) in hidden {
        let _ = writeln!(out, "\n`{}`:\n", command.typed(program));
        for flag in flags {
            out += &flag_item(command, flag);
        }
    }
    out
}

/// What each command does, as a table.
pub fn commands_table(line: &CommandLine) -> String {
    let rows = line.everything().map(|command| {
        let arguments = command.arguments.iter().map(Argument::synopsis);
        let names = if command.default { 1 } else { 2 + usize::from(command.leading != Leading::None) };
        let words: Vec<_> = command.usage(&line.program).into_iter().take(names).chain(arguments).collect();
        vec![format!("`{}`", words.join(" ")), command.about.clone()]
    });
    markdown_table(&["command", "what it does"], &rows.collect::<Vec<_>>())
}

/// The flags of a command, as a list.
pub fn flags_list(command: &Command) -> String {
    command.flags(false).map(|flag| flag_item(command, flag)).collect()
}

/// Environment variables, as a table.
pub fn variables_table<'a>(variables: impl Iterator<Item = &'a Variable>) -> String {
    let rows = variables.map(|variable| vec![format!("`{}={}`", variable.name, variable.value), variable.doc.clone()]);
    markdown_table(&["variable", "effect"], &rows.collect::<Vec<_>>())
}

fn command_section(line: &CommandLine, command: &Command) -> String {
    let mut out = format!("## {}\n\n{}.\n\n", command.typed(&line.program), command.about);
    let names = if command.default { 1 } else { 2 };
    let _ = writeln!(out, "```\n{}\n```", usage(&command.usage(&line.program), names));
    if let Some(details) = &command.details {
        let _ = write!(out, "\n{}", wrap(details, "", WIDTH));
    }
    if !command.arguments.is_empty() {
        out += "\n### Arguments\n\n";
        for argument in &command.arguments {
            out += &item(&format!("`<{}>`: {}.{}", argument.name, argument.doc, choices(&argument.choices)));
        }
    }
    if command.flags(false).next().is_some() {
        let _ = write!(out, "\n### Flags\n\n{}", flags_list(command));
    }
    if !command.examples.is_empty() {
        out += &examples(&command.examples);
    }
    if command.default && !line.former_flags.is_empty() {
        out += &former_flags(line);
    }
    out
}

/// The flags of the program's former self.
fn former_flags(line: &CommandLine) -> String {
    let rows = line.former_flags.iter().map(|former| vec![format!("`{}`", former.flag), former.source.clone()]);
    format!(
        "\n### Flags of its former self\n\nThese stop `{}` at once, and it names the program that takes them.\n\n{}",
        line.program.name,
        markdown_table(&["flag", "read by"], &rows.collect::<Vec<_>>())
    )
}

fn flag_item(command: &Command, flag: &Flag) -> String {
    let short = flag.short.map(|short| format!("`-{short}`, ")).unwrap_or_default();
    let mut text = format!("{short}`{}`: {}", flag.synopsis(), flag.doc);
    let mut notes = Vec::new();
    if flag.required {
        notes.push("required".to_owned());
    }
    match flag.takes {
        Takes::Many => notes.push("repeatable".into()),
        Takes::List => notes.push("repeatable, or with commas".into()),
        Takes::Argv => notes.push("every word up to a lone `--` or the end".into()),
        Takes::Nothing | Takes::One => {}
    }
    if let Some(default) = &flag.default {
        notes.push(format!("default: `{default}`"));
    }
    if !notes.is_empty() {
        let _ = write!(text, " ({})", notes.join("; "));
    }
    text.push('.');
    text += &choices(&flag.choices);
    if let Some(details) = &flag.details {
        let _ = write!(text, " {}", details.trim());
    }
    for condition in conditions(command, flag) {
        let _ = write!(text, " {condition}.");
    }
    item(&text)
}

/// What a flag asks of the flags beside it, a sentence each.
pub(crate) fn conditions(command: &Command, flag: &Flag) -> Vec<String> {
    let typed = |names: &[String]| {
        let flags = names.iter().filter_map(|name| command.flag(name)).filter(|other| !other.test_only);
        flags.map(|other| format!("`--{}`", other.long())).collect::<Vec<_>>().join(", ")
    };
    let mut sentences = Vec::new();
    if let Some(unless) = &flag.required_unless
        && let Some(other) = command.flag(&unless.flag)
    {
        let value = unless.is.as_ref().map(|is| format!(" {is}")).unwrap_or_default();
        sentences.push(format!("Required, unless `--{}{value}` is given", other.long()));
    }
    for (words, names) in [("Only with", &flag.requires), ("Not with", &flag.refuses)] {
        let flags = typed(names);
        if !flags.is_empty() {
            sentences.push(format!("{words} {flags}"));
        }
    }
    sentences
}

fn choices(choices: &[Choice]) -> String {
    if choices.is_empty() {
        return String::new();
    }
    let values = choices.iter().map(|choice| {
        if choice.doc.eq_ignore_ascii_case(&choice.name) {
            format!("`{}`", choice.name)
        } else {
            format!("`{}` ({})", choice.name, choice.doc)
        }
    });
    format!(" One of {}.", values.collect::<Vec<_>>().join(", "))
}

/// An item of a list, wrapped, with its paragraphs under it.
fn item(text: &str) -> String {
    let lines = wrap(text, "  ", WIDTH);
    format!("- {}", lines.trim_start())
}

fn examples(examples: &[Example]) -> String {
    if examples.is_empty() {
        return String::new();
    }
    let lines: Vec<_> = examples.iter().map(|example| format!("# {}\n{}", example.about, example.command)).collect();
    format!("\n```sh\n{}\n```\n", lines.join("\n\n"))
}

/// A usage line, wrapped under its command.
fn usage(words: &[String], names: usize) -> String {
    let indent: usize = words.iter().take(names).map(|word| word.chars().count() + 1).sum();
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in words {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > 100 {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent - 1)));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.join("\n")
}
