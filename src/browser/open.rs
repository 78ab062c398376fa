//! Opening a browser: one that already runs in the wanted profile is used, and otherwise one is launched (sections `slicc
//! launch` and "Using SLICC six's Chrome profile" of the requirement).

use std::path::{Path, PathBuf};

use super::{
    discover::{endpoint_id, product},
    installed::{DebugSupport, Engine, Installed, Via, id_order},
    launch::{self, LaunchError, LaunchOptions, LaunchedBrowser, ProfileUse, Program},
    lock::Lock,
    profile::{Place, ProfileName},
    rank::CHROME,
    record::Record,
    running,
    six::{self, SixChoice},
};
use crate::{
    cdp::{BrowserVersion, Client, Endpoint, EndpointError, EventFilter},
    host::{Os, System},
};

/// Which profile is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProfileChoice {
    /// The SLICC profile of this name; the browser's id without one.
    Slicc(Option<ProfileName>),
    /// SLICC six's own, in place.
    Six(SixChoice),
}

/// How a browser is opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The profile.
    pub profile: ProfileChoice,
    /// The page to open.
    pub url: Option<String>,
    /// Whether the page is opened in a new tab of a browser that runs already, too.
    pub new_tab: bool,
    /// Whether to open no window.
    pub headless: bool,
    /// Whether the flags and prefs that keep a seven tab running are given.
    pub seven_flags: bool,
    /// Hosts of extra allowed origins, for the prefs.
    pub extra_hosts: Vec<String>,
    /// More switches.
    pub extra_args: Vec<String>,
}

/// Why a browser wasn't opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no browser to launch.
    #[error("no Chrome or Chromium was found on this machine")]
    NoBrowser,
    /// `--browser` names none.
    #[error("no installed browser is called {0:?}")]
    Unknown(String),
    /// The app refuses remote debugging.
    #[error("{0} refuses remote debugging, so slicc can't drive it")]
    Undebuggable(String),
    /// The app runs, and would take the launch over.
    #[error("{name} is already running (process {pid}); quit it first")]
    AppRuns {
        /// The app.
        name: String,
        /// Its process.
        pid: u32,
    },
    /// An app was to be launched in a profile, with a page or without a window.
    #[error("{name} is an Electron app, which keeps its own data: {flag} can't be used with it")]
    NotForApps {
        /// The app.
        name: String,
        /// The flag.
        flag: &'static str,
    },
    /// The machine has no place for the profile.
    #[error("there is no place for the profile: neither the home dir nor the config dir is known")]
    NoPlace,
    /// SLICC six has no profile.
    #[error("SLICC six's Chrome profile doesn't exist; start SLICC six once, or pick another --profile")]
    NoSix,
    /// SLICC six's Chrome runs without a debugging port.
    #[error("six's Chrome is using this profile; close it, or use --browser/--profile to pick another")]
    SixInUse,
    /// The launch failed.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The browser that runs doesn't take a connection.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The browser that runs opened no tab.
    #[error("no tab was opened: {0}")]
    Tab(#[source] crate::cdp::CdpError),
}

/// A browser that was there already.
#[derive(Debug)]
pub struct RunningBrowser {
    /// Its WebSocket.
    pub endpoint: Endpoint,
    /// What it says it is.
    pub version: BrowserVersion,
    /// Whether an earlier slicc launched it, and was gone before it.
    pub outlived: bool,
    /// Says that it is in use, so that it isn't named as a leftover.
    _record: Option<Record>,
}

/// An open browser.
#[derive(Debug)]
pub enum Opened {
    /// slicc launched it.
    Launched(Box<LaunchedBrowser>),
    /// It was running.
    Running(Box<RunningBrowser>),
}

/// What is opened: a browser, and the profile that it is opened in.
#[derive(Debug, Clone)]
pub struct Target {
    /// The browser to launch. `None` when the one that runs is used, whatever is installed.
    pub browser: Option<Installed>,
    /// The profile's name, as people chose it; `None` for an app.
    pub profile: Option<String>,
    /// The profile's dir; `None` for an app.
    pub dir: Option<PathBuf>,
}

/// What an open browser is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The id, as in `slicc browsers`.
    pub id: String,
    /// The name: foreign text when the endpoint says it.
    pub name: String,
    /// The version, where it is known.
    pub version: Option<String>,
    /// What it is made of.
    pub engine: Engine,
}

impl Identity {
    /// By what the endpoint says.
    fn of_endpoint(endpoint: &Endpoint, version: &BrowserVersion) -> Self {
        Self {
            id: endpoint_id(endpoint),
            name: product::name_and_kind(version).0,
            version: product::number(version).map(str::to_owned),
            engine: Engine::Chromium,
        }
    }
}

