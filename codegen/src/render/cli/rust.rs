//! `src/generated/cli.rs`.

use std::{fmt::Write as _, io};

use askama::Template;

use crate::{
    model::cli::{Argument, Choice, Command, CommandLine, Count, Example, Flag, Leading, Takes, Type},
    render::text::{doc, pascal, quoted, rustfmt, screaming, snake, wrap},
};

/// Columns of a line of a string literal.
const LITERAL_WIDTH: usize = 116;
/// Columns of help texts that slicc wraps itself; clap wraps the rest for the terminal.
const HELP_WIDTH: usize = 96;

/// Switches of one command that clippy takes for a flaw.
const MAX_SWITCHES: usize = 3;

#[derive(Template)]
#[template(path = "cli.rs.jinja", escape = "none")]
struct RustTemplate {
    exits: Vec<ExitView>,
    variables: Vec<VariableView>,
    root: RootView,
    leading: Option<LeadingView>,
    default: Option<CommandView>,
    commands: Vec<CommandView>,
    former_flags: Vec<String>,
    choices: Vec<ChoiceView>,
    argv: String,
    rules: Vec<RuleView>,
    examples: Vec<String>,
}

struct ExitView {
    doc: String,
    variant: String,
    code: u8,
}

struct VariableView {
    doc: String,
    name: String,
    quoted: String,
}

struct RootView {
    doc: String,
    name: String,
    about: String,
    long_about: String,
    examples: String,
    environment: String,
    exit_status: String,
}

struct LeadingView {
    doc: String,
    value_name: String,
    field: String,
    prefixes: String,
}

struct CommandView {
    doc: String,
    args_doc: String,
    variant: String,
    constant: String,
    about: String,
    long_about: String,
    examples: String,
    override_usage: Option<String>,
    many_switches: bool,
    fields: Vec<FieldView>,
}

struct FieldView {
    doc: String,
    attributes: String,
    name: String,
    kind: String,
}

struct ChoiceView {
    doc: String,
    name: String,
    values: Vec<ValueView>,
}

struct ValueView {
    doc: String,
    quoted: String,
    variant: String,
}

/// A match arm that rejects a command line.
struct RuleView {
    variant: String,
    binding: &'static str,
    condition: String,
    command: String,
    kind: &'static str,
    message: String,
}

/// The command line as Rust.
///
/// # Errors
/// When the template or rustfmt fails, which is a mistake in the generator.
pub fn render(line: &CommandLine) -> io::Result<String> {
    let template = RustTemplate {
        exits: line
            .exits
            .iter()
            .map(|exit| ExitView { doc: sentence(&exit.doc), variant: pascal(&exit.name), code: exit.code })
            .collect(),
        variables: line
            .variables
            .iter()
            .map(|variable| VariableView {
                doc: sentence(&variable.doc),
                name: screaming(&variable.name),
                quoted: quoted(&variable.name),
            })
            .collect(),
        root: root(line),
        leading: line.program.leading.as_ref().map(|leading| LeadingView {
            doc: sentence(&leading.doc),
            value_name: quoted(&leading.name),
            field: snake(&leading.name),
            prefixes: leading.prefixes.iter().map(|prefix| quoted(prefix)).collect::<Vec<_>>().join(", "),
        }),
        default: line.default.as_ref().map(|command| command_view(line, command)),
        commands: line.commands.iter().map(|command| command_view(line, command)).collect(),
        former_flags: line.former_flags.iter().map(|former| quoted(&former.flag)).collect(),
        choices: choices(line),
        argv: argv_flags(line),
        rules: rules(line),
        examples: line
            .program
            .examples
            .iter()
            .chain(line.everything().flat_map(|command| &command.examples))
            .map(|example| quoted(&example.command))
            .collect(),
    };
    rustfmt(&template.render().map_err(io::Error::other)?)
}

fn root(line: &CommandLine) -> RootView {
    let program = &line.program;
    let variables = line.variables(false).map(|variable| {
        let value = &variable.value;
        let set = if value.starts_with('<') { value.clone() } else { format!("={value}") };
        (format!("{}{set}", variable.name), variable.doc.clone())
    });
    let statuses = line.exits.iter().map(|exit| (exit.code.to_string(), exit.doc.clone()));
    RootView {
        doc: sentence(&program.about),
        name: quoted(&program.name),
        about: quoted(&program.about),
        long_about: literal(&long_about(&program.about, Some(&program_details(line)))),
        examples: literal(&examples_help(&program_examples(line))),
        environment: literal(&list_help("Environment", &variables.collect::<Vec<_>>())),
        exit_status: literal(&list_help("Exit status", &statuses.collect::<Vec<_>>())),
    }
}

