//! What there is to pick: the ranking, and SLICC six's profiles below it.

use std::net::Ipv4Addr;

use crate::{
    browser::{
        installed::{Engine, Installed, Via},
        profile::{Place, ProfileName},
        rank::{Entry, Subject},
        six::{self, SixChoice},
    },
    cli::default::choice,
    generated::catalog,
    host::System,
};

/// A row of the picker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What picking it means.
    pub subject: RowSubject,
    /// Its name, which may be foreign text.
    pub name: String,
    /// Its version, which may be foreign text.
    pub version: Option<String>,
}

/// What a row stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowSubject {
    /// A running endpoint.
    Endpoint {
        /// Its place in the ranking.
        entry: usize,
        /// Where it is, as in `:9222`; with the host when that isn't this machine.
        place: String,
        /// Whether seven is open in it.
        seven_open: bool,
        /// Whether it is a browser, where seven can be opened. The other one is an Electron app.
        can_host: bool,
    },
    /// A browser that slicc would launch.
    Installed {
        /// Its place in the ranking.
        entry: usize,
        /// Its own profile's name.
        default: ProfileName,
        /// The profiles that it could use and that exist, by name.
        existing: Vec<ProfileName>,
    },
    /// An Electron app.
    App {
        /// Its place in the ranking.
        entry: usize,
    },
    /// SLICC six's own profile.
    Six(SixChoice),
}

impl Row {
    /// Whether seven can be opened in it.
    pub fn can_host(&self) -> bool {
        !matches!(self.subject, RowSubject::App { .. } | RowSubject::Endpoint { can_host: false, .. })
    }

    /// Whether it is SLICC six's.
    pub fn is_six(&self) -> bool {
        matches!(self.subject, RowSubject::Six(_))
    }
}

/// The rows for a ranking, best match first. It reads which profiles exist.
pub fn rows(system: &dyn System, entries: &[Entry]) -> Vec<Row> {
    let rows = entries.iter().enumerate().filter_map(|(place, entry)| row(system, place, entry));
    rows.chain(six_rows(system)).collect()
}

/// A browser in SLICC six's profile has no row of its own: the profile's row stands for it.
fn row(system: &dyn System, place: usize, entry: &Entry) -> Option<Row> {
    let subject = match &entry.subject {
        Subject::Endpoint(endpoint) if endpoint.six => return None,
        Subject::Endpoint(endpoint) => {
            let (host, port) = (endpoint.http.host().to_string(), endpoint.http.port());
            let here = host == Ipv4Addr::LOCALHOST.to_string();
            RowSubject::Endpoint {
                entry: place,
                place: if here { format!(":{port}") } else { format!(":{port} on {host}") },
                seven_open: endpoint.seven_open(),
                can_host: choice::can_host(entry),
            }
        }
        Subject::Installed(app) if app.engine == Engine::Electron => RowSubject::App { entry: place },
        Subject::Installed(browser) => RowSubject::Installed {
            entry: place,
            // The ids of the catalog are names of profiles; a test says so.
            default: ProfileName::parse(&browser.id).ok()?,
            existing: existing(system, browser),
        },
    };
    Some(Row { subject, name: entry.name().to_owned(), version: entry.version().map(str::to_owned) })
}

/// The profiles that a browser could be launched in: a snap's own ones, or those of all others.
fn existing(system: &dyn System, browser: &Installed) -> Vec<ProfileName> {
    let place = match (browser.via, &browser.package) {
        (Some(Via::Snap), Some(snap)) => Place::of_snap(system, snap),
        _ => Place::general(system),
    };
    let profiles = place.map(|place| place.profiles(system)).unwrap_or_default();
    profiles.into_iter().map(|(name, _)| name).collect()
}

/// A row for each profile of SLICC six's that exists, the one without a port first.
fn six_rows(system: &dyn System) -> Vec<Row> {
    let dirs = six::dirs(system);
    let names = dirs.iter().filter_map(|dir| dir.to_str()?.rsplit(['/', '\\']).next().map(str::to_lowercase));
    let mut ports: Vec<u16> = names
        .filter_map(|name| name.strip_prefix(catalog::six::NAME)?.strip_prefix('-')?.parse().ok())
        .filter(|&port| port != 0 && port != catalog::six::DEFAULT_PORT)
        .collect();
    ports.sort_unstable();
    ports.dedup();
    let choices = std::iter::once(None).chain(ports.into_iter().map(Some)).map(|port| SixChoice { port });
    let mut seen = Vec::new();
    let mut rows = Vec::new();
    for choice in choices {
        let Some(dir) = choice.dir(system).filter(|dir| system.is_dir(dir)) else { continue };
        // SLICC_USER_DATA_DIR names one profile for every port.
        if seen.contains(&dir) {
            continue;
        }
        seen.push(dir);
        let port = choice.port.map(|port| format!(" {port}")).unwrap_or_default();
        rows.push(Row {
            subject: RowSubject::Six(choice),
            name: format!("Chrome · SLICC six profile{port}"),
            version: None,
        });
    }
    rows
}
