//! The toy command line: its text, its behaviour, and what is refused.

use codegen::{
    model::cli::{self, CommandLine},
    render,
};

use crate::{golden, has};

#[path = "golden/cli.rs"]
#[allow(missing_docs, dead_code)]
mod toy;

const TOY: &str = include_str!("toy/cli.toml");

fn line() -> CommandLine {
    cli::parse("cli.toml", TOY).expect("the toy is sound")
}

#[test]
fn the_toy_gives_the_golden_text() {
    golden("cli.rs", &render::cli::rust::render(&line()).expect("the toy can be rendered"));
    golden("cli.md", &render::cli::markdown::reference(&line()));
    for page in render::man::pages(&line()) {
        golden(page.path.trim_start_matches("docs/"), &page.text);
    }
}

fn read(words: &[&str]) -> Result<toy::Cli, clap::Error> {
    toy::Cli::read(["kite"].iter().chain(words).map(Into::into))
}

fn fly(words: &[&str]) -> toy::FlyArgs {
    match read(&[&["fly", "--string", "9"], words].concat()).expect("a good command line").command {
        toy::Command::Fly(args) => args,
        other => panic!("not fly: {other:?}"),
    }
}

fn refused(words: &[&str]) -> String {
    let error = read(words).expect_err("a bad command line");
    assert_eq!(error.exit_code(), 2, "{error}");
    error.to_string()
}

#[test]
fn an_argv_goes_to_a_lone_double_dash() {
    let args = fly(&["--runner", "docker", "exec", "-i", "box", "--sing", "--runner=x", "--", "--hush", "meadow"]);
    assert_eq!(args.runner.unwrap(), ["docker", "exec", "-i", "box", "--sing", "--runner=x"]);
    assert!(args.hush && !args.sing);
    assert_eq!(args.place.as_deref(), Some("meadow"));
}

#[test]
fn an_argv_without_a_double_dash_goes_to_the_end() {
    let args = fly(&["--hush", "--runner", "bash", "-c"]);
    assert_eq!(args.runner.unwrap(), ["bash", "-c"]);
    assert!(args.hush);
}

#[test]
fn an_argv_may_follow_another() {
    let args = fly(&["--runner", "bash", "-c", "--", "--shell", "bash", "-l"]);
    assert_eq!(args.runner.unwrap(), ["bash", "-c"]);
    assert_eq!(args.shell.unwrap(), ["bash", "-l"]);
}

#[test]
fn a_joined_argv_is_refused() {
    assert!(refused(&["fly", "--string", "9", "--runner=bash"]).contains("--runner=… is refused"));
    assert!(refused(&["https://a", "follow", "--runner=bash", "-c"]).contains("--runner=… is refused"));
}

#[test]
fn after_a_double_dash_words_are_arguments() {
    let cli = read(&["watch", "--", "--runner=bash"]).unwrap();
    assert!(matches!(cli.command, toy::Command::Watch(args) if args.words == ["--runner=bash"]));
}

#[test]
fn an_argv_has_a_word_and_comes_once() {
    refused(&["fly", "--string", "9", "--runner"]);
    refused(&["fly", "--string", "9", "--runner", "--", "--hush"]);
    refused(&["fly", "--string", "9", "--runner", "a", "--", "--runner", "b"]);
}

#[test]
fn flags_repeat_or_hold_lists_or_come_once() {
    let args = fly(&["--tail", "a,b", "--tail", "c", "--avoid", "oak,elm", "--avoid", "ash"]);
    assert_eq!(args.tail, ["a,b", "c"]);
    assert_eq!(args.avoid, ["oak", "elm", "ash"]);
    refused(&["fly", "--string", "9", "--string", "9"]);
}

#[test]
fn flags_want_and_refuse_each_other() {
    refused(&["fly", "--string", "9", "--sing"]);
    refused(&["fly", "--string", "9", "--sing", "--hush", "--runner", "a"]);
    refused(&["fly", "--string", "9", "--shell", "a"]);
    assert!(fly(&["--sing", "--runner", "a"]).sing);
}

