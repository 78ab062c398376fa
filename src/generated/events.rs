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
        #[schemars(extend("maximum" = 4294967295))]
        pid: u32,
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
