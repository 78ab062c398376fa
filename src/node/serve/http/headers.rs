//! Header rules of requests and responses. Section "Link", http: request headers and response headers. Pure.

use std::collections::BTreeMap;

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{
        ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, COOKIE, EXPECT, HOST, IF_RANGE, PROXY_AUTHORIZATION, RANGE,
        SET_COOKIE, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
    },
};

/// Hop-by-hop headers besides those that Connection names.
const HOP_BY_HOP: [HeaderName; 7] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Headers of a request that the node owns, and the one that a proxy would.
const OWNED: [HeaderName; 5] = [HOST, CONTENT_LENGTH, ACCEPT_ENCODING, EXPECT, PROXY_AUTHORIZATION];

/// The codings that the node undoes, as it offers them.
const OFFERED_CODINGS: &str = "gzip, deflate, br";

/// Names of one request. A [`HeaderMap`] takes twice as many, and the node adds a few of its own.
const MAX_NAMES: usize = 16_384;

/// Why a page's header list is refused. The text never holds a name or a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// A name isn't an HTTP token.
    #[error("a header name is not a token")]
    Name,
    /// A value has a character above U+00FF or a control character other than tab.
    #[error("a header value is not Latin-1 without control characters")]
    Value,
    /// More names than a request can carry.
    #[error("too many headers")]
    TooMany,
}

/// One header field: its name, lower-cased, and its value, one byte per character.
pub type Field = (HeaderName, Vec<u8>);

/// The headers of a request, as they go out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestHeaders {
    /// What is sent, besides Host and Content-Length.
    pub fields: HeaderMap,
    /// The page's own Content-Length, when it gave one valid number.
    pub content_length: Option<u64>,
}

impl RequestHeaders {
    /// Applies every rule for request headers to the pairs of a request head.
    pub fn parse<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, HeaderError> {
        let fields = parse(pairs)?;
        let content_length = content_length(&fields);
        let fields = without(without_hop_by_hop(fields), &OWNED);
        let mut fields = join(fields)?;
        if !fields.contains_key(RANGE) && !fields.contains_key(IF_RANGE) {
            fields.insert(ACCEPT_ENCODING, HeaderValue::from_static(OFFERED_CODINGS));
        }
        Ok(Self { fields, content_length })
    }
}

/// Reads pairs of name and value: names must be tokens, values Latin-1 without control characters other than tab once
/// leading and trailing whitespace is trimmed. Each character becomes one byte.
pub fn parse<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Vec<Field>, HeaderError> {
    pairs
        .into_iter()
        .map(|(name, value)| {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| HeaderError::Name)?;
            Ok((name, latin1_bytes(value.trim_matches(is_http_whitespace)).ok_or(HeaderError::Value)?))
        })
        .collect()
}

/// Drops the hop-by-hop headers and the fields that Connection names.
pub fn without_hop_by_hop(fields: Vec<Field>) -> Vec<Field> {
    let named: Vec<HeaderName> =
        fields.iter().filter(|(name, _)| *name == CONNECTION).flat_map(|(_, value)| connection_names(value)).collect();
    without(without(fields, &HOP_BY_HOP), &named)
}

/// Drops the fields with these names.
pub fn without(mut fields: Vec<Field>, names: &[HeaderName]) -> Vec<Field> {
    fields.retain(|(name, _)| !names.contains(name));
    fields
}

/// Joins repeated names, in the order of their first occurrence: Cookie with `; `, every other with `, `.
pub fn join(fields: Vec<Field>) -> Result<HeaderMap, HeaderError> {
    let mut order: Vec<Field> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (name, value) in fields {
        if let Some(&place) = places.get(name.as_str()) {
            let joined = &mut order[place].1;
            joined.extend_from_slice(if name == COOKIE { b"; " } else { b", " });
            joined.extend_from_slice(&value);
        } else {
            places.insert(name.as_str().to_owned(), order.len());
            if order.len() == MAX_NAMES {
                return Err(HeaderError::TooMany);
            }
            order.push((name, value));
        }
    }
    let mut map = HeaderMap::new();
    for (name, value) in order {
        let value = HeaderValue::from_bytes(&value).map_err(|_| HeaderError::Value)?;
        map.try_insert(name, value).map_err(|_| HeaderError::TooMany)?;
    }
    Ok(map)
}

