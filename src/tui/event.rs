//! What happens in a run of plain `slicc`: one stream of events that the plain lines, the NDJSON and the dashboard are made
//! of (section "The default: slicc" of the requirement).

use std::fmt::Write as _;

pub use crate::generated::events::SessionRole as Role;
use crate::{
    generated::{
        events::BrowserEntry,
        link::{Cap, StreamKind},
    },
    kernel,
    node::DownReason,
};

/// A browser of this run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionBrowser {
    /// The id: an installed browser's, or `cdp:<host>:<port>`.
    pub id: String,
    /// The name, which the browser or its endpoint says: foreign text.
    pub name: String,
    /// The version, where it is known.
    pub version: Option<String>,
    /// What it is for.
    pub role: Role,
    /// The HTTP endpoint, such as `http://127.0.0.1:53211`.
    pub cdp: String,
    /// The debugging port.
    pub port: u16,
    /// The browser's WebSocket, where it is known. It is a secret of a kind: whoever has it controls the browser.
    pub web_socket: Option<String>,
}

/// The browser that hosts seven, when slicc didn't launch it and nobody chose it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignBrowser {
    /// Its id.
    pub id: String,
    /// Its name: foreign text.
    pub name: String,
    /// Its profile: `default`, the base name of its user data dir, `six` or `six:<port>`; `None` when it is unknown.
    pub profile: Option<String>,
    /// Its HTTP endpoint.
    pub cdp: String,
    /// Whether slicc opened the seven tab. One was open otherwise.
    pub opened_tab: bool,
}

/// Something that happened. The first is [`SessionEvent::Discovered`]; after it, a run that got past choosing its browsers
/// ends with [`SessionEvent::Closed`]. Names, titles, URLs and reasons are foreign text, which only
/// `cli::console::printable` makes fit for a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// What there is, best match first.
    Discovered {
        /// The ranked list.
        entries: Vec<BrowserEntry>,
    },
    /// slicc launched a browser, and its debugging port answers.
    Launched {
        /// The browser.
        browser: SessionBrowser,
        /// Its main process.
        pid: u32,
        /// The name of its profile; `None` for an Electron app.
        profile: Option<String>,
        /// The dir of its profile; `None` for an Electron app.
        profile_dir: Option<String>,
    },
    /// slicc uses a browser: it is connected to the one that hosts seven, and an extra is listed. It comes for launched ones,
    /// too.
    Attached {
        /// The browser.
        browser: SessionBrowser,
        /// Whether this run launched it.
        launched: bool,
    },
    /// seven goes into a browser that nobody chose. It follows [`SessionEvent::Attached`].
    Foreign(ForeignBrowser),
    /// What the link will offer. It comes once, before the first link.
    Offering {
        /// The capabilities.
        caps: Vec<Cap>,
        /// The summary of the policy.
        policy: String,
        /// The runner behind ssh.
        compute: Option<String>,
    },
    /// No tab shows seven.
    WaitingForSeven,
    /// The seven tab is this one, or has changed its URL or its title.
    Tab {
        /// Its URL, on an allowed origin.
        url: String,
        /// Its title.
        title: String,
    },
    /// The seven tab was closed, or shows something else. A [`SessionEvent::Status`] says which.
    TabGone,
    /// seven offered a link, which is being set up.
    Connecting,
    /// The link is up.
    Linked {
        /// seven's name; empty when it says none.
        peer: String,
        /// The tab's URL, where it is known.
        tab: Option<String>,
        /// The capabilities that slicc offers on it.
        caps: Vec<Cap>,
        /// The summary of the policy.
        policy: String,
    },
    /// The link is over, or its offer could not be answered.
    LinkLost(DownReason),
    /// seven opened a stream.
    StreamOpen {
        /// What it carries.
        kind: StreamKind,
    },
    /// A stream is over. It can come after its link's end.
    StreamClose {
        /// What it carried.
        kind: StreamKind,
    },
    /// Kernel services have something to say.
    Kernel(kernel::Notice),
    /// A browser stopped answering. An extra has left the list; without the one that hosts seven, the run ends.
    BrowserGone {
        /// Its id.
        id: String,
        /// Its name.
        name: String,
        /// What it is for.
        role: Role,
    },
    /// A browser answers again, and is back on the list.
    BrowserBack {
        /// Its id.
        id: String,
        /// Its name.
        name: String,
        /// What it is for.
        role: Role,
    },
    /// Anything else that people read.
    Status(String),
    /// The run is over. Nothing follows.
    Closed {
        /// The ids of the browsers that slicc closed.
        browsers: Vec<String>,
    },
    /// Something failed.
    Error {
        /// What happened.
        message: String,
        /// The id of the browser that couldn't be closed, when it is that.
        browser: Option<String>,
    },
}

