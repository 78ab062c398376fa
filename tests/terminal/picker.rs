//! The picker at a terminal. Nothing is launched.

use std::process::Command;

use crate::{
    launch::support::{home, log, profile},
    support::{pseudo_terminal::PseudoTerminal, run, slicc_process::Home},
};

/// slicc where the fake browser is all there is, and has a SLICC profile.
fn command(home: &Home, arguments: &[&str]) -> Command {
    let mut command = home.slicc(arguments);
    command.env("PATH", home.path().join("bin")).env("SLICC_DISCOVERY", "installed").env("FAKE_BROWSER_LOG", log(home));
    command
}

fn start(arguments: &[&str]) -> PseudoTerminal {
    let home = home();
    std::fs::create_dir_all(profile(&home, "chromium")).expect("a folder");
    let command = command(&home, arguments);
    PseudoTerminal::spawn(home, &command)
}

#[test]
fn quitting_the_picker_launches_nothing() {
    run(async {
        for key in ["q", "\u{3}"] {
            let mut terminal = start(&[]);
            terminal.until("Chromium 156.0.1.2  installed · profile chromium · best match").await;
            terminal.press(key);
            assert!(terminal.exit().await.success());
            terminal.expect_restored();
            assert_eq!(terminal.text(), "");
            assert!(!log(terminal.home()).exists(), "no browser was started");
        }
    });
}

#[test]
fn the_picker_follows_the_size_of_the_window() {
    run(async {
        let mut terminal = start(&[]);
        terminal.until("best match").await;
        for (columns, rows) in [(20, 3), (120, 40), (1, 1), (60, 8)] {
            terminal.resize(columns, rows);
            let last = if columns >= 20 { "q quit" } else { "" };
            terminal.until_shown("the keys", |text| text.ends_with(last)).await;
        }
        terminal.press("p");
        terminal.until("new profile…").await;
        // Esc alone, which begins other keys' bytes.
        terminal.press("\u{1b}");
        terminal.until("installed · profile chromium").await;
        terminal.press("q");
        assert!(terminal.exit().await.success());
        terminal.expect_restored();
    });
}

#[test]
fn flags_that_choose_bring_no_picker_and_no_escape_codes() {
    run(async {
        // None of these can be launched, so each ends by itself.
        for flags in [&["--browser", "none"][..], &["--plain", "--browser", "none"], &["--json", "--browser", "none"]] {
            let mut terminal = start(flags);
            assert_eq!(terminal.exit().await.exit_code(), 1, "{flags:?}");
            assert!(!terminal.bytes.contains(&0x1b), "{flags:?}: {}", terminal.text());
        }
    });
}

#[test]
fn a_second_ctrl_c_ends_at_once_and_gives_the_terminal_back() {
    run(async {
        let home = home();
        std::fs::create_dir_all(profile(&home, "chromium")).expect("a folder");
        let mut command = command(&home, &[]);
        // A browser that takes its time to close.
        command.env("FAKE_BROWSER", "stay");
        let mut terminal = PseudoTerminal::spawn(home, &command);
        terminal.until("best match").await;
        terminal.press("\r");
        terminal.until("attached to Chromium").await;
        terminal.press("\u{3}");
        terminal.until("Ctrl-C ends at once").await;
        terminal.press("\u{3}");
        assert_eq!(terminal.exit().await.exit_code(), 130);
        terminal.expect_restored();
    });
}

#[test]
fn no_color_leaves_the_colours_out_of_the_terminal() {
    run(async {
        let home = home();
        std::fs::create_dir_all(profile(&home, "chromium")).expect("a folder");
        let mut command = command(&home, &[]);
        command.env("NO_COLOR", "1");
        let mut terminal = PseudoTerminal::spawn(home, &command);
        terminal.until("best match").await;
        terminal.press("q");
        terminal.exit().await;
        let bytes = String::from_utf8_lossy(&terminal.bytes).into_owned();
        let codes = bytes.split("\u{1b}[").filter_map(|code| code.split_once('m')).map(|(code, _)| code);
        let colours: Vec<_> = codes.filter(|code| code.starts_with("38;") || code.starts_with("48;")).collect();
        assert_eq!(colours, Vec::<&str>::new());
    });
}
