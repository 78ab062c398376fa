//! A run of plain `slicc` from one end to the other.

use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::{
    browsers::{self, OpenBrowser},
    choice::{self, Choice},
    front::{Front, Output},
    plan::{Audience, Plan},
    screens, watch,
};
use crate::{
    browser::{
        discover::{self, Network, RealNetwork},
        installed::Installed,
        list::{self, list},
        migrate::migrate,
        open,
        profile::ProfileName,
        rank::{Entry, document},
    },
    cli::{Failure, browsers::missing, interrupt, look_around, stdout},
    host::{RealSystem, System},
    node::{self, Event, Listener, LocalNode},
    policy::Policy,
    signal::{Notice, OverCdp, SignalError},
    tui::event::{Role, SessionEvent},
};

/// Runs until it is told to stop, until the browser that hosts seven is gone, or until nobody reads what it prints.
///
/// # Errors
/// [`Failure`]: no browser, or one that can't be launched, attached to or closed.
pub async fn run(plan: Plan) -> Result<(), Failure> {
    let stop = interrupt::listen()?;
    let front = match plan.audience {
        Audience::Json => Front::Json,
        // What comes before the dashboard, and what fails there, are lines, too.
        Audience::Terminal | Audience::Lines => Front::Lines,
    };
    let output = Arc::new(Output::new(front, stop.clone()));
    let result = run_with(plan, &output, &stop).await;
    let written = stdout::ended(output.finish().await);
    result.and(written)
}

/// The same with an output. Whatever fails is told to it, and returned.
///
/// # Errors
/// As [`run`].
async fn run_with(plan: Plan, output: &Arc<Output>, stop: &CancellationToken) -> Result<(), Failure> {
    let system: Arc<dyn System> = Arc::new(RealSystem);
    let chosen = tokio::select! {
        biased;
        () = stop.cancelled() => return Ok(()),
        chosen = Box::pin(choose(&system, &plan, output)) => chosen,
    };
    match chosen {
        Ok(Some((choice, entries))) if plan.audience == Audience::Terminal => {
            let run = |output, stop| async move { go(&system, plan, &choice, &entries, &output, &stop).await };
            screens::watch(run, stop).await
        }
        Ok(Some((choice, entries))) => go(&system, plan, &choice, &entries, output, stop).await,
        Ok(None) => Ok(()),
        Err(failure) => {
            output.tell(&SessionEvent::Error { message: failure.message.clone(), browser: None });
            Err(failure)
        }
    }
}

/// Goes with what was chosen, to the end.
async fn go(
    system: &Arc<dyn System>,
    plan: Plan,
    choice: &Choice,
    entries: &[Entry],
    output: &Arc<Output>,
    stop: &CancellationToken,
) -> Result<(), Failure> {
    let mut open = Vec::new();
    let mut result = serve(system, plan, choice, entries, &mut open, output, stop).await;
    if let Err(failure) = &result {
        output.tell(&SessionEvent::Error { message: failure.message.clone(), browser: None });
    }
    let (closed, left) = browsers::close(open).await;
    for (id, error) in left {
        let message = format!("{id} isn't closed: {error}");
        output.tell(&SessionEvent::Error { message: message.clone(), browser: Some(id) });
        match &result {
            Ok(()) => result = Err(Failure::failed(message)),
            // Only one failure is reported in the end.
            Err(_) => output.status(message),
        }
    }
    output.tell(&SessionEvent::Closed { browsers: closed });
    result
}

/// Looks around, and chooses. `None` when the user was asked and wants nothing.
async fn choose(
    system: &Arc<dyn System>,
    plan: &Plan,
    output: &Arc<Output>,
) -> Result<Option<(Choice, Vec<Entry>)>, Failure> {
    // SLICC six's profile has no part in what happens to others.
    if plan.six().is_none() {
        let system = Arc::clone(system);
        for notice in look_around(move || migrate(&*system)).await? {
            output.status(notice.to_string());
        }
    }
    let options = list::Options {
        running: discover::Options {
            cdp: plan.cdp.clone(),
            origins: plan.origins.clone(),
            ..discover::Options::default()
        },
        ..list::Options::default()
    };
    let network: Arc<dyn Network> = Arc::new(RealNetwork);
    let found = Box::pin(list(system, &network, &options)).await;
    output.tell(&SessionEvent::Discovered { entries: document(&found.entries).entries });
    for line in missing(&found) {
        output.status(line);
    }
    if plan.fallback && !choice::found_any(&found.entries, |browser| has_profile(&**system, browser)) {
        return Err(fall_back());
    }
    let choice = match plan.audience {
        Audience::Terminal => screens::pick(system, plan, &found.entries).await?,
        Audience::Lines | Audience::Json => Some(choice::choose(&found.entries, plan)?),
    };
    Ok(choice.map(|choice| (choice, found.entries)))
}

/// Whether a browser has its SLICC profile.
pub fn has_profile(system: &dyn System, browser: &Installed) -> bool {
    let dir = || Some(open::place(system, browser)?.dir(system, &ProfileName::parse(&browser.id).ok()?));
    dir().is_some_and(|dir| system.is_dir(&dir))
}

/// Links seven in the default browser: where pairing goes (section "The default: slicc", "The fallback to your default
/// browser", of the requirement).
fn fall_back() -> Failure {
    Failure::failed("no SLICC browser or debugging endpoint found, and slicc can't pair with your default browser yet")
        .hint("run slicc --no-fallback to launch an installed browser in a SLICC profile")
        .hint("use --profile or --cdp to choose")
}

