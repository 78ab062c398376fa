//! Which browsers a run takes, from what there is and what is asked for (section "The default: slicc", "Going with a browser",
//! of the requirement). Nothing here reaches anything.

use crate::{
    browser::{
        discover::RunningEndpoint,
        installed::{Engine, Installed},
        profile::ProfileName,
        rank::{Entry, Subject},
        six::SixChoice,
    },
    cli::Failure,
};

use super::plan::Plan;

/// The kind of an Electron app's endpoint.
const ELECTRON: &str = "electron";

/// A browser that a run takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pick {
    /// One that is running.
    Endpoint(Box<RunningEndpoint>),
    /// One that is installed: it is launched in a SLICC profile, or used where it runs in that.
    Installed {
        /// The browser.
        browser: Box<Installed>,
        /// The profile; the browser's id without one.
        profile: Option<ProfileName>,
    },
    /// The one that uses SLICC six's profile, in place.
    Six {
        /// The profile.
        choice: SixChoice,
        /// The installed browser to launch in it, by its id; the one that six used without it.
        browser: Option<String>,
    },
}

/// The browsers that a run takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// It hosts seven.
    pub host: Pick,
    /// seven may drive them.
    pub extras: Vec<Pick>,
    /// Whether the user picked the host.
    pub by_user: bool,
}

/// Why nothing can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// Nothing can host seven.
    #[error("no browser to control: run `slicc open` to link seven in your everyday browser")]
    NoBrowser,
    /// `--browser` names none.
    #[error("no browser is called {0:?}")]
    Unknown(String),
    /// `--browser` names SLICC six's Chrome.
    #[error("{0} is SLICC six's Chrome; only --profile six uses it")]
    Six(String),
    /// `--browser` names an app first.
    #[error("{0} is an Electron app, which can't host seven; name a browser before it")]
    CannotHost(String),
    /// `--browser` names one browser twice.
    #[error("--browser names {0} twice")]
    Twice(String),
    /// `--profile six` wants an installed browser, and `--browser` names a running one.
    #[error("{0} is a running browser; --profile six wants an installed one")]
    NotInstalled(String),
}

impl From<ChoiceError> for Failure {
    fn from(error: ChoiceError) -> Self {
        let usage = matches!(error, ChoiceError::Twice(_));
        let hint = matches!(error, ChoiceError::Unknown(_)).then_some("run slicc browsers to see what there is");
        let failure = if usage { Self::usage(error) } else { Self::failed(error) };
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

/// Whether an entry can host seven: no Electron app can.
pub fn can_host(entry: &Entry) -> bool {
    match &entry.subject {
        Subject::Endpoint(endpoint) => endpoint.kind != ELECTRON,
        Subject::Installed(installed) => installed.engine == Engine::Chromium,
    }
}

/// Whether an entry is SLICC six's Chrome.
fn is_six(entry: &Entry) -> bool {
    matches!(&entry.subject, Subject::Endpoint(endpoint) if endpoint.six)
}

/// Chooses without asking anybody. `entries` are ranked, best match first.
///
/// # Errors
/// A [`ChoiceError`].
pub fn choose(entries: &[Entry], plan: &Plan) -> Result<Choice, ChoiceError> {
    let mut named: Vec<&Entry> = Vec::new();
    for wanted in &plan.browsers {
        let entry = find(entries, wanted)?;
        if named.iter().any(|other| std::ptr::eq(*other, entry)) {
            return Err(ChoiceError::Twice(entry.id()));
        }
        named.push(entry);
    }
    let extras = named.iter().skip(1).map(|entry| pick(entry, None)).collect();
    if let Some(choice) = plan.six() {
        let browser = match named.first() {
            Some(Entry { subject: Subject::Installed(installed), .. }) if installed.engine == Engine::Electron => {
                return Err(ChoiceError::CannotHost(installed.name.clone()));
            }
            Some(Entry { subject: Subject::Installed(installed), .. }) => Some(installed.id.clone()),
            Some(entry) => return Err(ChoiceError::NotInstalled(entry.id())),
            None => None,
        };
        return Ok(Choice { host: Pick::Six { choice, browser }, extras, by_user: true });
    }
    if let Some(host) = named.first() {
        if !can_host(host) {
            return Err(ChoiceError::CannotHost(host.name().to_owned()));
        }
        return Ok(Choice { host: pick(host, plan.profile_name()), extras, by_user: true });
    }
    let mut able = entries.iter().filter(|entry| can_host(entry) && !is_six(entry) && is_meant(entry, plan));
    let host = able.next().ok_or(ChoiceError::NoBrowser)?;
    let by_user = matches!(&host.subject, Subject::Endpoint(endpoint) if plan.names(&endpoint.http));
    Ok(Choice { host: pick(host, plan.profile_name()), extras, by_user })
}

/// Whether `--profile` leaves an entry open: a browser that runs in another profile can't host seven in this one, unless
/// `--cdp` names it.
fn is_meant(entry: &Entry, plan: &Plan) -> bool {
    match (&entry.subject, plan.profile_name()) {
        (Subject::Endpoint(endpoint), Some(name)) => {
            endpoint.profile.as_deref() == Some(name.as_str()) || plan.names(&endpoint.http)
        }
        _ => true,
    }
}

/// The entry with this id, or else with this id or name in any case. SLICC six's Chrome is refused.
fn find<'a>(entries: &'a [Entry], wanted: &str) -> Result<&'a Entry, ChoiceError> {
    let lower = wanted.to_lowercase();
    let by_id = entries.iter().find(|entry| entry.id() == wanted);
    let entry = by_id
        .or_else(|| entries.iter().find(|entry| entry.id().to_lowercase() == lower))
        .or_else(|| entries.iter().find(|entry| entry.name().to_lowercase() == lower));
    match entry {
        None => Err(ChoiceError::Unknown(wanted.to_owned())),
        Some(entry) if is_six(entry) => Err(ChoiceError::Six(entry.id())),
        Some(entry) => Ok(entry),
    }
}

