//! A toy catalog, which is the real one with few browsers: its text, and what is refused.

use codegen::{model::catalog, render};
use serde_json::{Value, json};

use crate::{golden, has};

#[path = "golden/catalog.rs"]
#[allow(missing_docs, dead_code)]
mod toy;

const REAL: &str = include_str!("../../../catalog/catalog.json");
const SCHEMA: &str = include_str!("../../../catalog/catalog.schema.json");

fn whole() -> Value {
    let mut catalog: Value = serde_json::from_str(REAL).expect("the catalog is JSON");
    let is_kept = |id: &Value| ["chrome", "chromium"].iter().any(|kept| id == kept);
    let browsers = catalog["browsers"].as_array_mut().expect("a list");
    browsers.retain(|browser| is_kept(&browser["id"]));
    browsers.push(json!({
        "id": "dia", "name": "Dia", "aliases": [], "engine": "chromium", "channel": "stable", "productKind": "chrome",
        "versionIsChromium": false, "windows": null, "linux": null,
        "macos": { "bundleIds": ["company.example.dia"], "appNames": ["Dia"], "userDataDir": "Library/Dia/User Data" },
        "confidence": { "productKind": "guess", "windows": "guess" }
    }));
    browsers.push(json!({
        "id": "opera", "name": "Opera", "aliases": [], "engine": "chromium", "channel": "stable", "productKind": "opera",
        "versionIsChromium": false, "macos": null, "linux": null,
        "windows": {
            "startMenuInternet": ["OperaStable"], "appPaths": ["opera.exe"], "programFiles": [], "programFilesX86": [],
            "localAppData": ["Programs\\Opera\\opera.exe"],
            "userDataDir": "Opera Software\\Opera Stable", "userDataDirIn": "appData"
        }
    }));
    catalog["windowsPathHints"].as_array_mut().expect("a list").retain(|hint| is_kept(&hint["browser"]));
    catalog["electron"]["apps"] = json!([
        { "bundleId": "com.tinyspeck.slackmacgap", "name": "Slack" },
        { "bundleId": "com.spotify.client", "name": "Spotify", "confidence": { "bundleId": "guess" } }
    ]);
    catalog["processScan"]["wrappers"] = json!(["node", "bash"]);
    catalog
}

fn parse(catalog: &Value) -> Result<catalog::Described, Vec<codegen::Problem>> {
    catalog::parse("catalog.json", &catalog.to_string(), SCHEMA)
}

#[test]
fn the_whole_shape_gives_the_golden_text() {
    let described = parse(&whole()).expect("the toy is sound");
    golden("catalog.rs", &render::catalog::rust::render(&described.catalog).expect("the toy can be rendered"));
    golden("catalog.md", &render::catalog::markdown::reference(&described));
}

#[test]
fn the_tables_hold_what_the_data_says() {
    assert_eq!(
        toy::BROWSERS.iter().map(|browser| browser.id).collect::<Vec<_>>(),
        ["chrome", "chromium", "dia", "opera"]
    );
    assert!(toy::BROWSERS[2].windows.app_paths.is_empty());
    assert_eq!(toy::BROWSERS[3].windows.user_data_dir_in, toy::WindowsFolder::AppData);
    assert_eq!(toy::BROWSERS[2].guesses, ["productKind", "windows"]);
    assert_eq!(toy::electron::FIRST_PORT, 9333);
    assert_eq!(toy::electron::APPS.len(), 2);
    assert_eq!((toy::Tier::SevenOpen.number(), toy::Tier::Six.number()), (1, 6));
    assert!(toy::Tier::ChromeStable < toy::Tier::Chromium);
    assert_eq!(toy::discovery::PROBE_PORTS, 9222..=9229);
    assert_eq!(toy::profiles::CLEAN_EXIT[1], ("profile.exited_cleanly", toy::profiles::PrefValue::Bool(true)));
    assert_eq!(toy::six::LINUX_ROOT.variable, Some(("XDG_STATE_HOME", "slicc/profiles")));
    assert_eq!(toy::six::MACOS_ROOT.variable, None);
    assert_eq!(toy::process_scan::WRAPPERS, ["node", "bash"]);
    assert_eq!(toy::launch::SEVEN_PREFS.len(), 5);
}

/// The toy with another value at a place has this problem.
fn bad(pointer: &str, value: Value, key: &str, reason: &str) {
    let mut catalog = whole();
    *catalog.pointer_mut(pointer).unwrap_or_else(|| panic!("the toy has no {pointer}")) = value;
    has(&parse(&catalog).expect_err(pointer), key, reason);
}