impl Target {
    /// What a browser that was launched as this target is called.
    pub fn identity(&self, launched: &LaunchedBrowser) -> Identity {
        let said = Identity::of_endpoint(launched.endpoint(), launched.version());
        match &self.browser {
            Some(installed) => Identity {
                id: installed.id.clone(),
                name: installed.name.clone(),
                version: installed.version.clone().or(said.version),
                engine: installed.engine,
            },
            None => said,
        }
    }
}

/// Finds what the options mean on this machine. `ranked` are the installed browsers and apps, best first.
///
/// # Errors
/// [`OpenError`] when there is no such browser or profile.
pub fn target(
    system: &dyn System,
    ranked: &[Installed],
    browser: Option<&str>,
    options: &OpenOptions,
) -> Result<Target, OpenError> {
    let named = browser.map(|wanted| named(ranked, wanted)).transpose()?;
    match &options.profile {
        ProfileChoice::Six(choice) => {
            let dir = choice.dir(system).filter(|dir| system.is_dir(dir)).ok_or(OpenError::NoSix)?;
            if let Some(app) = named.filter(|browser| browser.engine == Engine::Electron) {
                return Err(OpenError::NotForApps { name: app.name.clone(), flag: "--profile" });
            }
            let browser = named.or_else(|| used_by_six(system, ranked, &dir)).cloned();
            Ok(Target { browser, profile: Some(choice.to_string()), dir: Some(dir) })
        }
        ProfileChoice::Slicc(name) => {
            let best = || ranked.iter().find(|browser| browser.engine == Engine::Chromium);
            let browser = named.or_else(best).ok_or(OpenError::NoBrowser)?;
            if browser.engine == Engine::Electron {
                return app(system, browser, options);
            }
            let default = || ProfileName::parse(&browser.id).map_err(|_| OpenError::NoPlace);
            let name = name.clone().map_or_else(default, Ok)?;
            let dir = place(system, browser).ok_or(OpenError::NoPlace)?.dir(system, &name);
            Ok(Target { browser: Some(browser.clone()), profile: Some(name.to_string()), dir: Some(dir) })
        }
    }
}

/// Where the SLICC profiles of a browser are. `None` on a machine without a home or config dir.
pub fn place(system: &dyn System, browser: &Installed) -> Option<Place> {
    match (browser.via, &browser.package) {
        (Some(Via::Snap), Some(snap)) => Place::of_snap(system, snap),
        _ => Place::general(system),
    }
}

/// Uses the browser that runs in the target's profile, or launches one.
///
/// # Errors
/// [`OpenError`]; nothing is left running that slicc started.
pub async fn open(system: &dyn System, target: &Target, options: &OpenOptions) -> Result<Opened, OpenError> {
    let in_place = matches!(options.profile, ProfileChoice::Six(_));
    if let Some(dir) = &target.dir {
        let profile_is_six = !in_place && super::profile::is_six(system, dir);
        if profile_is_six {
            return Err(LaunchError::Six { path: dir.clone() }.into());
        }
        if let Some(running) = running(system, dir, in_place, options).await? {
            return Ok(Opened::Running(Box::new(running)));
        }
        if in_place && Lock::of(system, dir).is_live() {
            return Err(OpenError::SixInUse);
        }
    }
    let browser = target.browser.as_ref().ok_or(OpenError::NoBrowser)?;
    let launch_options = LaunchOptions {
        program: Program::of(browser, system.os()),
        profile: match &target.dir {
            Some(dir) if in_place => ProfileUse::InPlace(dir.clone()),
            Some(dir) => ProfileUse::Slicc(dir.clone()),
            None => ProfileUse::Apps,
        },
        url: options.url.clone(),
        headless: options.headless,
        seven_flags: options.seven_flags,
        extra_hosts: options.extra_hosts.clone(),
        extra_args: options.extra_args.clone(),
        start_limit: launch::START_LIMIT,
    };
    // Boxed: the future of a launch is large.
    let launched = Box::pin(launch::launch(system, &launch_options)).await?;
    Ok(Opened::Launched(Box::new(launched)))
}

/// The browser that runs in a profile, with the page in a new tab of it.
async fn running(
    system: &dyn System,
    dir: &Path,
    in_place: bool,
    options: &OpenOptions,
) -> Result<Option<RunningBrowser>, OpenError> {
    let Some((endpoint, version)) = running::find(system, dir).await else { return Ok(None) };
    let record = if in_place { None } else { Record::adopt(dir) };
    if let Some(url) = options.url.as_ref().filter(|_| options.new_tab) {
        open_tab(&endpoint, url).await?;
    }
    Ok(Some(RunningBrowser { endpoint, version, outlived: record.is_some(), _record: record }))
}

