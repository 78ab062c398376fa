//! Running browsers with a debugging endpoint (section "Browsers" of the requirement).
//!
//! Four sources name candidates: `DevToolsActivePort` files, `--cdp`, the process list, and a few ports that are always
//! looked at. They run at once. Each place is asked once, as soon as a source names it, within its own time; a pure
//! function then tells from the answers which candidates are there. Nothing but [`Network`] reaches an endpoint.

#[cfg(test)]
mod chromium_tests;
pub mod http;
mod merge;
pub mod process;
pub mod product;
mod sources;
pub mod tabs;

use std::{
    collections::{HashMap, HashSet},
    fmt,
    num::NonZeroU16,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use tokio::{
    task::{JoinError, JoinSet},
    time::Instant,
};

pub use self::http::{Network, RealNetwork};
use self::merge::{Answer, Candidate, merge};
use super::origin::SevenOrigins;
use crate::{
    cdp::{
        Endpoint, EndpointError,
        endpoint::{MAX_BODY, VERSION},
        version::parse_version,
    },
    generated::{
        catalog::discovery::PROBE_PORTS,
        cli::env::SLICC_DISCOVERY,
        events::{EndpointSource, SevenTab},
    },
    host::System,
};

/// How long an endpoint has for each of its two answers.
pub const ANSWER: Duration = Duration::from_millis(1200);
/// How long a port has to take a connection.
const CONNECT: Duration = Duration::from_millis(300);
/// When the whole discovery is over, whatever is still slow.
pub const WHOLE: Duration = Duration::from_millis(2500);

/// Which sources there are. Tests limit them, so that they never meet the browsers of the machine that they run on (section
/// "Development" of the requirement).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// Whether installed browsers are looked for.
    pub installed: bool,
    /// Whether `DevToolsActivePort` files are read.
    pub files: bool,
    /// Whether the process list is read and the usual ports are looked at.
    pub machine: bool,
}

impl Scope {
    /// What SLICC_DISCOVERY says.
    pub fn of(system: &dyn System) -> Self {
        let value = system.env(SLICC_DISCOVERY);
        let (installed, files, machine) = match value.as_ref().map(|value| value.to_str()) {
            None => (true, true, true),
            Some(Some("home")) => (true, true, false),
            Some(Some("installed")) => (true, false, false),
            Some(_) => (false, false, false),
        };
        Self { installed, files, machine }
    }
}

/// What to look for besides what this machine tells.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The values of `--cdp`.
    pub cdp: Vec<Endpoint>,
    /// Ports to look at instead of the usual ones, whatever SLICC_DISCOVERY says.
    pub probe_ports: Option<Vec<NonZeroU16>>,
    /// Which pages are seven.
    pub origins: SevenOrigins,
}

/// A running browser with a debugging endpoint: the requirement's `endpoint` object.
///
/// Its `Debug` leaves the WebSocket's path out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningEndpoint {
    /// The HTTP endpoint, with `localhost` and `::1` written as 127.0.0.1.
    pub http: Endpoint,
    /// The browser's WebSocket.
    pub socket: Endpoint,
    /// The browser's name.
    pub name: String,
    /// The kind of its product, such as `chrome`.
    pub kind: String,
    /// The browser's version.
    pub version: Option<String>,
    /// The product with its version; empty when it doesn't say.
    pub product: String,
    /// The user agent; empty when it doesn't say.
    pub user_agent: String,
    /// What found it.
    pub source: EndpointSource,
    /// The id of the installed browser whose user data dir held the file.
    pub browser: Option<&'static str>,
    /// The user data dir.
    pub user_data_dir: Option<PathBuf>,
    /// The name of the SLICC profile.
    pub profile: Option<String>,
    /// Whether only the WebSocket answers.
    pub ws_only: bool,
    /// Whether it is SLICC six's Chrome.
    pub six: bool,
    /// The tabs that show seven.
    pub seven_tabs: Vec<SevenTab>,
}

impl RunningEndpoint {
    /// Its id, as [`endpoint_id`] has it.
    pub fn id(&self) -> String {
        endpoint_id(&self.http)
    }

    /// A Chrome on this port of this host, of which nothing else is known.
    #[cfg(test)]
    pub(crate) fn chrome_at(place: &str) -> Self {
        Self {
            http: Endpoint::parse(place).unwrap(),
            socket: Endpoint::parse(&format!("ws://{place}/devtools/browser/a")).unwrap(),
            name: "Chrome".into(),
            kind: "chrome".into(),
            version: None,
            product: String::new(),
            user_agent: String::new(),
            source: EndpointSource::Probe,
            browser: None,
            user_data_dir: None,
            profile: None,
            ws_only: false,
            six: false,
            seven_tabs: Vec::new(),
        }
    }

    /// Whether a tab shows seven.
    pub fn seven_open(&self) -> bool {
        !self.seven_tabs.is_empty()
    }
}

/// The id of the browser at an endpoint: `cdp:<host>:<port>`.
pub fn endpoint_id(endpoint: &Endpoint) -> String {
    format!("cdp:{}:{}", endpoint.host(), endpoint.port())
}

/// A `--cdp` that no browser answers at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// What happened. It names the endpoint, and no path.
    pub reason: String,
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

/// What is running.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Running {
    /// The endpoints, by host and port.
    pub endpoints: Vec<RunningEndpoint>,
    /// Each `--cdp` that no browser answers at.
    pub unanswered: Vec<Unanswered>,
}

