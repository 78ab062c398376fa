//! What becomes of the terminal when a screen is left in an unusual way.

use std::{path::Path, process::Command};

use nix::sys::signal::Signal;

use crate::support::{pseudo_terminal::PseudoTerminal, run, slicc_process::Home};

fn start(what: &str) -> PseudoTerminal {
    let slicc = Path::new(env!("CARGO_BIN_EXE_slicc"));
    let program = slicc.parent().expect("a folder").join("examples/screen-program");
    assert!(program.is_file(), "build it with: cargo build --example screen-program");
    let home = Home::new();
    let mut command = Command::new(program);
    command.arg(what).current_dir(home.path()).env("RUST_BACKTRACE", "0");
    PseudoTerminal::spawn(home, &command)
}

#[test]
fn a_panic_leaves_the_screen_before_its_message() {
    run(async {
        let mut terminal = start("main");
        terminal.until("ready").await;
        assert!(terminal.is_taken());
        terminal.press("q");
        assert_eq!(terminal.exit().await.exit_code(), 101);
        terminal.expect_restored();
        assert!(terminal.text().contains("the run's panic"), "{}", terminal.text());
    });
}

#[test]
fn a_panic_of_a_task_is_told_in_the_end_and_the_screen_goes_on() {
    run(async {
        let mut terminal = start("task");
        terminal.until("ready").await;
        terminal.press("q");
        terminal.until("the task is gone").await;
        assert!(terminal.is_taken() && !terminal.text().contains("panic"), "{}", terminal.text());
        terminal.press("q");
        assert!(terminal.exit().await.success());
        terminal.expect_restored();
        assert!(terminal.text().contains("a task's panic"), "{}", terminal.text());
    });
}

#[test]
fn a_process_that_exits_at_once_gives_the_terminal_back() {
    run(async {
        let mut terminal = start("exit");
        terminal.until("ready").await;
        terminal.press("\u{3}");
        assert_eq!(terminal.exit().await.exit_code(), 7);
        terminal.expect_restored();
    });
}

#[test]
fn what_is_said_on_stderr_meanwhile_comes_after_the_screen() {
    run(async {
        let mut terminal = start("talk");
        terminal.until("ready").await;
        terminal.press("q");
        terminal.until("said").await;
        assert!(!terminal.text().contains("stderr"), "{}", terminal.text());
        terminal.press("q");
        assert!(terminal.exit().await.success());
        terminal.expect_restored();
        assert_eq!(terminal.text(), "slicc: a line on stderr");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_stopped_process_gives_the_terminal_back_and_takes_it_again() {
    run(async {
        for way in ["\u{1a}", ""] {
            let mut terminal = start("talk");
            terminal.until("ready").await;
            // Ctrl-Z, or the signal from elsewhere.
            if way.is_empty() {
                terminal.signal(Signal::SIGTSTP);
            } else {
                terminal.press(way);
            }
            terminal.until_stopped().await;
            terminal.until_taken(false).await;
            terminal.expect_restored();
            terminal.resize(60, 12);
            terminal.signal(Signal::SIGCONT);
            terminal.until_taken(true).await;
            terminal.until("ready").await;
            // Keys come at once, and unseen.
            terminal.press("q");
            terminal.until("said").await;
            terminal.press("q");
            assert!(terminal.exit().await.success());
            terminal.expect_restored();
        }
    });
}
