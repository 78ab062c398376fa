//! What a launched browser writes, `DevToolsActivePort` or a line of stderr, names a port on loopback and a path, or nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::browser::endpoint::{parse_active_port, parse_listening_line};
use url::Url;

fuzz_target!(|text: &str| {
    for endpoint in [parse_active_port(text), parse_listening_line(text)].into_iter().flatten() {
        assert!(endpoint.port != 0 && endpoint.path.starts_with('/'));
        assert!(endpoint.path.bytes().all(|byte| byte.is_ascii_graphic()));
        let url = Url::parse(&endpoint.web_socket_url()).expect("a URL");
        assert_eq!((url.scheme(), url.host_str()), ("ws", Some("127.0.0.1")));
        assert_eq!(url.port_or_known_default(), Some(endpoint.port));
    }
});
