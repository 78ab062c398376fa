//! `slicc doctor`: links a page of slicc's own in a real browser, and checks what the link offers.

use std::{path::PathBuf, sync::Arc, time::Duration};

use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{Failure, console, interrupt};
use crate::{
    browser::{
        installed,
        launch::{self, LaunchOptions, LaunchedBrowser},
        origin::{Origin, SevenOrigins},
    },
    cdp::Endpoint,
    doctor::{report::Report, servers::Servers, tab::Tab},
    generated::{cli::DoctorArgs, link::timeouts},
    host::{RealSystem, System},
    node::{Event, LocalNode, Options},
    signal::{self, Ended, OverCdp, SignalError, over_cdp},
};

/// How long the link may take, from the hello that the page has to load for.
const LINK_LIMIT: Duration = Duration::from_secs(30);

/// Where the checks run.
enum Plan {
    Running(Endpoint),
    Launch { executable: PathBuf, headless: bool },
}

impl Plan {
    fn new(args: &DoctorArgs, system: &dyn System) -> Result<Self, Failure> {
        if let Some(text) = &args.cdp {
            let endpoint = Endpoint::parse(text).map_err(|error| Failure::usage(format!("--cdp: {error}")))?;
            return Ok(Self::Running(endpoint));
        }
        let executable = args.browser.clone().or_else(|| installed::best(system).map(|browser| browser.executable));
        let executable = executable.ok_or_else(|| {
            Failure::failed("no Chrome or Chromium was found on this machine")
                .hint("install Google Chrome or Chromium, or name a running one with --cdp <url>")
        })?;
        Ok(Self::Launch { executable, headless: !args.headed })
    }
}

/// A browser with the page in it.
struct Session {
    browser: Option<LaunchedBrowser>,
    endpoint: Endpoint,
    tab: Tab,
}

/// A node that links the page.
struct Linking {
    linked: watch::Receiver<bool>,
    stop: CancellationToken,
    engine: JoinHandle<()>,
    signaller: JoinHandle<Result<Ended, SignalError>>,
}

/// Runs the checks.
///
/// # Errors
/// [`Failure`]: wrong arguments, no browser, or a check that failed.
pub fn run(args: &DoctorArgs) -> Result<(), Failure> {
    let mut report = Report::new(std::io::stdout(), args.json);
    let result = Plan::new(args, &RealSystem)
        .and_then(|plan| super::block_on(doctor(plan, args.keep || args.headed, &mut report)));
    if let Err(failure) = &result
        && report.done() == 0
    {
        report.error(&failure.message, failure.hints.first().map(String::as_str)).map_err(unwritable)?;
    }
    result
}

fn unwritable(error: std::io::Error) -> Failure {
    Failure::failed(format!("stdout can't be written: {error}"))
}

async fn doctor(plan: Plan, keep: bool, report: &mut Report<std::io::Stdout>) -> Result<(), Failure> {
    let shutdown = interrupt::listen().map_err(|error| Failure::failed(format!("cannot wait for signals: {error}")))?;
    let servers = Servers::start().await.map_err(|error| Failure::failed(format!("cannot serve the page: {error}")))?;
    let mut session = tokio::select! {
        biased;
        () = shutdown.cancelled() => return Err(Failure::interrupted("interrupted")),
        session = Session::start(plan, &servers, report) => session?,
    };
    let checked = tokio::select! {
        biased;
        () = shutdown.cancelled() => Err(Failure::interrupted("interrupted")),
        linking = session.check(&servers, report) => linking,
    };
    let checked = match checked {
        Ok(mut linking) => {
            if keep {
                session.keep(&servers, &mut linking, &shutdown).await;
            }
            linking.stop().await;
            verdict(report)
        }
        Err(failure) => Err(failure),
    };
    session.close().await?;
    checked
}

/// What the checks come to.
fn verdict(report: &Report<std::io::Stdout>) -> Result<(), Failure> {
    match report.failed() {
        0 => Ok(()),
        1 => Err(Failure::failed("a check failed")),
        failed => Err(Failure::failed(format!("{failed} checks failed"))),
    }
}

