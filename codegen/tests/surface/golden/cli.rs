//! The command line. Generated from spec/cli.toml by `cargo codegen`. Do not edit.

use std::ffi::OsString;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

/// Exit statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ExitStatus {
    /// The kite is back.
    Landed = 0,
    /// The kite is lost.
    Lost = 1,
    /// Kites don't fly that way.
    Usage = 2,
}

impl From<ExitStatus> for std::process::ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}

/// Names of environment variables.
pub mod env {
    /// Makes wind.
    pub const KITE_WIND: &str = "KITE_WIND";
    /// The sky of the tests.
    pub const KITE_TEST_SKY: &str = "KITE_TEST_SKY";
}

/// Flies kites.
#[derive(Debug, Clone, PartialEq, Eq, Parser)]
#[command(
    name = "kite",
    version,
    about = "Flies kites",
    long_about = help::ROOT,
    after_help = help::ROOT_EXAMPLES,
    after_long_help = format!("{}\n\n{}\n\n{}", help::ROOT_EXAMPLES, help::ENVIRONMENT, help::EXIT_STATUS),
    subcommand_value_name = "command",
    arg_required_else_help = true,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Cli {
    /// The hill to fly from.
    #[arg(value_name = "hill-url")]
    pub hill_url: Option<String>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Fly a kite.
    Fly(FlyArgs),
    /// Fly from a hill.
    Follow(FollowArgs),
    /// Watch a kite.
    Watch(WatchArgs),
}

/// `fly`: Fly a kite.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(
    about = "Fly a kite",
    long_about = help::FLY,
    after_help = help::FLY_EXAMPLES,
    after_long_help = format!("{}\n\n{}", help::FLY_EXAMPLES, help::EXIT_STATUS),
)]
pub struct FlyArgs {
    /// The kite's colour (default: red).
    #[arg(long = "colour", short = 'c', value_name = "colour", value_enum)]
    pub colour: Option<Colour>,
    /// The length of the string.
    ///
    /// A blue kite needs none.
    #[arg(long = "string", value_name = "metres", value_parser = clap::value_parser!(u16).range(1..=300))]
    pub string: Option<u16>,
    /// Tie a ribbon to the tail.
    #[arg(long = "tail", value_name = "ribbon")]
    pub tail: Vec<String>,
    /// Keep away from trees.
    #[arg(long = "avoid", value_name = "tree", value_delimiter = ',')]
    pub avoid: Vec<String>,
    /// Who runs with the kite.
    #[arg(long = "runner", value_name = "word", num_args = 1.., action = clap::ArgAction::Set, allow_hyphen_values = true, value_terminator = "--")]
    pub runner: Option<Vec<OsString>>,
    /// Who shouts.
    #[arg(long = "shell", value_name = "word", num_args = 1.., action = clap::ArgAction::Set, allow_hyphen_values = true, value_terminator = "--", requires = "runner")]
    pub shell: Option<Vec<OsString>>,
    /// Sing.
    #[arg(long = "sing", requires = "runner", conflicts_with = "hush")]
    pub sing: bool,
    /// Don't sing.
    #[arg(long = "hush")]
    pub hush: bool,
    /// Fly in this sky.
    #[arg(long = "sky", value_name = "file", hide = true)]
    pub sky: Option<std::path::PathBuf>,
    /// Where.
    #[arg(value_name = "place")]
    pub place: Option<String>,
}

/// `follow`: Fly from a hill.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(
    about = "Fly from a hill",
    long_about = help::FOLLOW,
    after_help = help::FOLLOW_EXAMPLES,
    after_long_help = format!("{}\n\n{}", help::FOLLOW_EXAMPLES, help::EXIT_STATUS),
    override_usage = "kite <hill-url> follow [--runner <word…> [--]] [--tail <ribbon>]...",
)]
pub struct FollowArgs {
    /// Who runs with the kite.
    #[arg(long = "runner", value_name = "word", num_args = 1.., action = clap::ArgAction::Set, allow_hyphen_values = true, value_terminator = "--")]
    pub runner: Option<Vec<OsString>>,
    /// Tie a ribbon to the tail.
    #[arg(long = "tail", value_name = "ribbon")]
    pub tail: Vec<String>,
}

/// `watch`: Watch a kite.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(
    about = "Watch a kite",
    long_about = help::WATCH,
    after_help = help::WATCH_EXAMPLES,
    after_long_help = format!("{}\n\n{}", help::WATCH_EXAMPLES, help::EXIT_STATUS),
    override_usage = "kite [<hill-url>] watch <words>...",
)]
pub struct WatchArgs {
    /// What to say.
    #[arg(value_name = "words", required = true)]
    pub words: Vec<String>,
}

