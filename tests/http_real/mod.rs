//! http streams against servers that no one here wrote (section "Link", http): a page fetches through `slicc attach`.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod client;
mod codings;
mod flow;
mod framing;
mod http2;
mod httpbin;
mod memory;

use std::{io, path::Path};

use slicc::link::Link;
use tokio::process::Command;

use crate::support::{
    http_stream::{self, Fetched},
    native_page::NativePage,
    slicc_process::Home,
};

/// A page that is linked to a `slicc attach` in a home of its own.
struct Linked {
    page: NativePage,
    link: Link,
    // The last to go, after its slicc.
    _home: Home,
}

impl Linked {
    async fn new() -> Self {
        Self::trusting(None).await
    }

    /// With a file of certificates that stands for the system's roots.
    async fn trusting(roots: Option<&Path>) -> Self {
        let home = Home::new();
        let mut command = Command::from(home.slicc(["attach", "--signal", "stdio"]));
        command.env_remove("SSL_CERT_DIR");
        if let Some(roots) = roots {
            command.env("SSL_CERT_FILE", roots);
        }
        let page = NativePage::link(command, &[]).await.expect("a link");
        Self { link: page.handle(), page, _home: home }
    }

    fn node_pid(&self) -> u32 {
        self.page.node_pid().expect("a running slicc")
    }

    async fn get(&self, url: &str) -> Fetched {
        self.get_with(url, &[]).await
    }

    async fn get_with(&self, url: &str, headers: &[(&str, &str)]) -> Fetched {
        self.fetch("GET", url, headers, b"").await.expect("a response")
    }

    async fn fetch(&self, method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> io::Result<Fetched> {
        http_stream::fetch(&self.link, method, url, headers, body).await
    }
}

/// The bytes that tests/http_real/servers/node.mjs sends and expects.
fn pattern(start: usize, length: usize) -> &'static [u8] {
    use std::sync::LazyLock;

    static BLOCK: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            state.to_be_bytes()[1]
        };
        (0..1_000_003).map(|_| next()).collect()
    });
    let at = start % BLOCK.len();
    &BLOCK[at..BLOCK.len().min(at + length)]
}

/// Whether these bytes are the pattern from `start` on.
fn is_pattern(start: usize, mut bytes: &[u8]) -> bool {
    let mut at = start;
    while !bytes.is_empty() {
        let expected = pattern(at, bytes.len());
        let (now, rest) = bytes.split_at(expected.len());
        if now != expected {
            return false;
        }
        at += now.len();
        bytes = rest;
    }
    true
}
