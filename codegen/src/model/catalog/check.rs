//! What a schema can't say about the catalog.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Catalog, Launch, PrefEdit, Seven};
use crate::model::{Problem, Problems};

/// Checks everything, and names every problem.
pub(super) fn check(file: &str, catalog: &Catalog, value: &Value) -> Result<(), Vec<Problem>> {
    let mut problems = Problems::new(file);
    browsers(&mut problems, catalog);
    path_hints(&mut problems, catalog);
    product_kinds(&mut problems, catalog);
    launch(&mut problems, &catalog.launch);
    seven(&mut problems, &catalog.seven);
    electron(&mut problems, catalog);
    discovery(&mut problems, catalog);
    profiles(&mut problems, catalog);
    let domains = &catalog.protected_origins.domains;
    if !domains.contains(&catalog.seven.domain) {
        problems.add("protectedOrigins.domains", format!("seven's own `{}` is not protected", catalog.seven.domain));
    }
    confidences(&mut problems, "", value);
    problems.finish(())
}

fn browsers(problems: &mut Problems, catalog: &Catalog) {
    let browsers = &catalog.browsers;
    unique(problems, "browsers (id)", browsers.iter().map(|browser| browser.id.clone()));
    // `--browser` takes an id, a name or an alias, whatever its case.
    let typed = browsers.iter().flat_map(|browser| {
        let names: BTreeSet<_> = [&browser.id, &browser.name].into_iter().chain(&browser.aliases).collect();
        names.into_iter().map(|name| name.to_lowercase()).collect::<BTreeSet<_>>()
    });
    unique(problems, "browsers (as typed)", typed);
    let bundles = browsers.iter().filter_map(|browser| browser.macos.as_ref()).flat_map(|macos| &macos.bundle_ids);
    unique(problems, "browsers (bundleIds)", bundles.map(|id| id.to_lowercase()));
    for (index, browser) in browsers.iter().enumerate() {
        if browser.macos.is_none() && browser.windows.is_none() && browser.linux.is_none() {
            problems.add(format!("browsers.{index}"), "is made for no system");
        }
    }
    // Chrome stable is the browser that slicc launches when there is a choice, so it comes first.
    if browsers.first().is_none_or(|browser| browser.id != "chrome") {
        problems.add("browsers.0", "the order is the ranking, and chrome comes first");
    }
}

fn path_hints(problems: &mut Problems, catalog: &Catalog) {
    let hints = &catalog.windows_path_hints;
    for (index, hint) in hints.iter().enumerate() {
        let key = format!("windowsPathHints.{index}");
        let browser = catalog.browsers.iter().find(|browser| browser.id == hint.browser);
        match browser {
            None => problems.add(&key, format!("there is no browser `{}`", hint.browser)),
            Some(browser) if browser.windows.is_none() => {
                problems.add(&key, format!("`{}` isn't made for Windows", hint.browser));
            }
            Some(_) => {}
        }
        if let Some(before) = hints[..index].iter().find(|before| hint.fragment.contains(&before.fragment)) {
            problems
                .add(&key, format!("never matches: `{}` stands before it and holds what it holds", before.fragment));
        }
    }
}

fn electron(problems: &mut Problems, catalog: &Catalog) {
    let apps = &catalog.electron.apps;
    unique(problems, "electron.apps (bundleId)", apps.iter().map(|app| app.bundle_id.to_lowercase()));
    unique(problems, "electron.apps (name)", apps.iter().map(|app| app.name.to_lowercase()));
    let browsers = catalog.browsers.iter().filter_map(|browser| browser.macos.as_ref());
    let bundles: BTreeSet<_> = browsers.flat_map(|macos| &macos.bundle_ids).map(|id| id.to_lowercase()).collect();
    for (index, app) in apps.iter().enumerate() {
        if bundles.contains(&app.bundle_id.to_lowercase()) {
            problems.add(format!("electron.apps.{index}"), "is a browser");
        }
    }
    let ports = &catalog.discovery.probe_ports;
    if (ports.first..=ports.last).contains(&catalog.electron.first_port) {
        problems.add("electron.firstPort", "is one of the ports that are probed");
    }
}

