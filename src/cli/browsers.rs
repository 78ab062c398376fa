//! `slicc browsers`: running debugging endpoints and installed browsers, best match first (section "Browsers").

use std::{fmt::Write as _, sync::Arc};

use super::{Failure, console, given, stdout};
use crate::{
    browser::{
        discover::{self, Network, RealNetwork, RunningEndpoint},
        installed::{self, DebugSupport, Installed},
        list::{self, Options, list},
        migrate::migrate,
        rank::{Entry, Subject, document},
    },
    generated::cli::BrowsersArgs,
    host::{RealSystem, System},
};

/// The columns of the table. The last isn't padded.
const COLUMNS: [&str; 5] = ["id", "name", "version", "state", "where"];

/// Lists the browsers.
///
/// # Errors
/// A usage failure for a `--cdp` that can't be read, and a failure when stdout can't be written.
pub fn run(args: &BrowsersArgs) -> Result<(), Failure> {
    let options = options(args)?;
    for notice in migrate(&RealSystem) {
        console::status(&notice.to_string());
    }
    let found = super::block_on(async {
        let system: Arc<dyn System> = Arc::new(RealSystem);
        let network: Arc<dyn Network> = Arc::new(RealNetwork);
        Ok(list(&system, &network, &options).await)
    })?;
    for line in missing(&found) {
        console::status(&line);
    }
    if args.json {
        let document = serde_json::to_string_pretty(&document(&found.entries));
        let document = document.map_err(|error| Failure::failed(format!("the list can't be written: {error}")))?;
        return stdout::print(&(document + "\n"));
    }
    if found.entries.is_empty() {
        console::status("no browser was found");
        return Ok(());
    }
    stdout::print(&table(&found.entries))
}

fn options(args: &BrowsersArgs) -> Result<Options, Failure> {
    let cdp = args.cdp.iter().map(|value| given::endpoint(value)).collect::<Result<Vec<_>, _>>()?;
    Ok(Options {
        running: discover::Options { cdp, ..discover::Options::default() },
        installed: installed::Options { bundle_scan: !args.no_bundle_scan },
    })
}

/// What is missing in the list, a line each.
pub(super) fn missing(found: &list::Found) -> Vec<String> {
    let mut lines: Vec<_> =
        found.unanswered.iter().map(|unanswered| format!("--cdp: {unanswered}; it is left out")).collect();
    if found.installed_timed_out {
        lines.push("it took too long to look for installed browsers; they are left out".to_owned());
    }
    lines
}

pub(crate) fn table(entries: &[Entry]) -> String {
    let rows: Vec<[String; 5]> = [COLUMNS.map(str::to_uppercase)].into_iter().chain(entries.iter().map(row)).collect();
    let widths: Vec<usize> = (0..COLUMNS.len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default())
        .collect();
    rows.iter().fold(String::new(), |mut out, [id, name, version, state, place]| {
        // Writing to a string can't fail.
        let _ = writeln!(
            out,
            "{id:0$}  {name:1$}  {version:2$}  {state:3$}  {place}",
            widths[0], widths[1], widths[2], widths[3]
        );
        out
    })
}

fn row(entry: &Entry) -> [String; 5] {
    let (state, place) = match &entry.subject {
        Subject::Endpoint(endpoint) => (endpoint_state(endpoint), endpoint.http.to_string()),
        Subject::Installed(installed) => (installed_state(installed).to_owned(), installed.path.display().to_string()),
    };
    let version = entry.version().unwrap_or_default();
    [entry.id().as_str(), entry.name(), version, state.as_str(), place.as_str()].map(console::printable)
}

fn endpoint_state(endpoint: &RunningEndpoint) -> String {
    let mut state = "running".to_owned();
    if endpoint.seven_open() {
        state += ", seven is open";
    }
    if endpoint.ws_only {
        state += ", WebSocket only";
    }
    if endpoint.six {
        state += ", SLICC six's profile";
    }
    state
}

fn installed_state(installed: &Installed) -> &'static str {
    match installed.debug_support {
        _ if installed.debug_build => "installed, debug build",
        DebugSupport::Supported => "installed",
        DebugSupport::Disabled => "installed, blocks remote debugging",
        DebugSupport::Unknown => "installed, remote debugging unknown",
    }
}
