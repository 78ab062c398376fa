//! `slicc launch`: a browser with a debugging port, kept until Ctrl-C (section `slicc launch` of the requirement).

use std::path::Path;

use tokio_util::sync::CancellationToken;
use url::Url;

use super::{
    Failure, FailureKind, console, given, interrupt, look_around,
    stdout::{self, Stopped},
};
use crate::{
    browser::{
        discover::Scope,
        installed::{self, Engine, Installed},
        launch::{LaunchError, LaunchedBrowser},
        migrate::migrate,
        open::{self, Identity, OpenError, OpenOptions, Opened, ProfileChoice, RunningBrowser, Target},
        rank::{Entry, rank},
    },
    generated::{
        cli::LaunchArgs,
        events::{LaunchEngine, LaunchEvent},
    },
    host::{RealSystem, System},
};

/// Where the events go.
struct Output {
    json: bool,
}

impl Output {
    /// Writes an event, if events are wanted.
    fn event(&self, event: &LaunchEvent) -> Result<(), Stopped> {
        if !self.json {
            return Ok(());
        }
        let text =
            serde_json::to_string(event).map_err(|error| Failure::failed(format!("an event is lost: {error}")))?;
        line(&text)
    }

    /// Names the debugging endpoint: in an event, or for people and scripts alone on a line.
    fn announce(&self, event: &LaunchEvent, cdp: &str) -> Result<(), Stopped> {
        if self.json { self.event(event) } else { line(cdp) }
    }
}

fn line(text: &str) -> Result<(), Stopped> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    stdout::written(writeln!(out, "{text}").and_then(|()| out.flush()))
}

/// Launches a browser, or uses one that runs, until it is interrupted or the browser quits.
///
/// # Errors
/// [`Failure`]: wrong arguments, or a browser that doesn't start or can't be closed.
pub fn run(args: LaunchArgs) -> Result<(), Failure> {
    let output = Output { json: args.json };
    let (browser, options) = plan(args)?;
    let result = super::block_on(launch(browser.as_deref(), &options, &output));
    if let Err(failure) = &result
        && failure.kind == FailureKind::Failed
    {
        stdout::ended(output.event(&LaunchEvent::Error { message: failure.message.clone() }))?;
    }
    result
}

/// What the arguments mean, whatever the machine.
fn plan(args: LaunchArgs) -> Result<(Option<String>, OpenOptions), Failure> {
    let profile = given::profile(args.profile.as_deref())?;
    if let Some(url) = &args.url
        && let Err(error) = Url::parse(url)
    {
        return Err(Failure::usage(format_args!("--url: not a URL ({error})"))
            .hint("write it with its scheme, as in https://seven.sliccy.ai/"));
    }
    let options = OpenOptions {
        profile,
        url: args.url,
        new_tab: true,
        headless: args.headless,
        seven_flags: !args.no_seven_flags,
        extra_hosts: Vec::new(),
        extra_args: Vec::new(),
    };
    Ok((args.browser, options))
}

async fn launch(browser: Option<&str>, options: &OpenOptions, output: &Output) -> Result<(), Failure> {
    let shutdown = interrupt::listen()?;
    let opening = async {
        // SLICC six's profile has no part in what happens to others.
        let migrated = !matches!(options.profile, ProfileChoice::Six(_));
        let (notices, ranked) = look_around(move || {
            (if migrated { migrate(&RealSystem) } else { Vec::new() }, installed_browsers(&RealSystem))
        })
        .await?;
        for notice in notices {
            console::status(&notice.to_string());
        }
        let target = open::target(&RealSystem, &ranked, browser, options).map_err(|error| failure(error, options))?;
        let opened = open::open(&RealSystem, &target, options).await.map_err(|error| failure(error, options))?;
        Ok::<_, Failure>((target, opened))
    };
    let (target, opened) = tokio::select! {
        biased;
        () = shutdown.cancelled() => return Err(Failure::interrupted("interrupted")),
        // Boxed: the future of a launch is large.
        opened = Box::pin(opening) => opened?,
    };
    match opened {
        Opened::Launched(browser) => keep(*browser, &target, output, &shutdown).await,
        Opened::Running(browser) => stay(&browser, &target, options, output, &shutdown).await,
    }
}

/// The installed browsers and apps, best first.
fn installed_browsers(system: &dyn System) -> Vec<Installed> {
    if !Scope::of(system).installed {
        return Vec::new();
    }
    let entries = rank([], installed::all(system, &installed::Options::default()));
    entries.iter().filter_map(Entry::installed).cloned().collect()
}