fn discovery(problems: &mut Problems, catalog: &Catalog) {
    let discovery = &catalog.discovery;
    if discovery.probe_ports.first > discovery.probe_ports.last {
        problems.add("discovery.probePorts", "the first port comes after the last");
    }
    let snaps = catalog.browsers.iter().filter_map(|browser| browser.linux.as_ref()).flat_map(|linux| &linux.snaps);
    let snaps: BTreeSet<_> = snaps.map(|snap| snap.name.as_str()).collect();
    for (index, name) in discovery.user_data_dir_snaps.iter().enumerate() {
        if !snaps.contains(name.as_str()) {
            problems.add(format!("discovery.userDataDirSnaps.{index}"), format!("there is no snap `{name}`"));
        }
    }
    unique(problems, "ranking.tiers (name)", catalog.ranking.tiers.iter().map(|tier| tier.name.clone()));
    for (index, tier) in catalog.ranking.tiers.iter().enumerate() {
        if usize::from(tier.tier) != index + 1 {
            problems.add(format!("ranking.tiers.{index}"), format!("its number is {}", index + 1));
        }
    }
}

fn profiles(problems: &mut Problems, catalog: &Catalog) {
    let (slicc, linux) = (&catalog.profiles.slicc, &catalog.places.linux);
    for (key, text) in
        [("profiles.slicc.snapParent", &slicc.snap_parent), ("places.linux.snapManifest", &linux.snap_manifest)]
    {
        if text.matches("<snap>").count() != 1 {
            problems.add(key, "the snap's name stands in it once, as `<snap>`");
        }
    }
    if slicc.folder == slicc.old_folder {
        problems.add("profiles.slicc.oldFolder", "is the folder itself");
    }
    if !catalog.launch.base_flags.iter().any(|flag| flag.starts_with(&catalog.process_scan.directory_switch)) {
        problems.add("processScan.directorySwitch", "no launch has it");
    }
    if !catalog.launch.base_flags.iter().any(|flag| flag.starts_with(&catalog.process_scan.port_switch)) {
        problems.add("processScan.portSwitch", "no launch has it");
    }
}

fn product_kinds(problems: &mut Problems, catalog: &Catalog) {
    let matches = catalog.product_kinds.matches.iter();
    unique(
        problems,
        "productKinds.matches",
        matches.filter_map(|one| one.product.clone().or_else(|| one.user_agent.clone())),
    );
}

fn launch(problems: &mut Problems, launch: &Launch) {
    if launch.base_flags.iter().filter(|flag| flag.contains("<profile>")).count() != 1 {
        problems.add("launch.baseFlags", "the profile dir stands in it once, as `<profile>`");
    }
    let all = launch.base_flags.iter().chain(&launch.seven_flags).chain(&launch.throwaway_switches);
    let names = all.map(|flag| flag.split_once('=').map_or(flag.as_str(), |(name, _)| name).to_owned());
    unique(problems, "launch (flags)", names.chain(["--disable-features".to_owned()]));
    unique(problems, "launch.sevenPrefs", launch.seven_prefs.iter().map(|pref| pref.path.clone()));
    for (index, pref) in launch.seven_prefs.iter().enumerate() {
        if pref.edit != PrefEdit::Set && pref.patterns.is_empty() && !pref.extra_origins {
            problems.add(format!("launch.sevenPrefs.{index}"), "adds nothing");
        }
    }
}

fn seven(problems: &mut Problems, seven: &Seven) {
    let host = seven.default_page.trim_start_matches("https://").trim_end_matches('/');
    let label = host.strip_suffix(&seven.domain).and_then(|label| label.strip_suffix('.'));
    match label {
        Some(label) if !label.contains('.') => {
            let excluded = seven.excluded_labels.iter().any(|other| other == label)
                || seven.excluded_label_prefixes.iter().any(|prefix| label.starts_with(prefix));
            if excluded {
                problems.add("seven.defaultPage", "its label is excluded");
            }
        }
        _ => problems.add("seven.defaultPage", format!("is not a label under `{}`", seven.domain)),
    }
}

/// Every mark names a fact that is there.
fn confidences(problems: &mut Problems, key: &str, value: &Value) {
    let join = |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                if name != "confidence" {
                    confidences(problems, &join(name), inner);
                    continue;
                }
                for path in inner.as_object().into_iter().flat_map(serde_json::Map::keys) {
                    let pointer = format!("/{}", path.replace('.', "/"));
                    if value.pointer(&pointer).is_none() || path.starts_with("confidence") {
                        problems.add(join("confidence"), format!("there is no fact `{path}`"));
                    }
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                confidences(problems, &join(&index.to_string()), item);
            }
        }
        _ => {}
    }
}

fn unique(problems: &mut Problems, key: &str, names: impl Iterator<Item = String>) {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name.clone()) {
            problems.add(key, format!("`{name}` is there twice"));
        }
    }
}
