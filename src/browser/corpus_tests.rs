//! The conformance cases in `catalog/corpus`: a described machine and its servers in, the ranked list out. The README there
//! describes the form.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs, io,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;

use super::{
    discover::{self, Network},
    installed,
    list::{Options, list},
    rank::document,
};
use crate::{
    cdp::{Endpoint, EndpointError},
    generated::events::SCHEMAS,
    host::{System, system::fake::FakeSystem},
};

/// How long one case may take. Its network answers at once, so it needs less than a discovery that waits for its end.
const LIMIT: Duration = Duration::from_secs(2);

/// A file: cases that start from one machine.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// The sentence of the requirement that its cases check.
    rule: String,
    /// What its cases have in common.
    #[serde(default = "nothing")]
    base: Value,
    /// The cases, each a merge patch (RFC 7396) of `base`.
    cases: Vec<Value>,
}

/// One case.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Case {
    name: String,
    /// Another sentence than the file's.
    rule: Option<String>,
    machine: FakeSystem,
    /// Servers by `host:port`. Any other port is closed.
    #[serde(default)]
    servers: BTreeMap<String, Server>,
    #[serde(default)]
    cdp: Vec<String>,
    #[serde(default)]
    no_bundle_scan: bool,
    expect: Expected,
}

/// What answers at a port.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Server {
    /// A browser that serves `/json/version`, with this end of its WebSocket's path.
    browser: Option<String>,
    /// Its product.
    product: Option<String>,
    /// Its user agent.
    user_agent: Option<String>,
    /// The text of `/json/version` instead.
    version: Option<String>,
    /// So many bytes of `/json/version` instead.
    version_bytes: Option<usize>,
    /// What `/json/list` serves: a list, or a text.
    list: Option<Value>,
    /// The status of every answer instead of 200.
    status: Option<u16>,
    /// It takes connections and never answers.
    #[serde(default)]
    silent: bool,
}

/// What has to come out.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Expected {
    /// The entries, in order: an id, or a part of the entry, in which null stands for a field that isn't there.
    entries: Vec<Value>,
    /// Each `--cdp` that is reported.
    #[serde(default)]
    unanswered: Vec<String>,
    /// Places that are left alone.
    #[serde(default)]
    quiet: Vec<String>,
    /// Everything that is asked of some places.
    #[serde(default)]
    requests: BTreeMap<String, Vec<String>>,
    /// Texts that nothing of it may show.
    #[serde(default)]
    hidden: Vec<String>,
}

fn nothing() -> Value {
    Value::Object(serde_json::Map::new())
}

/// The described servers, and what was asked of them.
#[derive(Debug)]
struct FakeNetwork {
    servers: BTreeMap<String, Server>,
    asked: Mutex<BTreeMap<String, Vec<String>>>,
}

impl FakeNetwork {
    fn note(&self, endpoint: &Endpoint, what: String) -> Option<&Server> {
        let place = format!("{}:{}", endpoint.host(), endpoint.port());
        self.asked.lock().unwrap().entry(place.clone()).or_default().push(what);
        self.servers.get(&place)
    }
}

#[async_trait]
impl Network for FakeNetwork {
    async fn get(&self, endpoint: &Endpoint, path: &str, limit: Duration, max: usize) -> Result<Bytes, EndpointError> {
        let name = endpoint.to_string();
        let Some(server) = self.note(endpoint, format!("GET {path}")) else {
            let source = io::ErrorKind::ConnectionRefused.into();
            return Err(EndpointError::Unreachable { endpoint: name, source });
        };
        if server.silent {
            return Err(EndpointError::TimedOut { endpoint: name, limit });
        }
        if let Some(status) = server.status {
            return Err(EndpointError::Status { endpoint: name, status });
        }
        let product = server.product.as_deref().unwrap_or("Chrome/154.0.8037.98");
        let user_agent = server.user_agent.as_deref().unwrap_or("Mozilla/5.0 Chrome/154.0.0.0 Safari/537.36");
        let body = match (path, &server.browser, &server.version) {
            ("/json/version", _, Some(text)) => text.clone(),
            ("/json/version", _, None) if server.version_bytes.is_some() => {
                " ".repeat(server.version_bytes.unwrap_or_default())
            }
            ("/json/version", Some(id), None) => {
                let socket = format!("ws://{}:{}/devtools/browser/{id}", endpoint.host(), endpoint.port());
                serde_json::json!({ "Browser": product, "User-Agent": user_agent, "webSocketDebuggerUrl": socket })
                    .to_string()
            }
            ("/json/list", Some(_), _) => match &server.list {
                Some(Value::String(text)) => text.clone(),
                Some(list) => list.to_string(),
                None => "[]".to_owned(),
            },
            _ => return Err(EndpointError::Status { endpoint: name, status: 404 }),
        };
        if body.len() > max { Err(EndpointError::TooLarge { endpoint: name, limit: max }) } else { Ok(body.into()) }
    }

    async fn connects(&self, endpoint: &Endpoint, _: Duration) -> bool {
        self.note(endpoint, "connect".to_owned()).is_some()
    }
}

/// A merge patch, as in RFC 7396; a null inside `expect` stays.
fn patched(base: &Value, patch: &Value) -> Value {
    let (Value::Object(base), Value::Object(patch)) = (base, patch) else { return patch.clone() };
    let mut out = base.clone();
    for (name, value) in patch {
        match (name.as_str(), value) {
            ("expect", _) => _ = out.insert(name.clone(), value.clone()),
            (_, Value::Null) => _ = out.remove(name),
            _ => _ = out.insert(name.clone(), patched(base.get(name).unwrap_or(&nothing()), value)),
        }
    }
    Value::Object(out)
}

