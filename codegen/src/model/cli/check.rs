//! What a schema can't say about a command line.

use std::collections::BTreeSet;

use super::{Argument, Choice, Count, DEFAULT, Example, Flag, Leading, Raw, RawCommand, Takes, Type};
use crate::model::{Problem, Problems};

/// Flags that every command has.
const RESERVED: &[&str] = &["help", "version"];

/// Checks everything, and names every problem.
pub(super) fn check(file: &str, raw: &Raw) -> Result<(), Vec<Problem>> {
    let mut problems = Problems::new(file);
    program(&mut problems, raw);
    exits(&mut problems, raw);
    variables(&mut problems, raw);
    for flag in raw.flag.values() {
        check_flag(&mut problems, flag);
        if !raw.command.iter().chain(&raw.default).any(|command| command.flags.contains(&flag.name)) {
            problems.add(format!("flag.{}", flag.name), "no command takes it");
        }
    }
    unique(&mut problems, "command", raw.command.iter().map(|command| command.name.as_str()));
    for command in &raw.command {
        let key = format!("command.{}", command.name);
        kebab(&mut problems, &key, &command.name);
        if command.name == DEFAULT {
            problems.add(&key, "is what the program does without a command");
        }
        check_command(&mut problems, raw, command, &key);
    }
    if let Some(default) = &raw.default {
        check_default(&mut problems, raw, default);
    }
    former_flags(&mut problems, raw);
    choice_types(&mut problems, raw);
    argv_everywhere(&mut problems, raw);
    problems.finish(())
}

fn program(problems: &mut Problems, raw: &Raw) {
    kebab(problems, "program.name", &raw.program.name);
    sentence(problems, "program.about", &raw.program.about);
    for example in &raw.program.examples {
        sentence(problems, "program.example.about", &example.about);
    }
    if let Some(leading) = &raw.program.leading {
        kebab(problems, "program.leading.name", &leading.name);
        sentence(problems, "program.leading.doc", &leading.doc);
        if leading.prefixes.is_empty() {
            problems.add("program.leading.prefixes", "says how the leading word begins, so it can't be empty");
        }
        if leading.required || leading.takes == Count::Many || !leading.choices.is_empty() {
            problems.add("program.leading", "is one word that a command requires or not; it has no choices");
        }
    }
}

fn exits(problems: &mut Problems, raw: &Raw) {
    for exit in &raw.exit {
        let key = format!("exit.{}", exit.name);
        kebab(problems, &key, &exit.name);
        sentence(problems, &format!("{key}.doc"), &exit.doc);
    }
    unique(problems, "exit", raw.exit.iter().map(|exit| exit.name.as_str()));
    if !raw.exit.is_sorted_by(|a, b| a.code < b.code) {
        problems.add("exit", "statuses stand in the order of their codes, each once");
    }
    for code in [0, 1, 2] {
        if !raw.exit.iter().any(|exit| exit.code == code) {
            problems.add("exit", format!("there is no status {code}"));
        }
    }
}

fn variables(problems: &mut Problems, raw: &Raw) {
    unique(problems, "env", raw.env.iter().map(|variable| variable.name.as_str()));
    for variable in &raw.env {
        let key = format!("env.{}", variable.name);
        let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        if !variable.name.starts_with(|c: char| c.is_ascii_uppercase()) || !variable.name.chars().all(upper) {
            problems.add(&key, "a variable's name is upper case, digits and _");
        }
        sentence(problems, &format!("{key}.doc"), &variable.doc);
    }
}