/// Finds running browsers, within [`WHOLE`].
pub async fn running(system: &Arc<dyn System>, network: &Arc<dyn Network>, options: &Options) -> Running {
    let scope = Scope::of(&**system);
    let mut sources = JoinSet::new();
    if scope.files {
        let system = Arc::clone(system);
        sources.spawn_blocking(move || sources::files(&*system));
    }
    if scope.machine {
        let system = Arc::clone(system);
        sources.spawn_blocking(move || sources::processes(&*system));
    }
    let probed = match &options.probe_ports {
        Some(ports) => ports.clone(),
        None if scope.machine => PROBE_PORTS.filter_map(NonZeroU16::new).collect(),
        None => Vec::new(),
    };
    let flags = options.cdp.iter().map(|endpoint| {
        let endpoint = endpoint.clone().on_one_loopback();
        let socket = endpoint.is_socket().then(|| endpoint.clone());
        Candidate { socket, ..Candidate::at(endpoint.http(), EndpointSource::Flag) }
    });
    let probes = probed.into_iter().map(|port| Candidate::at(Endpoint::on_loopback(port), EndpointSource::Probe));
    let mut asking = Asking::new(network, &options.origins);
    asking.add(flags.chain(probes));
    asking.run(sources).await;
    asking.connect().await;
    let (endpoints, unanswered) = merge(asking.candidates, &asking.answers);
    Running { endpoints, unanswered }
}

/// Candidates as they come in, and the answers of their endpoints.
struct Asking<'a> {
    network: &'a Arc<dyn Network>,
    origins: Arc<SevenOrigins>,
    deadline: Instant,
    candidates: Vec<Candidate>,
    asked: HashSet<Endpoint>,
    pending: JoinSet<(Endpoint, Answer)>,
    answers: HashMap<Endpoint, Answer>,
}

impl<'a> Asking<'a> {
    fn new(network: &'a Arc<dyn Network>, origins: &SevenOrigins) -> Self {
        Self {
            network,
            origins: Arc::new(origins.clone()),
            deadline: Instant::now() + WHOLE,
            candidates: Vec::new(),
            asked: HashSet::new(),
            pending: JoinSet::new(),
            answers: HashMap::new(),
        }
    }

    /// Notes candidates, and asks those endpoints that weren't asked yet.
    fn add(&mut self, candidates: impl IntoIterator<Item = Candidate>) {
        for candidate in candidates {
            if self.asked.insert(candidate.http.clone()) {
                let (network, origins) = (Arc::clone(self.network), Arc::clone(&self.origins));
                let (endpoint, deadline) = (candidate.http.clone(), self.deadline);
                self.pending.spawn(async move {
                    let answer = ask(&*network, &endpoint, &origins, deadline).await;
                    (endpoint, answer)
                });
            }
            self.candidates.push(candidate);
        }
    }

    /// Waits until every source and every endpoint is done, or the time is over.
    async fn run(&mut self, mut sources: JoinSet<Vec<Candidate>>) {
        let late = tokio::time::sleep_until(self.deadline);
        tokio::pin!(late);
        while !(sources.is_empty() && self.pending.is_empty()) {
            tokio::select! {
                Some(found) = sources.join_next() => self.add(finished(found)),
                Some(answered) = self.pending.join_next() => {
                    let (endpoint, answer) = finished(answered);
                    self.answers.insert(endpoint, answer);
                }
                () = &mut late => break,
            }
        }
    }

    /// Asks which ports are open at all, of the endpoints whose WebSocket is known and that don't say anything about
    /// themselves.
    async fn connect(&mut self) {
        let mut connecting = JoinSet::new();
        let sockets = self.candidates.iter().filter(|candidate| candidate.socket.is_some());
        for http in sockets.map(|candidate| &candidate.http).collect::<HashSet<_>>() {
            let silent = self.answers.get(http).is_some_and(|answer| match &answer.version {
                Ok(_) => false,
                Err(error) => !is_refused(error),
            });
            if silent {
                let (network, http) = (Arc::clone(self.network), http.clone());
                connecting.spawn(async move {
                    let connects = network.connects(&http, CONNECT).await;
                    (http, connects)
                });
            }
        }
        while let Some(connected) = connecting.join_next().await {
            let (http, connects) = finished(connected);
            if let Some(answer) = self.answers.get_mut(&http) {
                answer.connects = connects;
            }
        }
    }
}

/// Whether the port was closed: then a connect wouldn't tell more.
fn is_refused(error: &EndpointError) -> bool {
    matches!(error, EndpointError::Unreachable { source, .. } if source.kind() == std::io::ErrorKind::ConnectionRefused)
}

/// Sends the two GETs.
async fn ask(network: &dyn Network, endpoint: &Endpoint, origins: &SevenOrigins, deadline: Instant) -> Answer {
    let limit = || ANSWER.min(deadline.saturating_duration_since(Instant::now()));
    let asked = network.get(endpoint, VERSION, limit(), MAX_BODY).await;
    let version = asked.and_then(|body| {
        let version = parse_version(&body)
            .map_err(|source| EndpointError::NotABrowser { endpoint: endpoint.to_string(), source })?;
        let socket = version.web_socket_debugger_url.clone();
        let socket = socket.ok_or_else(|| EndpointError::NoSocket { endpoint: endpoint.to_string() })?;
        Ok((version, socket))
    });
    let mut seven_tabs = Vec::new();
    if matches!(&version, Ok((version, _)) if !product::is_too_old(&version.user_agent)) {
        // A browser that doesn't list its tabs has no seven that can be told.
        if let Ok(list) = network.get(endpoint, http::LIST, limit(), tabs::MAX_LIST).await {
            seven_tabs = tabs::parse_seven_tabs(&list, origins);
        }
    }
    Answer { version, seven_tabs, connects: false }
}

/// What a task came to. A panic in it is a panic here.
pub(super) fn finished<T>(result: Result<T, JoinError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => unreachable!("nobody aborts the tasks of a discovery: {error}"),
        },
    }
}

#[cfg(test)]
mod tests;
