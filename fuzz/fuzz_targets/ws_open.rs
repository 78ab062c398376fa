//! The OPEN of a WebSocket is refused, or can be dialled and sent.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use slicc::{generated::link::WsOpen, node::serve::ws::request::WsRequest};

fuzz_target!(|input: &[u8]| {
    let Ok(Value::Object(open)) = serde_json::from_slice(input) else { return };
    let Ok(open) = WsOpen::parse(&open) else { return };
    let Ok(request) = WsRequest::parse(&open) else { return };
    assert!(!request.host.is_empty() && !request.host.contains(['[', ']', '/', '@']));
    // An @ may stand in the path: there are no credentials in front of it.
    assert!(!request.logged.contains(['?', '#', ' ', '\r', '\n']));
    let key = "dGhlIHNhbXBsZSBub25jZQ==".parse().expect("a header value");
    let sent: http::Request<()> = request.handshake(key);
    assert!(sent.uri().path().starts_with('/') && sent.uri().host().is_none());
    for name in ["host", "connection", "upgrade", "sec-websocket-version", "sec-websocket-key"] {
        assert_eq!(sent.headers().get_all(name).iter().count(), 1);
    }
    for name in ["accept-encoding", "content-length", "transfer-encoding", "sec-websocket-extensions"] {
        assert!(!sent.headers().contains_key(name));
    }
    assert_eq!(sent.headers().contains_key("sec-websocket-protocol"), !open.protocols.is_empty());
    assert!(open.protocols.iter().all(|protocol| request.offers(protocol.as_bytes())));
});
