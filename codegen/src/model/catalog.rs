//! Browsers and origins: `catalog/catalog.json`, by the schema next to it.

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize;
use serde_json::Value;

use super::{Problem, Problems, read_text};

mod check;

/// The data, relative to the project's root.
pub const FILE: &str = "catalog/catalog.json";
/// Its schema, relative to the project's root.
pub const SCHEMA_FILE: &str = "catalog/catalog.schema.json";

/// Facts that are not certain, by their path.
pub type Confidences = BTreeMap<String, Confidence>;

/// How certain a fact is that is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Widely known, and unchecked.
    Known,
    /// Our own choice.
    Guess,
}

/// The whole catalog. The schema describes every field.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Catalog {
    #[serde(rename = "$schema")]
    pub dialect: Option<String>,
    pub schema: u32,
    pub min_chromium_major: u32,
    pub browsers: Vec<Browser>,
    pub windows_path_hints: Vec<PathHint>,
    pub electron: Electron,
    pub places: Places,
    pub discovery: Discovery,
    pub ranking: Ranking,
    pub product_kinds: ProductKinds,
    pub profiles: Profiles,
    pub process_scan: ProcessScan,
    pub launch: Launch,
    pub seven: Seven,
    pub protected_origins: ProtectedOrigins,
    pub private_paths: PrivatePaths,
}

/// A browser.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Browser {
    pub id: String,
    pub name: String,
    pub aliases: Vec<String>,
    pub engine: String,
    pub channel: String,
    pub product_kind: String,
    pub version_is_chromium: bool,
    pub macos: Option<Macos>,
    pub windows: Option<Windows>,
    pub linux: Option<Linux>,
    #[serde(default)]
    pub confidence: Confidences,
}

impl Browser {
    /// The facts that are a guess, by their path.
    pub fn guesses(&self) -> Vec<&str> {
        let guesses = self.confidence.iter().filter(|(_, confidence)| **confidence == Confidence::Guess);
        guesses.map(|(path, _)| path.as_str()).collect()
    }
}

impl Tier {
    /// Its name as that of an enum's variant.
    pub fn variant(&self) -> String {
        let (first, rest) = self.name.split_at(1);
        first.to_uppercase() + rest
    }
}

/// A browser on macOS.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Macos {
    pub bundle_ids: Vec<String>,
    pub app_names: Vec<String>,
    pub user_data_dir: String,
}

/// What a path on Windows is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WindowsFolder {
    /// `%LOCALAPPDATA%`.
    LocalAppData,
    /// `%APPDATA%`.
    AppData,
}

/// A browser on Windows.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Windows {
    pub start_menu_internet: Vec<String>,
    pub app_paths: Vec<String>,
    pub program_files: Vec<String>,
    pub program_files_x86: Vec<String>,
    pub local_app_data: Vec<String>,
    pub user_data_dir: String,
    pub user_data_dir_in: WindowsFolder,
}

/// A browser on Linux.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Linux {
    pub path_names: Vec<String>,
    pub deb_packages: Vec<String>,
    pub desktop_ids: Vec<String>,
    pub user_data_dir: String,
    pub flatpaks: Vec<Flatpak>,
    pub snaps: Vec<Snap>,
}

/// A flatpak.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Flatpak {
    pub id: String,
    pub user_data_dir: String,
    pub desktop_id: String,
}

/// A snap.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Snap {
    pub name: String,
    pub executable: String,
    pub user_data_dir: String,
    pub desktop_id: String,
}

/// Which browser an executable on Windows is.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct PathHint {
    pub fragment: String,
    pub browser: String,
}

/// Apps made with Electron.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Electron {
    pub apps: Vec<ElectronApp>,
    pub undebuggable: Vec<Undebuggable>,
    pub frameworks: Vec<String>,
    pub resources: Vec<String>,
    pub paks: Vec<String>,
    pub snapshots: Vec<String>,
    pub first_port: u16,
    #[serde(default)]
    pub confidence: Confidences,
}

