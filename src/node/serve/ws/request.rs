//! What a page may ask for: the URL, the subprotocols and the headers of an OPEN. Section "Link", ws: OPEN. Pure.

use http::{
    HeaderMap, HeaderName, HeaderValue, Request, Uri,
    header::{
        ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, HOST, SEC_WEBSOCKET_EXTENSIONS, SEC_WEBSOCKET_KEY,
        SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
    },
};
use url::{Host, Position, Url};

use crate::{
    generated::link::WsOpen,
    node::serve::http::headers::{self, HeaderError},
};

/// Headers that the handshake owns. A Content-Length would announce a body, which a handshake never has.
const OWNED: [HeaderName; 7] = [
    HOST,
    CONTENT_LENGTH,
    ACCEPT_ENCODING,
    SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_VERSION,
    SEC_WEBSOCKET_EXTENSIONS,
    SEC_WEBSOCKET_PROTOCOL,
];

/// The version of the protocol (RFC 6455).
const VERSION: HeaderValue = HeaderValue::from_static("13");

/// Why an OPEN is refused. The text never holds anything of the OPEN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The URL doesn't parse.
    #[error("url is not a URL that a WebSocket can have")]
    Url,
    /// Another scheme than ws and wss.
    #[error("url must be ws: or wss:")]
    Scheme,
    /// A user name or a password in the URL.
    #[error("url must not hold credentials")]
    UrlCredentials,
    /// A subprotocol isn't a token.
    #[error("protocols must be tokens")]
    Protocol,
    /// A subprotocol is there twice.
    #[error("protocols lists one twice")]
    RepeatedProtocol,
    /// The subprotocols together are longer than a header can be.
    #[error("protocols is too long")]
    ProtocolsTooLong,
    /// A header name or value.
    #[error(transparent)]
    Header(#[from] HeaderError),
}

/// A WebSocket to open, checked.
#[derive(Clone)]
pub struct WsRequest {
    /// Whether TLS is spoken.
    pub tls: bool,
    /// A name or an IP literal, without brackets.
    pub host: String,
    /// 1 to 65535 in practice; 0 is left to the dialler to refuse.
    pub port: u16,
    /// What may be logged of it: scheme, host and path.
    pub logged: String,
    /// The offered subprotocols.
    protocols: Vec<String>,
    target: Uri,
    headers: HeaderMap,
}

impl WsRequest {
    /// Applies every rule for an OPEN.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn parse(open: &WsOpen) -> Result<Self, RequestError> {
        let url = Url::parse(&open.url).map_err(|_| RequestError::Url)?;
        let tls = match url.scheme() {
            "ws" => false,
            "wss" => true,
            _ => return Err(RequestError::Scheme),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(RequestError::UrlCredentials);
        }
        let host = match url.host().ok_or(RequestError::Url)? {
            Host::Domain(name) => name.to_owned(),
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let port = url.port_or_known_default().ok_or(RequestError::Url)?;
        let target = url[Position::BeforePath..Position::AfterQuery].parse().map_err(|_| RequestError::Url)?;
        let authority =
            HeaderValue::from_str(&url[Position::BeforeHost..Position::AfterPort]).map_err(|_| RequestError::Url)?;
        let logged = format!("{}://{}{}", url.scheme(), url.host_str().ok_or(RequestError::Url)?, url.path());
        let protocols = protocols(&open.protocols)?;
        let fields = headers::parse(open.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())))?;
        let mut headers = headers::join(headers::without(headers::without_hop_by_hop(fields), &OWNED))?;
        headers.insert(HOST, authority);
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_VERSION, VERSION);
        if let Some(protocols) = protocols {
            headers.insert(SEC_WEBSOCKET_PROTOCOL, protocols);
        }
        Ok(Self { tls, host, port, logged, protocols: open.protocols.clone(), target, headers })
    }

    /// Whether this subprotocol was offered.
    pub fn offers(&self, protocol: &[u8]) -> bool {
        self.protocols.iter().any(|offered| offered.as_bytes() == protocol)
    }

    /// The handshake's request, with this key.
    pub fn handshake<B: Default>(&self, key: HeaderValue) -> Request<B> {
        let mut request = Request::new(B::default());
        *request.uri_mut() = self.target.clone();
        *request.headers_mut() = self.headers.clone();
        request.headers_mut().insert(SEC_WEBSOCKET_KEY, key);
        request
    }
}

