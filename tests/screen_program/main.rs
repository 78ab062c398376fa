//! `screen-program`: shows slicc's dashboard for a run that only says what it is told to, so that a test can see what becomes
//! of the terminal. Its argument is what happens after the first key:
//!
//! - `task`: a task panics, and the run goes on until q
//! - `main`: the run itself panics
//! - `exit`: the process exits at once, as at a second Ctrl-C
//! - `talk`: a status line is said on stderr, and the run goes on until q

use slicc::{
    cli::console,
    tui::{Dashboard, event::SessionEvent, terminal},
};
use tokio::sync::Notify;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let what = std::env::args().nth(1).expect("an argument says what happens");
    let dashboard = Dashboard::new();
    let pressed = Notify::new();
    let say = |line: &str| dashboard.tell(&SessionEvent::Status(line.to_owned()));
    say("ready");
    let run = async {
        pressed.notified().await;
        match what.as_str() {
            "task" => {
                let panicked = tokio::spawn(async { panic!("a task's panic") }).await;
                say(if panicked.is_err() { "the task is gone" } else { "the task lives" });
            }
            "main" => panic!("the run's panic"),
            "exit" => {
                terminal::restore();
                std::process::exit(7);
            }
            "talk" => {
                console::status("a line on stderr");
                say("said");
            }
            _ => panic!("unknown: {what}"),
        }
        pressed.notified().await;
    };
    dashboard.show(run, |_| pressed.notify_one()).await.expect("stdout is a terminal");
}