/// A failure with what to do about it.
pub(super) fn failure(error: OpenError, options: &OpenOptions) -> Failure {
    let hint = match &error {
        OpenError::NoBrowser => Some("install Google Chrome or Chromium"),
        OpenError::Unknown(_) => Some("run slicc browsers to see what there is"),
        OpenError::Launch(LaunchError::Exited { .. }) if !options.headless => {
            Some("try --headless, which opens no window")
        }
        _ => None,
    };
    let failure = Failure::failed(error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Keeps a browser that was launched.
async fn keep(
    browser: LaunchedBrowser,
    target: &Target,
    output: &Output,
    shutdown: &CancellationToken,
) -> Result<(), Failure> {
    for notice in browser.notices() {
        console::status(&notice.to_string());
    }
    let (name, announced) = launched(&browser, target);
    let cdp = browser.endpoint().http().to_string();
    let written = output.announce(&announced, &cdp);
    let ended = if let Err(stopped) = written {
        Err(stopped)
    } else {
        console::status(&said(&name, target));
        tokio::select! {
            biased;
            () = shutdown.cancelled() => Ok(LaunchEvent::Closed),
            _ = browser.exited() => Ok(LaunchEvent::Exited),
        }
    };
    // Boxed: the client of the goodbye is large.
    Box::pin(browser.quit()).await.map_err(Failure::failed)?;
    let ended = match ended {
        Ok(event) => {
            console::status(&if event == LaunchEvent::Exited {
                format!("{name} exited")
            } else {
                format!("closed {name}")
            });
            output.event(&event)
        }
        Err(stopped) => Err(stopped),
    };
    stdout::ended(ended)
}

/// Stays with a browser that was running.
async fn stay(
    browser: &RunningBrowser,
    target: &Target,
    options: &OpenOptions,
    output: &Output,
    shutdown: &CancellationToken,
) -> Result<(), Failure> {
    let (name, announced) = attached(browser, target);
    let cdp = browser.endpoint.http().to_string();
    let written = output.announce(&announced, &cdp);
    if let Err(stopped) = written {
        return stdout::ended(Err(stopped));
    }
    let profile = target.profile.as_deref().unwrap_or_default();
    let whose =
        if browser.outlived { "which outlived the slicc that launched it" } else { "which slicc didn't launch" };
    let tab = if options.url.is_some() { "; opened a new tab" } else { "" };
    console::status(&format!("using {name} (profile {profile}) at {cdp}, {whose}{tab}"));
    let event = tokio::select! {
        biased;
        () = shutdown.cancelled() => LaunchEvent::Detached,
        exited = Box::pin(browser.exited()) => {
            exited.map_err(Failure::failed)?;
            LaunchEvent::Exited
        }
    };
    let exited = event == LaunchEvent::Exited;
    console::status(&if exited { format!("{name} exited") } else { format!("detached; {name} keeps running") });
    stdout::ended(output.event(&event))
}

/// What people read of a launch.
fn said(name: &str, target: &Target) -> String {
    match &target.profile {
        Some(profile) => format!("launched {name} with profile {profile}; press Ctrl-C to close it"),
        None => format!("launched {name}; press Ctrl-C to close it"),
    }
}

/// A launched browser's name and event.
fn launched(browser: &LaunchedBrowser, target: &Target) -> (String, LaunchEvent) {
    let Identity { id, name, version, engine } = target.identity(browser);
    let event = LaunchEvent::Launched {
        id,
        name: name.clone(),
        version,
        engine: engine_of(engine),
        pid: browser.pid().into(),
        profile: target.profile.clone(),
        profile_dir: target.dir.as_deref().map(shown),
        cdp: browser.endpoint().http().to_string(),
        web_socket_debugger_url: browser.endpoint().socket_url().unwrap_or_default(),
    };
    (name, event)
}

/// The name and the event of a browser that was running.
fn attached(browser: &RunningBrowser, target: &Target) -> (String, LaunchEvent) {
    let Identity { id, name, version, engine } = browser.identity();
    let event = LaunchEvent::Attached {
        id,
        name: name.clone(),
        version,
        engine: engine_of(engine),
        profile: target.profile.clone(),
        profile_dir: target.dir.as_deref().map(shown),
        cdp: browser.endpoint.http().to_string(),
        web_socket_debugger_url: browser.endpoint.socket_url().unwrap_or_default(),
    };
    (name, event)
}

fn engine_of(engine: Engine) -> LaunchEngine {
    match engine {
        Engine::Chromium => LaunchEngine::Chromium,
        Engine::Electron => LaunchEngine::Electron,
    }
}

pub(super) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        browser::{profile::ProfileName, six::SixChoice},
        generated::cli::{Cli, Command},
    };

    fn planned(line: &str) -> Result<(Option<String>, OpenOptions), Failure> {
        let words = format!("slicc launch {line}");
        match Cli::read(words.split_whitespace().map(Into::into)).unwrap().command {
            Some(Command::Launch(args)) => plan(args),
            other => panic!("not launch: {other:?}"),
        }
    }

    #[test]
    fn six_is_a_profile_of_its_own_kind() {
        let profile = |line| planned(line).unwrap().1.profile;
        assert_eq!(profile("--profile six"), ProfileChoice::Six(SixChoice { port: None }));
        assert_eq!(profile("--profile six:5711"), ProfileChoice::Six(SixChoice { port: Some(5711) }));
        assert_eq!(profile("--profile Six"), ProfileChoice::Slicc(Some(ProfileName::parse("Six").unwrap())));
        assert_eq!(profile(""), ProfileChoice::Slicc(None));
    }

    #[test]
    fn a_name_that_leads_elsewhere_and_a_page_that_is_a_switch_are_refused() {
        for line in ["--profile a/b", "--profile ..", "--profile six:", "--profile six:x", "--url=--load-extension=x"] {
            assert_eq!(planned(line).unwrap_err().kind, FailureKind::Usage, "{line}");
        }
    }
}