impl Session {
    async fn start(plan: Plan, servers: &Servers, report: &mut Report<std::io::Stdout>) -> Result<Self, Failure> {
        let (browser, endpoint) = match plan {
            Plan::Running(endpoint) => {
                let version = endpoint.version().await.map_err(|error| {
                    Failure::failed(error.to_string())
                        .hint("start the browser with --remote-debugging-port and try again")
                })?;
                report.browser(&version.product, version.product.starts_with("Headless")).map_err(unwritable)?;
                (None, endpoint)
            }
            Plan::Launch { executable, headless } => {
                let options = LaunchOptions { headless, ..LaunchOptions::new(executable, servers.page_url()) };
                let browser = launch::launch(&RealSystem, &options).await.map_err(|error| {
                    let hint =
                        if headless { "name another browser with --cdp <url>" } else { "run it without --headed" };
                    Failure::failed(error.to_string()).hint(hint)
                })?;
                for notice in browser.notices() {
                    console::status(&notice.to_string());
                }
                report.browser(&browser.version().browser, headless).map_err(unwritable)?;
                let endpoint = Endpoint::parse(&browser.endpoint().web_socket_url());
                let endpoint = endpoint.map_err(|error| Failure::failed(error.to_string()))?;
                (Some(browser), endpoint)
            }
        };
        match Tab::open(&endpoint, &servers.page_url()).await {
            Ok(tab) => Ok(Self { browser, endpoint, tab }),
            Err(error) => Err(Failure::failed(error.to_string())),
        }
    }

    /// Links the page and runs its checks. The link is still up then.
    async fn check(&mut self, servers: &Servers, report: &mut Report<std::io::Stdout>) -> Result<Linking, Failure> {
        let mut linking = Linking::start(&self.endpoint, servers).await?;
        // A link that doesn't come up is what the page's first check reports.
        if timeout(LINK_LIMIT, linking.linked.wait_for(|linked| *linked)).await.is_err() {
            tracing::debug!("the page isn't linked");
        }
        let mut written = Ok(());
        let ran = self
            .tab
            .run_checks(&servers.config_json(self.endpoint.port()), |result| {
                if written.is_ok() {
                    written = report.check(result);
                }
            })
            .await;
        ran.map_err(|error| Failure::failed(error.to_string()))?;
        written.map_err(unwritable)?;
        report.finish().map_err(unwritable)?;
        Ok(linking)
    }

    /// Leaves the page open until Ctrl-C, or until the browser is closed.
    async fn keep(&self, servers: &Servers, linking: &mut Linking, shutdown: &CancellationToken) {
        console::status(&format!("the page stays open at {}; press Ctrl-C to end", servers.page_url()));
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = self.browser_exit() => console::status("the browser was closed"),
            _ = &mut linking.signaller => console::status("the browser was closed"),
        }
    }

    async fn browser_exit(&self) {
        match &self.browser {
            Some(browser) => drop(browser.exited().await),
            None => std::future::pending().await,
        }
    }

    /// Closes the browser that was launched, or the tab in one that wasn't.
    async fn close(self) -> Result<(), Failure> {
        match self.browser {
            Some(browser) => {
                let closed = browser.close(self.tab.close_browser()).await;
                closed.map(drop).map_err(|error| Failure::failed(error.to_string()))
            }
            None => {
                // A browser that is gone has no tab to close.
                if let Err(error) = self.tab.close().await {
                    tracing::debug!(%error, "the tab was not closed");
                }
                Ok(())
            }
        }
    }
}

impl Linking {
    async fn start(endpoint: &Endpoint, servers: &Servers) -> Result<Self, Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure::failed(error.to_string());
        let node = LocalNode::new(Options::default()).map_err(|error| failed(&error))?;
        node.protect_browser(endpoint).await;
        let origin = Origin::parse(&servers.page_origin()).map_err(|error| failed(&error))?;
        let origins = SevenOrigins::only(origin);
        let config = OverCdp::connect(endpoint, origins, node.id().clone()).await.map_err(|error| failed(&error))?;
        let (signal_sender, signals) = mpsc::channel(signal::QUEUE);
        let (replies, reply_queue) = mpsc::channel(signal::QUEUE);
        let stop = CancellationToken::new();
        let (linked_sender, linked) = watch::channel(false);
        let listener = move |event| match event {
            Event::Linked { .. } => drop(linked_sender.send_replace(true)),
            Event::LinkDown { reason } => tracing::debug!(%reason, "the link is down"),
            _ => {}
        };
        let engine = node.engine(Arc::new(listener), replies).run(signals, stop.clone());
        // The signaller outlives the engine, whose last reply is a bye: it ends once the engine has hung up.
        let signaller = over_cdp::run(config, signal_sender, reply_queue, CancellationToken::new());
        Ok(Self { linked, stop, engine: tokio::spawn(engine), signaller: tokio::spawn(signaller) })
    }

    /// Says bye to the page and ends the link.
    async fn stop(mut self) {
        self.stop.cancel();
        let ended = timeout(timeouts::SETUP_CALL, async {
            if let Err(error) = (&mut self.engine).await {
                tracing::debug!(%error, "the engine broke");
            }
            if !self.signaller.is_finished() {
                drop((&mut self.signaller).await);
            }
        });
        if ended.await.is_err() {
            tracing::debug!("the link did not end in time");
        }
    }
}
