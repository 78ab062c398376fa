//! The command line: `spec/cli.toml`.

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize;

use super::{Problem, parse_toml, read_text};

mod check;

/// The file, relative to the project's root.
pub const FILE: &str = "spec/cli.toml";
/// What the program does without a command is called so in the data.
const DEFAULT: &str = "default";

/// A whole command line, checked, with the flags of each command in place.
#[derive(Debug, Clone)]
pub struct CommandLine {
    /// The program itself.
    pub program: Program,
    /// Exit statuses, in order.
    pub exits: Vec<Exit>,
    /// Environment variables, in order.
    pub variables: Vec<Variable>,
    /// What the program does without a command; without it, a command is required.
    pub default: Option<Command>,
    /// Commands, in order.
    pub commands: Vec<Command>,
    /// Flags of the program's former self, in order.
    pub former_flags: Vec<FormerFlag>,
}

impl CommandLine {
    /// The environment variables that people set, or those of tests.
    pub fn variables(&self, test_only: bool) -> impl Iterator<Item = &Variable> {
        self.variables.iter().filter(move |variable| variable.test_only == test_only)
    }

    /// What the program does without a command, if it does anything, and its commands, in order.
    pub fn everything(&self) -> impl Iterator<Item = &Command> {
        self.default.iter().chain(&self.commands)
    }
}

/// The program itself.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Program {
    /// What is typed to run it.
    pub name: String,
    /// What it is, in one sentence.
    pub about: String,
    /// More about it, in paragraphs.
    pub details: Option<String>,
    /// The word that may stand before a command.
    pub leading: Option<Argument>,
    /// Examples.
    #[serde(default, rename = "example")]
    pub examples: Vec<Example>,
}

/// An exit status.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exit {
    /// The number that the shell sees.
    pub code: u8,
    /// Its name.
    pub name: String,
    /// When slicc exits with it.
    pub doc: String,
}

/// An environment variable.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What it is set to: a value, or a placeholder of one.
    pub value: String,
    /// What it does.
    pub doc: String,
    /// Whether only tests set it.
    #[serde(default)]
    pub test_only: bool,
}

/// A flag that the program's former self took, and that this one points back to it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormerFlag {
    /// The flag, as typed.
    pub flag: String,
    /// Where the former program reads it.
    pub source: String,
}

/// How many words a flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Takes {
    /// None: it is a switch.
    #[default]
    Nothing,
    /// One, once.
    One,
    /// One, and the flag may be repeated.
    Many,
    /// Several with commas between them, and the flag may be repeated.
    List,
    /// Every word up to a lone `--` or the end.
    Argv,
}

/// What a value is, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// Text.
    #[default]
    String,
    /// A path.
    Path,
    /// A whole number that isn't negative.
    Integer,
}

/// One of the only values that a flag or an argument takes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// What is typed.
    pub name: String,
    /// What it means.
    pub doc: String,
}

/// A condition that makes a flag dispensable.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unless {
    /// The other flag, by its name in the data.
    pub flag: String,
    /// The choice that it has to be set to; any value when absent.
    pub is: Option<String>,
}

/// A flag.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Flag {
    /// Its name in the data.
    #[serde(skip)]
    pub name: String,
    /// What is typed after `--`, when it differs from the name.
    long: Option<String>,
    /// What is typed after `-`.
    pub short: Option<char>,
    /// How many words it takes.
    #[serde(default)]
    pub takes: Takes,
    /// The placeholder of its value.
    pub value: Option<String>,
    /// What its value is.
    #[serde(default, rename = "type")]
    pub kind: Type,
    /// The least integer.
    pub min: Option<u64>,
    /// The greatest integer.
    pub max: Option<u64>,
    /// The only values.
    #[serde(default, rename = "choice")]
    pub choices: Vec<Choice>,
    /// What holds without it, for people.
    pub default: Option<String>,
    /// Whether it must be there.
    #[serde(default)]
    pub required: bool,
    /// What makes it dispensable.
    pub required_unless: Option<Unless>,
    /// Flags that must stand beside it.
    #[serde(default)]
    pub requires: Vec<String>,
    /// Flags that must not stand beside it.
    #[serde(default)]
    pub refuses: Vec<String>,
    /// What it does, in one sentence.
    pub doc: String,
    /// More about it, in paragraphs.
    pub details: Option<String>,
    /// Whether only tests use it.
    #[serde(default)]
    pub test_only: bool,
}

impl Flag {
    /// What is typed after `--`.
    pub fn long(&self) -> &str {
        self.long.as_deref().unwrap_or(&self.name)
    }

    /// Whether it can be given more than once.
    pub fn repeatable(&self) -> bool {
        matches!(self.takes, Takes::Many | Takes::List)
    }

    /// The flag with its placeholder, such as `--cdp <url>`.
    pub fn synopsis(&self) -> String {
        let value = self.value.as_deref().unwrap_or_default();
        match self.takes {
            Takes::Nothing => format!("--{}", self.long()),
            Takes::One | Takes::Many | Takes::List => format!("--{} <{value}>", self.long()),
            Takes::Argv => format!("--{} <{value}…> [--]", self.long()),
        }
    }
}

/// How many words a positional argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Count {
    /// One.
    #[default]
    One,
    /// All that are left.
    Many,
}

