//! Installed browsers on macOS: app bundles in the folders of applications, and those that Spotlight knows by bundle id.
//!
//! A bundle's `Info.plist` says its id, name, version and executable. With `--no-bundle-scan` nothing inside a bundle is read
//! but a debug build's, so macOS asks for no permission: browsers are found by bundle id or name, Electron apps by known
//! bundle ids, and Spotlight says the versions.

mod bundle;
mod spotlight;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

pub use self::{
    bundle::{BundleInfo, parse_info_plist},
    spotlight::{Attributes, parse_mdfind, parse_mdls},
};
use super::{
    DebugSupport, Installed, data_dirs, electron,
    finds::{Finds, chromium, electron_app},
    place,
};
use crate::{
    generated::catalog::{
        BROWSERS, Browser,
        electron::{APPS, FRAMEWORKS},
        places,
    },
    host::{Os, System},
};

/// The end of a bundle's name.
const APP: &str = ".app";

/// An app bundle, by its name alone.
#[derive(Debug, Clone)]
struct Bundle {
    path: PathBuf,
    /// The name without `.app`.
    name: String,
}

/// What is installed.
pub(super) fn find(system: &dyn System, bundle_scan: bool) -> Finds {
    let mut finds = Finds::default();
    let folders: Vec<PathBuf> = places::APPLICATIONS.iter().filter_map(|folder| place(system, folder)).collect();
    let bundles: Vec<Bundle> = folders.iter().flat_map(|folder| bundles(system, folder)).collect();
    let replaced = debug_builds(system, &bundles, &mut finds);
    let bundles: Vec<Bundle> = bundles.into_iter().filter(|bundle| !replaced.contains(&bundle.path)).collect();
    if bundle_scan {
        scan(system, &bundles, &replaced, &mut finds);
    } else {
        look(system, &bundles, &replaced, &mut finds);
    }
    finds
}

fn bundles(system: &dyn System, folder: &Path) -> Vec<Bundle> {
    let names = system.list(folder);
    names.iter().filter_map(|name| bundle(system, Os::Macos.join(folder, name))).collect()
}

fn bundle(system: &dyn System, path: PathBuf) -> Option<Bundle> {
    let name = Os::Macos.file_name(&path)?.to_str()?.strip_suffix(APP)?.to_owned();
    (!name.is_empty() && system.is_dir(&path)).then_some(Bundle { path, name })
}

/// Debug builds, and what they replace: the app of that name, and themselves, which are no apps of their own.
fn debug_builds(system: &dyn System, bundles: &[Bundle], finds: &mut Finds) -> HashSet<PathBuf> {
    let mut replaced = HashSet::new();
    let Some(folder) = place(system, places::DEBUG_BUILDS) else { return replaced };
    for build in bundles.iter().filter(|bundle| Os::Macos.parent(&bundle.path).as_ref() == Some(&folder)) {
        let Some(name) = build.name.strip_suffix(places::DEBUG_BUILD_SUFFIX) else { continue };
        if name.is_empty() || !has_framework(system, &build.path) {
            continue;
        }
        let info = BundleInfo::read(system, &build.path).unwrap_or_default();
        let executable = executable(system, &build.path, &info, name).unwrap_or_else(|| usual(&build.path, name));
        let mut shown = info.name.as_deref().unwrap_or(name);
        shown = shown.strip_suffix(places::DEBUG_BUILD_SUFFIX).filter(|name| !name.is_empty()).unwrap_or(shown);
        let Some(app) = electron_app(shown, executable, DebugSupport::Supported) else { continue };
        replaced.insert(build.path.clone());
        replaced.extend(folders_of(system).map(|folder| Os::Macos.join(&folder, format!("{name}{APP}"))));
        let app = Installed { version: info.version, bundle_id: info.bundle_id, debug_build: true, ..app };
        finds.add(system, Installed { path: build.path.clone(), ..app }, "");
    }
    replaced
}

fn folders_of(system: &dyn System) -> impl Iterator<Item = PathBuf> {
    places::APPLICATIONS.iter().filter_map(move |folder| place(system, folder))
}

/// Reads every bundle.
fn scan(system: &dyn System, bundles: &[Bundle], replaced: &HashSet<PathBuf>, finds: &mut Finds) {
    for bundle in bundles {
        scan_bundle(system, bundle, true, finds);
    }
    let missing: Vec<&str> = bundle_ids().filter(|(browser, _)| !finds.has(browser.id)).map(|(_, id)| id).collect();
    for path in spotlight::find(system, &missing).into_iter().filter(|path| !replaced.contains(path)) {
        if let Some(bundle) = bundle(system, path) {
            scan_bundle(system, &bundle, false, finds);
        }
    }
}