fn check_flag(problems: &mut Problems, flag: &Flag) {
    let key = format!("flag.{}", flag.name);
    kebab(problems, &key, &flag.name);
    kebab(problems, &format!("{key}.long"), flag.long());
    if RESERVED.contains(&flag.long()) {
        problems.add(format!("{key}.long"), "every command has this flag already");
    }
    if flag.short.is_some_and(|short| !short.is_ascii_alphanumeric() || matches!(short, 'h' | 'V')) {
        problems.add(format!("{key}.short"), "is a letter or a digit, and neither h nor V");
    }
    sentence(problems, &format!("{key}.doc"), &flag.doc);
    check_choices(problems, &key, &flag.choices);
    let takes_value = flag.takes != Takes::Nothing;
    if takes_value && flag.value.as_deref().is_none_or(|value| value.trim().is_empty()) {
        problems.add(format!("{key}.value"), "a flag that takes a value has a placeholder");
    }
    if !takes_value {
        if flag.value.is_some() || flag.default.is_some() || !flag.choices.is_empty() || flag.kind != Type::String {
            problems.add(format!("{key}.takes"), "a switch has no value, type, default or choice");
        }
        if flag.required || flag.required_unless.is_some() {
            problems.add(format!("{key}.required"), "a switch that must be there says nothing");
        }
    }
    if !flag.choices.is_empty() && flag.kind != Type::String {
        problems.add(format!("{key}.type"), "choices are strings");
    }
    if flag.takes == Takes::Argv && (flag.kind != Type::String || !flag.choices.is_empty()) {
        problems.add(format!("{key}.takes"), "the words of an argv are free");
    }
    if flag.kind != Type::Integer && (flag.min.is_some() || flag.max.is_some()) {
        problems.add(format!("{key}.min"), "only an integer has bounds");
    }
    if flag.min.zip(flag.max).is_some_and(|(min, max)| min > max) {
        problems.add(format!("{key}.min"), "is greater than max");
    }
    if flag.required && (flag.default.is_some() || flag.required_unless.is_some()) {
        problems.add(format!("{key}.required"), "excludes default and required-unless");
    }
    if flag.required && flag.test_only {
        problems.add(format!("{key}.required"), "nobody can give a required flag that isn't in the help");
    }
    if let Some(default) = &flag.default
        && !flag.choices.is_empty()
        && !flag.choices.iter().any(|choice| &choice.name == default)
    {
        problems.add(format!("{key}.default"), format!("`{default}` is none of its choices"));
    }
    for (list, names) in [("requires", &flag.requires), ("refuses", &flag.refuses)] {
        if names.contains(&flag.name) {
            problems.add(format!("{key}.{list}"), "names itself");
        }
    }
    if let Some(both) = flag.requires.iter().find(|name| flag.refuses.contains(name)) {
        problems.add(format!("{key}.requires"), format!("both requires and refuses `{both}`"));
    }
}

/// What the program does without a command has no name, and nothing that a command would miss.
fn check_default(problems: &mut Problems, raw: &Raw, default: &RawCommand) {
    if !default.name.is_empty() {
        problems.add("default.name", "what the program does without a command has no name");
    }
    if !default.arguments.is_empty() || default.leading != Leading::None {
        problems.add("default", "a word that stands alone is a command");
    }
    for flag in default.flags.iter().filter_map(|name| raw.flag.get(name)) {
        if flag.required || flag.required_unless.is_some() {
            problems.add("default.flags", format!("`{}` would be required before every command", flag.name));
        }
    }
    check_command(problems, raw, default, "default");
}

fn former_flags(problems: &mut Problems, raw: &Raw) {
    unique(problems, "former-flag", raw.former_flag.iter().map(|former| former.flag.as_str()));
    for former in &raw.former_flag {
        let key = format!("former-flag.{}", former.flag);
        if !former.flag.starts_with('-') || former.flag.contains(['=', ' ']) {
            problems.add(&key, "is a flag as typed, without a value");
        }
        sentence(problems, &format!("{key}.source"), &former.source);
        let taken = raw.default.iter().flat_map(|default| &default.flags).filter_map(|name| raw.flag.get(name));
        if taken.into_iter().any(|flag| former.flag.trim_start_matches('-') == flag.long()) {
            problems.add(&key, "is a flag of today, too");
        }
    }
}

fn check_command(problems: &mut Problems, raw: &Raw, command: &RawCommand, key: &str) {
    sentence(problems, &format!("{key}.about"), &command.about);
    if command.leading != Leading::None && raw.program.leading.is_none() {
        problems.add(format!("{key}.leading"), "the program has no leading word");
    }
    unique(problems, &format!("{key}.flags"), command.flags.iter().map(String::as_str));
    let mut flags = Vec::new();
    for name in &command.flags {
        match raw.flag.get(name) {
            Some(flag) => flags.push(flag),
            None => problems.add(format!("{key}.flags"), format!("there is no flag `{name}`")),
        }
    }
    let typed = flags.iter().map(|flag| flag.long()).chain(command.arguments.iter().map(|a| a.name.as_str()));
    unique(problems, &format!("{key}.flags (as typed)"), typed);
    let shorts: Vec<String> = flags.iter().filter_map(|flag| flag.short.map(String::from)).collect();
    unique(problems, &format!("{key}.flags (short)"), shorts.iter().map(String::as_str));
    for flag in &flags {
        references(problems, key, command, raw, flag);
    }
    arguments(problems, key, &command.arguments);
    if command.examples.is_empty() {
        problems.add(format!("{key}.example"), "a command has an example");
    }
    for example in &command.examples {
        check_example(problems, raw, command, key, &flags, example);
    }
}

