//! `slicc attach` on a real Chromium. The doctor's page plays seven.

mod lifecycle;
mod setup;
mod streams;
mod violations;

use slicc::doctor::servers::Servers;

use crate::support::{
    chromium::Chromium,
    slicc_process::{Home, Slicc},
    tab::Tab,
};

/// A browser, the server of the page, and a slicc that waits for a tab.
struct Scene {
    slicc: Slicc,
    chromium: Chromium,
    servers: Servers,
}

impl Scene {
    async fn start() -> Self {
        Self::start_with(&[]).await
    }

    async fn start_with(arguments: &[&str]) -> Self {
        let servers = Servers::start().await.expect("servers");
        let chromium = Chromium::launch().await;
        let mut slicc = attach(&chromium, &servers.page_origin(), arguments);
        slicc.expect_status(&["waiting for a seven tab"]).await;
        Self { slicc, chromium, servers }
    }

    /// Opens the page, and expects that it is linked.
    async fn open_page(&mut self) -> Tab {
        let tab = Tab::open(&self.chromium, &self.servers.page_url()).await;
        self.expect_found().await;
        tab
    }

    /// Expects that the page is found and linked.
    async fn expect_found(&mut self) {
        let found = format!("found seven on {}", self.servers.page_origin());
        self.slicc.expect_status(&[&found]).await;
        self.expect_linked().await;
    }

    /// Expects that the link is down because its page went away. The end of the page's connection can come before the browser's
    /// word of the page.
    async fn expect_page_gone(&mut self, word: &str) {
        let line = self.slicc.status().await.expect("slicc runs");
        let reasons = [word, "the control channel closed", "the peer closed the connection"];
        assert!(reasons.iter().any(|reason| line == format!("slicc: the link is down: {reason}")), "{line}");
    }

    /// Expects that the page is linked.
    async fn expect_linked(&mut self) {
        self.slicc.expect_status(&["linking", "linked with slicc doctor"]).await;
    }
}

/// Starts `slicc attach` on a browser.
fn attach(chromium: &Chromium, origin: &str, arguments: &[&str]) -> Slicc {
    let cdp = chromium.cdp();
    let words = ["attach", "--cdp", &cdp, "--origin", origin];
    Slicc::start_in(Home::new(), words.iter().chain(arguments))
}
