//! `docs/man`: a page for the program and one for each command.

use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use crate::{
    Output,
    model::cli::{Choice, Command, CommandLine, Example, Flag, Takes},
    render::cli::markdown::conditions,
};

/// Every man page.
pub fn pages(line: &CommandLine) -> Vec<Output> {
    let page = |name: &str, text: String| Output::file(format!("docs/man/{name}.1"), text);
    let program = &line.program.name;
    let commands = line.commands.iter().map(|command| {
        let name = format!("{program}-{}", command.name);
        let text = command_page(line, command, &name);
        page(&name, text)
    });
    std::iter::once(page(program, program_page(line))).chain(commands).collect()
}

fn program_page(line: &CommandLine) -> String {
    let program = &line.program;
    let mut roff = start(&program.name, &program.about);
    roff.control("SH", ["SYNOPSIS"]);
    if let Some(default) = &line.default {
        let mut words = vec![bold(&program.name)];
        for word in &default.usage(program)[1..] {
            words.extend([roman(" "), roman(word)]);
        }
        roff.text(words);
        roff.control("br", []);
    }
    roff.text([bold(&program.name), roman(" "), italic("command"), roman(" [...]")]);
    roff.control("SH", ["DESCRIPTION"]);
    paragraphs(&mut roff, &format!("{}.\n\n{}", program.about, program.details.as_deref().unwrap_or_default()));
    if let Some(details) = line.default.as_ref().and_then(|default| default.details.as_deref()) {
        roff.control("PP", []);
        paragraphs(&mut roff, details);
    }
    roff.control("SH", ["COMMANDS"]);
    for command in &line.commands {
        roff.control("TP", []);
        roff.text([bold(format!("{}-{}", program.name, command.name)), roman("(1)")]);
        roff.text(inlines(&format!("{}.", command.about)));
    }
    roff.control("SH", ["OPTIONS"]);
    if let Some(default) = &line.default {
        for flag in default.flags(false) {
            flag_entry(&mut roff, default, flag);
        }
    }
    for (flags, about) in
        [(["-h", "--help"], "Print help and exit."), (["-V", "--version"], "Print the version and exit.")]
    {
        roff.control("TP", []);
        roff.text([bold(flags[0]), roman(", "), bold(flags[1])]);
        roff.text([roman(about)]);
    }
    roff.control("SH", ["ENVIRONMENT"]);
    for variable in line.variables(false) {
        roff.control("TP", []);
        roff.text([bold(&variable.name), roman("="), italic(&variable.value)]);
        roff.text(inlines(&format!("{}.", variable.doc)));
    }
    let default = line.default.iter().flat_map(|default| &default.examples);
    let examples: Vec<_> = default.chain(&program.examples).cloned().collect();
    finish(roff, line, &examples, line.commands.iter().map(|command| format!("{}-{}", program.name, command.name)))
}

fn command_page(line: &CommandLine, command: &Command, name: &str) -> String {
    let program = &line.program;
    let mut roff = start(name, &command.about);
    roff.control("SH", ["SYNOPSIS"]);
    let usage = command.usage(program);
    let at = usage.iter().position(|word| *word == command.name).unwrap_or_default();
    let mut words = vec![bold(usage[..=at].join(" "))];
    for word in &usage[at + 1..] {
        words.extend([roman(" "), roman(word)]);
    }
    roff.text(words);
    roff.control("SH", ["DESCRIPTION"]);
    paragraphs(&mut roff, &format!("{}.\n\n{}", command.about, command.details.as_deref().unwrap_or_default()));
    if !command.arguments.is_empty() {
        roff.control("SH", ["ARGUMENTS"]);
    }
    for argument in &command.arguments {
        roff.control("TP", []);
        roff.text([italic(&argument.name)]);
        roff.text(inlines(&format!("{}.", argument.doc)));
        choices(&mut roff, &argument.choices);
    }
    roff.control("SH", ["OPTIONS"]);
    for flag in command.flags(false) {
        flag_entry(&mut roff, command, flag);
    }
    roff.control("TP", []);
    roff.text([bold("-h"), roman(", "), bold("--help")]);
    roff.text([roman("Print help and exit.")]);
    let others = line.commands.iter().filter(|other| other.name != command.name);
    let others = others.map(|other| format!("{}-{}", program.name, other.name));
    finish(roff, line, &command.examples, std::iter::once(program.name.clone()).chain(others))
}

