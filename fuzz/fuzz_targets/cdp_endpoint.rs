//! A text names a CDP endpoint or it is refused; what is shown of one reads as the same host and port, without a path.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::cdp::Endpoint;

fuzz_target!(|text: &str| {
    let Ok(endpoint) = Endpoint::parse(text) else { return };
    assert!(endpoint.port() > 0);
    let shown = endpoint.to_string();
    assert_eq!(shown, format!("{endpoint:?}"));
    assert_eq!(shown.matches('/').count(), 2, "{shown} has a path");
    let again = Endpoint::parse(&shown).expect("what is shown is an endpoint");
    assert_eq!(
        (again.host(), again.port(), again.is_socket()),
        (endpoint.host(), endpoint.port(), endpoint.is_socket())
    );
    assert_eq!(again.to_string(), shown);
});