/// Opens the browsers, links seven, and serves the link until `stop`. What was opened is in `open`, however it ends.
async fn serve(
    system: &Arc<dyn System>,
    mut plan: Plan,
    choice: &Choice,
    entries: &[Entry],
    open: &mut Vec<OpenBrowser>,
    output: &Arc<Output>,
    stop: &CancellationToken,
) -> Result<(), Failure> {
    let mut node = LocalNode::new(std::mem::take(&mut plan.node)).map_err(Failure::failed)?;
    let signaller = tokio::select! {
        biased;
        () = stop.cancelled() => return Ok(()),
        signaller = Box::pin(set_up(system, &plan, choice, entries, &node, open, output)) => signaller?,
    };
    let policy = node.policy().clone();
    let caps = node.caps().to_vec();
    output.tell(&SessionEvent::Offering { caps, policy: policy.summary(), compute: None });
    let listener = listener(output, &node, policy);
    let _kernel_services = node.start_kernel_services(&listener);
    let _watching = watch::watch(open.iter().skip(1).map(OpenBrowser::watched).collect(), output);
    match node::session(&node, signaller, listener, stop.clone()).await {
        Ok(_) => Ok(()),
        Err(SignalError::BrowserClosed) => {
            if let Some(host) = open.first() {
                let facts = host.facts();
                let (id, name, role) = (facts.id.clone(), facts.name.clone(), facts.role);
                output.tell(&SessionEvent::BrowserGone { id, name, role });
                host.exits().await;
            }
            Ok(())
        }
        Err(error) => Err(Failure::failed(error)),
    }
}

/// Opens the browsers, and connects to the one that hosts seven.
async fn set_up(
    system: &Arc<dyn System>,
    plan: &Plan,
    choice: &Choice,
    entries: &[Entry],
    node: &LocalNode,
    open: &mut Vec<OpenBrowser>,
    output: &Arc<Output>,
) -> Result<OverCdp, Failure> {
    let host = browsers::open(&**system, &choice.host, Role::Seven, plan, entries, output).await?;
    let (facts, socket, launched) = (host.facts().clone(), host.socket().clone(), host.is_launched());
    open.push(host);
    node.protect_browser(&facts.id, &socket).await;
    let connected = Box::pin(OverCdp::connect(&socket, plan.origins.clone(), node.id().clone())).await;
    let signaller = connected.map_err(Failure::no_browser)?;
    // A launched browser has the page as its start page.
    let opened_tab =
        if launched { true } else { signaller.open_unless_seven(plan.page.as_str()).await.map_err(Failure::failed)? };
    output.tell(&SessionEvent::Attached { browser: facts, launched });
    if let Some(foreign) = open.first().and_then(|host| host.foreign(choice.by_user, opened_tab)) {
        output.tell(&SessionEvent::Foreign(foreign));
    }
    for pick in &choice.extras {
        let extra = browsers::open(&**system, pick, Role::Extra, plan, entries, output).await?;
        let (facts, socket, launched) = (extra.facts().clone(), extra.socket().clone(), extra.is_launched());
        if let Some(other) = open.iter().find(|other| other.socket().http() == socket.http()) {
            let other = &other.facts().id;
            return Err(Failure::failed(format_args!("--browser names {other} twice: {} is the same", facts.id)));
        }
        open.push(extra);
        node.protect_browser(&facts.id, &socket).await;
        output.tell(&SessionEvent::Attached { browser: facts, launched });
    }
    Ok(signaller)
}

/// Turns what the node says into what the run tells.
fn listener(output: &Arc<Output>, node: &LocalNode, policy: Policy) -> Listener {
    let output = Arc::clone(output);
    let caps = node.caps().to_vec();
    let shown = Mutex::new(None);
    let set_shown = move |url: Option<String>| -> Option<String> {
        // Nothing panics while it holds the lock.
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        if url.is_some() {
            shown.clone_from(&url);
        }
        shown.clone()
    };
    Arc::new(move |event| {
        let told = match event {
            Event::Notice(Notice::WaitingForTab) => SessionEvent::WaitingForSeven,
            Event::Notice(Notice::Tab { url, title }) => {
                set_shown(Some(url.clone()));
                SessionEvent::Tab { url, title }
            }
            Event::Notice(notice @ Notice::IgnoredContext) => {
                tracing::debug!("{notice}");
                return;
            }
            Event::Notice(notice @ (Notice::TabClosed | Notice::TabLeft)) => {
                output.tell(&SessionEvent::TabGone);
                SessionEvent::Status(notice.to_string())
            }
            Event::Notice(notice) => SessionEvent::Status(notice.to_string()),
            Event::Connecting => SessionEvent::Connecting,
            Event::Linked { peer } => SessionEvent::Linked {
                peer: peer.name,
                tab: set_shown(None),
                caps: caps.clone(),
                policy: policy.summary(),
            },
            Event::LinkDown { reason } => SessionEvent::LinkLost(reason),
            Event::StreamOpen { kind } => SessionEvent::StreamOpen { kind },
            Event::StreamClose { kind } => SessionEvent::StreamClose { kind },
            Event::Kernel(notice) => SessionEvent::Kernel(notice),
        };
        output.tell(&told);
    })
}