/// A positional argument.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Argument {
    /// Its name, and its placeholder.
    pub name: String,
    /// How many words it takes.
    #[serde(default)]
    pub takes: Count,
    /// Whether it must be there.
    #[serde(default)]
    pub required: bool,
    /// The only values.
    #[serde(default, rename = "choice")]
    pub choices: Vec<Choice>,
    /// How the program's leading word begins; anything else there is an unknown command.
    #[serde(default)]
    pub prefixes: Vec<String>,
    /// What it is, in one sentence.
    pub doc: String,
}

impl Argument {
    /// The argument with the marks of what may be left out, such as `[<name>]`.
    pub fn synopsis(&self) -> String {
        let dots = if self.takes == Count::Many { "..." } else { "" };
        if self.required { format!("<{}>{dots}", self.name) } else { format!("[<{}>]{dots}", self.name) }
    }
}

/// A command line that people can try.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What is typed.
    pub command: String,
    /// What it does.
    pub about: String,
}

/// Whether the program's leading word stands before a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Leading {
    /// It must not.
    #[default]
    None,
    /// It may.
    Optional,
    /// It must.
    Required,
}

/// A command, with its flags in place.
#[derive(Debug, Clone)]
pub struct Command {
    /// What is typed; for what the program does without a command, a name in the data alone.
    pub name: String,
    /// Whether it is what the program does without a command.
    pub default: bool,
    /// Whether the program's leading word stands before it.
    pub leading: Leading,
    /// What it does, in one sentence.
    pub about: String,
    /// More about it, in paragraphs.
    pub details: Option<String>,
    /// Its flags, in order.
    pub flags: Vec<Flag>,
    /// Its positional arguments, in order.
    pub arguments: Vec<Argument>,
    /// Examples.
    pub examples: Vec<Example>,
}

impl Command {
    /// The flags that people use, or those of tests.
    pub fn flags(&self, test_only: bool) -> impl Iterator<Item = &Flag> {
        self.flags.iter().filter(move |flag| flag.test_only == test_only)
    }

    /// The flag with this name in the data.
    pub fn flag(&self, name: &str) -> Option<&Flag> {
        self.flags.iter().find(|flag| flag.name == name)
    }

    /// What is typed to get it, such as `slicc attach`.
    pub fn typed(&self, program: &Program) -> String {
        if self.default { program.name.clone() } else { format!("{} {}", program.name, self.name) }
    }

    /// How it is called, a word or a flag with its value at a time, such as `slicc`, `attach`, `--cdp <url>`.
    pub fn usage(&self, program: &Program) -> Vec<String> {
        let mut words = vec![program.name.clone()];
        match (&program.leading, self.leading) {
            (Some(leading), Leading::Required) => words.push(format!("<{}>", leading.name)),
            (Some(leading), Leading::Optional) => words.push(format!("[<{}>]", leading.name)),
            _ => {}
        }
        if !self.default {
            words.push(self.name.clone());
        }
        for flag in self.flags(false) {
            let dots = if flag.repeatable() { "..." } else { "" };
            words.push(if flag.required { flag.synopsis() + dots } else { format!("[{}]{dots}", flag.synopsis()) });
        }
        words.extend(self.arguments.iter().map(Argument::synopsis));
        words
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawCommand {
    #[serde(default)]
    name: String,
    #[serde(default)]
    leading: Leading,
    about: String,
    details: Option<String>,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default, rename = "argument")]
    arguments: Vec<Argument>,
    #[serde(default, rename = "example")]
    examples: Vec<Example>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Raw {
    program: Program,
    #[serde(default)]
    exit: Vec<Exit>,
    #[serde(default)]
    env: Vec<Variable>,
    #[serde(default)]
    flag: BTreeMap<String, Flag>,
    default: Option<RawCommand>,
    #[serde(default)]
    command: Vec<RawCommand>,
    #[serde(default)]
    former_flag: Vec<FormerFlag>,
}

/// Reads and checks the command line under `root`.
///
/// # Errors
/// Every problem found.
pub fn read(root: &Path) -> Result<CommandLine, Vec<Problem>> {
    parse(FILE, &read_text(root, FILE)?)
}

/// Reads and checks a command line from TOML `text` that came from `file`.
///
/// # Errors
/// Every problem found.
pub fn parse(file: &str, text: &str) -> Result<CommandLine, Vec<Problem>> {
    let mut raw: Raw = parse_toml(file, text)?;
    for (name, flag) in &mut raw.flag {
        flag.name.clone_from(name);
    }
    check::check(file, &raw)?;
    let resolved = |command: RawCommand, default: bool| Command {
        flags: command.flags.iter().filter_map(|name| raw.flag.get(name).cloned()).collect(),
        name: if default { DEFAULT.to_owned() } else { command.name },
        default,
        leading: command.leading,
        about: command.about,
        details: command.details,
        arguments: command.arguments,
        examples: command.examples,
    };
    Ok(CommandLine {
        program: raw.program,
        exits: raw.exit,
        variables: raw.env,
        default: raw.default.map(|command| resolved(command, true)),
        commands: raw.command.into_iter().map(|command| resolved(command, false)).collect(),
        former_flags: raw.former_flag,
    })
}
