//! Messages, events and their schemas. Generated from spec/events by `cargo codegen`. Do not edit.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// A JSON Schema that `slicc schema` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    /// Its name.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Every JSON Schema, in the order of the docs.
pub const SCHEMAS: &[Schema] = &[
    Schema {
        name: "browsers",
        title: "List of browsers",
        text: include_str!("../../spec/events/browsers.schema.json"),
    },
    Schema { name: "default", title: "Events of slicc", text: include_str!("../../spec/events/default.schema.json") },
    Schema {
        name: "doctor",
        title: "Events of slicc doctor",
        text: include_str!("../../spec/events/doctor.schema.json"),
    },
    Schema {
        name: "launch",
        title: "Events of slicc launch",
        text: include_str!("../../spec/events/launch.schema.json"),
    },
    Schema { name: "setup", title: "Setup messages", text: include_str!("../../spec/events/setup.schema.json") },
    Schema {
        name: "catalog",
        title: "Catalog of browsers and origins",
        text: include_str!("../../catalog/catalog.schema.json"),
    },
];

/// Running endpoints and installed browsers, best match first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrowserList {
    /// The version of this shape.
    #[schemars(extend("const" = 1))]
    pub schema: u64,
    /// The lowest Chromium major version that slicc drives. Browsers below it are left out.
    pub min_chromium: u64,
    /// The browsers, best match first.
    pub entries: Vec<BrowserEntry>,
}

/// A running endpoint or an installed browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrowserEntry {
    /// An installed browser's id, or cdp:<host>:<port>.
    pub id: String,
    /// What an entry is.
    pub kind: EntryKind,
    /// 1 an endpoint with seven open, 2 any other running endpoint, 3 Chrome stable, 4 other Chromium browsers, 5 Electron
    /// apps, 6 an endpoint in SLICC six's profile.
    #[schemars(extend("minimum" = 1, "maximum" = 6))]
    pub tier: u8,
    /// The browser's name.
    pub name: String,
    /// The browser's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub version: Option<String>,
    /// The endpoint, when it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "RunningEndpoint")]
    pub endpoint: Option<RunningEndpoint>,
    /// The installed browser, when it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InstalledBrowser")]
    pub installed: Option<InstalledBrowser>,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    /// A running browser with a debugging endpoint.
    Endpoint,
    /// An installed browser.
    Installed,
}

/// A running browser with a debugging endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunningEndpoint {
    /// The HTTP base URL, its host in lower case, with localhost and ::1 written as 127.0.0.1.
    pub cdp: String,
    /// The browser's WebSocket.
    pub web_socket_debugger_url: String,
    /// The browser's name.
    pub name: String,
    /// The browser's version, from /json/version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub version: Option<String>,
    /// The product with its version, from /json/version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub product: Option<String>,
    /// The user agent, from /json/version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub user_agent: Option<String>,
    /// What found the endpoint. The first of these counts when several did.
    pub source: EndpointSource,
    /// The id of the installed browser whose user data dir held the DevToolsActivePort file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub browser: Option<String>,
    /// The dir that held the DevToolsActivePort file, or the --user-data-dir of the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub user_data_dir: Option<String>,
    /// The name of the SLICC profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub profile: Option<String>,
    /// True when only the WebSocket answers, as with the remote debugging that Chrome's user turned on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub ws_only: Option<bool>,
    /// True for SLICC six's Chrome, which is never chosen by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub six: Option<bool>,
    /// Whether a tab shows seven.
    pub seven_open: bool,
    /// The tabs that show seven, in the browser's order. Nothing is told of any other tab.
    pub seven_tabs: Vec<SevenTab>,
}

/// What found the endpoint. The first of these counts when several did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndpointSource {
    /// A DevToolsActivePort file in a user data dir.
    DevtoolsActivePort,
    /// A --cdp URL.
    Flag,
    /// A process with --remote-debugging-port.
    Process,
    /// A port that is always looked at.
    Probe,
}

/// A tab that shows seven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SevenTab {
    /// The target's id.
    pub id: String,
    /// The page's URL.
    pub url: String,
    /// The page's title.
    pub title: String,
}