async fn open_tab(endpoint: &Endpoint, url: &str) -> Result<(), OpenError> {
    let (client, _events) = Client::connect(endpoint, EventFilter::NONE).await?;
    let created = client.call(None, "Target.createTarget", serde_json::json!({ "url": url })).await;
    created.map(drop).map_err(OpenError::Tab)
}

impl RunningBrowser {
    /// What it is called.
    pub fn identity(&self) -> Identity {
        Identity::of_endpoint(&self.endpoint, &self.version)
    }

    /// Resolves when the browser has quit. Dropping the future loses nothing.
    ///
    /// # Errors
    /// When it runs and takes no connection.
    pub async fn exited(&self) -> Result<(), EndpointError> {
        loop {
            match Client::connect(&self.endpoint, EventFilter::NONE).await {
                Ok((_client, mut events)) => while events.next().await.is_ok() {},
                Err(error) if self.answers().await => return Err(error),
                Err(_) => {}
            }
            if !self.answers().await {
                return Ok(());
            }
        }
    }

    /// Whether the browser is still the one on its port.
    async fn answers(&self) -> bool {
        running::answering(self.endpoint.clone()).await.is_some()
    }
}

/// The installed browser or app with this id, or else with this name in any case.
fn named<'a>(ranked: &'a [Installed], wanted: &str) -> Result<&'a Installed, OpenError> {
    let by_id = ranked.iter().find(|browser| browser.id == wanted);
    let wanted_name = wanted.to_lowercase();
    by_id
        .or_else(|| ranked.iter().find(|browser| browser.name.to_lowercase() == wanted_name))
        .or_else(|| ranked.iter().find(|browser| browser.id.to_lowercase() == wanted_name))
        .ok_or_else(|| OpenError::Unknown(wanted.to_owned()))
}

/// The browser that six used last, by its version; Chrome, when no browser has that one.
fn used_by_six<'a>(system: &dyn System, ranked: &'a [Installed], dir: &Path) -> Option<&'a Installed> {
    let mut chromium: Vec<_> = ranked.iter().filter(|browser| browser.engine == Engine::Chromium).collect();
    chromium.sort_by_key(|browser| id_order(&browser.id));
    let last = six::last_version(system, dir);
    let same = chromium.iter().find(|browser| last.is_some() && browser.version == last);
    same.or_else(|| chromium.iter().find(|browser| browser.id == CHROME)).copied()
}

/// An Electron app as a target, when it can be launched.
fn app(system: &dyn System, app: &Installed, options: &OpenOptions) -> Result<Target, OpenError> {
    let name = || app.name.clone();
    if app.debug_support == DebugSupport::Disabled {
        return Err(OpenError::Undebuggable(name()));
    }
    let flags = [
        (options.profile != ProfileChoice::Slicc(None), "--profile"),
        (options.url.is_some(), "--url"),
        (options.headless, "--headless"),
    ];
    if let Some((_, flag)) = flags.into_iter().find(|(given, _)| *given) {
        return Err(OpenError::NotForApps { name: name(), flag });
    }
    if let Some(pid) = running_app(system, &app.executable) {
        return Err(OpenError::AppRuns { name: name(), pid });
    }
    Ok(Target { browser: Some(app.clone()), profile: None, dir: None })
}

/// The process of an app that runs.
fn running_app(system: &dyn System, executable: &Path) -> Option<u32> {
    let canonical = system.canonical(executable);
    let files: Vec<String> = [Some(executable.to_owned()), canonical]
        .into_iter()
        .flatten()
        .filter_map(|path| path.to_str().map(str::to_owned))
        .collect();
    let runs = |command: &str| files.iter().any(|file| runs(system.os(), command, file));
    let processes = system.processes(super::record::PROCESS_LIST).into_iter();
    processes.filter(|line| line.pid != system.own_pid() && runs(&line.command)).map(|line| line.pid).next()
}

/// Whether a command line begins with a program, in quotes or not.
fn runs(os: Os, command: &str, file: &str) -> bool {
    let (command, file) = match os {
        Os::Windows => (command.to_lowercase(), file.to_lowercase()),
        Os::Linux | Os::Macos => (command.to_owned(), file.to_owned()),
    };
    let rest = command.strip_prefix(&file).or_else(|| command.strip_prefix(&format!("\"{file}\"")));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

#[cfg(test)]
mod tests;
