//! The heads of an http stream: a u32 BE length and that many bytes of JSON, both ways. Section "Link", http. Pure.

use bytes::{BufMut, Bytes, BytesMut};
use http::{Method, Uri};
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::headers::{HeaderError, RequestHeaders};
use crate::generated::link::{ErrorCode, limits};

/// Bytes of the length that stands before a head.
pub const LENGTH: usize = 4;

/// The port to which a request with an injected credential may go.
const CREDENTIALED_PORT: u16 = 443;

/// Methods that are upper-cased in any case.
const NORMALIZED_METHODS: [Method; 6] =
    [Method::DELETE, Method::GET, Method::HEAD, Method::OPTIONS, Method::POST, Method::PUT];

/// Methods that are refused in any case.
const REFUSED_METHODS: [&str; 3] = ["CONNECT", "TRACE", "TRACK"];

/// Why a request head is refused. The text never holds anything of the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeadError {
    /// The length is past the limit.
    #[error("the request head is larger than {} bytes", limits::HTTP_HEAD)]
    TooLarge,
    /// END came before the head was complete.
    #[error("the request head is cut short")]
    CutShort,
    /// It isn't JSON of the right shape.
    #[error("the request head is not JSON with url, method and headers")]
    Malformed,
    /// The URL doesn't parse.
    #[error("url is not a URL that can be fetched")]
    Url,
    /// Another scheme than http and https.
    #[error("url must be http: or https:")]
    Scheme,
    /// A user name or a password in the URL.
    #[error("url must not hold credentials")]
    UrlCredentials,
    /// The method isn't a token, or one of those that are refused.
    #[error("method must be a token other than CONNECT, TRACE and TRACK")]
    Method,
    /// A header name or value.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// A credentialed request to anything but https on port 443.
    #[error("credentialed requests go only to https on port {CREDENTIALED_PORT}")]
    Credentialed,
}

impl HeadError {
    /// The code of the RESET that answers it.
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::Credentialed => ErrorCode::Eacces,
            _ => ErrorCode::Eproto,
        }
    }
}

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Whether TLS is spoken.
    pub tls: bool,
    /// A name or an IP literal, without brackets.
    pub host: String,
    /// 1 to 65535 in practice; 0 is left to the dialler to refuse.
    pub port: u16,
}

/// A request, checked and ready to be sent.
#[derive(Debug, Clone)]
pub struct RequestHead {
    /// The URL as the page gave it, which the response head repeats.
    pub url: String,
    /// The method, normalised.
    pub method: Method,
    /// The URL in absolute form, without its fragment.
    pub uri: Uri,
    /// Where it goes.
    pub target: Target,
    /// The headers.
    pub headers: RequestHeaders,
}

#[derive(Deserialize)]
struct RawHead {
    url: String,
    method: String,
    #[serde(default)]
    headers: Vec<(String, String)>,
}

impl RequestHead {
    /// Reads the JSON of a request head and applies every rule for it. With `credentialed`, only https on port 443 passes.
    pub fn parse(json: &[u8], credentialed: bool) -> Result<Self, HeadError> {
        // A derived Deserialize would take the fields as a list too.
        if json.trim_ascii_start().first() != Some(&b'{') {
            return Err(HeadError::Malformed);
        }
        let raw: RawHead = serde_json::from_slice(json).map_err(|_| HeadError::Malformed)?;
        let url = Url::parse(&raw.url).map_err(|_| HeadError::Url)?;
        if credentialed && !(url.scheme() == "https" && url.port_or_known_default() == Some(CREDENTIALED_PORT)) {
            return Err(HeadError::Credentialed);
        }
        let target = target(&url)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(HeadError::UrlCredentials);
        }
        let method = method(&raw.method).ok_or(HeadError::Method)?;
        let headers = RequestHeaders::parse(raw.headers.iter().map(|(n, v)| (n.as_str(), v.as_str())))?;
        let uri = url[..url::Position::AfterQuery].parse().map_err(|_| HeadError::Url)?;
        Ok(Self { url: raw.url, method, uri, target, headers })
    }

    /// The URL's scheme.
    pub const fn scheme(&self) -> &'static str {
        if self.target.tls { "https" } else { "http" }
    }

    /// Whether a request with this method carries no body.
    pub fn has_no_body(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD)
    }
}