/// A browser or an Electron app on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstalledBrowser {
    /// Its id, such as chrome or electron:slack.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What an installed browser is built on.
    pub engine: BrowserEngine,
    /// Its release channel, such as stable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub channel: Option<String>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub version: Option<String>,
    /// The app, the executable, or the flatpak's dir.
    pub path: String,
    /// What is run; for a flatpak, the flatpak program.
    pub executable: String,
    /// Its bundle id on macOS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub bundle_id: Option<String>,
    /// How a confined browser is packaged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Packaging")]
    pub via: Option<Packaging>,
    /// The id of the snap or the flatpak.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub package: Option<String>,
    /// The browser's default user data dir.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub user_data_dir: Option<String>,
    /// Whether a browser takes remote debugging.
    pub debug_support: DebugSupport,
    /// True for a build that was made to be debugged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub debug_build: Option<bool>,
}

/// What an installed browser is built on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BrowserEngine {
    /// A Chromium browser.
    Chromium,
    /// An Electron app.
    Electron,
}

/// How a confined browser is packaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Packaging {
    /// A snap.
    Snap,
    /// A flatpak.
    Flatpak,
}

/// Whether a browser takes remote debugging.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DebugSupport {
    /// It does.
    Supported,
    /// It blocks remote debugging.
    Disabled,
    /// Nobody looked, since nothing inside the app was read.
    Unknown,
}

/// One line of `slicc --json`. A run begins with discovered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum SessionLine {
    /// What there is on this machine.
    Discovered {
        /// The version of this shape.
        #[schemars(extend("const" = 1))]
        schema: u64,
        /// The ranked list, best match first, as `slicc browsers --json` has it.
        entries: Vec<BrowserEntry>,
    },
    /// slicc launched a browser, and its debugging port answers.
    Launched {
        /// The version of this shape.
        #[schemars(extend("const" = 1))]
        schema: u64,
        /// The browser's id in `slicc browsers`: an installed browser's or `cdp:<host>:<port>`, and `six` for one that was
        /// launched in SLICC six's profile.
        browser: String,
        /// The browser's name.
        name: String,
        /// The browser's version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        version: Option<String>,
        /// What the browser is for.
        role: SessionRole,
        /// The browser's main process.
        pid: u64,
        /// The profile's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        profile: Option<String>,
        /// The profile's directory.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        profile_dir: Option<String>,
        /// The debugging endpoint over HTTP.
        cdp: String,
        /// The browser's WebSocket.
        web_socket_debugger_url: String,
    },
    /// slicc uses a browser: it is connected to the one that hosts seven, and an extra is listed. It follows launched, too.
    Attached {
        /// The version of this shape.
        #[schemars(extend("const" = 1))]
        schema: u64,
        /// The browser's id in `slicc browsers`: an installed browser's or `cdp:<host>:<port>`, and `six` for one that was
        /// launched in SLICC six's profile.
        browser: String,
        /// The browser's name.
        name: String,
        /// The browser's version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        version: Option<String>,
        /// What the browser is for.
        role: SessionRole,
        /// True when this run launched it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "bool")]
        launched: Option<bool>,
        /// The debugging endpoint over HTTP.
        cdp: String,
        /// The browser's WebSocket.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        web_socket_debugger_url: Option<String>,
    },
    /// seven goes into a browser that slicc didn't launch and nobody chose, or into SLICC six's Chrome. It follows
    /// attached.
    ForeignBrowser {
        /// The version of this shape.
        #[schemars(extend("const" = 1))]
        schema: u64,
        /// The browser's id in `slicc browsers`: an installed browser's or `cdp:<host>:<port>`, and `six` for one that was
        /// launched in SLICC six's profile.
        browser: String,
        /// The browser's name.
        name: String,
        /// The browser's profile, where it is known: `default`, the name of its directory, `six` or `six:<port>`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        profile: Option<String>,
        /// The debugging endpoint over HTTP.
        cdp: String,
        /// True when slicc opened the seven tab, false when one was open.
        opened_tab: bool,
    },
    /// The link is up.
    Linked {
        /// The version of this shape.
        #[schemars(extend("const" = 1))]
        schema: u64,
        /// seven's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        peer: Option<String>,
        /// The URL of the seven tab.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        tab: Option<String>,
        /// The capabilities that slicc offers.
        caps: Vec<String>,
        /// The summary of the network policy.
        policy: String,
    },
    /// The link is over, or couldn't be set up. seven may set it up again, and a new linked follows.
    LinkLost {
        /// The version of this shape.
        #[schemars(extend("const" = 1))]
        schema: u64,
        /// Why slicc or seven closed it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        reason: Option<String>,
        /// What failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        message: Option<String>,
    },
    /// A browser stopped answering, and left the list. Without the one that hosts seven, the run ends.
    BrowserGone {
        /// The version of this shape.
        #[schemars(extend("const" = 1))]
        schema: u64,
        /// The browser's id in `slicc browsers`: an installed browser's or `cdp:<host>:<port>`, and `six` for one that was
        /// launched in SLICC six's profile.
        browser: String,
        /// The browser's name.
        name: String,
        /// What the browser is for.
        role: SessionRole,
    },
    /// A browser answers again, and is back on the list.
    BrowserBack {
        /// The version of this shape.
        #[schemars(extend("const" = 1))]
        schema: u64,
        /// The browser's id in `slicc browsers`: an installed browser's or `cdp:<host>:<port>`, and `six` for one that was
        /// launched in SLICC six's profile.
        browser: String,
        /// The browser's name.
        name: String,
        /// What the browser is for.
        role: SessionRole,
    },
    /// The run is over. It is the last line of every run that got past choosing its browsers.
    Closed {
        /// The version of this shape.
        #[schemars(extend("const" = 1))]
        schema: u64,
        /// The ids of the browsers that slicc closed.
        browsers: Vec<String>,
    },
    /// Something failed. While a run is set up, it ends with exit status 1.
    Error {
        /// The version of this shape.
        #[schemars(extend("const" = 1))]
        schema: u64,
        /// What happened.
        message: String,
        /// The id of the browser that couldn't be closed, when it is that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        browser: Option<String>,
    },
}

