//! A far end's answer to a WebSocket handshake counts only when it answers our key, has no extension, and chooses nothing or a
//! subprotocol that was offered. Lines: the offered subprotocols with commas, then the answer's headers.
#![no_main]

use http::{HeaderName, HeaderValue, Response, StatusCode};
use libfuzzer_sys::fuzz_target;
use slicc::{
    generated::link::WsOpen,
    node::serve::ws::{handshake::accept, request::WsRequest},
};

/// The key and the answer to it that RFC 6455 has as its example.
const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
const ANSWER: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

fuzz_target!(|text: &str| {
    let mut lines = text.split('\n');
    let offered = lines.next().unwrap_or_default().split(',').filter(|protocol| !protocol.is_empty());
    let open =
        WsOpen { url: "ws://h/".to_owned(), protocols: offered.map(str::to_owned).collect(), headers: Vec::new() };
    let Ok(request) = WsRequest::parse(&open) else { return };
    let mut answer = Response::new(());
    *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_bytes(value.as_bytes())) {
            answer.headers_mut().append(name, value);
        }
    }
    let Ok(protocol) = accept(&answer, KEY, &request) else { return };
    assert!(protocol.is_empty() || open.protocols.contains(&protocol));
    let accepted: Vec<_> = answer.headers().get_all("sec-websocket-accept").iter().collect();
    assert!(accepted.len() == 1 && accepted[0].as_bytes().trim_ascii() == ANSWER.as_bytes());
    *answer.status_mut() = StatusCode::OK;
    assert!(accept(&answer, KEY, &request).is_err());
});