fn scan_bundle(system: &dyn System, bundle: &Bundle, electron_too: bool, finds: &mut Finds) {
    let info = BundleInfo::read(system, &bundle.path).unwrap_or_default();
    // A bundle that states no id is known by its name.
    let browser = match &info.bundle_id {
        Some(id) => browser_of(id),
        None => browser_named(&bundle.name),
    };
    let Some(executable) = executable(system, &bundle.path, &info, &bundle.name) else { return };
    let name = info.name.as_deref();
    let app = match browser {
        Some(browser) => {
            let found = browser_in(system, browser, bundle, executable);
            Some(Installed { name: name.unwrap_or(browser.name).to_owned(), ..found })
        }
        None if electron_too && has_framework(system, &bundle.path) => {
            let support = electron::debug_support(&bundle.name, info.bundle_id.as_deref());
            electron_app(name.unwrap_or(&bundle.name), executable, support)
        }
        None => None,
    };
    if let Some(app) = app {
        let fact = if info.bundle_id.is_some() { "macos.bundleIds" } else { "macos.appNames" };
        let bundle_id = info.bundle_id.or(app.bundle_id);
        finds.add(system, Installed { version: info.version, bundle_id, path: bundle.path.clone(), ..app }, fact);
    }
}

/// Reads no bundle: names and Spotlight say what is there.
fn look(system: &dyn System, bundles: &[Bundle], replaced: &HashSet<PathBuf>, finds: &mut Finds) {
    let named = bundles.iter().filter(|bundle| browser_named(&bundle.name).is_some());
    let ids: Vec<&str> = bundle_ids().map(|(_, id)| id).chain(APPS.iter().map(|app| app.bundle_id)).collect();
    let known = spotlight::find(system, &ids).into_iter().filter_map(|path| bundle(system, path));
    // Spotlight's own order is none: what lies in the folders of applications comes first, and nothing comes twice.
    let rank = |bundle: &Bundle| {
        let parent = Os::Macos.parent(&bundle.path);
        folders_of(system).position(|folder| Some(folder) == parent).unwrap_or(usize::MAX)
    };
    let mut seen = HashSet::new();
    let mut candidates: Vec<Bundle> = named.cloned().chain(known).collect();
    candidates.retain(|bundle| seen.insert(bundle.path.clone()) && !replaced.contains(&bundle.path));
    candidates.sort_by(|one, other| rank(one).cmp(&rank(other)).then_with(|| one.path.cmp(&other.path)));
    let attributes =
        spotlight::attributes(system, &candidates.iter().map(|one| one.path.as_path()).collect::<Vec<_>>());
    for (bundle, attributes) in candidates.iter().zip(attributes) {
        let id = attributes.bundle_id.as_deref();
        // Every browser's executable is named after its app. That of another app is a guess.
        let executable = usual(&bundle.path, &bundle.name);
        let browser = id.map_or_else(|| browser_named(&bundle.name), browser_of);
        let app = match browser {
            Some(browser) => Some(browser_in(system, browser, bundle, executable)),
            None => APPS
                .iter()
                .find(|app| id.is_some_and(|id| app.bundle_id.eq_ignore_ascii_case(id)))
                .and_then(|app| electron_app(app.name, executable, DebugSupport::Unknown)),
        };
        if let Some(app) = app {
            let fact = if id.is_some() { "macos.bundleIds" } else { "macos.appNames" };
            let bundle_id = attributes.bundle_id.or(app.bundle_id);
            let found = Installed { version: attributes.version, bundle_id, path: bundle.path.clone(), ..app };
            finds.add(system, found, fact);
        }
    }
}

fn browser_in(system: &dyn System, browser: &Browser, bundle: &Bundle, executable: PathBuf) -> Installed {
    Installed {
        path: bundle.path.clone(),
        bundle_id: browser.macos.bundle_ids.first().map(|id| (*id).to_owned()),
        user_data_dir: data_dirs::native(system, browser),
        ..chromium(browser, executable)
    }
}

fn bundle_ids() -> impl Iterator<Item = (&'static Browser, &'static str)> {
    BROWSERS.iter().flat_map(|browser| browser.macos.bundle_ids.iter().map(move |id| (browser, *id)))
}

fn browser_of(bundle_id: &str) -> Option<&'static Browser> {
    bundle_ids().find(|(_, id)| id.eq_ignore_ascii_case(bundle_id)).map(|(browser, _)| browser)
}

fn browser_named(name: &str) -> Option<&'static Browser> {
    BROWSERS.iter().find(|browser| browser.macos.app_names.iter().any(|app| app.eq_ignore_ascii_case(name)))
}

fn has_framework(system: &dyn System, bundle: &Path) -> bool {
    let frameworks = Os::Macos.join(bundle, "Contents/Frameworks");
    FRAMEWORKS.iter().any(|name| system.is_dir(&Os::Macos.join(&frameworks, name)))
}

/// The executable that the bundle names, or the one that is named after the app. `None` when neither can be executed.
fn executable(system: &dyn System, bundle: &Path, info: &BundleInfo, name: &str) -> Option<PathBuf> {
    let named = info.executable.as_deref().filter(|name| !name.contains('/') && *name != "..");
    let candidates = named.into_iter().chain([name]).map(|name| usual(bundle, name));
    candidates.into_iter().find(|path| system.is_executable(path))
}

fn usual(bundle: &Path, name: &str) -> PathBuf {
    Os::Macos.join(bundle, format!("Contents/MacOS/{name}"))
}

#[cfg(test)]
mod tests;
