//! From what the sources found and what the endpoints answered to the list of running endpoints. Nothing here reaches
//! anything.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
};

use super::{RunningEndpoint, Unanswered, product};
use crate::{
    cdp::{BrowserVersion, Endpoint, EndpointError},
    generated::{
        catalog::{BROWSERS, product::FALLBACK},
        events::{EndpointSource, SevenTab},
    },
};

/// An endpoint that a source names. Whether it is there is for its answer to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Where it is asked.
    pub(super) http: Endpoint,
    /// The WebSocket that the source names: a `DevToolsActivePort` file, or a `ws://` URL.
    pub(super) socket: Option<Endpoint>,
    /// Whether the browser must be the one with that WebSocket: a file may be left over from another browser.
    pub(super) must_match: bool,
    /// What found it.
    pub(super) source: EndpointSource,
    /// The browser whose user data dir held the file.
    pub(super) browser: Option<&'static str>,
    /// The user data dir.
    pub(super) user_data_dir: Option<PathBuf>,
    /// The SLICC profile.
    pub(super) profile: Option<String>,
    /// Whether the user data dir is SLICC six's.
    pub(super) six: bool,
}

impl Candidate {
    /// An endpoint of which nothing but its place is known.
    pub(super) fn at(http: Endpoint, source: EndpointSource) -> Self {
        Self {
            http,
            socket: None,
            must_match: false,
            source,
            browser: None,
            user_data_dir: None,
            profile: None,
            six: false,
        }
    }
}

/// What an endpoint answered.
#[derive(Debug)]
pub(super) struct Answer {
    /// What it says about itself, and its WebSocket; or why it doesn't.
    pub(super) version: Result<(BrowserVersion, Endpoint), EndpointError>,
    /// Its seven tabs.
    pub(super) seven_tabs: Vec<SevenTab>,
    /// Whether its port takes connections. Only asked for where it counts.
    pub(super) connects: bool,
}

/// The endpoints that are there, and those of `--cdp` that aren't. Of the candidates with one host and port, those that
/// their answer bears out count, the first source first.
pub(super) fn merge(
    candidates: Vec<Candidate>,
    answers: &HashMap<Endpoint, Answer>,
) -> (Vec<RunningEndpoint>, Vec<Unanswered>) {
    let mut places: BTreeMap<(String, u16), Vec<Candidate>> = BTreeMap::new();
    for candidate in candidates {
        places.entry((candidate.http.host().to_string(), candidate.http.port())).or_default().push(candidate);
    }
    let (mut endpoints, mut unanswered) = (Vec::new(), Vec::new());
    for mut candidates in places.into_values() {
        // The sources stand in the order in which they count.
        candidates.sort_by_key(|candidate| candidate.source as u8);
        let there: Vec<_> = candidates
            .iter()
            .filter_map(|candidate| Some((candidate, state(candidate, answers.get(&candidate.http)?)?)))
            .collect();
        if let Some(endpoint) = endpoint(&there) {
            endpoints.extend(Some(endpoint).filter(|endpoint| !product::is_too_old(&endpoint.user_agent)));
        } else if let Some(flag) = candidates.iter().find(|candidate| candidate.source == EndpointSource::Flag) {
            let reason = match answers.get(&flag.http).map(|answer| &answer.version) {
                Some(Err(error)) => error.to_string(),
                _ => format!("{} didn't answer", flag.http),
            };
            unanswered.push(Unanswered { endpoint: flag.http.clone(), reason });
        }
    }
    (endpoints, unanswered)
}

