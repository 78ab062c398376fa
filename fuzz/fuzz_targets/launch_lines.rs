//! What a launched browser writes, `DevToolsActivePort` or a line of stderr, names a WebSocket on loopback, or nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::browser::active_port::{parse_active_port, parse_listening_line};
use url::Host;

fuzz_target!(|text: &str| {
    for endpoint in [parse_active_port(text), parse_listening_line(text)].into_iter().flatten() {
        assert!(endpoint.is_socket() && endpoint.port() != 0);
        assert!(matches!(endpoint.host(), Host::Ipv4(address) if address.is_loopback()));
    }
});