#[test]
fn a_flag_is_required_unless_another_has_a_value() {
    assert!(refused(&["fly"]).contains("--string <metres> is required, unless --colour blue is given"));
    refused(&["fly", "-c", "red"]);
    read(&["fly", "-c", "blue"]).unwrap();
}

#[test]
fn integers_keep_to_their_bounds_and_choices_to_their_names() {
    refused(&["fly", "--string", "0"]);
    refused(&["fly", "--string", "301"]);
    refused(&["fly", "--string", "9", "--colour", "green"]);
}

#[test]
fn the_leading_word_stands_where_it_may() {
    let cli = read(&["https://hill.example/1", "follow"]).unwrap();
    assert_eq!(cli.hill_url.as_deref(), Some("https://hill.example/1"));
    assert!(refused(&["follow"]).contains("'follow' wants a <hill-url> before it"));
    assert!(refused(&["https://a", "fly", "--string", "9"]).contains("no <hill-url> stands before 'fly'"));
    read(&["watch", "up"]).unwrap();
    read(&["http://a", "watch", "up"]).unwrap();
    assert!(refused(&["flw", "watch", "up"]).contains("unrecognized command 'flw'"));
}

#[test]
fn help_shows_the_leading_word_and_hides_the_flags_of_tests() {
    let help = read(&["follow", "--help"]).expect_err("help").to_string();
    assert!(help.contains("kite <hill-url> follow [--runner <word…> [--]] [--tail <ribbon>]..."), "{help}");
    let help = read(&["fly", "--help"]).expect_err("help").to_string();
    assert!(help.contains("kite fly --string 20") && !help.contains("--sky"), "{help}");
}

#[test]
fn every_example_is_a_command_line() {
    for example in toy::EXAMPLES {
        read(&example.split_whitespace().skip(1).collect::<Vec<_>>()).expect(example);
    }
}

/// The toy with one text in place of another has this problem.
fn bad(from: &str, to: &str, key: &str, reason: &str) {
    assert!(TOY.contains(from), "the toy has no {from}");
    has(&cli::parse("cli.toml", &TOY.replacen(from, to, 1)).expect_err(to), key, reason);
}

#[test]
fn what_makes_no_sense_is_refused() {
    bad("name = \"watch\"", "name = \"fly\"", "command", "`fly` is there twice");
    bad("\"colour\", \"string\"", "\"colour\", \"colour\"", "command.fly.flags", "`colour` is there twice");
    bad("[flag.hush]", "[flag.hush]\nlong = \"sing\"", "command.fly.flags (as typed)", "`sing` is there twice");
    bad("[flag.hush]", "[flag.hush]\nlong = \"help\"", "flag.hush.long", "has this flag already");
    bad("short = \"c\"", "short = \"h\"", "flag.colour.short", "neither h nor V");
    bad("\"hush\", \"sky\"", "\"hush\", \"moon\"", "command.fly.flags", "there is no flag `moon`");
    bad(", \"sky\"]", "]", "flag.sky", "no command takes it");
    bad("default = \"red\"", "default = \"pink\"", "flag.colour.default", "none of its choices");
    bad("is = \"blue\"", "is = \"pink\"", "flag.string.required-unless", "none of the choices");
    bad("refuses = [\"hush\"]", "refuses = [\"runner\"]", "flag.sing.requires", "both requires and refuses");
    bad("refuses = [\"hush\"]", "refuses = [\"sky\"]", "flag.sing.refuses", "only for tests");
    bad("refuses = [\"hush\"]", "refuses = [\"sing\"]", "flag.sing.refuses", "names itself");
    bad("min = 1\n", "min = 301\n", "flag.string.min", "greater than max");
    bad("type = \"integer\"\n", "", "flag.string.min", "only an integer has bounds");
    bad("doc = \"Sing\"", "doc = \"Sing.\"", "flag.sing.doc", "without a full stop");
    bad("doc = \"Sing\"", "doc = \"\"", "flag.sing.doc", "says nothing");
    bad("doc = \"Sing\"", "doc = \"Sing\"\nvalue = \"x\"", "flag.sing.takes", "a switch has no value");
    bad("value = \"ribbon\"\n", "", "flag.tail.value", "has a placeholder");
    bad("code = 1\n", "code = 3\n", "exit", "there is no status 1");
    bad("name = \"KITE_WIND\"", "name = \"kite\"", "env.kite", "upper case");
    bad("kite watch so high", "kite look so high", "command.watch.example", "doesn't call the command");
    bad("kite watch so high", "kite watch --hush", "command.watch.example", "no flag `--hush`");
    bad("kite fly --string 20", "kite fly --sky x", "command.fly.example", "only for tests");
    bad("name = \"place\"", "name = \"Place\"", "command.fly.argument.Place", "not lower case");
    bad(", prefixes = [\"https://\", \"http://\"]", "", "program.leading.prefixes", "can't be empty");
}

