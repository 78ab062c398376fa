//! `slicc doctor`: links a page of slicc's own in a real browser, and checks what the link offers.

mod linking;
mod subject;

use std::{io::Stdout, ops::ControlFlow};

use tokio_util::sync::CancellationToken;

use self::{
    linking::Linking,
    subject::{Plan, Subject},
};
use super::{
    Failure, console, interrupt,
    stdout::{self, Stopped},
};
use crate::{
    browser::record,
    doctor::{page_server, report::Report, servers::Servers},
    generated::cli::DoctorArgs,
    host::RealSystem,
};

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
        let written = report.error(&failure.message, failure.hints.first().map(String::as_str));
        stdout::ended(stdout::written(written))?;
    }
    result
}

async fn doctor(plan: Plan, keep: bool, report: &mut Report<Stdout>) -> Result<(), Failure> {
    let shutdown = interrupt::listen()?;
    for left in record::leftovers(&RealSystem).await {
        console::status(&left.to_string());
        stdout::ended(stdout::written(report.leftover(&left)))?;
    }
    let servers = Servers::start().await.map_err(|error| Failure::failed(format!("cannot serve the page: {error}")))?;
    let mut subject = unless_interrupted(&shutdown, Subject::open(plan, &servers)).await?;
    let examined = examine(&mut subject, &servers, report, keep, &shutdown).await;
    subject.close().await?;
    stdout::ended(examined)
}

/// Links the page and runs its checks. With `keep`, the page then stays until the user ends it or closes the browser.
async fn examine(
    subject: &mut Subject,
    servers: &Servers,
    report: &mut Report<Stdout>,
    keep: bool,
    shutdown: &CancellationToken,
) -> Result<(), Stopped> {
    stdout::written(report.browser(subject.product(), subject.is_headless()))?;
    let mut linking = unless_interrupted(shutdown, Linking::start(subject.endpoint(), servers)).await?;
    let checked = unless_interrupted(shutdown, check(subject, &mut linking, servers, report)).await;
    if keep && checked.is_ok() {
        console::status(&format!("the page stays open at {}; press Ctrl-C to end", servers.page_url()));
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = subject.exited() => console::status("the browser was closed"),
            () = linking.ended() => console::status("the browser was closed"),
        }
    }
    linking.stop().await;
    checked?;
    match report.failed() {
        0 => Ok(()),
        1 => Err(Failure::failed("a check failed").into()),
        failed => Err(Failure::failed(format!("{failed} checks failed")).into()),
    }
}

async fn check(
    subject: &mut Subject,
    linking: &mut Linking,
    servers: &Servers,
    report: &mut Report<Stdout>,
) -> Result<(), Stopped> {
    linking.linked().await;
    let config = servers.config_json(subject.endpoint().port());
    let mut written = Ok(());
    let ran = subject.tab().run_checks(&config, |result| {
        written = report.check(result);
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    ran.await.map_err(Failure::failed)?;
    stdout::written(written)?;
    let kernel_port = linking.kernel_port();
    stdout::written(report.check(page_server::check(kernel_port).await))?;
    let url = format!("http://{}/", page_server::host(kernel_port));
    let reached = subject.tab().reach_page_server(&url).await.map_err(Failure::failed)?;
    stdout::written(report.check(reached).and_then(|()| report.finish()))
}

/// Runs a step, which is given up when the user ends the command.
async fn unless_interrupted<T, E: From<Failure>>(
    shutdown: &CancellationToken,
    step: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    tokio::select! {
        biased;
        () = shutdown.cancelled() => Err(Failure::interrupted("interrupted").into()),
        done = step => done,
    }
}
