//! Header lines `name: value` of a request and of a response: what goes out has no hop-by-hop field and none of the node's
//! own, and what the page gets is in name order, each Set-Cookie at the end.
#![no_main]

use http::{HeaderMap, HeaderName, HeaderValue};
use libfuzzer_sys::fuzz_target;
use slicc::node::serve::http::headers::{RequestHeaders, for_page, join, parse};

const HOP_BY_HOP: [&str; 7] =
    ["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"];

fn request(lines: &[(&str, &str)]) {
    let Ok(headers) = RequestHeaders::parse(lines.iter().copied()) else { return };
    for name in HOP_BY_HOP.into_iter().chain(["host", "content-length", "expect", "proxy-authorization"]) {
        assert!(!headers.fields.contains_key(name), "{name}");
    }
    let ranged = headers.fields.contains_key("range") || headers.fields.contains_key("if-range");
    assert_eq!(headers.fields.contains_key("accept-encoding"), !ranged);
    for name in headers.fields.keys() {
        assert_eq!(headers.fields.get_all(name).iter().count(), 1, "repeats are joined");
    }
    let all = parse(lines.iter().copied()).expect("they parsed before");
    let joined = join(all.clone()).expect("they joined before");
    assert!(all.iter().all(|(name, _)| joined.contains_key(name)));
}

fn response(lines: &[(&str, &str)]) {
    let mut map = HeaderMap::new();
    for (name, value) in lines {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_bytes(value.as_bytes())) {
            map.append(name, value);
        }
    }
    let page = for_page(&map, &[http::header::CONTENT_ENCODING]);
    let cookies = page.iter().filter(|(name, _)| name == "set-cookie").count();
    let (fields, last) = page.split_at(page.len() - cookies);
    assert!(last.iter().all(|(name, _)| name == "set-cookie"));
    assert!(fields.is_sorted_by(|(a, _), (b, _)| a < b), "in name order, each once");
    for (name, value) in &page {
        assert!(!HOP_BY_HOP.contains(&name.as_str()) && name != "content-encoding");
        assert!(value.chars().all(|character| u8::try_from(character).is_ok()));
    }
}

fuzz_target!(|text: &str| {
    let lines: Vec<_> = text.split('\n').filter_map(|line| line.split_once(": ")).collect();
    request(&lines);
    response(&lines);
});
