//! A toy catalog, which is the real one with every section that it will have: its text, and what is refused.

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
    let browsers = catalog["browsers"].as_array_mut().expect("a list");
    browsers.truncate(2);
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
    catalog["electron"] = json!({
        "apps": [{ "bundleId": "com.tinyspeck.slackmacgap", "name": "Slack", "slug": "slack" }],
        "undebuggable": [{ "name": "1Password", "reason": "blocks remote debugging" }],
        "firstPort": 9333, "confidence": { "apps.0.slug": "guess" }
    });
    catalog["profiles"] = json!({ "six": {
        "roots": {
            "macos": { "home": "Library/Application Support/Slicc/profiles" },
            "linux": { "variable": "XDG_STATE_HOME", "under": "slicc/profiles", "home": ".local/state/slicc/profiles" },
            "windows": { "variable": "LOCALAPPDATA", "under": "Slicc\\profiles", "home": "AppData\\Local\\Slicc\\profiles" }
        },
        "name": "browser-coding-agent-chrome", "defaultPort": 5710, "directoryVariable": "SLICC_USER_DATA_DIR",
        "debuggingPort": 9222
    }});
    catalog["processScan"] = json!({
        "wrappers": ["node", "bash"], "portSwitch": "--remote-debugging-port", "directorySwitch": "--user-data-dir"
    });
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
    assert_eq!(toy::electron::FIRST_PORT, 9333);
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
