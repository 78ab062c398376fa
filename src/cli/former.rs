//! Flags of SLICC six, which point back to it (section "Coming from SLICC six", "Six's flags", of the requirement).

use std::{borrow::Cow, ffi::OsString};

use clap::CommandFactory as _;
use url::Url;

use super::{Failure, quote::Shell};
use crate::generated::cli::{Cli, FORMER_FLAGS};

/// What stands for a join URL, which is a secret.
const JOIN_URL: &str = "<join-url>";

/// The failure of a command line with a flag of six's: without a command, or after a word that is none. `words` has the
/// program's name first.
pub fn refusal(words: &[OsString]) -> Option<Failure> {
    let words: Vec<Cow<'_, str>> = words.iter().skip(1).map(|word| word.to_string_lossy()).collect();
    let flag = first(&words)?;
    let quoted: Vec<_> = words.iter().map(|word| shown(word, Shell::HERE)).collect();
    Some(Failure::usage(format_args!(
        "{} is a SLICC six option. This is the new SLICC (seven). For SLICC six, run: npx sliccy@6 {}",
        // As it was typed, so it may hold anything that looks like a flag.
        Shell::HERE.quote(flag),
        quoted.join(" ")
    )))
}

/// The first flag of six's that counts.
fn first<'a>(words: &'a [Cow<'_, str>]) -> Option<&'a str> {
    let root = Cli::command();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let word = word.as_ref();
        if word == "--" {
            return None;
        }
        if word == "-" || !word.starts_with('-') {
            let is_command = root.get_subcommands().any(|command| command.get_name() == word);
            return if is_command { None } else { words[at..].iter().find_map(|word| exact(word)) };
        }
        // One dash or two, as Go reads them.
        let (flag, has_value) = word.split_once('=').map_or((word, false), |(flag, _)| (flag, true));
        let name = flag.strip_prefix("--").or_else(|| flag.strip_prefix('-')).unwrap_or(flag);
        if FORMER_FLAGS.iter().any(|former| former.trim_start_matches('-') == name) {
            return Some(flag);
        }
        if ["h", "help", "V", "version"].contains(&name) {
            return None;
        }
        let own = root.get_arguments().find(|argument| argument.get_long() == Some(name));
        let takes_next = !has_value && own.is_some_and(|argument| argument.get_action().takes_values());
        at += if takes_next { 2 } else { 1 };
    }
    None
}

/// A flag of six's in its own spelling.
fn exact(word: &str) -> Option<&str> {
    let flag = word.split_once('=').map_or(word, |(flag, _)| flag);
    FORMER_FLAGS.contains(&flag).then_some(flag)
}

/// A word of the command line for people to copy.
fn shown(word: &str, shell: Shell) -> String {
    let masked = without_join_urls(word);
    // One that is a join URL, by itself or as a flag's value, is for people alone: no shell takes it, quoted or not.
    let before = masked.strip_suffix(JOIN_URL).filter(|_| masked != word);
    match before {
        Some("") => masked,
        Some(flag) if flag.starts_with('-') && flag.find('=') == Some(flag.len() - 1) => shell.quote(flag) + JOIN_URL,
        _ => shell.quote(&masked),
    }
}

/// A text with [`JOIN_URL`] in place of each join URL in it.
fn without_join_urls(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = url_start(rest) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let end =
            from.find(|c: char| c.is_whitespace() || c.is_control() || "\"'<>`".contains(c)).unwrap_or(from.len());
        let (url, after) = from.split_at(end);
        out.push_str(if is_join_url(url) { JOIN_URL } else { url });
        rest = after;
    }
    out + rest
}

/// Where the next URL begins.
fn url_start(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    ["https://", "http://"].iter().filter_map(|scheme| lower.find(scheme)).min()
}

