//! Every browser on this machine: what is running and what is installed, best match first (section "Browsers" of the
//! requirement).

use std::sync::Arc;

use super::{
    discover::{self, Network, Scope, Unanswered, WHOLE, finished},
    installed,
    rank::{Entry, rank},
};
use crate::host::System;

/// What to list.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What is looked for among running browsers.
    pub running: discover::Options,
    /// How installed browsers are looked for.
    pub installed: installed::Options,
}

/// What there is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Running endpoints and installed browsers, best match first.
    pub entries: Vec<Entry>,
    /// Each `--cdp` that no browser answers at.
    pub unanswered: Vec<Unanswered>,
    /// Whether it took too long to look for installed browsers, so that none is listed.
    pub installed_timed_out: bool,
}

/// Looks for running and for installed browsers at once, within [`WHOLE`]. It only reads.
pub async fn list(system: &Arc<dyn System>, network: &Arc<dyn Network>, options: &Options) -> Found {
    let installed = async {
        if !Scope::of(&**system).installed {
            return Some(Vec::new());
        }
        let (system, options) = (Arc::clone(system), options.installed);
        let looking = tokio::task::spawn_blocking(move || installed::all(&*system, &options));
        tokio::time::timeout(WHOLE, looking).await.ok().map(finished)
    };
    let (running, installed) = tokio::join!(discover::running(system, network, &options.running), installed);
    Found {
        installed_timed_out: installed.is_none(),
        entries: rank(running.endpoints, installed.unwrap_or_default()),
        unanswered: running.unanswered,
    }
}