/// The header that offers these subprotocols.
fn protocols(list: &[String]) -> Result<Option<HeaderValue>, RequestError> {
    if !list.iter().all(|protocol| is_token(protocol)) {
        return Err(RequestError::Protocol);
    }
    let mut sorted: Vec<&String> = list.iter().collect();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(RequestError::RepeatedProtocol);
    }
    if list.is_empty() {
        return Ok(None);
    }
    HeaderValue::from_str(&list.join(", ")).map(Some).map_err(|_| RequestError::ProtocolsTooLong)
}

/// Whether a text is a token of HTTP.
fn is_token(text: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(token)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn with_url(url: &str) -> Result<WsRequest, RequestError> {
        WsRequest::parse(&WsOpen { url: url.into(), protocols: vec![], headers: vec![] })
    }

    fn with_protocols(protocols: &[&str]) -> Result<WsRequest, RequestError> {
        let protocols = protocols.iter().map(|&protocol| protocol.to_owned()).collect();
        WsRequest::parse(&WsOpen { url: "ws://h/".into(), protocols, headers: vec![] })
    }

    fn with_headers(headers: &[(&str, &str)]) -> Result<WsRequest, RequestError> {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        WsRequest::parse(&WsOpen { url: "ws://h/".into(), protocols: vec![], headers })
    }

    fn sent(request: &WsRequest) -> Vec<(String, Vec<u8>)> {
        let request: Request<()> = request.handshake(HeaderValue::from_static("key"));
        request.headers().iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect()
    }

    fn own() -> Vec<(String, Vec<u8>)> {
        let own: [(&str, &[u8]); 5] = [
            ("host", b"h"),
            ("connection", b"Upgrade"),
            ("upgrade", b"websocket"),
            ("sec-websocket-version", b"13"),
            ("sec-websocket-key", b"key"),
        ];
        own.map(|(name, value)| (name.to_owned(), value.to_vec())).to_vec()
    }

    #[test]
    fn a_url_is_ws_or_wss_and_its_fragment_is_dropped() {
        let request = with_url("wss://h:81/p%20q?x#f").unwrap();
        assert_eq!((request.tls, request.host.as_str(), request.port), (true, "h", 81));
        assert_eq!(request.target, "/p%20q?x");
        assert_eq!(request.headers[HOST], "h:81");
        assert_eq!((with_url("ws://h").unwrap().port, with_url("wss://h").unwrap().port), (80, 443));
        assert_eq!(with_url("ws://h").unwrap().target, "/");
        for url in ["http://h/", "https://h/", "ftp://h/", "data:,x", "wss+x://h/"] {
            assert_eq!(with_url(url).err(), Some(RequestError::Scheme), "{url}");
        }
        for url in ["", "/path", "ws://", "ws://[::1", "ws://h:99999/", "ws://a b/"] {
            assert_eq!(with_url(url).err(), Some(RequestError::Url), "{url}");
        }
        assert_eq!(with_url(&format!("ws://h/{}", "a".repeat(70_000))).err(), Some(RequestError::Url));
    }

    #[test]
    fn credentials_in_the_url_are_refused() {
        for url in ["ws://user@h/", "wss://user:pw@h/", "ws://:pw@h/"] {
            assert_eq!(with_url(url).err(), Some(RequestError::UrlCredentials), "{url}");
        }
    }

    #[test]
    fn ip_literals_come_without_brackets_and_in_their_one_form() {
        let request = with_url("ws://[::1]:8080/").unwrap();
        assert_eq!((request.host.as_str(), &request.headers[HOST]), ("::1", &HeaderValue::from_static("[::1]:8080")));
        assert_eq!(with_url("ws://0x7f.1/").unwrap().host, "127.0.0.1");
        assert_eq!(with_url("wss://b\u{fc}cher.example:443").unwrap().headers[HOST], "xn--bcher-kva.example");
    }

    #[test]
    fn the_log_has_scheme_host_and_path_alone() {
        assert_eq!(with_url("wss://h:81/p?token=hunter2#f").unwrap().logged, "wss://h/p");
        assert_eq!(with_url("ws://[::1]/").unwrap().logged, "ws://[::1]/");
    }

    #[test]
    fn protocols_are_tokens_that_are_listed_once() {
        let request = with_protocols(&["chat", "Chat", "v1.x~y"]).unwrap();
        assert_eq!(request.headers[SEC_WEBSOCKET_PROTOCOL], "chat, Chat, v1.x~y");
        assert!(request.offers(b"Chat") && !request.offers(b"CHAT") && !request.offers(b""));
        assert!(!with_protocols(&[]).unwrap().headers.contains_key(SEC_WEBSOCKET_PROTOCOL));
        assert_eq!(with_protocols(&["a", "b", "a"]).err(), Some(RequestError::RepeatedProtocol));
        for protocol in ["", " a", "a b", "a,b", "h\u{e9}", "a\n", "(x)", "a/b"] {
            assert_eq!(with_protocols(&[protocol]).err(), Some(RequestError::Protocol), "{protocol:?}");
        }
    }

    #[test]
    fn hop_by_hop_headers_and_those_that_the_handshake_owns_are_dropped() {
        let request = with_headers(&[
            ("Connection", "close, X-Hop"),
            ("X-Hop", "1"),
            ("Upgrade", "h2c"),
            ("TE", "trailers"),
            ("Host", "other.example"),
            ("Accept-Encoding", "gzip"),
            ("Content-Length", "5"),
            ("Sec-WebSocket-Key", "x"),
            ("sec-websocket-version", "8"),
            ("Sec-WebSocket-Extensions", "permessage-deflate"),
            ("SEC-WEBSOCKET-PROTOCOL", "chat"),
        ]);
        assert_eq!(sent(&request.unwrap()), own());
    }

    #[test]
    fn the_rest_is_sent_as_latin_1_and_joined_and_no_user_agent_is_added() {
        let request = with_headers(&[
            ("Origin", "https://o.example"),
            ("Authorization", "Bearer x"),
            ("Cookie", "a=1"),
            ("X-A", "caf\u{e9}"),
            ("cookie", "b=2"),
            ("x-a", " 2 "),
        ]);
        let rest: [(&str, &[u8]); 4] = [
            ("origin", b"https://o.example"),
            ("authorization", b"Bearer x"),
            ("cookie", b"a=1; b=2"),
            ("x-a", b"caf\xe9, 2"),
        ];
        let rest = rest.map(|(name, value)| (name.to_owned(), value.to_vec()));
        assert_eq!(sent(&request.unwrap()), [rest.to_vec(), own()].concat());
    }

    #[test]
    fn header_names_must_be_tokens_and_values_latin_1() {
        assert_eq!(with_headers(&[("a b", "x")]).err(), Some(HeaderError::Name.into()));
        assert_eq!(with_headers(&[("a", "\u{100}")]).err(), Some(HeaderError::Value.into()));
        assert_eq!(with_headers(&[("Host", "a\r\nb")]).err(), Some(HeaderError::Value.into()), "even if it is dropped");
    }

    #[test]
    fn refusals_repeat_nothing_of_the_open() {
        let open = |url: &str, protocol: &str, header: &str| WsOpen {
            url: url.into(),
            protocols: vec![protocol.into()],
            headers: vec![("a".into(), header.into())],
        };
        for open in [
            open("ws://u:hunter2@h/hunter2", "a", "b"),
            open("hunter2://h", "a", "b"),
            open("ws://h", "hunter2 ", "b"),
            open("ws://h", "a", "hunter2\u{100}"),
        ] {
            assert!(!WsRequest::parse(&open).err().unwrap().to_string().contains("hunter2"));
        }
    }

    proptest! {
        #[test]
        fn whatever_parses_has_one_of_each_header_of_the_handshake(
            url in "(ws|wss|http)://.{0,40}",
            protocols in prop::collection::vec(".{0,6}", 0..4),
            headers in prop::collection::vec((".{0,12}", ".{0,12}"), 0..6),
        ) {
            if let Ok(request) = WsRequest::parse(&WsOpen { url, protocols, headers }) {
                prop_assert!(!request.host.is_empty());
                for name in [HOST, CONNECTION, UPGRADE, SEC_WEBSOCKET_VERSION] {
                    prop_assert_eq!(request.headers.get_all(name).iter().count(), 1);
                }
            }
        }
    }
}
