//! A browser as the dashboard shows it.

use std::net::Ipv4Addr;

use url::Url;

use crate::tui::{
    event::{Role, SessionBrowser},
    text,
};

/// A linked browser. Its texts are clean, but for the id, which isn't drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShownBrowser {
    pub(super) id: String,
    name: String,
    place: String,
    role: Role,
    /// Whether this run launched it.
    pub(super) launched: bool,
    profile: Option<String>,
    /// Whether it doesn't answer.
    pub(super) gone: bool,
}

impl ShownBrowser {
    pub(super) fn new(browser: &SessionBrowser) -> Self {
        let mut shown = Self {
            id: browser.id.clone(),
            name: String::new(),
            place: String::new(),
            role: browser.role,
            launched: false,
            profile: None,
            gone: false,
        };
        shown.update(browser);
        shown
    }

    /// Takes over what is said of it now.
    pub(super) fn update(&mut self, browser: &SessionBrowser) {
        let version = browser.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        self.name = text::clean(&format!("{}{version}", browser.name));
        self.role = browser.role;
        let url = Url::parse(&browser.cdp).ok();
        let host = url.as_ref().and_then(Url::host_str).filter(|host| *host != Ipv4Addr::LOCALHOST.to_string());
        let elsewhere = host.map(|host| format!(" on {}", text::clean(host))).unwrap_or_default();
        self.place = format!("CDP :{}{elsewhere}", browser.port);
    }

    pub(super) fn launched_in(&mut self, profile: Option<&str>) {
        self.launched = true;
        self.profile = profile.map(text::clean);
    }

    /// The name, and what else there is to say, the most important first.
    pub(super) fn texts(&self) -> (String, String) {
        let came = match (self.launched, &self.profile) {
            (false, _) => "attached".to_owned(),
            (true, None) => "launched".to_owned(),
            (true, Some(profile)) => format!("launched in profile {profile}"),
        };
        let role = match self.role {
            Role::Seven => "hosts seven",
            Role::Extra => "extra",
        };
        (self.name.clone(), format!(" · {role} · {} · {came}", self.place))
    }
}