fn command_view(line: &CommandLine, command: &Command) -> CommandView {
    let variant = pascal(&command.name);
    let flags = command.flags.iter().map(|flag| FieldView {
        doc: doc(&flag_doc(flag), 0),
        attributes: flag_attributes(command, flag),
        name: snake(flag.long()),
        kind: flag_type(flag),
    });
    let arguments = command.arguments.iter().map(|argument| FieldView {
        doc: sentence(&argument.doc),
        attributes: argument_attributes(argument),
        name: snake(&argument.name),
        kind: argument_type(argument),
    });
    CommandView {
        doc: sentence(&command.about),
        args_doc: sentence(&format!(
            "`{}`: {}",
            if command.default { &line.program.name } else { &command.name },
            command.about
        )),
        about: quoted(&command.about),
        constant: screaming(&command.name),
        long_about: literal(&long_about(&command.about, command.details.as_deref())),
        examples: literal(&examples_help(&command.examples)),
        override_usage: (command.leading != Leading::None).then(|| quoted(&command.usage(&line.program).join(" "))),
        many_switches: command.flags.iter().filter(|flag| flag.takes == Takes::Nothing).count() > MAX_SWITCHES,
        fields: flags.chain(arguments).collect(),
        variant,
    }
}

fn flag_doc(flag: &Flag) -> String {
    let default = flag.default.as_ref().map(|default| format!(" (default: {default})")).unwrap_or_default();
    let details = flag.details.as_ref().map(|details| format!("\n\n{}", details.trim())).unwrap_or_default();
    format!("{}{default}.{details}", flag.doc)
}

fn flag_type(flag: &Flag) -> String {
    let one = if flag.choices.is_empty() {
        match flag.kind {
            Type::String => "String".to_owned(),
            Type::Path => "std::path::PathBuf".to_owned(),
            Type::Integer => integer_type(flag).to_owned(),
        }
    } else {
        pascal(&flag.name)
    };
    match flag.takes {
        Takes::Nothing => "bool".to_owned(),
        Takes::One if flag.required => one,
        Takes::One => format!("Option<{one}>"),
        Takes::Many | Takes::List => format!("Vec<{one}>"),
        Takes::Argv => "Option<Vec<OsString>>".to_owned(),
    }
}

/// The smallest type that every allowed number fits.
fn integer_type(flag: &Flag) -> &'static str {
    match flag.max {
        Some(max) if u16::try_from(max).is_ok() => "u16",
        Some(max) if u32::try_from(max).is_ok() => "u32",
        _ => "u64",
    }
}

fn flag_attributes(command: &Command, flag: &Flag) -> String {
    let mut attributes = vec![format!("long = {}", quoted(flag.long()))];
    if let Some(short) = flag.short {
        attributes.push(format!("short = {short:?}"));
    }
    if let Some(value) = &flag.value {
        attributes.push(format!("value_name = {}", quoted(value)));
    }
    match flag.takes {
        Takes::List => attributes.push("value_delimiter = ','".into()),
        Takes::Argv => attributes.push(
            "num_args = 1.., action = clap::ArgAction::Set, allow_hyphen_values = true, value_terminator = \"--\""
                .into(),
        ),
        Takes::Nothing | Takes::One | Takes::Many => {}
    }
    if !flag.choices.is_empty() {
        attributes.push("value_enum".into());
    }
    if flag.kind == Type::Integer && (flag.min.is_some() || flag.max.is_some()) {
        let min = flag.min.map(|min| min.to_string()).unwrap_or_default();
        let max = flag.max.map(|max| format!("={max}")).unwrap_or_default();
        let integer = integer_type(flag);
        attributes.push(format!("value_parser = clap::value_parser!({integer}).range({min}..{max})"));
    }
    if flag.required && flag.repeatable() {
        attributes.push("required = true".into());
    }
    if let Some(unless) = flag.required_unless.as_ref().filter(|unless| unless.is.is_none())
        && let Some(other) = command.flag(&unless.flag)
    {
        attributes.push(format!("required_unless_present = {}", quoted(&snake(other.long()))));
    }
    for (attribute, names) in [("requires", &flag.requires), ("conflicts_with", &flag.refuses)] {
        for other in names.iter().filter_map(|name| command.flag(name)) {
            attributes.push(format!("{attribute} = {}", quoted(&snake(other.long()))));
        }
    }
    if flag.test_only {
        attributes.push("hide = true".into());
    }
    attributes.join(", ")
}

fn argument_attributes(argument: &Argument) -> String {
    let mut attributes = vec![format!("value_name = {}", quoted(&argument.name))];
    if !argument.choices.is_empty() {
        attributes.push("value_enum".into());
    }
    if argument.takes == Count::Many && argument.required {
        attributes.push("required = true".into());
    }
    attributes.join(", ")
}

fn argument_type(argument: &Argument) -> String {
    let one = if argument.choices.is_empty() { "String".to_owned() } else { pascal(&argument.name) };
    match (argument.takes, argument.required) {
        (Count::Many, _) => format!("Vec<{one}>"),
        (Count::One, true) => one,
        (Count::One, false) => format!("Option<{one}>"),
    }
}

