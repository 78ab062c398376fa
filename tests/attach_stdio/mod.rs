//! `slicc attach --signal stdio`, linked to a page that is no browser.

mod ends;
mod hello;
mod http;
mod names;
mod setup;
mod tcp;

use std::{ffi::OsString, process::Stdio};

use slicc::link::Link;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{ChildStderr, Command},
};

use crate::support::{native_page::NativePage, schemas::assert_setup_message, slicc_process::Home, within};

/// A page that is linked to a slicc in a home of its own.
struct Linked {
    page: NativePage,
    stderr: Lines<BufReader<ChildStderr>>,
    _home: Home,
}

impl Linked {
    /// Starts `slicc attach --signal stdio` with more arguments, and links to it.
    async fn start(arguments: &[&str]) -> Self {
        Self::start_in(Home::new(), arguments).await
    }

    async fn start_in(home: Home, arguments: &[&str]) -> Self {
        let words = ["attach", "--signal", "stdio"].iter().chain(arguments).map(OsString::from);
        let mut command = Command::from(home.slicc(words));
        command.stderr(Stdio::piped());
        let mut page = within("a link", NativePage::link(command, &[])).await.expect("the link comes up");
        let stderr = BufReader::new(page.take_stderr().expect("stderr is a pipe")).lines();
        let mut linked = Self { page, stderr, _home: home };
        linked.expect_status(&["linking", "linked with native page"]).await;
        linked
    }

    fn link(&self) -> Link {
        self.page.handle()
    }

    /// Expects the next lines on stderr, without the name of the program that stands before each.
    async fn expect_status(&mut self, lines: &[&str]) {
        for expected in lines {
            let line = within("a status line", self.stderr.next_line()).await.expect("stderr is text");
            assert_eq!(line.as_deref(), Some(format!("slicc: {expected}").as_str()));
        }
    }

    /// Closes the node's stdin, and expects that it says bye and exits 0.
    async fn finish(self) {
        let nonce = self.page.nonce().clone();
        let (said, status) = self.page.finish().await.expect("slicc exits");
        said.iter().for_each(assert_setup_message);
        assert_eq!(status.code(), Some(0));
        let bye = said.last().expect("it said something");
        assert_eq!((&bye["t"], &bye["nonce"]), (&"bye".into(), &nonce));
    }
}
