//! A browser that already runs in a profile, found through the profile's `DevToolsActivePort` (sections "Browsers" and
//! `slicc launch` of the requirement). Looking only asks for `/json/version`.

use std::path::Path;

use super::active_port::parse_active_port;
use crate::{
    cdp::{BrowserVersion, Endpoint},
    generated::catalog::discovery::ACTIVE_PORT_FILE,
    host::System,
};

/// `DevToolsActivePort` holds two short lines; a longer file is none.
const MAX_ACTIVE_PORT: u64 = 4096;

/// The browser that answers as the profile's `DevToolsActivePort` says.
pub async fn find(system: &dyn System, profile: &Path) -> Option<(Endpoint, BrowserVersion)> {
    answering(read(system, profile)?).await
}

/// The endpoint in a profile's `DevToolsActivePort`, be it live or stale.
pub(super) fn read(system: &dyn System, profile: &Path) -> Option<Endpoint> {
    let text = system.read(&system.os().join(profile, ACTIVE_PORT_FILE), MAX_ACTIVE_PORT).ok()?;
    parse_active_port(std::str::from_utf8(&text).ok()?)
}

/// The endpoint, when `/json/version` names the same WebSocket path.
pub(super) async fn answering(endpoint: Endpoint) -> Option<(Endpoint, BrowserVersion)> {
    // Boxed: the HTTP client's state is large, and every caller's future would carry it.
    match Box::pin(endpoint.version()).await {
        Ok(version) if version.web_socket_debugger_url.as_ref().is_some_and(|socket| socket.has_path_of(&endpoint)) => {
            Some((endpoint, version))
        }
        Ok(_) => {
            tracing::debug!(%endpoint, "another browser answers on the port");
            None
        }
        Err(error) => {
            tracing::debug!(%error, "not ready");
            None
        }
    }
}