fn target(url: &Url) -> Result<Target, HeadError> {
    let tls = match url.scheme() {
        "http" => false,
        "https" => true,
        _ => return Err(HeadError::Scheme),
    };
    let host = match url.host().ok_or(HeadError::Url)? {
        Host::Domain(name) => name.to_owned(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    };
    let port = url.port_or_known_default().ok_or(HeadError::Url)?;
    Ok(Target { tls, host, port })
}

fn method(text: &str) -> Option<Method> {
    if REFUSED_METHODS.iter().any(|refused| text.eq_ignore_ascii_case(refused)) {
        return None;
    }
    if let Some(known) = NORMALIZED_METHODS.iter().find(|known| text.eq_ignore_ascii_case(known.as_str())) {
        return Some(known.clone());
    }
    Method::from_bytes(text.as_bytes()).ok()
}

/// Collects the bytes of a request head: the length, then the JSON.
#[derive(Debug, Default)]
pub struct HeadBuffer {
    bytes: BytesMut,
}

impl HeadBuffer {
    /// Takes a piece. Once the head is complete, gives its JSON and what of the piece belongs to the body.
    pub fn push(&mut self, mut piece: Bytes) -> Result<Option<(Bytes, Bytes)>, HeadError> {
        let missing = LENGTH.saturating_sub(self.bytes.len()).min(piece.len());
        self.bytes.extend_from_slice(&piece.split_to(missing));
        let Some(length) = self.bytes.first_chunk::<LENGTH>() else { return Ok(None) };
        let length = usize::try_from(u32::from_be_bytes(*length)).map_err(|_| HeadError::TooLarge)?;
        if length > limits::HTTP_HEAD {
            return Err(HeadError::TooLarge);
        }
        let missing = (LENGTH + length).saturating_sub(self.bytes.len()).min(piece.len());
        self.bytes.extend_from_slice(&piece.split_to(missing));
        if self.bytes.len() < LENGTH + length {
            return Ok(None);
        }
        Ok(Some((self.bytes.split().freeze().slice(LENGTH..), piece)))
    }
}

/// The head of a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseHead {
    /// The status code.
    pub status: u16,
    /// The reason phrase as it was sent, empty over HTTP/2.
    pub status_text: String,
    /// The headers, by [`super::headers::for_page`].
    pub headers: Vec<(String, String)>,
    /// The request's URL.
    pub url: String,
}