#[test]
fn what_the_schema_forbids_is_refused() {
    bad("/schema", json!(2), "schema", "1 was expected");
    bad("/browsers/0/id", json!("Chrome"), "browsers.0.id", "does not match");
    bad("/browsers/0/channel", json!("monthly"), "browsers.0.channel", "is not one of");
    bad("/browsers/2/macos/userDataDir", json!("/Library"), "browsers.2.macos", "is not valid");
    bad("/browsers/2/macos/userDataDir", json!("a/../b"), "browsers.2.macos", "is not valid");
    bad("/seven/maxLabel", json!(64), "seven.maxLabel", "64 is greater than");
    bad(
        "/seven/confidence/excludedLabelPrefixes",
        json!("sure"),
        "seven.confidence.excludedLabelPrefixes",
        "is not one of",
    );
    bad("/launch/baseFlags/2", json!("no-first-run"), "launch.baseFlags.2", "does not match");
    bad("/places/linux/dpkgStatus", json!("var/lib"), "places.linux.dpkgStatus", "does not match");
    bad("/places/windows/squirrelFolder", json!("C:\\Apps"), "places.windows.squirrelFolder", "does not match");
    bad("/ranking/tiers/0/name", json!("Seven"), "ranking.tiers.0.name", "does not match");
    let mut catalog = whole();
    catalog.as_object_mut().expect("an object").remove("privatePaths");
    has(&parse(&catalog).expect_err("a section is missing"), "(root)", "\"privatePaths\" is a required property");
    let mut catalog = whole();
    catalog["seven"]["labels"] = json!([]);
    has(&parse(&catalog).expect_err("an unknown key"), "seven", "'labels' was unexpected");
}

#[test]
fn what_makes_no_sense_is_refused() {
    bad("/browsers/1/id", json!("chrome"), "browsers (id)", "`chrome` is there twice");
    bad("/browsers/1/name", json!("CHROME"), "browsers (as typed)", "`chrome` is there twice");
    bad("/browsers/2/macos", json!(null), "browsers.2", "made for no system");
    bad("/browsers/0/id", json!("edge"), "browsers.0", "chrome comes first");
    bad("/windowsPathHints/0/browser", json!("moon"), "windowsPathHints.0", "there is no browser `moon`");
    bad("/windowsPathHints/0/browser", json!("dia"), "windowsPathHints.0", "isn't made for Windows");
    bad("/windowsPathHints/0/fragment", json!("\\application\\"), "windowsPathHints.1", "never matches");
    bad("/electron/apps/1/name", json!("SLACK"), "electron.apps (name)", "`slack` is there twice");
    bad("/electron/apps/1/bundleId", json!("com.google.chrome"), "electron.apps.1", "is a browser");
    bad("/electron/firstPort", json!(9229), "electron.firstPort", "is one of the ports that are probed");
    bad("/discovery/probePorts/first", json!(9230), "discovery.probePorts", "comes after the last");
    bad("/discovery/userDataDirSnaps/0", json!("moon"), "discovery.userDataDirSnaps.0", "there is no snap `moon`");
    bad("/ranking/tiers/1/tier", json!(3), "ranking.tiers.1", "its number is 2");
    bad("/ranking/tiers/1/name", json!("six"), "ranking.tiers (name)", "`six` is there twice");
    bad("/profiles/slicc/snapParent", json!("snap/common"), "profiles.slicc.snapParent", "stands in it once");
    bad("/profiles/slicc/oldFolder", json!("slicc/seven-profiles"), "profiles.slicc.oldFolder", "is the folder itself");
    bad("/processScan/portSwitch", json!("--port"), "processScan.portSwitch", "no launch has it");
    bad("/processScan/directorySwitch", json!("--dir"), "processScan.directorySwitch", "no launch has it");
    bad("/productKinds/matches/1/product", json!("Edg"), "productKinds.matches", "`Edg` is there twice");
    bad("/launch/baseFlags/1", json!("--user-data-dir=x"), "launch.baseFlags", "stands in it once");
    bad("/launch/sevenFlags/0", json!("--no-first-run"), "launch (flags)", "`--no-first-run` is there twice");
    bad("/launch/sevenPrefs/2/path", json!("tab_freezing_enabled"), "launch.sevenPrefs", "is there twice");
    bad("/seven/defaultPage", json!("https://vault.sliccy.ai/"), "seven.defaultPage", "its label is excluded");
    bad("/seven/defaultPage", json!("https://sliccy.ai/"), "seven.defaultPage", "is not a label under");
    bad("/protectedOrigins/domains", json!(["example.org"]), "protectedOrigins.domains", "is not protected");
    bad(
        "/browsers/0/confidence",
        json!({ "linux.rpms": "guess" }),
        "browsers.0.confidence",
        "there is no fact `linux.rpms`",
    );
}

#[test]
fn what_is_no_json_is_refused() {
    has(&catalog::parse("catalog.json", "{", SCHEMA).expect_err("no JSON"), "(file)", "is not JSON");
}
