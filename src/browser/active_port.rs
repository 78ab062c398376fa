//! Where a launched browser answers: its `DevToolsActivePort` file and its line on stderr (sections "Browsers" and
//! `slicc launch` of the requirement). Both are foreign text, parsed by pure functions.

use url::Host;

use crate::cdp::Endpoint;

/// The longest path of a browser's WebSocket, in bytes.
const MAX_PATH: usize = 1024;

/// Parses the text of a `DevToolsActivePort` file: the port, then the WebSocket's path. The endpoint is that WebSocket on
/// 127.0.0.1. `None` when the text isn't whole, as while the browser writes it.
pub fn parse_active_port(text: &str) -> Option<Endpoint> {
    let mut lines = text.lines();
    let port: u16 = lines.next()?.trim().parse().ok()?;
    let path = lines.next()?.trim();
    if !path.starts_with('/') || path.len() > MAX_PATH || !path.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    Endpoint::parse(&format!("ws://127.0.0.1:{port}{path}")).ok()
}

/// Parses a line of stderr, `DevTools listening on ws://127.0.0.1:<port>/devtools/browser/<id>`. Only a loopback address
/// counts.
pub fn parse_listening_line(line: &str) -> Option<Endpoint> {
    let (_, url) = line.split_once("DevTools listening on ")?;
    let url = url.trim();
    if !url.starts_with("ws://") || url.len() > MAX_PATH {
        return None;
    }
    let endpoint = Endpoint::parse(url).ok()?;
    matches!(endpoint.host(), Host::Ipv4(address) if address.is_loopback()).then_some(endpoint)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_whole_active_port_file_is_read() {
        let endpoint = parse_active_port("9222\n/devtools/browser/a-b\n").unwrap();
        assert_eq!(endpoint, Endpoint::parse("ws://127.0.0.1:9222/devtools/browser/a-b").unwrap());
    }

    #[test]
    fn half_an_active_port_file_is_not_an_endpoint() {
        for text in
            ["", "9222", "9222\n", "9222\ndevtools", "0\n/a", "70000\n/a", "x\n/a", "9222\n/a b", "9222\n/a\u{1b}["]
        {
            assert_eq!(parse_active_port(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_listening_line_counts_on_loopback_only() {
        let line = "DevTools listening on ws://127.0.0.1:41233/devtools/browser/0a";
        assert_eq!(parse_listening_line(line).unwrap().port(), 41233);
        for line in [
            "DevTools listening on ws://10.0.0.1:41233/devtools/browser/0a",
            "DevTools listening on wss://127.0.0.1:41233/devtools/browser/0a",
            "DevTools listening on http://127.0.0.1:41233",
            "DevTools listening on ws://localhost:41233/x",
            "DevTools listening on ",
            "listening on ws://127.0.0.1:1/x",
        ] {
            assert_eq!(parse_listening_line(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn an_endpoint_from_any_active_port_file_is_a_socket_on_loopback(text in "(?s)[0-9]{0,6}\n?/?.{0,80}") {
            if let Some(endpoint) = parse_active_port(&text) {
                prop_assert!(endpoint.is_socket());
                prop_assert_eq!(endpoint.host().to_string(), "127.0.0.1");
            }
        }

        #[test]
        fn an_endpoint_from_any_stderr_line_is_a_socket_on_loopback(text in "(DevTools listening on )?(?s).{0,200}") {
            if let Some(endpoint) = parse_listening_line(&text) {
                prop_assert!(endpoint.is_socket() && endpoint.port() != 0);
            }
        }
    }
}