/// An app made with Electron.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct ElectronApp {
    pub bundle_id: String,
    pub name: String,
    #[serde(default)]
    pub confidence: Confidences,
}

/// An app that refuses remote debugging.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Undebuggable {
    pub name: String,
    pub bundle_id: String,
    pub reason: String,
}

/// Where each system keeps its applications.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Places {
    pub macos: MacosPlaces,
    pub windows: WindowsPlaces,
    pub linux: LinuxPlaces,
    #[serde(default)]
    pub confidence: Confidences,
}

/// Where macOS keeps its applications.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct MacosPlaces {
    pub applications: Vec<String>,
    pub debug_builds: String,
    pub debug_build_suffix: String,
}

/// Where Windows keeps its applications.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct WindowsPlaces {
    pub start_menu_internet: Vec<String>,
    pub app_paths: Vec<String>,
    pub electron_folders: Vec<String>,
    pub squirrel_folder: String,
}

/// Where Linux keeps its applications.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct LinuxPlaces {
    pub snap_commands: String,
    pub snap_manifest: String,
    pub dpkg_status: String,
    pub flatpak_apps: Vec<String>,
    pub flatpak_program: String,
    pub data_dirs: Vec<String>,
    pub desktop_dirs: Vec<String>,
}

/// Where running browsers are looked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Discovery {
    pub active_port_file: String,
    pub probe_ports: PortRange,
    pub sources: Vec<String>,
    pub user_data_dir_snaps: Vec<String>,
    #[serde(default)]
    pub confidence: Confidences,
}

/// Ports from the first to the last.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct PortRange {
    pub first: u16,
    pub last: u16,
}

/// The order of what is found.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Ranking {
    pub tiers: Vec<Tier>,
    #[serde(default)]
    pub confidence: Confidences,
}

/// A tier of the ranking.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Tier {
    pub tier: u8,
    pub name: String,
    pub meaning: String,
}

/// The kinds that debugging endpoints report.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct ProductKinds {
    pub matches: Vec<ProductMatch>,
    pub fallback: Fallback,
    #[serde(default)]
    pub confidence: Confidences,
}

/// One of the kinds, by the user agent or the product.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct ProductMatch {
    pub user_agent: Option<String>,
    pub product: Option<String>,
    pub kind: String,
    pub name: String,
}

/// The kind of an endpoint that reports no product.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Fallback {
    pub kind: String,
    pub name: String,
}

/// Profiles that aren't a browser's default one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profiles {
    /// The Chrome profile of SLICC six.
    pub six: SixProfile,
    /// slicc's own profiles.
    pub slicc: SliccProfiles,
}

/// The Chrome profile of SLICC six.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct SixProfile {
    pub roots: BTreeMap<String, ProfileRoot>,
    pub name: String,
    pub default_port: u16,
    pub directory_variable: String,
    pub debugging_port: u16,
    pub version_file: String,
    pub version_pref: FilePref,
    #[serde(default)]
    pub confidence: Confidences,
}

/// A preference in a file of a profile.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct FilePref {
    pub file: String,
    pub path: String,
}

/// slicc's own profiles.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct SliccProfiles {
    pub folder: String,
    pub old_folder: String,
    pub snap_parent: String,
    pub migrated_marker: String,
    pub stale_files: Vec<String>,
    pub clean_exit: Vec<PrefValue>,
    #[serde(default)]
    pub confidence: Confidences,
}

/// A preference and its value.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct PrefValue {
    pub path: String,
    pub value: Value,
}

/// Where profiles are on one system.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct ProfileRoot {
    pub variable: Option<String>,
    pub under: Option<String>,
    pub home: String,
}