/// What a browser is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SessionRole {
    /// It hosts seven.
    Seven,
    /// seven may drive it.
    Extra,
}

/// One line of `slicc doctor --json`. A run ends with done, or with error when the checks couldn't run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum DoctorEvent {
    /// The browser that the checks run in.
    Browser {
        /// The browser's name.
        name: String,
        /// The browser's version.
        version: String,
        /// Whether the browser runs without a window.
        headless: bool,
    },
    /// A browser that slicc launched and that outlived it. Those come first.
    Leftover {
        /// The SLICC profile's name. A throwaway one has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        profile: Option<String>,
        /// The profile's directory.
        profile_dir: String,
        /// The browser's process.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "u64")]
        pid: Option<u64>,
        /// The debugging endpoint over HTTP.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        cdp: Option<String>,
    },
    /// A check that was done.
    Check {
        /// What was checked.
        name: String,
        /// Whether it went well.
        ok: bool,
        /// What was measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Figure")]
        figure: Option<Figure>,
        /// Why it didn't go well.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        reason: Option<String>,
        /// What to do about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        hint: Option<String>,
    },
    /// All checks are done. It is the last line.
    Done {
        /// How many checks went well.
        passed: u64,
        /// How many checks didn't.
        failed: u64,
        /// How long it took, in milliseconds.
        duration_ms: u64,
    },
    /// The checks couldn't run. It is the last line.
    Error {
        /// What happened.
        message: String,
        /// What to do about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        hint: Option<String>,
    },
}

/// Something measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Figure {
    /// How much.
    pub value: f64,
    /// Of what, such as `ms` or `MiB/s`.
    pub unit: String,
}