/// The headers of a response, as the page gets them: in name order, lower-cased, repeated names joined with `, `, then
/// each Set-Cookie as its own entry. Hop-by-hop headers, the fields that Connection names and those in `dropped` aren't
/// among them. Values are read as Latin-1, one character per byte.
pub fn for_page(headers: &HeaderMap, dropped: &[HeaderName]) -> Vec<(String, String)> {
    let named: Vec<HeaderName> =
        headers.get_all(CONNECTION).iter().flat_map(|value| connection_names(value.as_bytes())).collect();
    let mut joined: BTreeMap<&str, String> = BTreeMap::new();
    let mut cookies = Vec::new();
    for (name, value) in headers {
        if HOP_BY_HOP.contains(name) || named.contains(name) || dropped.contains(name) {
            continue;
        }
        let value = latin1_text(value.as_bytes());
        if *name == SET_COOKIE {
            cookies.push((name.as_str().to_owned(), value));
        } else if let Some(earlier) = joined.get_mut(name.as_str()) {
            earlier.push_str(", ");
            earlier.push_str(&value);
        } else {
            joined.insert(name.as_str(), value);
        }
    }
    joined.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(cookies).collect()
}

/// Text for bytes read as Latin-1, one character per byte.
pub fn latin1_text(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// The bytes of a header value, one per character; `None` for a character that a value can't hold.
fn latin1_bytes(text: &str) -> Option<Vec<u8>> {
    text.chars()
        .map(|character| u8::try_from(character).ok().filter(|&byte| byte == b'\t' || (byte >= b' ' && byte != 0x7F)))
        .collect()
}

/// The whitespace that may stand around a header value.
fn is_http_whitespace(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' ')
}

/// The names that a Connection value lists. What isn't a token names no header.
fn connection_names(value: &[u8]) -> impl Iterator<Item = HeaderName> {
    value.split(|&byte| byte == b',').filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok())
}

