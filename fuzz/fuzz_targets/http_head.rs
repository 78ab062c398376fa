//! A request head is refused or ready to be sent. The first byte says whether the request is credentialed (odd); JSON follows.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::node::serve::http::head::RequestHead;
use url::Url;

fuzz_target!(|input: &[u8]| {
    let Some((flag, json)) = input.split_first() else { return };
    let credentialed = flag % 2 == 1;
    let Ok(head) = RequestHead::parse(json, credentialed) else { return };
    assert!(!head.target.host.is_empty() && !head.target.host.contains(['[', ']', '/', '@']));
    assert_eq!(head.uri.scheme_str(), Some(head.scheme()));
    assert!(head.uri.host().is_some());
    assert!(!head.uri.to_string().contains(['#', ' ', '\r', '\n']));
    let authority = head.uri.authority().expect("an absolute URI");
    assert!(!authority.as_str().contains('@'));
    let url = Url::parse(&head.url).expect("a URL that passed");
    assert_eq!(url.port_or_known_default(), Some(head.target.port));
    assert!(!["CONNECT", "TRACE", "TRACK"].iter().any(|refused| head.method.as_str().eq_ignore_ascii_case(refused)));
    if credentialed {
        assert!(head.target.tls && head.target.port == 443);
    }
    for owned in ["host", "content-length", "connection", "transfer-encoding", "proxy-authorization", "expect"] {
        assert!(!head.headers.fields.contains_key(owned));
    }
});
