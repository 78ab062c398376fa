//! The link protocol as data: what `spec/link.toml` holds, key for key.
//!
//! [`check`] has the rules that the shape of the file alone can't express; [`field`] has the fields of messages.

mod check;
pub mod field;
mod quantity;
mod texts;

use std::path::Path;

use serde::Deserialize;

pub use field::{Default, Field, FieldType, Scalar};
pub use quantity::{bytes, duration};

use super::{Problem, parse_toml, read_text};

/// Where the protocol stands, relative to the project's root.
pub const FILE: &str = "spec/link.toml";

/// The whole protocol.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Link {
    /// The protocol's version.
    pub version: u32,
    /// What a link is, in a paragraph.
    pub overview: String,
    /// How offer and answer are exchanged.
    pub setup: Setup,
    /// Data channels.
    pub channel: Vec<Channel>,
    /// Frame types.
    pub frame: Vec<Frame>,
    /// Sizes and counts.
    #[serde(default)]
    pub limit: Vec<Limit>,
    /// Times.
    #[serde(default)]
    pub timeout: Vec<Timeout>,
    /// Error codes.
    pub code: Vec<Code>,
    /// Capabilities.
    pub cap: Vec<Cap>,
    /// Shapes of strings.
    #[serde(default)]
    pub shape: Vec<Shape>,
    /// Enumerations of strings.
    #[serde(default)]
    pub choice: Vec<Choice>,
    /// Objects inside messages.
    #[serde(default)]
    pub object: Vec<Object>,
    /// Both HELLOs.
    pub hello: Hello,
    /// Rules for people.
    #[serde(default)]
    pub rule: Vec<Rule>,
    /// What resets a stream or closes the link.
    #[serde(default)]
    pub violation: Vec<Violation>,
    /// Stream kinds.
    pub kind: Vec<Kind>,
}

/// How a page and a node exchange offer and answer before there is a link.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Setup {
    /// Version in a setup hello.
    pub version: u32,
    /// The binding that a page calls.
    pub send: String,
    /// The page's function that takes a message.
    pub receive: String,
    /// Random bytes of a nonce and of a node id.
    pub id_bytes: u64,
    /// Permissions that the tab's origin is granted.
    pub permissions: Vec<String>,
    /// The first pause before a hello is tried again.
    pub hello_retry_first_milliseconds: u64,
    /// The longest pause before a hello is tried again.
    pub hello_retry_last_milliseconds: u64,
    /// Bytes of one message's JSON text.
    pub message: u64,
    /// Bytes of an offer's or an answer's SDP.
    pub sdp: u64,
    /// Characters of a bye's reason.
    pub reason: u64,
}

/// One side of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// slicc.
    Node,
    /// The page.
    Page,
}

impl Side {
    /// `node` or `page`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Page => "page",
        }
    }

    /// The other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Node => Self::Page,
            Self::Page => Self::Node,
        }
    }
}

/// A data channel.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Channel {
    /// Its name in code.
    pub name: String,
    /// Its label on the wire.
    pub label: String,
    /// Who creates it.
    pub created_by: Vec<Side>,
    /// What it is.
    pub doc: String,
}

/// A frame type.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Frame {
    /// Its name, in capitals.
    pub name: String,
    /// Its type byte.
    pub number: u8,
    /// What its payload is.
    pub payload: String,
    /// What it does.
    pub doc: String,
}

/// A size or a count.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limit {
    /// Its name, in capitals.
    pub name: String,
    /// Its value.
    pub value: u64,
    /// What it counts.
    pub unit: String,
    /// Its Rust type; usize when missing.
    #[serde(default, rename = "type")]
    pub rust_type: Option<Scalar>,
    /// What it limits.
    pub doc: String,
}

/// A time after which something is given up, or happens again.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Timeout {
    /// Its name, in capitals.
    pub name: String,
    /// Its length.
    pub milliseconds: u64,
    /// What it bounds.
    pub doc: String,
}

/// An error code.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Code {
    /// Its name, in capitals.
    pub name: String,
    /// What it means on a link.
    pub doc: String,
    /// Its message when there is no better one.
    pub text: String,
}

/// A capability.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Cap {
    /// Its name on the wire.
    pub name: String,
    /// Whose HELLO lists it.
    pub listed_by: Side,
    /// What it offers.
    pub doc: String,
}

/// A shape that a string must have.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Shape {
    /// Its name.
    pub name: String,
    /// What its first byte may be: characters and ranges of them.
    pub first: Vec<String>,
    /// What the others may be.
    pub rest: Vec<String>,
    /// The fewest bytes.
    pub min: u64,
    /// The most bytes: a number or a limit.
    pub max: field::Bound,
    /// What such a string is.
    pub doc: String,
}

