//! The browsers of a run while they are open: launched, or used as they are.

use std::{path::Path, time::Duration};

use futures_util::{FutureExt as _, future::join_all};

use super::{choice::Pick, front::Output, plan::Plan, watch::Watched};
use crate::{
    browser::{
        discover::RunningEndpoint,
        installed::Engine,
        launch::{CloseError, LaunchedBrowser},
        open::{self, Identity, OpenOptions, Opened, ProfileChoice, RunningBrowser, Target},
        rank::Entry,
        record::Record,
    },
    cdp::Endpoint,
    cli::{
        Failure,
        launch::{failure, shown},
    },
    host::System,
    tui::event::{ForeignBrowser, Role, SessionBrowser, SessionEvent},
};

/// The profile of a browser in its default user data dir.
const DEFAULT_PROFILE: &str = "default";

/// How long a browser that closed its connection may take to exit, until it is closed.
const EXIT: Duration = Duration::from_secs(2);

/// A browser that a run uses.
pub struct OpenBrowser {
    facts: SessionBrowser,
    socket: Endpoint,
    ws_only: bool,
    /// How its profile is named to people, if anyhow.
    profile: Option<String>,
    six: bool,
    in_slicc_profile: bool,
    keeper: Keeper,
}

/// What keeps it.
enum Keeper {
    /// slicc launched it.
    Launched(Box<LaunchedBrowser>),
    /// It ran in the wanted profile.
    Running { _browser: Box<RunningBrowser> },
    /// It is an endpoint. The record says that it is in use, when an earlier slicc launched it.
    Endpoint { _record: Option<Record> },
}

/// Opens a browser. What is launched is told to `output`.
///
/// # Errors
/// When it can't be launched or used.
pub async fn open(
    system: &dyn System,
    pick: &Pick,
    role: Role,
    plan: &Plan,
    entries: &[Entry],
    output: &Output,
) -> Result<OpenBrowser, Failure> {
    match pick {
        Pick::Endpoint(endpoint) => Ok(OpenBrowser::of_endpoint(endpoint, role, entries)),
        Pick::Installed { browser, profile } => {
            let options = options(plan, ProfileChoice::Slicc(profile.clone()), role, browser.engine);
            let target = open::target(system, std::slice::from_ref(&**browser), Some(&browser.id), &options);
            let target = target.map_err(|error| failure(error, &options))?;
            open_target(system, &target, false, role, &options, output).await
        }
        Pick::Six { choice, browser } => {
            let options = options(plan, ProfileChoice::Six(*choice), role, Engine::Chromium);
            let installed: Vec<_> = entries.iter().filter_map(Entry::installed).cloned().collect();
            let target = open::target(system, &installed, browser.as_deref(), &options);
            let target = target.map_err(|error| failure(error, &options))?;
            open_target(system, &target, true, role, &options, output).await
        }
    }
}

/// How a browser is opened: seven's with the page, an extra without a start page.
fn options(plan: &Plan, profile: ProfileChoice, role: Role, engine: Engine) -> OpenOptions {
    OpenOptions {
        profile,
        url: (role == Role::Seven).then(|| plan.page.to_string()),
        // Whether a tab shows seven is known once slicc is connected.
        new_tab: false,
        // An app has a window in any case.
        headless: plan.headless && engine == Engine::Chromium,
        seven_flags: true,
        extra_hosts: plan.extra_hosts.clone(),
        extra_args: Vec::new(),
    }
}

/// Launches the target, or uses the browser that runs in its profile.
async fn open_target(
    system: &dyn System,
    target: &Target,
    six: bool,
    role: Role,
    options: &OpenOptions,
    output: &Output,
) -> Result<OpenBrowser, Failure> {
    // Boxed: the future of a launch is large.
    let opened = Box::pin(open::open(system, target, options)).await.map_err(|error| failure(error, options))?;
    Ok(match opened {
        Opened::Running(browser) => OpenBrowser::of_running(browser, target, six, role),
        Opened::Launched(browser) => {
            for notice in browser.notices() {
                output.status(notice.to_string());
            }
            let pid = browser.pid();
            let open = OpenBrowser::of_launched(browser, target, six, role);
            output.tell(&SessionEvent::Launched {
                browser: open.facts.clone(),
                pid,
                profile: target.profile.clone(),
                profile_dir: target.dir.as_deref().map(shown),
            });
            open
        }
    })
}

impl OpenBrowser {
    fn of_endpoint(endpoint: &RunningEndpoint, role: Role, entries: &[Entry]) -> Self {
        let dir = endpoint.user_data_dir.as_deref();
        let adopted = dir.filter(|_| endpoint.profile.is_some()).and_then(Record::adopt);
        Self {
            facts: facts(endpoint.id(), endpoint.name.clone(), endpoint.version.clone(), role, &endpoint.socket),
            socket: endpoint.socket.clone(),
            ws_only: endpoint.ws_only,
            profile: profile_name(endpoint, entries),
            six: endpoint.six,
            in_slicc_profile: endpoint.profile.is_some(),
            keeper: Keeper::Endpoint { _record: adopted },
        }
    }