/// The kite's colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum Colour {
    /// Like a tulip.
    #[value(name = "red")]
    Red,
    /// Like the sky.
    #[value(name = "blue")]
    Blue,
}

/// Flags that take every word up to a lone `--` or the end.
const ARGV_FLAGS: &[&str] = &["runner", "shell"];

impl Cli {
    /// Reads the words of a command line, the program's name first.
    ///
    /// # Errors
    /// What clap makes of a command line that is wrong or asks for help, and the rules that clap has no words for.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let words: Vec<OsString> = words.into_iter().collect();
        refuse_joined_argv(&words)?;
        let cli = Self::try_parse_from(words)?;
        cli.check()?;
        Ok(cli)
    }

    /// The rules that clap has no words for.
    fn check(&self) -> Result<(), clap::Error> {
        if let Some(word) = self.hill_url.as_deref()
            && !["https://", "http://"].iter().any(|prefix| word.starts_with(prefix))
        {
            return Err(wrong(
                None,
                clap::error::ErrorKind::InvalidSubcommand,
                format!("unrecognized command '{word}'"),
            ));
        }
        match &self.command {
            Command::Fly(_) if self.hill_url.is_some() => {
                Err(wrong(Some("fly"), clap::error::ErrorKind::UnknownArgument, "no <hill-url> stands before 'fly'"))
            }
            Command::Fly(args) if args.string.is_none() && args.colour != Some(Colour::Blue) => Err(wrong(
                Some("fly"),
                clap::error::ErrorKind::MissingRequiredArgument,
                "--string <metres> is required, unless --colour blue is given",
            )),
            Command::Follow(_) if self.hill_url.is_none() => Err(wrong(
                Some("follow"),
                clap::error::ErrorKind::MissingRequiredArgument,
                "'follow' wants a <hill-url> before it",
            )),
            _ => Ok(()),
        }
    }
}

/// An error with the usage of the command that it is about.
fn wrong(name: Option<&str>, kind: clap::error::ErrorKind, message: impl std::fmt::Display) -> clap::Error {
    let mut root = Cli::command();
    root.build();
    match name.and_then(|name| root.find_subcommand_mut(name)) {
        Some(command) => command.error(kind, message),
        None => root.error(kind, message),
    }
}

/// Refuses `--flag=word` for a flag that takes an argv: the words after it would be lost.
fn refuse_joined_argv(words: &[OsString]) -> Result<(), clap::Error> {
    let mut inside = false;
    for word in words.iter().skip(1).map(|word| word.to_string_lossy()) {
        if inside {
            inside = word != "--";
        } else if word == "--" {
            break;
        } else if let Some(typed) = word.strip_prefix("--") {
            let (flag, joined) = typed.split_once('=').map_or((typed, false), |(flag, _)| (flag, true));
            if ARGV_FLAGS.contains(&flag) {
                if joined {
                    let message =
                        format!("--{flag}=… is refused: write --{flag} <word>… and end the words with a lone --");
                    return Err(wrong(None, clap::error::ErrorKind::ValueValidation, message));
                }
                inside = true;
            }
        }
    }
    Ok(())
}

/// Texts of the help.
mod help {
    pub const ROOT: &str = "\
Flies kites

A kite needs wind.

It says \"up\" when it is up.";

    pub const ROOT_EXAMPLES: &str = "\
Examples:
  kite fly --colour blue
      Fly a blue kite";

    pub const FLY: &str = "\
Fly a kite

It flies until it falls.";

    pub const FLY_EXAMPLES: &str = "\
Examples:
  kite fly --string 20 --runner bash -c -- --sing
      Let a shell run";

    pub const FOLLOW: &str = "\
Fly from a hill";

    pub const FOLLOW_EXAMPLES: &str = "\
Examples:
  kite https://hill.example/1 follow
      Fly from that hill";

    pub const WATCH: &str = "\
Watch a kite";

    pub const WATCH_EXAMPLES: &str = "\
Examples:
  kite watch so high
      Watch and talk";

    pub const ENVIRONMENT: &str = "\
Environment:
  KITE_WIND=1  Makes wind";

    pub const EXIT_STATUS: &str = "\
Exit status:
  0  The kite is back
  1  The kite is lost
  2  Kites don't fly that way";
}

/// Every example of the help, as typed.
#[cfg(test)]
pub const EXAMPLES: &[&str] = &[
    "kite fly --colour blue",
    "kite fly --string 20 --runner bash -c -- --sing",
    "kite https://hill.example/1 follow",
    "kite watch so high",
];
