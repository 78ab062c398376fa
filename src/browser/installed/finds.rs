//! What was found, and which of it counts.

use std::{
    cmp::Ordering,
    collections::HashSet,
    path::{Path, PathBuf},
};

use super::{DebugSupport, Engine, Installed, Via, id_order, slug};
use crate::{
    generated::catalog::{Browser, places},
    host::{Os, System},
};

/// Finds, in the order in which they count.
#[derive(Debug, Default)]
pub(super) struct Finds(Vec<Find>);

/// One find.
#[derive(Debug)]
struct Find {
    installed: Installed,
    /// What is found only once: the file behind the path.
    identity: PathBuf,
    /// Whether it was found by a fact that the catalog marks as a guess.
    guess: bool,
}

impl Finds {
    /// Notes a find. `fact` is the catalog's fact that led to it, such as `linux.pathNames`; for an app that isn't in the
    /// catalog it is empty.
    pub(super) fn add(&mut self, system: &dyn System, installed: Installed, fact: &str) {
        let identity = identity(system, &installed.path);
        let guess = super::browser(&installed.id).is_some_and(|browser| is_guess(browser, fact));
        self.0.push(Find { installed, identity, guess });
    }

    /// Whether this browser was found by a sure fact, so that it needs no other find.
    pub(super) fn has(&self, id: &str) -> bool {
        self.0.iter().any(|find| find.installed.id == id && !find.guess)
    }

    /// Each id once and each file once, sorted: browsers as in the catalog, then Electron apps by name, then path.
    pub(super) fn settle(mut self) -> Vec<Installed> {
        // A stable sort: among sure finds, and among guesses, the first one still comes first.
        self.0.sort_by_key(|find| find.guess);
        let mut ids = HashSet::new();
        let mut files = HashSet::new();
        let mut found = Vec::new();
        for find in self.0 {
            if ids.contains(&find.installed.id) || !files.insert(find.identity) {
                continue;
            }
            ids.insert(find.installed.id.clone());
            found.push(find.installed);
        }
        found.sort_by(order);
        found
    }
}

fn is_guess(browser: &Browser, fact: &str) -> bool {
    // A guess can also be one item of a list, such as `linux.flatpaks.1`, or the whole system.
    let system = fact.split('.').next().unwrap_or_default();
    let list = fact.rsplit_once('.').filter(|(_, last)| last.parse::<usize>().is_ok()).map_or(fact, |(list, _)| list);
    browser.guesses.iter().any(|guess| [fact, list, system].contains(guess))
}

fn order(one: &Installed, other: &Installed) -> Ordering {
    let name = |app: &Installed| app.name.to_lowercase();
    id_order(&one.id)
        .cmp(&id_order(&other.id))
        .then_with(|| name(one).cmp(&name(other)))
        .then_with(|| one.name.cmp(&other.name))
        .then_with(|| one.path.cmp(&other.path))
}

/// The file behind a path. The command of a snap is a link to the program that runs all snaps, so it stays as it is.
fn identity(system: &dyn System, path: &Path) -> PathBuf {
    let os = system.os();
    let resolved = system.canonical(path).filter(|_| !path.starts_with(places::SNAP_COMMANDS));
    let resolved = resolved.unwrap_or_else(|| path.to_path_buf());
    if os.ignores_case() { PathBuf::from(resolved.to_string_lossy().to_lowercase()) } else { resolved }
}

/// A browser of the catalog, as it is found most often.
pub(super) fn chromium(browser: &Browser, executable: PathBuf) -> Installed {
    let found = Installed::new(browser.id, browser.name, Engine::Chromium, executable);
    Installed { channel: Some(browser.channel), ..found }
}

/// An Electron app. `None` when no id can be made from its name.
pub(super) fn electron_app(name: &str, executable: PathBuf, debug_support: DebugSupport) -> Option<Installed> {
    let slug = slug(name);
    (!slug.is_empty()).then(|| {
        let found = Installed::new(format!("electron:{slug}"), name, Engine::Electron, executable);
        Installed { debug_support, ..found }
    })
}

/// A find in a sandbox of this kind.
pub(super) fn sandboxed(mut installed: Installed, via: Via, package: &str) -> Installed {
    installed.via = Some(via);
    installed.package = Some(package.to_owned());
    installed
}

/// Whether a path is below a directory, whichever system runs the code.
pub(super) fn is_below(os: Os, path: &Path, dir: &str) -> bool {
    let text = path.to_string_lossy();
    text.strip_prefix(dir).is_some_and(|rest| rest.starts_with(os.separator()))
}
