//! The generated command line, as a whole.

use std::collections::BTreeSet;

use clap::CommandFactory;

use super::*;
use crate::generated::cli::{EXAMPLES, Signal};

fn words(line: &str) -> Vec<OsString> {
    // Examples redirect their output at the end, which is the shell's affair.
    let line = line.split(" > ").next().unwrap_or(line);
    line.split_whitespace().map(Into::into).collect()
}

fn attach(line: &str) -> crate::generated::cli::AttachArgs {
    match Cli::read(words(line)).unwrap().command {
        Some(Command::Attach(args)) => args,
        other => panic!("not attach: {other:?}"),
    }
}

#[test]
fn claps_own_assertions_hold() {
    Cli::command().debug_assert();
}

#[test]
fn every_example_is_a_command_line() {
    for example in EXAMPLES {
        if let Err(error) = Cli::read(words(example)) {
            panic!("{example}: {error}");
        }
    }
}

#[test]
fn every_command_and_flag_has_help_and_every_command_an_example() {
    let root = Cli::command();
    let commands: Vec<_> = root.get_subcommands().collect();
    assert_eq!(commands.iter().map(|command| command.get_name()).collect::<BTreeSet<_>>().len(), commands.len());
    for command in commands {
        let name = command.get_name();
        assert!(command.get_about().is_some(), "{name}");
        assert!(command.get_after_help().is_some_and(|text| text.to_string().contains("Examples:")), "{name}");
        assert!(command.get_after_long_help().is_some_and(|text| text.to_string().contains("Exit status:")), "{name}");
        for argument in command.get_arguments() {
            assert!(argument.get_help().is_some(), "{name}: {}", argument.get_id());
        }
    }
}

#[test]
fn help_fits_into_a_hundred_columns_and_hides_what_only_tests_use() {
    for path in [
        "--help",
        "-h",
        "attach --help",
        "attach -h",
        "launch --help",
        "doctor --help",
        "schema --help",
        "completions --help",
    ] {
        let error = Cli::read(words(&format!("slicc {path}"))).unwrap_err();
        assert!(!error.use_stderr(), "{path}");
        let help = error.render().to_string();
        for line in help.lines() {
            assert!(line.chars().count() <= 100, "{path}: {line}");
        }
        assert!(!help.contains("--hosts"), "{path}");
        assert!(!help.contains("--browser") || path.starts_with("launch") || path.starts_with('-'), "{path}");
    }
}

#[test]
fn the_version_is_one_line() {
    let error = Cli::read(words("slicc --version")).unwrap_err();
    assert_eq!(error.render().to_string(), concat!("slicc ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn without_a_command_flags_belong_to_the_default() {
    let cli = Cli::read(words("slicc --json --browser chrome --browser edge --allow 10.0.0.0/8,::1")).unwrap();
    assert_eq!(cli.command, None);
    assert!(cli.default.json && !cli.default.yes);
    assert_eq!(cli.default.browser, ["chrome", "edge"]);
    assert_eq!(cli.default.allow, ["10.0.0.0/8", "::1"]);
    let browsers = Cli::read(words("slicc browsers --json")).unwrap();
    assert!(matches!(browsers.command, Some(Command::Browsers(args)) if args.json));
    assert!(!browsers.default.json);
}

#[test]
fn rules_are_repeated_or_separated_by_commas() {
    let args =
        attach("slicc attach --signal stdio --allow 10.0.0.0/8,[::1]:22 --allow 127.0.0.1 --deny 192.168.0.0/16");
    assert_eq!(args.allow, ["10.0.0.0/8", "[::1]:22", "127.0.0.1"]);
    assert_eq!(args.deny, ["192.168.0.0/16"]);
    assert_eq!(args.signal, Some(Signal::Stdio));
}

#[test]
fn wrong_command_lines_exit_2_before_anything_is_done() {
    for line in [
        "slicc attach --frobnicate",
        "slicc attach --cdp http://a --cdp http://b",
        "slicc attach --signal smoke",
        "slicc attach",
        "slicc doctor --cdp http://a --headed",
        "slicc doctor --json=yes",
        "slicc completions",
        "slicc completions csh",
        "slicc schema doctor setup",
        "slicc schema nothing",
        "slicc frobnicate",
        "slicc --frobnicate",
        "slicc --yes frobnicate",
        "slicc --json browsers",
        "slicc --page",
        "slicc --page seven",
        "slicc --kernel-port 0",
        "slicc --serve-only",
        "slicc frobnicate --lead",
        "slicc help",
    ] {
        let failure = run(words(line)).expect_err(line);
        assert_eq!(failure.kind, FailureKind::Usage, "{line}: {failure}");
        assert!(!failure.message.contains('\n') && !failure.message.starts_with("error"), "{line}: {failure}");
    }
}