fn references(problems: &mut Problems, key: &str, command: &RawCommand, raw: &Raw, flag: &Flag) {
    for (list, names) in [("requires", &flag.requires), ("refuses", &flag.refuses)] {
        for name in names.iter().filter(|name| !command.flags.contains(name)) {
            problems.add(format!("flag.{}.{list}", flag.name), format!("{key} doesn't take `{name}`"));
        }
        // What people and completions see has to stand without what only tests see; it can be said from that side.
        let hidden = names.iter().filter(|name| raw.flag.get(*name).is_some_and(|other| other.test_only));
        for name in hidden.filter(|_| !flag.test_only) {
            problems.add(format!("flag.{}.{list}", flag.name), format!("names `{name}`, which is only for tests"));
        }
    }
    let Some(unless) = &flag.required_unless else { return };
    let place = format!("flag.{}.required-unless", flag.name);
    if !command.flags.contains(&unless.flag) {
        problems.add(&place, format!("{key} doesn't take `{}`", unless.flag));
    } else if let (Some(is), Some(other)) = (&unless.is, raw.flag.get(&unless.flag))
        && (other.takes != Takes::One || !other.choices.iter().any(|choice| &choice.name == is))
    {
        problems.add(&place, format!("`{is}` is none of the choices of `{}`", unless.flag));
    }
}

fn arguments(problems: &mut Problems, key: &str, arguments: &[Argument]) {
    for (index, argument) in arguments.iter().enumerate() {
        let key = format!("{key}.argument.{}", argument.name);
        kebab(problems, &key, &argument.name);
        sentence(problems, &format!("{key}.doc"), &argument.doc);
        check_choices(problems, &key, &argument.choices);
        if argument.takes == Count::Many && index + 1 < arguments.len() {
            problems.add(&key, "only the last argument takes all the words that are left");
        }
        if argument.required && arguments[..index].iter().any(|before| !before.required) {
            problems.add(&key, "a required argument can't follow one that may be left out");
        }
        if !argument.prefixes.is_empty() {
            problems.add(format!("{key}.prefixes"), "only the program's leading word has prefixes");
        }
    }
}

fn check_example(
    problems: &mut Problems,
    raw: &Raw,
    command: &RawCommand,
    key: &str,
    flags: &[&Flag],
    example: &Example,
) {
    let key = format!("{key}.example");
    sentence(problems, &format!("{key}.about"), &example.about);
    let mut words = example.command.split_whitespace();
    let leading = command.leading != Leading::None;
    let called = words.next() == Some(&raw.program.name)
        && (command.name.is_empty()
            || words.next() == Some(&command.name)
            || (leading && words.next() == Some(&command.name)));
    if !called {
        problems.add(&key, format!("`{}` doesn't call the command", example.command));
    }
    for word in example.command.split_whitespace().take_while(|word| *word != "--") {
        let Some(long) = word.strip_prefix("--") else { continue };
        match flags.iter().find(|flag| flag.long() == long.split_once('=').map_or(long, |(long, _)| long)) {
            Some(flag) if flag.test_only => problems.add(&key, format!("`{word}` is only for tests")),
            Some(flag) if flag.takes == Takes::Argv => return,
            Some(_) => {}
            None => problems.add(&key, format!("the command has no flag `{word}`")),
        }
    }
}

fn check_choices(problems: &mut Problems, key: &str, choices: &[Choice]) {
    unique(problems, &format!("{key}.choice"), choices.iter().map(|choice| choice.name.as_str()));
    for choice in choices {
        kebab(problems, &format!("{key}.choice"), &choice.name);
        sentence(problems, &format!("{key}.choice.{}", choice.name), &choice.doc);
    }
}

/// Each list of choices becomes a type that is named after its flag or argument.
fn choice_types(problems: &mut Problems, raw: &Raw) {
    let flags = raw.flag.values().filter(|flag| !flag.choices.is_empty()).map(|flag| flag.name.as_str());
    let arguments = raw.command.iter().flat_map(|command| &command.arguments);
    let arguments = arguments.filter(|argument| !argument.choices.is_empty()).map(|argument| argument.name.as_str());
    unique(problems, "choice (as a type)", flags.chain(arguments));
}

/// `--flag=word` is refused before the command is known, so a flag takes an argv everywhere or nowhere.
fn argv_everywhere(problems: &mut Problems, raw: &Raw) {
    for flag in raw.flag.values().filter(|flag| flag.takes == Takes::Argv) {
        if raw.flag.values().any(|other| other.long() == flag.long() && other.takes != Takes::Argv) {
            problems.add(format!("flag.{}.takes", flag.name), "another flag that is typed the same takes no argv");
        }
    }
}

fn unique<'a>(problems: &mut Problems, key: &str, names: impl Iterator<Item = &'a str>) {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            problems.add(key, format!("`{name}` is there twice"));
        }
    }
}

fn kebab(problems: &mut Problems, key: &str, name: &str) {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(inner) || name.ends_with('-') {
        problems.add(key, format!("`{name}` is not lower case with hyphens"));
    }
}

fn sentence(problems: &mut Problems, key: &str, text: &str) {
    if text.trim().is_empty() {
        problems.add(key, "says nothing");
    } else if text.trim_end().ends_with('.') || text.contains('\n') {
        problems.add(key, "is one sentence on one line, without a full stop");
    }
}