/// The Content-Length of a list that holds exactly one, when it is a number.
fn content_length(fields: &[Field]) -> Option<u64> {
    let mut lengths = fields.iter().filter(|(name, _)| *name == CONTENT_LENGTH);
    let (_, value) = lengths.next()?;
    if lengths.next().is_some() || value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    str::from_utf8(value).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let headers = RequestHeaders::parse(pairs.iter().copied()).unwrap();
        headers.fields.iter().map(|(name, value)| (name.to_string(), latin1_text(value.as_bytes()))).collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn response(list: &[(&str, &[u8])]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in list {
            map.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_bytes(value).unwrap());
        }
        map
    }

    #[test]
    fn hop_by_hop_owned_and_connection_named_request_headers_are_dropped() {
        let sent = request(&[
            ("Connection", "keep-alive, X-Secret"),
            ("connection", "x-other"),
            ("x-SECRET", "1"),
            ("X-Other", "1"),
            ("Keep-Alive", "timeout=5"),
            ("Proxy-Connection", "close"),
            ("TE", "trailers"),
            ("Trailer", "X"),
            ("Transfer-Encoding", "chunked"),
            ("Upgrade", "websocket"),
            ("Host", "other.example"),
            ("Content-Length", "5"),
            ("Accept-Encoding", "zstd"),
            ("Expect", "100-continue"),
            ("Proxy-Authorization", "Basic x"),
            ("Accept", "*/*"),
            ("Authorization", "Bearer x"),
        ]);
        assert_eq!(
            sent,
            pairs(&[("accept", "*/*"), ("authorization", "Bearer x"), ("accept-encoding", "gzip, deflate, br")])
        );
    }

    #[test]
    fn no_user_agent_is_added_and_the_pages_own_is_sent() {
        assert_eq!(request(&[]), pairs(&[("accept-encoding", "gzip, deflate, br")]));
        assert!(request(&[("User-Agent", "page")]).contains(&("user-agent".into(), "page".into())));
    }

    #[test]
    fn a_request_with_range_or_if_range_offers_no_coding() {
        assert_eq!(request(&[("Range", "bytes=0-1")]), pairs(&[("range", "bytes=0-1")]));
        assert_eq!(request(&[("If-Range", "\"tag\"")]), pairs(&[("if-range", "\"tag\"")]));
        let dropped = request(&[("Range", "bytes=0-1"), ("Connection", "range")]);
        assert_eq!(dropped, pairs(&[("accept-encoding", "gzip, deflate, br")]));
    }

    #[test]
    fn repeats_join_with_comma_and_cookies_with_semicolon() {
        let sent = request(&[("Cookie", "a=1"), ("X-A", "1"), ("cookie", "b=2"), ("x-a", ""), ("X-a", "3")]);
        assert_eq!(sent[0], ("cookie".into(), "a=1; b=2".into()));
        assert_eq!(sent[1], ("x-a".into(), "1, , 3".into()));
    }

    #[test]
    fn values_are_latin_1_with_one_byte_per_character_once_trimmed() {
        let fields = parse([("x", "\r\n\t caf\u{e9}\u{80}\u{ff}\ta \t\n")]).unwrap();
        assert_eq!(fields[0].1, b"caf\xe9\x80\xff\ta");
        for value in ["\u{100}", "a\nb", "a\0b", "a\u{7f}b", "a\rb", "\u{1f600}", "\u{b}a"] {
            assert_eq!(parse([("x", value)]), Err(HeaderError::Value), "{value:?}");
        }
    }

    #[test]
    fn names_must_be_tokens() {
        for name in ["", "a b", "a:", ":authority", "h\u{e9}", "a\n", "(x)", " x"] {
            assert_eq!(parse([(name, "v")]), Err(HeaderError::Name), "{name:?}");
        }
        assert!(parse([("!#$%&'*+-.^_`|~09aZ", "v")]).is_ok());
    }

    #[test]
    fn a_refused_value_in_a_dropped_header_is_still_refused() {
        assert_eq!(RequestHeaders::parse([("Host", "a\nb")]), Err(HeaderError::Value));
    }

    #[test]
    fn more_headers_than_a_map_holds_are_refused_without_a_panic() {
        let names: Vec<String> = (0..40_000).map(|n| format!("x{n}")).collect();
        let refused = RequestHeaders::parse(names.iter().map(|name| (name.as_str(), "")));
        assert_eq!(refused, Err(HeaderError::TooMany));
    }

    #[test]
    fn content_length_counts_only_when_it_is_one_valid_number() {
        let length = |list: &[(&str, &str)]| RequestHeaders::parse(list.iter().copied()).unwrap().content_length;
        assert_eq!(length(&[("content-length", " 12 ")]), Some(12));
        assert_eq!(length(&[]), None);
        for value in ["", "+1", "-1", "1.0", "0x1", "1, 1", "1 1", "99999999999999999999", "\u{b2}"] {
            assert_eq!(length(&[("Content-Length", value)]), None, "{value:?}");
        }
        assert_eq!(length(&[("Content-Length", "1"), ("content-length", "1")]), None);
    }

    #[test]
    fn response_headers_come_in_name_order_with_each_set_cookie_at_the_end() {
        let first = "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT";
        let headers = response(&[
            ("Set-Cookie", first.as_bytes()),
            ("X-B", b"1"),
            ("set-cookie", b"b=2, c"),
            ("X-A", b"z"),
            ("SET-COOKIE", b"c=3"),
            ("x-b", b"2"),
            ("Set-cookie", b"a=1"),
            ("zz", b"caf\xe9"),
        ]);
        assert_eq!(
            for_page(&headers, &[]),
            pairs(&[
                ("x-a", "z"),
                ("x-b", "1, 2"),
                ("zz", "caf\u{e9}"),
                ("set-cookie", first),
                ("set-cookie", "b=2, c"),
                ("set-cookie", "c=3"),
                ("set-cookie", "a=1"),
            ])
        );
    }

    #[test]
    fn hop_by_hop_and_connection_named_response_headers_are_dropped() {
        let headers = response(&[
            ("Connection", b"close, X-Hop, not a token"),
            ("X-Hop", b"1"),
            ("Keep-Alive", b"1"),
            ("Proxy-Connection", b"1"),
            ("TE", b"1"),
            ("Trailer", b"1"),
            ("Transfer-Encoding", b"chunked"),
            ("Upgrade", b"h2c"),
            ("Content-Encoding", b"gzip"),
            ("Location", b"/"),
        ]);
        assert_eq!(for_page(&headers, &[http::header::CONTENT_ENCODING]), pairs(&[("location", "/")]));
    }

    proptest! {
        #[test]
        fn whatever_parses_goes_out_without_an_owned_header(list in prop::collection::vec((".{0,12}", ".{0,12}"), 0..8)) {
            let list: Vec<(&str, &str)> = list.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
            if let Ok(headers) = RequestHeaders::parse(list) {
                prop_assert!(!headers.fields.contains_key(HOST));
                prop_assert!(!headers.fields.contains_key(CONNECTION));
            }
        }

        #[test]
        fn latin_1_survives_both_ways(bytes in prop::collection::vec(any::<u8>(), 0..32)) {
            let text = latin1_text(&bytes);
            prop_assert_eq!(text.chars().count(), bytes.len());
            if let Some(back) = latin1_bytes(&text) {
                prop_assert_eq!(back, bytes);
            }
        }
    }
}
