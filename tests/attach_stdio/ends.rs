//! How `slicc attach` ends.

use std::{
    io::{BufRead, BufReader, Write},
    os::{fd::OwnedFd, unix::net::UnixStream},
    time::Duration,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::json;

use super::Linked;
use crate::support::{
    run,
    slicc_process::{Home, Slicc},
    within,
};

fn signal(linked: &Linked, signal: Signal) {
    let pid = linked.page.node_pid().expect("slicc runs");
    kill(Pid::from_raw(pid.try_into().expect("a process id")), signal).expect("the signal is delivered");
}

#[test]
fn the_end_of_stdin_says_bye_and_exits_0() {
    run(async {
        let linked = Linked::start(&[]).await;
        let link = linked.link();
        linked.finish().await;
        within("the link's end", link.closed()).await;
    });
}

#[test]
fn sigint_and_sigterm_say_bye_and_exit_0() {
    run(async {
        for number in [Signal::SIGINT, Signal::SIGTERM] {
            let mut linked = Linked::start(&[]).await;
            signal(&linked, number);
            linked.expect_status(&["the link is closed"]).await;
            assert_eq!(within("the end of stderr", linked.stderr.next_line()).await.unwrap(), None);
            let nonce = linked.page.nonce().clone();
            let (said, status) = linked.page.ended().await.unwrap();
            assert_eq!(status.code(), Some(0), "{number}");
            assert_eq!(said.last(), Some(&json!({ "t": "bye", "nonce": nonce, "reason": "slicc is exiting" })));
        }
    });
}

#[test]
fn a_signal_before_any_link_exits_0_without_a_word() {
    run(async {
        for number in [Signal::SIGINT, Signal::SIGTERM] {
            let mut slicc = Slicc::start(["attach", "--signal", "stdio"]);
            assert_eq!(slicc.json().await.unwrap()["t"], "hello");
            slicc.signal(number);
            assert_eq!(slicc.json().await, None);
            slicc.expect_exit(0, &[]).await;
        }
    });
}

#[test]
fn the_second_signal_ends_at_once() {
    run(async {
        let home = Home::new();
        let mut command = home.slicc(["attach", "--signal", "stdio"]);
        // Its diagnostics tell how far it got.
        command.env("SLICC_DEBUG", "slicc=debug");
        let (ours, theirs) = UnixStream::pair().unwrap();
        let filler = theirs.try_clone().unwrap();
        let mut slicc = Slicc::spawn_with_stdout(home, command, OwnedFd::from(theirs).into());
        let mut hello = String::new();
        BufReader::new(&ours).read_line(&mut hello).unwrap();
        // A harness that reads no more: the next hello, and slicc's orderly end behind it, wait for room.
        fill(&filler);
        slicc.write(b"garbage\n{\"t\":\"hello\"}\n").await;
        let ignored = slicc.status().await.unwrap();
        assert!(ignored.contains("ignored a setup message"), "{ignored}");
        let mut impatience = tokio::time::interval(Duration::from_millis(20));
        let (status, _) = loop {
            tokio::select! {
                _ = impatience.tick() => slicc.signal(Signal::SIGINT),
                exit = slicc.exit() => break exit,
            }
        };
        assert_eq!(status.code(), Some(130));
    });
}

/// Writes to a socket until it takes no more.
fn fill(mut socket: &UnixStream) {
    socket.set_nonblocking(true).unwrap();
    while socket.write(&[b' '; 4096]).is_ok() {}
    // One byte at a time, until not even that fits.
    while socket.write(b" ").is_ok() {}
    socket.set_nonblocking(false).unwrap();
}