fn choices(line: &CommandLine) -> Vec<ChoiceView> {
    let mut found: Vec<ChoiceView> = Vec::new();
    let mut add = |name: &str, about: &str, choices: &[Choice]| {
        let name = pascal(name);
        if choices.is_empty() || found.iter().any(|choice| choice.name == name) {
            return;
        }
        let values = choices.iter().map(|choice| ValueView {
            doc: sentence(&choice.doc),
            quoted: quoted(&choice.name),
            variant: pascal(&choice.name),
        });
        found.push(ChoiceView { doc: sentence(about), name, values: values.collect() });
    };
    for command in line.everything() {
        for flag in &command.flags {
            add(&flag.name, &flag.doc, &flag.choices);
        }
        for argument in &command.arguments {
            add(&argument.name, &argument.doc, &argument.choices);
        }
    }
    found
}

fn argv_flags(line: &CommandLine) -> String {
    let flags = line.everything().flat_map(|command| &command.flags).filter(|flag| flag.takes == Takes::Argv);
    let mut names: Vec<_> = flags.map(|flag| quoted(flag.long())).collect();
    names.sort();
    names.dedup();
    names.join(", ")
}

fn rules(line: &CommandLine) -> Vec<RuleView> {
    let mut rules = Vec::new();
    for command in &line.commands {
        let rule = |binding, condition, kind, message: String| RuleView {
            variant: pascal(&command.name),
            binding,
            condition,
            command: quoted(&command.name),
            kind,
            message: quoted(&message),
        };
        if let Some(leading) = &line.program.leading {
            let field = snake(&leading.name);
            match command.leading {
                Leading::Optional => {}
                Leading::None => rules.push(rule(
                    "_",
                    format!("self.{field}.is_some()"),
                    "UnknownArgument",
                    format!("no <{}> stands before '{}'", leading.name, command.name),
                )),
                Leading::Required => rules.push(rule(
                    "_",
                    format!("self.{field}.is_none()"),
                    "MissingRequiredArgument",
                    format!("'{}' wants a <{}> before it", command.name, leading.name),
                )),
            }
        }
        for flag in &command.flags {
            let Some(unless) = &flag.required_unless else { continue };
            let (Some(is), Some(other)) = (&unless.is, command.flag(&unless.flag)) else { continue };
            let present = if flag.repeatable() { "is_empty()" } else { "is_none()" };
            rules.push(rule(
                "args",
                format!(
                    "args.{}.{present} && args.{} != Some({}::{})",
                    snake(flag.long()),
                    snake(other.long()),
                    pascal(&other.name),
                    pascal(is)
                ),
                "MissingRequiredArgument",
                format!("{} is required, unless --{} {is} is given", flag.synopsis(), other.long()),
            ));
        }
    }
    rules
}

/// A doc comment of one sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let text: String = letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
    doc(&format!("{text}."), 0)
}

/// The long form of what a command does: paragraphs on a line each, for clap to wrap.
fn long_about(about: &str, details: Option<&str>) -> String {
    let paragraphs = details.unwrap_or_default().trim().split("\n\n").filter(|paragraph| !paragraph.is_empty());
    let lines: Vec<_> =
        paragraphs.map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    if lines.is_empty() { about.to_owned() } else { format!("{about}\n\n{}", lines.join("\n\n")) }
}

/// What the program is, and what it does without a command.
fn program_details(line: &CommandLine) -> String {
    let default = line.default.as_ref().and_then(|default| default.details.as_deref());
    let details = [line.program.details.as_deref(), default].into_iter().flatten();
    details.map(str::trim).collect::<Vec<_>>().join("\n\n")
}

/// The examples of the program, and of what it does without a command.
fn program_examples(line: &CommandLine) -> Vec<Example> {
    let default = line.default.iter().flat_map(|default| &default.examples);
    default.chain(&line.program.examples).cloned().collect()
}

fn examples_help(examples: &[Example]) -> String {
    if examples.is_empty() {
        return String::new();
    }
    let mut out = String::from("Examples:");
    for example in examples {
        let _ = write!(out, "\n  {}\n{}", example.command, wrap(&example.about, "      ", HELP_WIDTH).trim_end());
    }
    out
}

/// A list under a heading: each name, and what it means in an indented column.
fn list_help(heading: &str, items: &[(String, String)]) -> String {
    let width = items.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    let mut out = format!("{heading}:");
    for (name, text) in items {
        let indent = " ".repeat(width + 4);
        let lines = wrap(text, &indent, HELP_WIDTH);
        let _ = write!(out, "\n  {name:width$}  {}", lines.trim());
    }
    out
}

/// A string literal over several lines, as a person would write it.
fn literal(text: &str) -> String {
    let mut out = String::from("\"\\\n");
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        // A line that is too long goes on after a backslash, which takes the line feed and the spaces after it away.
        let wrapped = if line.starts_with(' ') { line.to_owned() } else { wrap(line, "", LITERAL_WIDTH) };
        out += &wrapped.trim_end().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " \\\n");
    }
    out.push('"');
    out
}