/// An enumeration of strings.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Choice {
    /// Its Rust name.
    pub name: String,
    /// What it chooses.
    pub doc: String,
    /// The strings.
    pub values: Vec<Named>,
}

/// Something with a name and a meaning.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Named {
    /// Its name.
    pub name: String,
    /// What it means.
    pub doc: String,
}

/// An object inside a message.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Object {
    /// Its Rust name.
    pub name: String,
    /// What it is.
    pub doc: String,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// Both HELLOs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Hello {
    /// The node's.
    pub node: HelloSide,
    /// The page's.
    pub page: HelloSide,
}

/// One side's HELLO.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HelloSide {
    /// What it is.
    pub doc: String,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A rule for people.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rule {
    /// What it is about.
    pub topic: String,
    /// The rule.
    pub text: String,
}

/// A breach of the protocol.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Violation {
    /// What the peer did.
    pub when: String,
    /// The code that resets the stream; without one the link closes.
    #[serde(default)]
    pub code: Option<String>,
}

/// Which channel the opener takes for a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StreamChannel {
    /// A channel of its own.
    Own,
    /// The control channel.
    Control,
    /// What its operation suggests.
    Either,
}

/// A stream kind.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Kind {
    /// Its name on the wire.
    pub name: String,
    /// What it carries, in a few words.
    pub doc: String,
    /// Who opens it.
    pub opened_by: Side,
    /// The capabilities that offer it: any one of them is enough.
    pub caps: Vec<String>,
    /// Which channel the opener takes.
    pub channel: StreamChannel,
    /// Whether slicc serves (or opens) it yet.
    pub served: bool,
    /// What its bytes are.
    pub carries: String,
    /// The code for a field that isn't allowed; EPROTO when missing.
    #[serde(default)]
    pub wrong_field: Option<String>,
    /// Fields of its OPEN; of every op's OPEN when it has ops.
    #[serde(default)]
    pub open: Vec<Field>,
    /// Fields of its OPENED.
    #[serde(default)]
    pub opened: Vec<Field>,
    /// Records that it carries.
    #[serde(default)]
    pub records: Vec<Record>,
    /// When it is reset with which codes.
    #[serde(default)]
    pub resets: Vec<Reset>,
    /// Rules for people.
    #[serde(default)]
    pub rules: Vec<String>,
    /// Operations, when `op` selects one.
    #[serde(default)]
    pub op: Vec<Op>,
    /// Operations that are refused by name.
    #[serde(default)]
    pub refused_op: Vec<RefusedOp>,
}

/// An operation of a kind.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Op {
    /// Its name on the wire.
    pub name: String,
    /// What it does.
    pub doc: String,
    /// The capability that it needs, when it isn't the kind's.
    #[serde(default)]
    pub cap: Option<String>,
    /// Whether the kind's own OPEN fields are left out.
    #[serde(default)]
    pub without_common: bool,
    /// Fields of which an OPEN has exactly one.
    #[serde(default)]
    pub exactly_one: Vec<String>,
    /// Fields of its OPEN.
    #[serde(default)]
    pub open: Vec<Field>,
    /// Fields of its OPENED.
    #[serde(default)]
    pub opened: Vec<Field>,
    /// The object that its OPENED is, instead of fields.
    #[serde(default)]
    pub opened_object: Option<String>,
}

/// An operation that is refused by name.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RefusedOp {
    /// Its name on the wire.
    pub name: String,
    /// The code.
    pub code: String,
    /// Why.
    pub doc: String,
}

/// A record inside a stream's bytes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Record {
    /// Its name.
    pub name: String,
    /// Its type byte, when records have one.
    #[serde(default)]
    pub number: Option<u8>,
    /// What it looks like, when it is text.
    #[serde(default)]
    pub form: Option<String>,
    /// What it means.
    pub doc: String,
}

/// When a stream is reset with which codes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Reset {
    /// The codes.
    pub codes: Vec<String>,
    /// When.
    pub when: String,
}

impl Link {
    /// Reads and checks the protocol under `root`.
    ///
    /// # Errors
    /// Every problem, each with its file, its key and the reason.
    pub fn read(root: &Path) -> Result<Self, Vec<Problem>> {
        Self::parse(&read_text(root, FILE)?)
    }

    /// Parses and checks the text of a protocol, with its placeholders filled in.
    ///
    /// # Errors
    /// Every problem, each with its file, its key and the reason.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        let mut link: Self = parse_toml(FILE, text)?;
        check::check(&link)?;
        link.fill();
        Ok(link)
    }

    /// The value of a limit.
    pub fn limit(&self, name: &str) -> Option<u64> {
        self.limit.iter().find(|limit| limit.name == name).map(|limit| limit.value)
    }

    /// The shape with this name.
    pub fn shape(&self, name: &str) -> Option<&Shape> {
        self.shape.iter().find(|shape| shape.name == name)
    }
}

#[cfg(test)]
mod tests;
