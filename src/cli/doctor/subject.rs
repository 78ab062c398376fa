//! The browser that is examined, and the page in it.

use std::path::PathBuf;

use crate::{
    browser::{
        installed,
        launch::{self, LaunchOptions, LaunchedBrowser},
    },
    cdp::Endpoint,
    cli::{Failure, console, given},
    doctor::{servers::Servers, tab::Tab},
    generated::cli::DoctorArgs,
    host::{RealSystem, System},
};

/// Where the checks run.
pub(super) enum Plan {
    /// In a tab of a running browser.
    Running(Endpoint),
    /// In a browser of their own.
    Launch {
        /// The browser.
        executable: PathBuf,
        /// Whether it opens no window.
        headless: bool,
    },
}

impl Plan {
    /// What the arguments mean on this machine.
    pub(super) fn new(args: &DoctorArgs, system: &dyn System) -> Result<Self, Failure> {
        if let Some(text) = &args.cdp {
            return Ok(Self::Running(given::endpoint(text)?));
        }
        let executable = args.browser.clone().or_else(|| installed::best_executable(system));
        let executable = executable.ok_or_else(|| {
            Failure::failed("no Chrome or Chromium was found on this machine")
                .hint("install Google Chrome or Chromium, or name a running one with --cdp <url>")
        })?;
        Ok(Self::Launch { executable, headless: !args.headed })
    }
}

/// A browser with the page in it. Dropping it closes a browser that was launched.
pub(super) struct Subject {
    launched: Option<LaunchedBrowser>,
    endpoint: Endpoint,
    product: String,
    headless: bool,
    tab: Tab,
}

impl Subject {
    /// Launches the browser, or connects to the running one, and opens the page.
    pub(super) async fn open(plan: Plan, servers: &Servers) -> Result<Self, Failure> {
        let (launched, endpoint, product, headless) = match plan {
            Plan::Running(endpoint) => {
                let version = endpoint.version().await.map_err(Failure::no_browser)?;
                let headless = version.product.starts_with("Headless");
                (None, endpoint, version.product, headless)
            }
            Plan::Launch { executable, headless } => {
                let options =
                    LaunchOptions { headless, ..LaunchOptions::new(executable, servers.page_with_server_url()) };
                let browser = launch::launch(&RealSystem, &options).await.map_err(|error| {
                    let hint =
                        if headless { "name another browser with --cdp <url>" } else { "run it without --headed" };
                    Failure::failed(error).hint(hint)
                })?;
                for notice in browser.notices() {
                    console::status(&notice.to_string());
                }
                let (endpoint, product) = (browser.endpoint().clone(), browser.version().product.clone());
                (Some(browser), endpoint, product, headless)
            }
        };
        let tab = Tab::open(&endpoint, &servers.page_with_server_url()).await.map_err(Failure::failed)?;
        Ok(Self { launched, endpoint, product, headless, tab })
    }

    /// Where the browser answers.
    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The browser's product and version, in its own words.
    pub(super) fn product(&self) -> &str {
        &self.product
    }

    /// Whether the browser has no window.
    pub(super) fn is_headless(&self) -> bool {
        self.headless
    }

    /// The tab with the page.
    pub(super) fn tab(&mut self) -> &mut Tab {
        &mut self.tab
    }

    /// Resolves when a browser that was launched has exited.
    pub(super) async fn exited(&self) {
        match &self.launched {
            Some(browser) => drop(browser.exited().await),
            None => std::future::pending().await,
        }
    }

    /// Closes the browser that was launched, or the tab in one that wasn't.
    pub(super) async fn close(self) -> Result<(), Failure> {
        if let Some(browser) = self.launched {
            let closed = browser.close(self.tab.close_browser()).await;
            return closed.map(drop).map_err(Failure::failed);
        }
        // A browser that is gone has no tab to close.
        if let Err(error) = self.tab.close().await {
            tracing::debug!(%error, "the tab was not closed");
        }
        Ok(())
    }
}
