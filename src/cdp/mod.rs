//! The Chrome DevTools Protocol: where a browser's endpoint is, and a client that talks to it.

pub mod client;
mod connection;
pub mod endpoint;
pub mod message;
pub mod version;

pub use client::{Answer, CdpError, Client, EventFilter, Events};
pub use endpoint::{Endpoint, EndpointError, NotAnEndpoint};
pub use message::{Event, SessionId, TargetId, Unreadable};
pub use version::BrowserVersion;
