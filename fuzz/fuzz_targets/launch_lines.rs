//! What a launched browser writes, `DevToolsActivePort` or a line of stderr, names a WebSocket on loopback, or nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::browser::active_port::{parse_active_port, parse_listening_line};
use url::Host;

fuzz_target!(|text: &str| {
    if let Some(endpoint) = parse_active_port(text) {
        assert!(endpoint.is_socket() && endpoint.port() != 0);
        assert_eq!(endpoint.host().to_string(), "127.0.0.1");
    }
    if let Some(endpoint) = parse_listening_line(text) {
        assert!(endpoint.is_socket() && endpoint.port() != 0);
        assert!(matches!(endpoint.host(), Host::Ipv4(address) if address.is_loopback()));
    }
});
