//! What a browser says about itself at `/json/version`.

use serde::Deserialize;

use super::endpoint::Endpoint;

/// The longest text that is kept of a field, in characters.
const MAX_FIELD: usize = 512;

/// A browser's `/json/version`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserVersion {
    /// Product and version, such as `Chrome/156.0.8078.114`. Control characters are left out.
    pub product: String,
    /// The user agent. Control characters are left out.
    pub user_agent: String,
    /// The CDP version, such as `1.3`. Control characters are left out.
    pub protocol_version: String,
    /// Where the browser's WebSocket is, if it says so in a form that [`Endpoint::parse`] takes.
    pub web_socket_debugger_url: Option<Endpoint>,
}

/// A `/json/version` that isn't one.
#[derive(Debug, thiserror::Error)]
#[error("/json/version isn't the JSON object of a browser")]
pub struct VersionError;

/// Reads a `/json/version` body. A field that is missing counts as empty, but one of them must be there: any web server
/// can answer with some JSON.
pub fn parse_version(body: &[u8]) -> Result<BrowserVersion, VersionError> {
    #[derive(Deserialize)]
    struct Wire {
        #[serde(rename = "Browser")]
        product: Option<String>,
        #[serde(default, rename = "User-Agent")]
        user_agent: String,
        #[serde(default, rename = "Protocol-Version")]
        protocol_version: String,
        #[serde(rename = "webSocketDebuggerUrl")]
        web_socket_debugger_url: Option<String>,
    }
    let wire: Wire = serde_json::from_slice(body).map_err(|_| VersionError)?;
    let socket = wire.web_socket_debugger_url.as_deref().and_then(|url| Endpoint::parse(url).ok());
    let socket = socket.filter(Endpoint::is_socket);
    if wire.product.is_none() && socket.is_none() {
        return Err(VersionError);
    }
    Ok(BrowserVersion {
        product: clean(&wire.product.unwrap_or_default()),
        user_agent: clean(&wire.user_agent),
        protocol_version: clean(&wire.protocol_version),
        web_socket_debugger_url: socket,
    })
}

fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_FIELD).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_chromium_version_is_read() {
        let version = parse_version(
            br#"{"Browser":"HeadlessChrome/156.0.8078.114","Protocol-Version":"1.3","User-Agent":"Mozilla/5.0",
                "V8-Version":"15.6","webSocketDebuggerUrl":"ws://127.0.0.1:9222/devtools/browser/aaa"}"#,
        )
        .unwrap();
        assert_eq!(version.product, "HeadlessChrome/156.0.8078.114");
        assert_eq!(version.protocol_version, "1.3");
        assert_eq!(version.web_socket_debugger_url.unwrap().port(), 9222);
    }

    #[test]
    fn json_that_is_no_browser_is_refused() {
        for body in ["{}", "[]", "null", "not json", r#"{"webSocketDebuggerUrl":"http://127.0.0.1:9222"}"#] {
            assert!(parse_version(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn control_characters_of_a_version_never_reach_the_terminal() {
        let version = parse_version(br#"{"Browser":"Chrome/1\u001b[2J"}"#).unwrap();
        assert_eq!(version.product, "Chrome/1[2J");
    }

    proptest! {
        #[test]
        fn any_body_is_read_or_refused(body in prop::collection::vec(any::<u8>(), 0..256)) {
            let _ = parse_version(&body);
        }
    }
}