/// Whether a URL is one that joins a tray: `join` and something after it in its path. One that can't be read counts as well
/// when it looks like it, since it may hold the secret.
fn is_join_url(url: &str) -> bool {
    match Url::parse(url) {
        Ok(url) => {
            let mut segments = url.path_segments().into_iter().flatten();
            segments.any(|segment| segment.eq_ignore_ascii_case("join"))
                && segments.next().is_some_and(|token| !token.is_empty())
        }
        Err(_) => url.to_ascii_lowercase().contains("/join/"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said(line: &[&str]) -> Option<String> {
        let words: Vec<OsString> = ["slicc"].iter().chain(line).map(Into::into).collect();
        let failure = refusal(&words)?;
        assert_eq!((failure.kind, failure.hints.len()), (super::super::FailureKind::Usage, 0));
        Some(failure.message)
    }

    fn named(line: &[&str]) -> Option<String> {
        Some(said(line)?.split_once(" is a SLICC six option. ")?.0.to_owned())
    }

    #[cfg(unix)]
    #[test]
    fn the_line_is_the_documented_one() {
        assert_eq!(
            said(&["--prompt", "it's me", "--lead=https://a.example"]).unwrap(),
            "--prompt is a SLICC six option. This is the new SLICC (seven). For SLICC six, run: npx sliccy@6 --prompt \
             'it'\\''s me' --lead=https://a.example"
        );
    }

    #[test]
    fn every_flag_of_six_counts_with_its_value_joined_or_not() {
        for flag in FORMER_FLAGS {
            assert_eq!(named(&[flag]).as_deref(), Some(*flag));
            assert_eq!(named(&[flag, "value"]).as_deref(), Some(*flag));
            assert_eq!(named(&[&format!("{flag}=value")]).as_deref(), Some(*flag));
            assert_eq!(named(&["frobnicate", flag]).as_deref(), Some(*flag));
        }
    }

    #[test]
    fn without_a_command_one_dash_counts_as_well_as_two() {
        assert_eq!(named(&["-electron", "Slack"]).as_deref(), Some("-electron"));
        assert_eq!(named(&["--json", "-serve-only"]).as_deref(), Some("-serve-only"));
        assert_eq!(named(&["frobnicate", "-electron"]), None);
    }

    #[test]
    fn the_first_flag_of_six_is_the_one_that_is_named() {
        assert_eq!(named(&["--yes", "--kill", "--lead"]).as_deref(), Some("--kill"));
    }

    #[test]
    fn commands_values_help_and_what_seven_kept_are_left_alone() {
        for line in [
            &["attach", "--lead"][..],
            &["--name", "--lead"],
            &["--help", "--lead"],
            &["--version"],
            &["--profile", "leader"],
            &["--", "--lead"],
            &["--json"],
            &[],
        ] {
            assert_eq!(said(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_join_url_is_never_printed() {
        for (word, expected) in [
            ("--join=https://www.sliccy.ai/join/secret.token", "--join=<join-url>"),
            ("https://www.sliccy.ai/join/secret.token?x=y", "<join-url>"),
            ("HTTP://localhost:8787/Join/secret", "<join-url>"),
            ("http://[x/join/secret", "<join-url>"),
        ] {
            let line = said(&["--kill", word]).unwrap();
            assert!(line.ends_with(&format!("npx sliccy@6 --kill {expected}")), "{line}");
        }
        let line = said(&["--prompt", "go to https://a.example/tray/join/secret now, https://b.example/"]).unwrap();
        assert!(line.ends_with("'go to <join-url> now, https://b.example/'"), "{line}");
        assert!(said(&["--kill", "https://a.example/join/"]).unwrap().ends_with("https://a.example/join/"));
    }

    proptest! {
        #[test]
        fn the_line_is_one_line_and_holds_no_token(
            before in "(?s).{0,20}",
            token in "[a-zA-Z0-9]{12}\\.[a-zA-Z0-9]{12}",
            after in "(?s)([\\s\"'].{0,20})?",
            flag in prop::sample::select(FORMER_FLAGS),
        ) {
            let word = format!("{before}https://www.sliccy.ai/join/{token}{after}");
            let line = said(&[flag, &word]).unwrap();
            prop_assert!(!line.contains(&token), "{}", line);
            prop_assert!(!line.chars().any(char::is_control));
        }
    }
}