/// How a candidate is there.
#[derive(Clone, Copy)]
enum State<'a> {
    /// It answers.
    Answers(&'a BrowserVersion, &'a Endpoint, &'a [SevenTab]),
    /// Nothing but its WebSocket is there.
    SocketOnly(&'a Endpoint),
}

fn state<'a>(candidate: &'a Candidate, answer: &'a Answer) -> Option<State<'a>> {
    match (&answer.version, &candidate.socket) {
        (Ok((_, socket)), Some(named)) if candidate.must_match && !socket.has_path_of(named) => None,
        (Ok((version, socket)), _) => Some(State::Answers(version, socket, &answer.seven_tabs)),
        (Err(_), Some(named)) if answer.connects => Some(State::SocketOnly(named)),
        (Err(_), _) => None,
    }
}

fn endpoint(there: &[(&Candidate, State<'_>)]) -> Option<RunningEndpoint> {
    let (first, state) = *there.first()?;
    let candidates = || there.iter().map(|(candidate, _)| *candidate);
    let located = candidates().find(|candidate| candidate.user_data_dir.is_some());
    let browser = first.browser;
    let name = |otherwise: String| {
        let known = BROWSERS.iter().find(|known| Some(known.id) == browser);
        known.map_or(otherwise, |known| known.name.to_owned())
    };
    let mut endpoint = RunningEndpoint {
        http: first.http.clone(),
        socket: first.http.clone(),
        name: String::new(),
        kind: FALLBACK.kind.to_owned(),
        version: None,
        product: String::new(),
        user_agent: String::new(),
        source: first.source,
        browser,
        user_data_dir: located.and_then(|candidate| candidate.user_data_dir.clone()),
        profile: first.profile.clone(),
        ws_only: false,
        six: candidates().any(|candidate| candidate.six),
        seven_tabs: Vec::new(),
    };
    match state {
        State::Answers(version, socket, seven_tabs) => {
            let (product, kind) = product::name_and_kind(version);
            endpoint.name = name(product);
            endpoint.kind = kind;
            endpoint.socket = socket.clone();
            endpoint.version = product::number(version).map(str::to_owned);
            endpoint.product.clone_from(&version.product);
            endpoint.user_agent.clone_from(&version.user_agent);
            endpoint.seven_tabs = seven_tabs.to_vec();
        }
        State::SocketOnly(socket) => {
            endpoint.name = name(FALLBACK.name.to_owned());
            endpoint.socket = socket.clone();
            endpoint.ws_only = true;
        }
    }
    Some(endpoint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Endpoint {
        Endpoint::parse(text).unwrap()
    }

    fn answering(id: &str) -> Answer {
        let version = BrowserVersion {
            product: "Chrome/154.0.8037.98".to_owned(),
            user_agent: "Chrome/154.0.0.0".to_owned(),
            protocol_version: String::new(),
            web_socket_debugger_url: None,
        };
        let socket = parse(&format!("ws://127.0.0.1:9222/devtools/browser/{id}"));
        Answer { version: Ok((version, socket)), seven_tabs: Vec::new(), connects: true }
    }

    fn silent(connects: bool) -> Answer {
        let error = EndpointError::Status { endpoint: "http://127.0.0.1:9222".to_owned(), status: 404 };
        Answer { version: Err(error), seven_tabs: Vec::new(), connects }
    }

    fn found(source: EndpointSource) -> Candidate {
        Candidate::at(parse("9222"), source)
    }

    fn file(id: &str) -> Candidate {
        Candidate {
            socket: Some(parse(&format!("ws://127.0.0.1:9222/devtools/browser/{id}"))),
            must_match: true,
            user_data_dir: Some("/dir".into()),
            ..found(EndpointSource::DevtoolsActivePort)
        }
    }

    fn merged(candidates: Vec<Candidate>, answer: Answer) -> (Vec<RunningEndpoint>, Vec<Unanswered>) {
        merge(candidates, &HashMap::from([(parse("9222"), answer)]))
    }

    #[test]
    fn a_file_wins_over_a_flag_over_a_process_over_the_probe() {
        use EndpointSource::{DevtoolsActivePort, Flag, Probe, Process};
        let mut candidates = vec![found(Probe), found(Process), found(Flag), file("aaa")];
        for expected in [DevtoolsActivePort, Flag, Process, Probe] {
            let (endpoints, _) = merged(candidates.clone(), answering("aaa"));
            assert_eq!(endpoints.iter().map(|endpoint| endpoint.source).collect::<Vec<_>>(), [expected]);
            candidates.pop();
        }
    }

    #[test]
    fn the_sources_stand_in_the_catalog_s_order() {
        use EndpointSource::{DevtoolsActivePort, Flag, Probe, Process};
        let names = [DevtoolsActivePort, Flag, Process, Probe].map(|source| serde_json::to_value(source).unwrap());
        assert_eq!(names, crate::generated::catalog::discovery::SOURCES);
        assert_eq!([DevtoolsActivePort as u8, Flag as u8, Process as u8, Probe as u8], [0, 1, 2, 3]);
    }

    #[test]
    fn a_stale_file_marks_and_hides_nothing() {
        let stale = Candidate { six: true, ..file("aaa") };
        assert_eq!(merged(vec![stale.clone()], answering("bbb")).0, []);
        let (endpoints, _) = merged(vec![stale, found(EndpointSource::Probe)], answering("bbb"));
        assert_eq!(endpoints.len(), 1);
        assert_eq!((endpoints[0].source, endpoints[0].six), (EndpointSource::Probe, false));
        assert_eq!(endpoints[0].user_data_dir, None);
    }

    #[test]
    fn a_port_that_is_open_and_serves_no_version_is_a_websocket_only() {
        let (endpoints, _) = merged(vec![file("aaa"), found(EndpointSource::Probe)], silent(true));
        assert!(endpoints[0].ws_only);
        assert_eq!(endpoints[0].socket, parse("ws://127.0.0.1:9222/devtools/browser/aaa"));
        assert_eq!(merged(vec![file("aaa")], silent(false)).0, []);
        assert_eq!(merged(vec![found(EndpointSource::Probe)], silent(true)).0, []);
    }

    #[test]
    fn the_process_list_marks_six_though_a_flag_wins() {
        let process = Candidate { six: true, user_data_dir: Some("/six".into()), ..found(EndpointSource::Process) };
        let (endpoints, _) = merged(vec![process, found(EndpointSource::Flag)], answering("aaa"));
        assert_eq!((endpoints[0].source, endpoints[0].six), (EndpointSource::Flag, true));
        assert_eq!(endpoints[0].user_data_dir, Some("/six".into()));
    }

    #[test]
    fn only_a_flag_that_nobody_answers_is_reported() {
        let (endpoints, unanswered) = merged(vec![found(EndpointSource::Flag)], silent(true));
        assert_eq!((endpoints.len(), unanswered.len()), (0, 1));
        assert_eq!(unanswered[0].reason, "http://127.0.0.1:9222 answered HTTP 404");
        assert_eq!(merged(vec![found(EndpointSource::Process)], silent(true)), (Vec::new(), Vec::new()));
    }
}