/// One line of `slicc launch --json`. A run begins with launched or attached, and ends with closed, exited, detached or
/// error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum LaunchEvent {
    /// slicc launched a browser, and its debugging port answers.
    Launched {
        /// The browser's id in `slicc browsers`.
        id: String,
        /// The browser's name.
        name: String,
        /// The browser's version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        version: Option<String>,
        /// What the browser is made of.
        engine: LaunchEngine,
        /// The browser's process.
        pid: u64,
        /// The profile's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        profile: Option<String>,
        /// The profile's directory.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        profile_dir: Option<String>,
        /// The debugging endpoint over HTTP.
        cdp: String,
        /// The browser's WebSocket.
        web_socket_debugger_url: String,
    },
    /// A browser that runs in the profile already is used.
    Attached {
        /// The browser's id in `slicc browsers`, as a running one: `cdp:<host>:<port>`.
        id: String,
        /// The browser's name.
        name: String,
        /// The browser's version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        version: Option<String>,
        /// What the browser is made of.
        engine: LaunchEngine,
        /// The profile's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        profile: Option<String>,
        /// The profile's directory.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        profile_dir: Option<String>,
        /// The debugging endpoint over HTTP.
        cdp: String,
        /// The browser's WebSocket.
        web_socket_debugger_url: String,
    },
    /// slicc closed the browser that it launched. It is the last line.
    Closed,
    /// The browser exited by itself. It is the last line.
    Exited,
    /// slicc is done with a browser that it didn't launch, which keeps running. It is the last line.
    Detached,
    /// Something failed. It is the last line.
    Error {
        /// What happened.
        message: String,
    },
}

/// What a browser is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LaunchEngine {
    /// A Chromium browser.
    Chromium,
    /// An app with Electron, or with WebView2 on macOS.
    Electron,
}

/// What slicc says while a link is set up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum SetupFromNode {
    /// Asks the page for an offer. It comes first, and again after a reload with a new nonce.
    Hello {
        /// The version of the setup.
        #[schemars(extend("const" = 1))]
        v: u64,
        /// The nonce of one hello: it names the page context that answers to it. slicc makes it of 16 random bytes in
        /// base64url.
        nonce: Nonce,
        /// A random id of this slicc process: 16 bytes in base64url, the same in every hello.
        #[schemars(extend("minLength" = 22, "maxLength" = 22))]
        node: String,
    },
    /// Answers the page's offer.
    Answer {
        /// The nonce of one hello: it names the page context that answers to it. slicc makes it of 16 random bytes in
        /// base64url.
        nonce: Nonce,
        /// The session description.
        sdp: String,
    },
    /// One of the node's candidates, or the end of them.
    Candidate {
        /// The nonce of one hello: it names the page context that answers to it. slicc makes it of 16 random bytes in
        /// base64url.
        nonce: Nonce,
        /// The candidate; null at the end of gathering.
        #[serde(deserialize_with = "present")]
        candidate: Option<Candidate>,
    },
    /// Ends the link.
    Bye {
        /// The nonce of one hello: it names the page context that answers to it. slicc makes it of 16 random bytes in
        /// base64url.
        nonce: Nonce,
        /// Why, for people to read.
        reason: String,
    },
}

/// What the page says while a link is set up, or a harness in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum SetupFromPage {
    /// Asks for a hello with a new nonce, on stdin alone: a harness writes it when it has reloaded the page.
    Hello,
    /// Offers a link. It replaces the current one.
    Offer {
        /// The nonce of one hello: it names the page context that answers to it. slicc makes it of 16 random bytes in
        /// base64url.
        nonce: Nonce,
        /// The session description.
        sdp: String,
    },
    /// One of the page's candidates, or the end of them.
    Candidate {
        /// The nonce of one hello: it names the page context that answers to it. slicc makes it of 16 random bytes in
        /// base64url.
        nonce: Nonce,
        /// The candidate; null at the end of gathering.
        #[serde(deserialize_with = "present")]
        candidate: Option<Candidate>,
    },
    /// Ends the link.
    Bye {
        /// The nonce of one hello: it names the page context that answers to it. slicc makes it of 16 random bytes in
        /// base64url.
        nonce: Nonce,
        /// Why, for people to read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        reason: Option<String>,
    },
}

/// The nonce of one hello: it names the page context that answers to it. slicc makes it of 16 random bytes in
/// base64url.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Nonce(pub String);

impl std::fmt::Debug for Nonce {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

/// An ICE candidate in the shape of `RTCIceCandidate.toJSON()`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    /// The candidate line, such as `candidate:1 1 udp 2113937151 127.0.0.1 55310 typ host`.
    pub candidate: String,
    /// The media section's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sdp_mid: Option<String>,
    /// The media section's index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sdp_m_line_index: Option<u16>,
    /// The ICE user name fragment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username_fragment: Option<String>,
}

/// Reads a field that may be null but has to be there: serde takes a missing one for null otherwise.
fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer)
}