/// Where a value isn't what is expected of it.
fn differences(path: &str, expected: &Value, actual: Option<&Value>, out: &mut String) {
    match (expected, actual) {
        (Value::Null, None) => {}
        (Value::Object(fields), Some(Value::Object(actual))) => {
            for (name, value) in fields {
                differences(&format!("{path}.{name}"), value, actual.get(name), out);
            }
        }
        (Value::Array(items), Some(Value::Array(actual))) if items.len() == actual.len() => {
            for (at, (item, actual)) in items.iter().zip(actual).enumerate() {
                differences(&format!("{path}.{at}"), item, Some(actual), out);
            }
        }
        (expected, Some(actual)) if expected == actual => {}
        (expected, actual) => {
            let actual = actual.map_or("nothing".to_owned(), Value::to_string);
            writeln!(out, "    {path}: expected {expected}, got {actual}").unwrap();
        }
    }
}

/// Runs a case, and says what is wrong.
async fn problems(case: Case) -> String {
    let mut out = String::new();
    let network = Arc::new(FakeNetwork { servers: case.servers, asked: Mutex::default() });
    let system: Arc<dyn System> = Arc::new(case.machine);
    let options = Options {
        running: discover::Options {
            cdp: case.cdp.iter().map(|text| Endpoint::parse(text).unwrap()).collect(),
            ..discover::Options::default()
        },
        installed: installed::Options { bundle_scan: !case.no_bundle_scan },
    };
    let faked: Arc<dyn Network> = Arc::clone(&network) as _;
    let found = list(&system, &faked, &options).await;
    let value = serde_json::to_value(document(&found.entries)).unwrap();

    let schema = SCHEMAS.iter().find(|schema| schema.name == "browsers").unwrap();
    let schema: Value = serde_json::from_str(schema.text).unwrap();
    if let Err(error) = jsonschema::validate(&schema, &value) {
        writeln!(out, "    the document doesn't fit the schema: {error}").unwrap();
    }
    let ids = |entries: &[Value]| entries.iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect();
    let entries = value["entries"].as_array().unwrap();
    let expected: Vec<Value> = case
        .expect
        .entries
        .iter()
        .map(|entry| match entry {
            Value::String(id) => serde_json::json!({ "id": id }),
            entry => entry.clone(),
        })
        .collect();
    let (listed, wanted): (Vec<String>, Vec<String>) = (ids(entries), ids(&expected));
    if listed == wanted {
        for (entry, expected) in entries.iter().zip(&expected) {
            differences(entry["id"].as_str().unwrap(), expected, Some(entry), &mut out);
        }
    } else {
        writeln!(out, "    the list: expected {wanted:?}, got {listed:?}").unwrap();
    }
    let unanswered: Vec<_> = found.unanswered.iter().map(|flag| flag.endpoint.to_string()).collect();
    if unanswered != case.expect.unanswered {
        writeln!(out, "    unanswered: expected {:?}, got {unanswered:?}", case.expect.unanswered).unwrap();
    }
    let asked = network.asked.lock().unwrap();
    for place in &case.expect.quiet {
        if let Some(asked) = asked.get(place) {
            writeln!(out, "    {place} must be left alone, and was asked {asked:?}").unwrap();
        }
    }
    for (place, requests) in &case.expect.requests {
        let asked = asked.get(place).cloned().unwrap_or_default();
        if asked != *requests {
            writeln!(out, "    {place}: expected {requests:?}, got {asked:?}").unwrap();
        }
    }
    for (place, asked) in &*asked {
        let known = ["GET /json/version", "GET /json/list", "connect"];
        let once: BTreeSet<_> = asked.iter().collect();
        if once.len() != asked.len() || asked.iter().any(|what| !known.contains(&what.as_str())) {
            writeln!(out, "    {place} is asked for each thing once, and was asked {asked:?}").unwrap();
        }
    }
    for hidden in &case.expect.hidden {
        if format!("{value} {found:?} {}", crate::cli::browsers::table(&found.entries)).contains(hidden.as_str()) {
            writeln!(out, "    {hidden} must not be shown").unwrap();
        }
    }
    out
}

#[tokio::test]
async fn every_case_of_the_corpus_has_its_list() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("catalog/corpus");
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let (mut broken, mut cases) = (String::new(), 0);
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let file: File = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut names = BTreeSet::new();
        for case in &file.cases {
            cases += 1;
            let case: Case = serde_json::from_value(patched(&file.base, case))
                .unwrap_or_else(|error| panic!("{name}: {}: {error}", case["name"]));
            assert!(names.insert(case.name.clone()), "{name}: {} is there twice", case.name);
            let rule = case.rule.clone().unwrap_or_else(|| file.rule.clone());
            let case_name = case.name.clone();
            let problems = tokio::time::timeout(LIMIT, problems(case)).await;
            let problems = problems.unwrap_or_else(|_| "    it takes too long\n".to_owned());
            if !problems.is_empty() {
                write!(broken, "{name}: {case_name}\n  breaks the rule: {rule}\n{problems}").unwrap();
            }
        }
    }
    assert!(cases > 100, "the corpus has {cases} cases");
    assert!(broken.is_empty(), "\n{broken}");
}
