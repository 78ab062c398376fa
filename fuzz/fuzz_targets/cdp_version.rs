//! `/json/version` is a browser's, or it is refused; what people will read of it is clean and short.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::cdp::version;

fuzz_target!(|body: &[u8]| {
    if let Ok(version) = version::parse_version(body) {
        for text in [&version.product, &version.user_agent, &version.protocol_version] {
            assert!(text.chars().count() <= 512 && !text.chars().any(char::is_control));
        }
        assert!(version.web_socket_debugger_url.is_none_or(|socket| socket.is_socket()));
    }
});
