//! Running endpoints and installed browsers in one list, best match first (section "Browsers", "Ranking", of the
//! requirement).

use std::cmp::Ordering;

use super::{
    discover::{RunningEndpoint, product},
    installed::{DebugSupport, Engine, Installed, Via, id_order},
};
use crate::generated::{
    catalog::{BROWSERS, MIN_CHROMIUM_MAJOR, Tier},
    events,
};

/// The id of Chrome stable, which has a tier of its own.
pub(super) const CHROME: &str = "chrome";
/// The version of the document's shape.
const SCHEMA: u64 = 1;

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A running browser.
    Endpoint(RunningEndpoint),
    /// An installed one.
    Installed(Installed),
}

/// An entry of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// How good a match it is.
    pub tier: Tier,
    /// What it is.
    pub subject: Subject,
}

impl Entry {
    /// The id: an installed browser's, or `cdp:<host>:<port>`.
    pub fn id(&self) -> String {
        match &self.subject {
            Subject::Endpoint(endpoint) => endpoint.id(),
            Subject::Installed(installed) => installed.id.clone(),
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        match &self.subject {
            Subject::Endpoint(endpoint) => &endpoint.name,
            Subject::Installed(installed) => &installed.name,
        }
    }

    /// What is installed, when it is that.
    pub fn installed(&self) -> Option<&Installed> {
        match &self.subject {
            Subject::Installed(installed) => Some(installed),
            Subject::Endpoint(_) => None,
        }
    }

    /// The version.
    pub fn version(&self) -> Option<&str> {
        match &self.subject {
            Subject::Endpoint(endpoint) => endpoint.version.as_deref(),
            Subject::Installed(installed) => installed.version.as_deref(),
        }
    }
}

/// Ranks what was found. Browsers below the lowest Chromium version are left out.
pub fn rank(
    endpoints: impl IntoIterator<Item = RunningEndpoint>,
    installed: impl IntoIterator<Item = Installed>,
) -> Vec<Entry> {
    let endpoints = endpoints.into_iter().filter(|endpoint| !product::is_too_old(&endpoint.user_agent));
    let endpoints =
        endpoints.map(|endpoint| Entry { tier: endpoint_tier(&endpoint), subject: Subject::Endpoint(endpoint) });
    let installed = installed.into_iter().filter(|installed| !is_too_old(installed));
    let installed =
        installed.map(|installed| Entry { tier: installed_tier(&installed), subject: Subject::Installed(installed) });
    let mut entries: Vec<_> = endpoints.chain(installed).collect();
    entries.sort_by(|a, b| a.tier.cmp(&b.tier).then_with(|| within_tier(&a.subject, &b.subject)));
    entries
}

fn endpoint_tier(endpoint: &RunningEndpoint) -> Tier {
    match (endpoint.six, endpoint.seven_open()) {
        (true, _) => Tier::Six,
        (false, true) => Tier::SevenOpen,
        (false, false) => Tier::Running,
    }
}

fn installed_tier(installed: &Installed) -> Tier {
    match installed.engine {
        Engine::Chromium if installed.id == CHROME => Tier::ChromeStable,
        Engine::Chromium => Tier::Chromium,
        Engine::Electron => Tier::Electron,
    }
}

/// Endpoints by host, then port; browsers in id order; Electron apps by name, then path.
fn within_tier(a: &Subject, b: &Subject) -> Ordering {
    match (a, b) {
        (Subject::Endpoint(a), Subject::Endpoint(b)) => {
            let place = |endpoint: &RunningEndpoint| (endpoint.http.host().to_string(), endpoint.http.port());
            place(a).cmp(&place(b))
        }
        (Subject::Installed(a), Subject::Installed(b)) => {
            let app = |installed: &Installed| (installed.name.to_lowercase(), installed.path.clone());
            id_order(&a.id).cmp(&id_order(&b.id)).then_with(|| app(a).cmp(&app(b)))
        }
        // No tier has both.
        _ => Ordering::Equal,
    }
}

/// Whether an installed browser is below the lowest version. Only versions that are Chromium's are judged; an unknown one
/// isn't.
fn is_too_old(installed: &Installed) -> bool {
    let judged = BROWSERS.iter().any(|browser| browser.id == installed.id && browser.version_is_chromium);
    let major = installed.version.as_deref().and_then(product::major);
    judged && major.is_some_and(|major| major < MIN_CHROMIUM_MAJOR)
}

/// The list as the document that `slicc browsers --json` prints.
pub fn document(entries: &[Entry]) -> events::BrowserList {
    events::BrowserList {
        schema: SCHEMA,
        min_chromium: MIN_CHROMIUM_MAJOR.into(),
        entries: entries.iter().map(Into::into).collect(),
    }
}

impl From<&Entry> for events::BrowserEntry {
    fn from(entry: &Entry) -> Self {
        let (kind, endpoint, installed) = match &entry.subject {
            Subject::Endpoint(endpoint) => (events::EntryKind::Endpoint, Some(endpoint.into()), None),
            Subject::Installed(installed) => (events::EntryKind::Installed, None, Some(installed.into())),
        };
        Self {
            id: entry.id(),
            kind,
            tier: entry.tier.number(),
            name: entry.name().to_owned(),
            version: entry.version().map(str::to_owned),
            endpoint,
            installed,
        }
    }
}

impl From<&RunningEndpoint> for events::RunningEndpoint {
    fn from(endpoint: &RunningEndpoint) -> Self {
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Self {
            cdp: endpoint.http.to_string(),
            web_socket_debugger_url: endpoint.socket.socket_url().unwrap_or_default(),
            name: endpoint.name.clone(),
            version: endpoint.version.clone(),
            product: text(&endpoint.product),
            user_agent: text(&endpoint.user_agent),
            source: endpoint.source,
            browser: endpoint.browser.map(str::to_owned),
            user_data_dir: endpoint.user_data_dir.as_ref().map(|dir| dir.display().to_string()),
            profile: endpoint.profile.clone(),
            ws_only: endpoint.ws_only.then_some(true),
            six: endpoint.six.then_some(true),
            seven_open: endpoint.seven_open(),
            seven_tabs: endpoint.seven_tabs.clone(),
        }
    }
}

impl From<&Installed> for events::InstalledBrowser {
    fn from(installed: &Installed) -> Self {
        Self {
            id: installed.id.clone(),
            name: installed.name.clone(),
            engine: match installed.engine {
                Engine::Chromium => events::BrowserEngine::Chromium,
                Engine::Electron => events::BrowserEngine::Electron,
            },
            channel: installed.channel.map(str::to_owned),
            version: installed.version.clone(),
            path: installed.path.display().to_string(),
            executable: installed.executable.display().to_string(),
            bundle_id: installed.bundle_id.clone(),
            via: installed.via.map(|via| match via {
                Via::Snap => events::Packaging::Snap,
                Via::Flatpak => events::Packaging::Flatpak,
            }),
            package: installed.package.clone(),
            user_data_dir: installed.user_data_dir.as_ref().map(|dir| dir.display().to_string()),
            debug_support: match installed.debug_support {
                DebugSupport::Supported => events::DebugSupport::Supported,
                DebugSupport::Disabled => events::DebugSupport::Disabled,
                DebugSupport::Unknown => events::DebugSupport::Unknown,
            },
            debug_build: installed.debug_build.then_some(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::events::SevenTab;

    fn running(place: &str, seven: bool, six: bool) -> RunningEndpoint {
        let tab = SevenTab { id: "A".into(), url: "https://seven.sliccy.ai/".into(), title: "seven".into() };
        let seven_tabs = if seven { vec![tab] } else { Vec::new() };
        RunningEndpoint { six, seven_tabs, ..RunningEndpoint::chrome_at(place) }
    }

    fn installed(id: &str, version: Option<&str>) -> Installed {
        let engine = if id.starts_with("electron:") { Engine::Electron } else { Engine::Chromium };
        Installed { version: version.map(str::to_owned), ..Installed::new(id, id, engine, format!("/{id}")) }
    }

    #[test]
    fn endpoints_come_by_tier_then_host_then_the_port_as_a_number() {
        let endpoints = [
            running("127.0.0.1:9224", true, true),
            running("127.0.0.1:10000", false, false),
            running("127.0.0.1:9222", false, false),
            running("127.0.0.1:9223", true, false),
            running("10.0.0.5:9222", true, false),
        ];
        let ranked = rank(endpoints, [installed("electron:slack", None), installed("chromium", None)]);
        let ids: Vec<_> = ranked.iter().map(|entry| (entry.tier.number(), entry.id())).collect();
        let expected = [
            (1, "cdp:10.0.0.5:9222"),
            (1, "cdp:127.0.0.1:9223"),
            (2, "cdp:127.0.0.1:9222"),
            (2, "cdp:127.0.0.1:10000"),
            (4, "chromium"),
            (5, "electron:slack"),
            (6, "cdp:127.0.0.1:9224"),
        ];
        assert_eq!(ids, expected.map(|(tier, id)| (tier, id.to_owned())));
    }

    #[test]
    fn only_chromium_s_own_versions_are_judged() {
        let kept = |id: &str, version: Option<&str>| !rank([], [installed(id, version)]).is_empty();
        assert!(!kept("chrome", Some("115.0.1.2")));
        assert!(kept("chrome", Some("116.0.1.2")));
        assert!(kept("chrome", None));
        assert!(!kept("chromium", Some("115.9")));
        assert!(kept("electron:slack", Some("4.1")));
        for browser in BROWSERS {
            assert_eq!(kept(browser.id, Some("1.57.1")), !browser.version_is_chromium, "{}", browser.id);
        }
    }
}