fn start(name: &str, about: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("TH", [name, "1"]);
    roff.control("SH", ["NAME"]);
    roff.text([roman(format!("{name} - {about}"))]);
    roff
}

/// What every page ends with.
fn finish(mut roff: Roff, line: &CommandLine, examples: &[Example], see: impl Iterator<Item = String>) -> String {
    roff.control("SH", ["EXIT STATUS"]);
    for exit in &line.exits {
        roff.control("TP", []);
        roff.text([bold(exit.code.to_string())]);
        roff.text(inlines(&format!("{}.", exit.doc)));
    }
    if !examples.is_empty() {
        roff.control("SH", ["EXAMPLES"]);
    }
    for example in examples {
        roff.control("TP", []);
        roff.text([bold(&example.command)]);
        roff.text(inlines(&format!("{}.", example.about)));
    }
    roff.control("SH", ["SEE ALSO"]);
    let mut pages = Vec::new();
    for (index, page) in see.enumerate() {
        if index > 0 {
            pages.push(roman(", "));
        }
        pages.extend([bold(page), roman("(1)")]);
    }
    roff.text(pages);
    // `to_roff` has no preamble, which would only serve pages with apostrophes in a macro.
    format!(".\\\" Generated from spec/cli.toml by `cargo codegen`. Do not edit.\n{}", roff.to_roff())
}

fn flag_entry(roff: &mut Roff, command: &Command, flag: &Flag) {
    let mut head: Vec<Inline> = Vec::new();
    if let Some(short) = flag.short {
        head.extend([bold(format!("-{short}")), roman(", ")]);
    }
    head.push(bold(format!("--{}", flag.long())));
    if let Some(value) = &flag.value {
        head.extend([roman(" "), italic(value)]);
        if flag.takes == Takes::Argv {
            head.push(roman("... [--]"));
        }
    }
    roff.control("TP", []);
    roff.text(head);
    let default = flag.default.as_ref().map(|default| format!(" The default is {default}.")).unwrap_or_default();
    let repeat = match flag.takes {
        Takes::Many => " It can be repeated.",
        Takes::List => " It can be repeated, or take several with commas between them.",
        Takes::Argv => " It takes every word up to a lone -- or the end.",
        Takes::Nothing | Takes::One => "",
    };
    roff.text(inlines(&format!("{}.{repeat}{default}", flag.doc)));
    choices(roff, &flag.choices);
    let more = conditions(command, flag).iter().fold(String::new(), |text, sentence| format!("{text}\n\n{sentence}."));
    let details = flag.details.as_deref().unwrap_or_default();
    for paragraph in format!("{details}{more}").split("\n\n").map(str::trim).filter(|text| !text.is_empty()) {
        roff.control("IP", []);
        roff.text(inlines(paragraph));
    }
}

fn choices(roff: &mut Roff, choices: &[Choice]) {
    if choices.is_empty() {
        return;
    }
    roff.control("RS", []);
    for choice in choices {
        roff.control("TP", []);
        roff.text([bold(&choice.name)]);
        roff.text(inlines(&choice.doc));
    }
    roff.control("RE", []);
}

fn paragraphs(roff: &mut Roff, text: &str) {
    for (index, paragraph) in text.trim().split("\n\n").enumerate() {
        if index > 0 {
            roff.control("PP", []);
        }
        roff.text(inlines(paragraph));
    }
}

/// Text on one line, with what stands between backticks in bold.
fn inlines(text: &str) -> Vec<Inline> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let pieces = text.split('`').enumerate();
    pieces.map(|(index, piece)| if index % 2 == 1 { bold(piece) } else { roman(piece) }).collect()
}