    fn of_running(browser: Box<RunningBrowser>, target: &Target, six: bool, role: Role) -> Self {
        let Identity { id, name, version, .. } = browser.identity();
        Self {
            facts: facts(id, name, version, role, &browser.endpoint),
            socket: browser.endpoint.clone(),
            ws_only: false,
            profile: target.profile.clone(),
            six,
            in_slicc_profile: !six,
            keeper: Keeper::Running { _browser: browser },
        }
    }

    fn of_launched(browser: Box<LaunchedBrowser>, target: &Target, six: bool, role: Role) -> Self {
        let Identity { id, name, version, .. } = target.identity(&browser);
        // In six's profile it is six's Chrome, whatever browser that is: `six` and no port.
        let id = if six { SIX.to_owned() } else { id };
        Self {
            facts: facts(id, name, version, role, browser.endpoint()),
            socket: browser.endpoint().clone(),
            ws_only: false,
            profile: target.profile.clone(),
            six,
            in_slicc_profile: !six,
            keeper: Keeper::Launched(browser),
        }
    }

    /// What is told of it.
    pub fn facts(&self) -> &SessionBrowser {
        &self.facts
    }

    /// Where slicc connects to it.
    pub fn socket(&self) -> &Endpoint {
        &self.socket
    }

    /// Whether this run launched it.
    pub fn is_launched(&self) -> bool {
        matches!(self.keeper, Keeper::Launched(_))
    }

    /// The notice about a browser that slicc didn't launch: for SLICC six's always, and for others when nobody chose them and
    /// they aren't in a SLICC profile.
    pub fn foreign(&self, by_user: bool, opened_tab: bool) -> Option<ForeignBrowser> {
        let told = !self.is_launched() && (self.six || !(by_user || self.in_slicc_profile));
        told.then(|| ForeignBrowser {
            id: self.facts.id.clone(),
            name: self.facts.name.clone(),
            profile: self.profile.clone(),
            cdp: self.facts.cdp.clone(),
            opened_tab,
        })
    }

    /// How it is asked whether it is still there.
    pub fn watched(&self) -> Watched {
        let (id, name) = (self.facts.id.clone(), self.facts.name.clone());
        Watched { id, name, http: self.socket.http(), ws_only: self.ws_only }
    }

    /// Waits until it has exited, if this run launched it, for [`EXIT`] at most. One that closed its connection mostly is about
    /// to exit.
    pub async fn exits(&self) {
        if let Keeper::Launched(browser) = &self.keeper
            && tokio::time::timeout(EXIT, browser.exited()).await.is_err()
        {
            tracing::debug!("the browser closed the connection and runs on");
        }
    }

    /// Closes it, when this run launched it. A browser that quit by itself isn't closed any more.
    async fn close(self) -> Option<(String, Result<(), CloseError>)> {
        let Keeper::Launched(browser) = self.keeper else { return None };
        let quit_by_itself = browser.exited().now_or_never().is_some();
        // Boxed: the client of the goodbye is large.
        let closed = Box::pin(browser.quit()).await.map(drop);
        (closed.is_err() || !quit_by_itself).then_some((self.facts.id, closed))
    }
}

/// The id of a browser that was launched in SLICC six's profile.
const SIX: &str = "six";

fn facts(id: String, name: String, version: Option<String>, role: Role, socket: &Endpoint) -> SessionBrowser {
    let http = socket.http();
    SessionBrowser {
        id,
        name,
        version,
        role,
        cdp: http.to_string(),
        port: http.port(),
        web_socket: socket.socket_url(),
    }
}

/// How an endpoint's profile is named to people.
fn profile_name(endpoint: &RunningEndpoint, entries: &[Entry]) -> Option<String> {
    let dir = endpoint.user_data_dir.as_deref()?;
    let mut installed = entries.iter().filter_map(Entry::installed);
    if endpoint.browser.is_some() || installed.any(|installed| installed.user_data_dir.as_deref() == Some(dir)) {
        return Some(DEFAULT_PROFILE.to_owned());
    }
    dir.file_name().map(|name| shown(Path::new(name)))
}

/// Closes what was launched, all at once. Returns the ids of what was closed, and what couldn't be.
pub async fn close(browsers: Vec<OpenBrowser>) -> (Vec<String>, Vec<(String, CloseError)>) {
    let (mut closed, mut left) = (Vec::new(), Vec::new());
    for (id, result) in join_all(browsers.into_iter().map(OpenBrowser::close)).await.into_iter().flatten() {
        match result {
            Ok(()) => closed.push(id),
            Err(error) => left.push((id, error)),
        }
    }
    (closed, left)
}
