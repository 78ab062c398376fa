//! Plain `slicc` at a terminal, from the picker to the end, with a real Chromium and the doctor's page in the place of seven.

use std::{os::unix::fs::symlink, process::Command};

use nix::sys::signal::Signal;
use slicc::{browser::installed, doctor::servers::Servers, host::RealSystem};

use crate::support::{processes, pseudo_terminal::PseudoTerminal, run_for, slicc_process::Home, within};

/// How long a test with a real browser may take.
const LIMIT: std::time::Duration = std::time::Duration::from_mins(2);

/// A home in which Chromium is installed, as the only browser, and has a SLICC profile.
fn home() -> Home {
    let home = Home::new();
    let bin = home.path().join("bin");
    std::fs::create_dir(&bin).expect("a folder");
    let chromium = installed::best_executable(&RealSystem).expect("the tests need Chrome or Chromium");
    symlink(chromium, bin.join("chromium")).expect("a link");
    std::fs::create_dir_all(home.path().join("config/slicc/seven-profiles/chromium")).expect("a folder");
    home
}

fn command(home: &Home, servers: &Servers, more: &[&str]) -> Command {
    let mut command = home.slicc(["--page", &servers.page_url(), "--headless", "--no-kernel"]);
    let path = format!("{}:/usr/bin:/bin", home.path().join("bin").display());
    command.args(more).env("PATH", path).env("SLICC_DISCOVERY", "installed");
    command
}

/// Waits until no process has anything to do with the home.
async fn all_gone(terminal: &PseudoTerminal) {
    within("the browser is gone", async {
        while !processes::naming(terminal.home().path()).is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[test]
fn chromium_is_picked_linked_watched_and_closed() {
    run_for(LIMIT, async {
        let servers = Servers::start().await.expect("servers");
        let home = home();
        let command = command(&home, &servers, &[]);
        let mut terminal = PseudoTerminal::spawn(home, &command);
        terminal.until("installed · profile chromium · best match").await;
        assert!(terminal.is_taken());
        terminal.press("\r");
        terminal.until("linked 0:").await;
        let screen = terminal.text();
        for shown in
            ["with \"slicc doctor\"", "hosts seven · CDP :", "launched in profile chromium", "offers", "policy"]
        {
            assert!(screen.contains(shown), "{shown}:\n{screen}");
        }
        // The uptime counts.
        terminal
            .until_shown("a later time", |text| text.starts_with("linked 0:") && !text.starts_with("linked 0:00"))
            .await;
        terminal.resize(20, 3);
        terminal
            .until_shown("a small dashboard", |text| text.starts_with("linked 0:") && text.ends_with("q quit"))
            .await;
        terminal.resize(80, 24);
        terminal.until("policy").await;
        terminal.press("q");
        assert!(terminal.exit().await.success());
        terminal.expect_restored();
        assert!(terminal.text().ends_with("slicc: closed chromium"), "{}", terminal.text());
        all_gone(&terminal).await;
    });
}

#[test]
fn a_chromium_that_quits_ends_the_run_and_the_terminal_says_why() {
    run_for(LIMIT, async {
        let servers = Servers::start().await.expect("servers");
        let home = home();
        let command = command(&home, &servers, &[]);
        let mut terminal = PseudoTerminal::spawn(home, &command);
        terminal.until("best match").await;
        terminal.press("\r");
        terminal.until("linked 0:").await;
        processes::kill_naming(&terminal.home().path().join("config/slicc/seven-profiles"));
        assert!(terminal.exit().await.success());
        terminal.expect_restored();
        assert!(terminal.text().contains("quit, and seven with it"), "{}", terminal.text());
    });
}

#[test]
fn a_signal_closes_the_launched_chromium_and_gives_the_terminal_back() {
    run_for(LIMIT, async {
        for signal in [Signal::SIGTERM, Signal::SIGHUP] {
            let servers = Servers::start().await.expect("servers");
            let home = home();
            let command = command(&home, &servers, &[]);
            let mut terminal = PseudoTerminal::spawn(home, &command);
            terminal.until("best match").await;
            terminal.press("\r");
            terminal.until("linked 0:").await;
            terminal.signal(signal);
            assert!(terminal.exit().await.success(), "{signal}");
            terminal.expect_restored();
            all_gone(&terminal).await;
        }
    });
}