/// An entry as a browser to take.
pub fn pick(entry: &Entry, profile: Option<&ProfileName>) -> Pick {
    match &entry.subject {
        Subject::Endpoint(endpoint) => Pick::Endpoint(Box::new(endpoint.clone())),
        Subject::Installed(installed) => {
            Pick::Installed { browser: Box::new(installed.clone()), profile: profile.cloned() }
        }
    }
}

/// Whether discovery found anything that makes plain `slicc` go with a browser instead of falling back: a running endpoint
/// that isn't SLICC six's, or an installed Chromium browser that `has_profile`.
pub fn found_any(entries: &[Entry], has_profile: impl Fn(&Installed) -> bool) -> bool {
    entries.iter().any(|entry| match &entry.subject {
        Subject::Endpoint(endpoint) => !endpoint.six,
        Subject::Installed(installed) => installed.engine == Engine::Chromium && has_profile(installed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        browser::rank::rank,
        generated::{cli::Cli, events::SevenTab},
    };

    fn plan(line: &str) -> Plan {
        let words = format!("slicc {line}");
        Plan::new(&Cli::read(words.split_whitespace().map(Into::into)).unwrap().default).unwrap()
    }

    fn endpoint(port: u16) -> RunningEndpoint {
        RunningEndpoint::chrome_at(&format!("127.0.0.1:{port}"))
    }

    fn installed(id: &str, name: &str, engine: Engine) -> Installed {
        Installed::new(id, name, engine, format!("/opt/{id}"))
    }

    fn entries(endpoints: Vec<RunningEndpoint>) -> Vec<Entry> {
        let browsers = [
            installed("chrome", "Google Chrome", Engine::Chromium),
            installed("chromium", "Chromium", Engine::Chromium),
            installed("electron:slack", "Slack", Engine::Electron),
        ];
        rank(endpoints, browsers)
    }

    fn id(pick: &Pick) -> String {
        match pick {
            Pick::Endpoint(endpoint) => endpoint.id(),
            Pick::Installed { browser, .. } => browser.id.clone(),
            Pick::Six { choice, .. } => choice.to_string(),
        }
    }

    fn chosen(endpoints: Vec<RunningEndpoint>, line: &str) -> (String, Vec<String>, bool) {
        let Choice { host, extras, by_user } = choose(&entries(endpoints), &plan(line)).unwrap();
        (id(&host), extras.iter().map(id).collect(), by_user)
    }

    fn refused(endpoints: Vec<RunningEndpoint>, line: &str) -> ChoiceError {
        choose(&entries(endpoints), &plan(line)).unwrap_err()
    }

    #[test]
    fn the_first_row_that_can_host_seven_is_chosen_and_never_six() {
        assert_eq!(chosen(vec![], ""), ("chrome".into(), vec![], false));
        let seven_tabs =
            vec![SevenTab { id: "T".into(), url: "https://seven.sliccy.ai/".into(), title: String::new() }];
        let with_seven = RunningEndpoint { seven_tabs, ..endpoint(9223) };
        assert_eq!(chosen(vec![endpoint(9222), with_seven.clone()], "").0, "cdp:127.0.0.1:9223");
        let electron = RunningEndpoint { kind: "electron".into(), ..endpoint(9221) };
        assert_eq!(chosen(vec![electron, endpoint(9222)], "").0, "cdp:127.0.0.1:9222");
        assert_eq!(chosen(vec![RunningEndpoint { six: true, ..with_seven }], "").0, "chrome");
        let apps = [installed("electron:slack", "Slack", Engine::Electron)];
        assert_eq!(choose(&rank([], apps), &plan("")), Err(ChoiceError::NoBrowser));
    }

    #[test]
    fn the_first_named_browser_hosts_seven_and_the_others_are_extras_in_their_order() {
        let line = "--browser CHROMIUM --browser slack --browser cdp:127.0.0.1:9222 --browser chrome";
        let extras = ["electron:slack", "cdp:127.0.0.1:9222", "chrome"].map(String::from).to_vec();
        // "chrome" is an id, so the endpoint of that name isn't meant.
        assert_eq!(chosen(vec![endpoint(9222)], line), ("chromium".into(), extras, true));
    }

    #[test]
    fn what_is_named_wrongly_is_refused() {
        let six = RunningEndpoint { six: true, ..endpoint(9222) };
        let refused = |line| refused(vec![six.clone()], line);
        assert_eq!(refused("--browser netscape"), ChoiceError::Unknown("netscape".into()));
        assert_eq!(refused("--browser slack"), ChoiceError::CannotHost("Slack".into()));
        assert_eq!(refused("--browser chrome --browser CHROME"), ChoiceError::Twice("chrome".into()));
        assert_eq!(
            refused("--browser chrome --browser cdp:127.0.0.1:9222").to_string(),
            "cdp:127.0.0.1:9222 is SLICC six's Chrome; only --profile six uses it"
        );
    }

    #[test]
    fn an_endpoint_that_cdp_names_is_the_users_choice() {
        assert_eq!(chosen(vec![endpoint(9222)], "--cdp localhost:9222"), ("cdp:127.0.0.1:9222".into(), vec![], true));
        assert!(!chosen(vec![endpoint(9222)], "--cdp 9333").2);
    }

    #[test]
    fn a_profile_leaves_out_browsers_that_run_in_another() {
        let mine = RunningEndpoint { profile: Some("work".into()), ..endpoint(9400) };
        assert_eq!(chosen(vec![endpoint(9222)], "--profile work").0, "chrome");
        assert_eq!(chosen(vec![endpoint(9222), mine], "--profile work").0, "cdp:127.0.0.1:9400");
        assert_eq!(chosen(vec![endpoint(9222)], "--profile work --cdp 9222").0, "cdp:127.0.0.1:9222");
    }

    #[test]
    fn six_is_only_ever_the_users_choice() {
        assert_eq!(chosen(vec![endpoint(9222)], "--profile six"), ("six".into(), vec![], true));
        let Choice { host, extras, .. } =
            choose(&entries(vec![]), &plan("--profile six:5711 --browser chromium --browser chrome")).unwrap();
        assert_eq!(host, Pick::Six { choice: SixChoice { port: Some(5711) }, browser: Some("chromium".into()) });
        assert_eq!(extras.iter().map(id).collect::<Vec<_>>(), ["chrome"]);
        assert_eq!(
            refused(vec![endpoint(9222)], "--profile six --browser cdp:127.0.0.1:9222"),
            ChoiceError::NotInstalled("cdp:127.0.0.1:9222".into())
        );
    }

    #[test]
    fn an_endpoint_or_a_profile_keeps_seven_from_falling_back() {
        let none = |_: &Installed| false;
        assert!(!found_any(&entries(vec![]), none));
        assert!(found_any(&entries(vec![endpoint(9222)]), none));
        assert!(!found_any(&entries(vec![RunningEndpoint { six: true, ..endpoint(9222) }]), none));
        assert!(found_any(&entries(vec![]), |browser| browser.id == "chromium"));
        assert!(!found_any(&entries(vec![]), |browser| browser.id == "electron:slack"));
    }
}