impl ResponseHead {
    /// The bytes that go to the page.
    pub fn encode(&self) -> Result<Bytes, serde_json::Error> {
        let mut out = BytesMut::zeroed(LENGTH).writer();
        serde_json::to_writer(&mut out, self)?;
        let mut out = out.into_inner();
        let length = u32::try_from(out.len() - LENGTH).map_err(serde::ser::Error::custom)?;
        out[..LENGTH].copy_from_slice(&length.to_be_bytes());
        Ok(out.freeze())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn parse(value: &serde_json::Value) -> Result<RequestHead, HeadError> {
        RequestHead::parse(value.to_string().as_bytes(), false)
    }

    fn with_url(url: &str, credentialed: bool) -> Result<RequestHead, HeadError> {
        let json = json!({"url": url, "method": "GET", "headers": []});
        RequestHead::parse(json.to_string().as_bytes(), credentialed)
    }

    fn with_method(method: &str) -> Result<Method, HeadError> {
        parse(&json!({"url": "http://h/", "method": method, "headers": []})).map(|head| head.method)
    }

    #[test]
    fn a_head_is_an_object_with_url_method_and_headers() {
        let head = parse(&json!({"url": "http://h:81/p?q#f", "method": "POST", "headers": [["A", "b"]], "more": 1}));
        let head = head.unwrap();
        assert_eq!(head.url, "http://h:81/p?q#f");
        assert_eq!(head.uri, "http://h:81/p?q");
        assert_eq!(head.target, Target { tls: false, host: "h".into(), port: 81 });
        assert_eq!(head.headers.fields["a"], "b");
    }

    #[test]
    fn malformed_json_is_refused() {
        let refused: &[&[u8]] = &[
            b"",
            b"{",
            b"null",
            b"[\"http://h/\",\"GET\",[]]",
            b"{\"url\":\"http://h/\",\"method\":\"GET\",\"headers\":[]} x",
            b"{\"url\":\"http://h/\",\"headers\":[]}",
            b"{\"method\":\"GET\",\"headers\":[]}",
            b"{\"url\":1,\"method\":\"GET\",\"headers\":[]}",
            b"{\"url\":\"http://h/\",\"method\":null,\"headers\":[]}",
            b"{\"url\":\"http://h/\",\"method\":\"GET\",\"headers\":{\"a\":\"b\"}}",
            b"{\"url\":\"http://h/\",\"method\":\"GET\",\"headers\":null}",
            b"{\"url\":\"http://h/\",\"method\":\"GET\",\"headers\":[[\"a\"]]}",
            b"{\"url\":\"http://h/\",\"method\":\"GET\",\"headers\":[[\"a\",\"b\",\"c\"]]}",
            b"{\"url\":\"http://h/\",\"method\":\"GET\",\"headers\":[[\"a\",1]]}",
            b"{\"url\":\"http://h/\",\"url\":\"http://i/\",\"method\":\"GET\",\"headers\":[]}",
            b"{\"url\":\"http://h/\xff\",\"method\":\"GET\",\"headers\":[]}",
            b"{\"url\":\"http://h/\\ud800\",\"method\":\"GET\",\"headers\":[]}",
        ];
        for json in refused {
            let error = RequestHead::parse(json, false).unwrap_err();
            assert_eq!(error, HeadError::Malformed, "{}", String::from_utf8_lossy(json));
            assert_eq!(error.code(), ErrorCode::Eproto);
        }
    }

    #[test]
    fn methods_are_normalised_like_fetch_does() {
        for method in ["delete", "Get", "hEAD", "options", "post", "puT"] {
            assert_eq!(with_method(method).unwrap().as_str(), method.to_ascii_uppercase());
        }
        assert_eq!(with_method("patch").unwrap().as_str(), "patch");
        assert_eq!(with_method("Propfind").unwrap().as_str(), "Propfind");
        assert_eq!(with_method("M-SEARCH").unwrap().as_str(), "M-SEARCH");
    }

    #[test]
    fn refused_methods_are_refused_in_any_case() {
        for method in ["CONNECT", "connect", "Trace", "TRACE", "track", "", "A B", "GET\r\n", "G\u{e9}T", "GET/"] {
            assert_eq!(with_method(method), Err(HeadError::Method), "{method:?}");
        }
    }

    #[test]
    fn other_schemes_and_credentials_in_the_url_are_refused() {
        for url in ["ftp://h/", "file:///etc/passwd", "data:,x", "ws://h/", "javascript:1", "blob:http://h/1"] {
            assert_eq!(with_url(url, false).unwrap_err(), HeadError::Scheme, "{url}");
        }
        for url in ["http://user@h/", "https://user:pw@h/", "http://:pw@h/"] {
            assert_eq!(with_url(url, false).unwrap_err(), HeadError::UrlCredentials, "{url}");
        }
        for url in ["", "/path", "h", "http://", "http://[::1", "http://h:99999/", "http://a b/", "http://h|x/"] {
            assert_eq!(with_url(url, false).unwrap_err(), HeadError::Url, "{url}");
        }
    }

    #[test]
    fn ip_literals_come_without_brackets_and_in_their_one_form() {
        assert_eq!(with_url("http://[::1]:8080/", false).unwrap().target.host, "::1");
        assert_eq!(with_url("http://0x7f.1/", false).unwrap().target.host, "127.0.0.1");
        assert_eq!(with_url("https://EXAMPLE.com", false).unwrap().target.host, "example.com");
        assert_eq!(with_url("https://b\u{fc}cher.example", false).unwrap().target.host, "xn--bcher-kva.example");
    }

    #[test]
    fn credentialed_requests_go_only_to_https_on_port_443() {
        for url in ["https://h/", "https://h:443/x", "HTTPS://h"] {
            assert!(with_url(url, true).is_ok(), "{url}");
        }
        for url in ["http://h/", "http://h:443/", "https://h:8443/", "https://h:80/", "ftp://h:443/"] {
            let error = with_url(url, true).unwrap_err();
            assert_eq!(error.code(), ErrorCode::Eacces, "{url}");
            assert_eq!(error.to_string(), "credentialed requests go only to https on port 443");
        }
    }

    #[test]
    fn a_url_that_no_request_line_can_carry_is_refused() {
        let url = format!("http://h/{}", "a".repeat(70_000));
        assert_eq!(with_url(&url, false).unwrap_err(), HeadError::Url);
    }

    #[test]
    fn refusals_repeat_nothing_of_the_head() {
        for json in [
            json!({"url": "http://u:hunter2@h/secret?hunter2", "method": "GET", "headers": []}),
            json!({"url": "hunter2", "method": "GET", "headers": []}),
            json!({"url": "http://h/", "method": "hunter2 ", "headers": []}),
            json!({"url": "http://h/", "method": "GET", "headers": [["hunter2 ", "a"]]}),
            json!({"url": "http://h/", "method": "GET", "headers": [["a", "hunter2\n1"]]}),
        ] {
            assert!(!parse(&json).unwrap_err().to_string().contains("hunter2"));
        }
    }

    #[test]
    fn a_head_larger_than_its_limit_is_refused_before_it_is_read() {
        let mut buffer = HeadBuffer::default();
        let length = u32::try_from(limits::HTTP_HEAD).unwrap();
        assert!(buffer.push(Bytes::copy_from_slice(&length.to_be_bytes())).unwrap().is_none());
        let refused = HeadBuffer::default().push(Bytes::copy_from_slice(&(length + 1).to_be_bytes()));
        assert_eq!(refused, Err(HeadError::TooLarge));
    }

    #[test]
    fn a_response_head_is_its_length_and_json() {
        let head = ResponseHead {
            status: 200,
            status_text: "OK".into(),
            headers: vec![("a".into(), "\u{e9}".into())],
            url: "http://h/".into(),
        };
        let bytes = head.encode().unwrap();
        let json = "{\"status\":200,\"statusText\":\"OK\",\"headers\":[[\"a\",\"\u{e9}\"]],\"url\":\"http://h/\"}";
        assert_eq!(&bytes[..4], u32::try_from(json.len()).unwrap().to_be_bytes());
        assert_eq!(&bytes[4..], json.as_bytes());
    }

    proptest! {
        #[test]
        fn any_bytes_parse_without_a_panic(json in prop::collection::vec(any::<u8>(), 0..200), flag in any::<bool>()) {
            let _ = RequestHead::parse(&json, flag);
        }

        #[test]
        fn any_url_and_method_are_taken_or_refused(url in "(http|https|ftp)://.{0,40}", method in ".{0,8}") {
            let json = json!({"url": url, "method": method, "headers": []});
            if let Ok(head) = parse(&json) {
                prop_assert!(head.uri.host().is_some());
                prop_assert!(!head.target.host.is_empty());
            }
        }

        #[test]
        fn every_path_and_query_that_a_url_keeps_can_be_sent(rest in "[^#]{0,60}") {
            let url = format!("http://h/{rest}");
            prop_assert!(with_url(&url, false).is_ok());
        }

        #[test]
        fn a_head_is_found_however_it_is_cut(
            json in prop::collection::vec(any::<u8>(), 0..100),
            body in prop::collection::vec(any::<u8>(), 0..100),
            size in 1usize..40,
        ) {
            let mut bytes = u32::try_from(json.len()).unwrap().to_be_bytes().to_vec();
            bytes.extend_from_slice(&json);
            bytes.extend_from_slice(&body);
            let mut buffer = HeadBuffer::default();
            let mut found = None;
            for piece in bytes.chunks(size) {
                let piece = Bytes::copy_from_slice(piece);
                match &mut found {
                    None => found = buffer.push(piece).unwrap().map(|(head, rest)| (head, rest.to_vec())),
                    Some((_, rest)) => rest.extend_from_slice(&piece),
                }
            }
            let (head, rest) = found.unwrap();
            prop_assert_eq!(head.to_vec(), json);
            prop_assert_eq!(rest, body);
        }
    }
}