#[test]
fn what_is_no_command_line_is_refused_with_its_place() {
    let misspelt = TOY.replacen("test-only = true", "tests-only = true", 1);
    let problems = cli::parse("cli.toml", &misspelt).expect_err("an unknown key");
    assert!(problems[0].reason.contains("unknown field `tests-only`"), "{problems:?}");
    let problems =
        cli::parse("cli.toml", &TOY.replacen("takes = \"argv\"", "takes = \"all\"", 1)).expect_err("a bad value");
    assert!(problems[0].key.starts_with("flag.runner"), "{problems:?}");
}

#[test]
fn every_problem_is_named_in_one_run() {
    let broken = TOY.replacen("doc = \"Sing\"", "doc = \"\"", 1).replacen("doc = \"Where\"", "doc = \"\"", 1);
    assert_eq!(cli::parse("cli.toml", &broken).expect_err("two problems").len(), 2);
}

/// The toy with something to do without a command.
fn with_default(default: &str) -> Result<CommandLine, Vec<codegen::Problem>> {
    cli::parse("cli.toml", &format!("{TOY}\n{default}"))
}

#[test]
fn what_is_done_without_a_command_has_flags_that_belong_to_it_alone() {
    let line = with_default(
        "[default]\nabout = \"Fly at once\"\nflags = [\"colour\", \"sky\"]\n[[default.example]]\ncommand = \"kite --colour \
         red\"\nabout = \"Fly\"\n[[former-flag]]\nflag = \"--balloon\"\nsource = \"balloon.c:7\"",
    )
    .expect("it is sound");
    let source = render::cli::rust::render(&line).expect("it can be rendered");
    for text in [
        "pub default: DefaultArgs",
        "pub command: Option<Command>",
        "args_conflicts_with_subcommands = true",
        "Some(Command::Follow(_)) if self.hill_url.is_none()",
        "pub const FORMER_FLAGS: &[&str] = &[\"--balloon\"];",
    ] {
        assert!(source.contains(text), "{text}\n{source}");
    }
    assert!(!source.contains("arg_required_else_help"));
    let reference = render::cli::markdown::reference(&line);
    for text in
        ["| `kite` | Fly at once |", "## kite\n\nFly at once.\n\n```\nkite [--colour <colour>]\n```", "`--balloon`"]
    {
        assert!(reference.contains(text), "{text}\n{reference}");
    }
    assert!(render::man::pages(&line)[0].text.contains("kite\\fR [\\-\\-colour <colour>]"));
}

#[test]
fn what_is_done_without_a_command_requires_nothing_and_stands_alone() {
    let bad = |default: &str, key: &str, reason: &str| has(&with_default(default).expect_err(default), key, reason);
    let example = "[[default.example]]\ncommand = \"kite\"\nabout = \"Fly\"";
    let with = |more: &str| format!("[default]\nabout = \"Fly\"\n{more}\n{example}");
    bad(&with("name = \"fly\""), "default.name", "has no name");
    bad(&with("flags = [\"colour\", \"string\"]"), "default.flags", "`string` would be required");
    bad(&with("flags = [\"rope\"]"), "default.flags", "there is no flag `rope`");
    bad(&with("leading = \"optional\""), "default", "is a command");
    let former =
        |flag: &str| format!("{}\n[[former-flag]]\nflag = \"{flag}\"\nsource = \"x\"", with("flags = [\"tail\"]"));
    bad(&former("--tail"), "former-flag.--tail", "is a flag of today, too");
    bad(&former("tail"), "former-flag.tail", "is a flag as typed");
}