impl SessionEvent {
    /// The status line that people read, without the program's name; `None` for what is no news to them. It holds foreign
    /// text.
    pub fn line(&self) -> Option<String> {
        Some(match self {
            Self::Discovered { .. }
            | Self::Tab { .. }
            | Self::TabGone
            | Self::StreamOpen { .. }
            | Self::StreamClose { .. }
            | Self::Error { .. } => return None,
            Self::Closed { browsers } if browsers.is_empty() => return None,
            Self::Launched { browser, profile: Some(profile), .. } => {
                format!("launched {} with profile {profile} at {}", browser.name, browser.cdp)
            }
            Self::Launched { browser, .. } => format!("launched {} at {}", browser.name, browser.cdp),
            Self::Attached { browser, .. } => {
                let role = match browser.role {
                    Role::Seven => "it hosts seven",
                    Role::Extra => "an extra browser",
                };
                format!("attached to {} at {}, {role}", browser.name, browser.cdp)
            }
            Self::Foreign(foreign) => foreign.line(),
            Self::Offering { caps, policy, compute } => {
                let caps: Vec<_> = caps.iter().map(|cap| cap.as_str()).collect();
                let mut line = format!("offering {}; policy: {policy}", caps.join(", "));
                if let Some(runner) = compute {
                    // Writing to a string can't fail.
                    let _ = write!(line, "; compute: ssh via {runner}");
                }
                line
            }
            Self::WaitingForSeven => "waiting for a seven tab".to_owned(),
            Self::Connecting => "linking".to_owned(),
            Self::Linked { peer, tab, .. } => {
                let mut line = "linked".to_owned();
                if !peer.is_empty() {
                    let _ = write!(line, " with \"{peer}\"");
                }
                if let Some(tab) = tab {
                    let _ = write!(line, " in {tab}");
                }
                line
            }
            Self::LinkLost(DownReason::Bye(reason)) if reason.is_empty() => "link lost".to_owned(),
            Self::LinkLost(reason) => format!("link lost: {reason}"),
            Self::Kernel(notice) => notice.to_string(),
            Self::BrowserGone { name, role: Role::Seven, .. } => format!("{name} quit, and seven with it"),
            Self::BrowserGone { name, role: Role::Extra, .. } => {
                format!("{name} quit; it is listed again when it answers again")
            }
            Self::BrowserBack { name, .. } => format!("{name} is back on the list"),
            Self::Status(line) => line.clone(),
            Self::Closed { browsers } => format!("closed {}", browsers.join(", ")),
        })
    }
}

impl ForeignBrowser {
    /// The notice, without the program's name.
    pub fn line(&self) -> String {
        let Self { name, cdp, .. } = self;
        let profile = self.profile.as_ref().map(|profile| format!(" (profile {profile})")).unwrap_or_default();
        let tab = if self.opened_tab { "opened a new seven tab" } else { "found a seven tab" };
        format!(
            "using {name}{profile} at {cdp}, which slicc didn't launch; {tab}. Use --browser or --cdp to choose another."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::mux::CloseReason;

    fn browser(role: Role) -> SessionBrowser {
        SessionBrowser {
            id: "<ids>".into(),
            name: "<browser>".into(),
            version: None,
            role,
            cdp: "<url>".into(),
            port: 1,
            web_socket: None,
        }
    }

    #[test]
    fn every_status_line_is_documented() {
        let documented = include_str!("../../docs/status-lines.md");
        let (id, name) = ("<ids>".to_owned(), "<browser>".to_owned());
        let foreign = |opened_tab| {
            SessionEvent::Foreign(ForeignBrowser {
                id: "<ids>".into(),
                name: "<browser>".into(),
                profile: Some("<name>".into()),
                cdp: "<url>".into(),
                opened_tab,
            })
        };
        let launched = |profile: Option<&str>| SessionEvent::Launched {
            browser: SessionBrowser {
                name: if profile.is_some() { "<browser>" } else { "<app>" }.into(),
                ..browser(Role::Seven)
            },
            pid: 1,
            profile: profile.map(str::to_owned),
            profile_dir: None,
        };
        for event in [
            launched(Some("<name>")),
            launched(None),
            SessionEvent::Attached { browser: browser(Role::Seven), launched: false },
            SessionEvent::Attached { browser: browser(Role::Extra), launched: true },
            foreign(true),
            foreign(false),
            SessionEvent::WaitingForSeven,
            SessionEvent::Connecting,
            SessionEvent::Linked {
                peer: "<name>".into(),
                tab: Some("<tab>".into()),
                caps: Vec::new(),
                policy: String::new(),
            },
            SessionEvent::LinkLost(DownReason::Bye("<reason>".into())),
            SessionEvent::LinkLost(DownReason::Failed(CloseReason::Local("<reason>".into()))),
            SessionEvent::LinkLost(DownReason::Bye(String::new())),
            SessionEvent::BrowserGone { id: id.clone(), name: name.clone(), role: Role::Seven },
            SessionEvent::BrowserGone { id: id.clone(), name: name.clone(), role: Role::Extra },
            SessionEvent::BrowserBack { id: id.clone(), name, role: Role::Extra },
            SessionEvent::Closed { browsers: vec![id] },
        ] {
            let line = event.line().expect("people read it");
            assert!(documented.contains(&format!("| `{line}` |")), "{line}");
        }
    }

    #[test]
    fn what_is_offered_is_one_line_with_the_runner_where_there_is_one() {
        let offering = |compute: Option<&str>| SessionEvent::Offering {
            caps: vec![Cap::Net, Cap::Http],
            policy: "all".into(),
            compute: compute.map(str::to_owned),
        };
        assert_eq!(offering(None).line().unwrap(), "offering net, http; policy: all");
        assert_eq!(offering(Some("bash")).line().unwrap(), "offering net, http; policy: all; compute: ssh via bash");
    }
}