/// A type and where its schema stands, so that a test can compare the two.
#[cfg(test)]
pub struct Derived {
    /// The schema's name.
    pub document: &'static str,
    /// The type's name under `$defs`.
    pub definition: &'static str,
    /// The schema that the Rust type has.
    pub schema: fn() -> schemars::Schema,
    /// Reads a value as the Rust type and writes it again.
    pub round_trip: fn(serde_json::Value) -> serde_json::Result<serde_json::Value>,
}

/// Every type above.
#[cfg(test)]
pub const DERIVED: &[Derived] = &[
    Derived {
        document: "browsers",
        definition: "browserList",
        schema: schema_of::<BrowserList>,
        round_trip: round_trip::<BrowserList>,
    },
    Derived {
        document: "browsers",
        definition: "browserEntry",
        schema: schema_of::<BrowserEntry>,
        round_trip: round_trip::<BrowserEntry>,
    },
    Derived {
        document: "browsers",
        definition: "entryKind",
        schema: schema_of::<EntryKind>,
        round_trip: round_trip::<EntryKind>,
    },
    Derived {
        document: "browsers",
        definition: "runningEndpoint",
        schema: schema_of::<RunningEndpoint>,
        round_trip: round_trip::<RunningEndpoint>,
    },
    Derived {
        document: "browsers",
        definition: "endpointSource",
        schema: schema_of::<EndpointSource>,
        round_trip: round_trip::<EndpointSource>,
    },
    Derived {
        document: "browsers",
        definition: "sevenTab",
        schema: schema_of::<SevenTab>,
        round_trip: round_trip::<SevenTab>,
    },
    Derived {
        document: "browsers",
        definition: "installedBrowser",
        schema: schema_of::<InstalledBrowser>,
        round_trip: round_trip::<InstalledBrowser>,
    },
    Derived {
        document: "browsers",
        definition: "browserEngine",
        schema: schema_of::<BrowserEngine>,
        round_trip: round_trip::<BrowserEngine>,
    },
    Derived {
        document: "browsers",
        definition: "packaging",
        schema: schema_of::<Packaging>,
        round_trip: round_trip::<Packaging>,
    },
    Derived {
        document: "browsers",
        definition: "debugSupport",
        schema: schema_of::<DebugSupport>,
        round_trip: round_trip::<DebugSupport>,
    },
    Derived {
        document: "default",
        definition: "sessionLine",
        schema: schema_of::<SessionLine>,
        round_trip: round_trip::<SessionLine>,
    },
    Derived {
        document: "default",
        definition: "sessionRole",
        schema: schema_of::<SessionRole>,
        round_trip: round_trip::<SessionRole>,
    },
    Derived {
        document: "doctor",
        definition: "doctorEvent",
        schema: schema_of::<DoctorEvent>,
        round_trip: round_trip::<DoctorEvent>,
    },
    Derived { document: "doctor", definition: "figure", schema: schema_of::<Figure>, round_trip: round_trip::<Figure> },
    Derived {
        document: "launch",
        definition: "launchEvent",
        schema: schema_of::<LaunchEvent>,
        round_trip: round_trip::<LaunchEvent>,
    },
    Derived {
        document: "launch",
        definition: "launchEngine",
        schema: schema_of::<LaunchEngine>,
        round_trip: round_trip::<LaunchEngine>,
    },
    Derived {
        document: "setup",
        definition: "setupFromNode",
        schema: schema_of::<SetupFromNode>,
        round_trip: round_trip::<SetupFromNode>,
    },
    Derived {
        document: "setup",
        definition: "setupFromPage",
        schema: schema_of::<SetupFromPage>,
        round_trip: round_trip::<SetupFromPage>,
    },
    Derived { document: "setup", definition: "nonce", schema: schema_of::<Nonce>, round_trip: round_trip::<Nonce> },
    Derived {
        document: "setup",
        definition: "candidate",
        schema: schema_of::<Candidate>,
        round_trip: round_trip::<Candidate>,
    },
];

#[cfg(test)]
fn schema_of<T: JsonSchema>() -> schemars::Schema {
    schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

#[cfg(test)]
fn round_trip<T: Serialize + serde::de::DeserializeOwned>(
    value: serde_json::Value,
) -> serde_json::Result<serde_json::Value> {
    serde_json::from_value::<T>(value).and_then(serde_json::to_value)
}