/// How running browsers are found in the process list.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct ProcessScan {
    pub posix_command: Vec<String>,
    pub windows_command: Vec<String>,
    pub wrappers: Vec<String>,
    pub port_switch: String,
    pub directory_switch: String,
    pub ignored_folder: String,
    #[serde(default)]
    pub confidence: Confidences,
}

/// How a browser is launched.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Launch {
    pub base_flags: Vec<String>,
    pub throwaway_switches: Vec<String>,
    pub seven_flags: Vec<String>,
    pub disable_features: Vec<String>,
    pub headless: String,
    pub seven_prefs: Vec<Pref>,
    #[serde(default)]
    pub confidence: Confidences,
}

/// A preference of a profile.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Pref {
    pub path: String,
    pub edit: PrefEdit,
    pub value: Option<Value>,
    #[serde(default)]
    pub patterns: Vec<String>,
    #[serde(default)]
    pub extra_origins: bool,
}

/// What is done to a preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrefEdit {
    /// It gets a value.
    Set,
    /// A list gets patterns.
    Append,
    /// A map gets patterns, with the time.
    Stamp,
}

/// Which origins are seven.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct Seven {
    pub default_page: String,
    pub domain: String,
    pub max_label: usize,
    pub excluded_labels: Vec<String>,
    pub excluded_label_prefixes: Vec<String>,
    #[serde(default)]
    pub confidence: Confidences,
}

/// What the cdp capability never touches.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct ProtectedOrigins {
    pub domains: Vec<String>,
    pub hosts: Vec<String>,
    pub wrapped_schemes: Vec<String>,
    pub schemes: Vec<String>,
    pub not_protected: Vec<String>,
    #[serde(default)]
    pub confidence: Confidences,
}

/// Folders with browsers' data that are never shared.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "the schema describes the fields, and this is their Rust form")]
pub struct PrivatePaths {
    pub macos: Vec<String>,
    pub windows: Vec<String>,
    pub linux: Vec<String>,
    #[serde(default)]
    pub confidence: Confidences,
}

/// The catalog, and its schema for the docs.
#[derive(Debug, Clone)]
pub struct Described {
    /// The catalog.
    pub catalog: Catalog,
    /// The catalog as JSON.
    pub value: Value,
    /// Its schema.
    pub schema: Value,
}

/// Reads and checks the catalog under `root`.
///
/// # Errors
/// Every problem found.
pub fn read(root: &Path) -> Result<Described, Vec<Problem>> {
    parse(FILE, &read_text(root, FILE)?, &read_text(root, SCHEMA_FILE)?)
}

/// Reads and checks a catalog from JSON `text` that came from `file`, by a schema.
///
/// # Errors
/// Every problem found.
pub fn parse(file: &str, text: &str, schema: &str) -> Result<Described, Vec<Problem>> {
    let problem = |key: &str, reason: String| vec![Problem { file: file.into(), key: key.into(), reason }];
    let schema: Value =
        serde_json::from_str(schema).map_err(|error| problem("$schema", format!("is not JSON: {error}")))?;
    let value: Value =
        serde_json::from_str(text).map_err(|error| problem("(file)", format!("is not JSON: {error}")))?;
    let validator = jsonschema::draft202012::new(&schema)
        .map_err(|error| problem("$schema", format!("cannot be compiled: {error}")))?;
    let mut problems = Problems::new(file);
    for error in validator.iter_errors(&value) {
        problems.add(dotted(error.instance_path().as_str()), error.to_string());
    }
    problems.finish(())?;
    // The schema says more than the Rust form asks for, so a difference between the two is a mistake in the generator.
    let catalog: Catalog = serde_json::from_value(value.clone())
        .map_err(|error| problem("(file)", format!("passes its schema and not the generator: {error}")))?;
    check::check(file, &catalog, &value)?;
    Ok(Described { catalog, value, schema })
}

/// A JSON pointer with dots.
fn dotted(pointer: &str) -> String {
    if pointer.is_empty() { "(root)".into() } else { pointer.trim_start_matches('/').replace('/', ".") }
}
