//! The dial and the opening handshake. Section "Link", ws: dial, OPENED and RESET.

use std::{borrow::Cow, error::Error as _};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Response, StatusCode, Version,
    header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_EXTENSIONS, SEC_WEBSOCKET_PROTOCOL, UPGRADE},
};
use http_body_util::Empty;
use hyper::{client::conn::http1, upgrade::Upgraded};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_util::task::AbortOnDropHandle;

use super::{Client, request::WsRequest};
use crate::{
    generated::link::{ErrorCode, limits},
    node::serve::http::{Connector, tls},
};

/// Bytes of the handshake's nonce.
const NONCE: usize = 16;

/// A WebSocket that couldn't be opened, as the page may know it. No text of a library's, the system's or the far end's is in
/// it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The policy refuses the address.
    #[error("{0}")]
    Refused(String),
    /// An answer other than 101.
    #[error("HTTP {}", .0.as_u16())]
    Status(StatusCode),
    /// A certificate that the system doesn't trust.
    #[error("x509: {0}")]
    Certificate(&'static str),
    /// The dial or the handshake failed in another way.
    #[error("{0}")]
    Failed(Cow<'static, str>),
}

impl OpenError {
    /// The code of the RESET.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Refused(_) => ErrorCode::Eacces,
            _ => ErrorCode::Econnrefused,
        }
    }

    /// A failure that has no code of its own.
    pub fn failed(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::Failed(reason.into())
    }

    fn tls(error: &std::io::Error) -> Self {
        match tls::failure(error) {
            Some(failure) if failure.is_certificate() => Self::Certificate(failure.reason()),
            Some(failure) => Self::failed(failure.reason()),
            None => Self::failed("the TLS handshake broke off"),
        }
    }

    fn http(error: &hyper::Error) -> Self {
        Self::failed(if error.is_parse_too_large() {
            "the answer's headers are too large"
        } else if error.is_parse() {
            "the answer isn't valid HTTP"
        } else if let Some(failure) = error.source().and_then(tls::failure) {
            failure.reason()
        } else {
            "the connection broke before the answer"
        })
    }
}

/// Opens a WebSocket: its connection, and the subprotocol that the far end chose, or nothing.
pub async fn open<C: Connector>(client: &Client<C>, request: &WsRequest) -> Result<(Upgraded, String), OpenError> {
    let settings = if request.tls {
        Some(client.tls.web_socket().await.map_err(|error| OpenError::failed(error.into_reason()))?)
    } else {
        None
    };
    let socket = client.connector.connect(&request.host, request.port, client.handshake_limit).await.map_err(
        |(code, reason)| match code {
            ErrorCode::Eacces => OpenError::Refused(reason),
            _ => OpenError::failed(reason),
        },
    )?;
    let Some(settings) = settings else { return handshake(socket, request).await };
    let name = ServerName::try_from(request.host.clone())
        .map_err(|_| OpenError::failed("the host isn't a name that a certificate can have"))?;
    let secured = TlsConnector::from(settings).connect(name, socket).await.map_err(|error| OpenError::tls(&error))?;
    handshake(secured, request).await
}

async fn handshake<T>(socket: T, request: &WsRequest) -> Result<(Upgraded, String), OpenError>
where
    T: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = http1::Builder::new()
        .title_case_headers(true)
        .max_header_size(limits::HTTP_RESPONSE_HEAD)
        .max_buf_size(limits::HTTP_RESPONSE_HEAD)
        .max_headers(limits::HTTP_RESPONSE_HEADERS)
        .allow_obsolete_multiline_headers_in_responses(true)
        .handshake(TokioIo::new(socket))
        .await
        .map_err(|error| OpenError::http(&error))?;
    let _connection = AbortOnDropHandle::new(tokio::spawn(connection.with_upgrades()));
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce).map_err(|_| OpenError::failed("this system has no random bytes to give"))?;
    let key = STANDARD.encode(nonce);
    let value = HeaderValue::from_str(&key).map_err(|_| OpenError::failed("the handshake can't be written"))?;
    let asked = request.handshake::<Empty<Bytes>>(value);
    let response = sender.send_request(asked).await.map_err(|error| OpenError::http(&error))?;
    let protocol = accept(&response, &key, request)?;
    let upgraded = hyper::upgrade::on(response).await.map_err(|error| OpenError::http(&error))?;
    Ok((upgraded, protocol))
}

/// Checks the answer to a handshake with this key (RFC 6455, section 4.1), and gives the chosen subprotocol, or nothing.
pub fn accept<B>(response: &Response<B>, key: &str, request: &WsRequest) -> Result<String, OpenError> {
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Err(OpenError::Status(response.status()));
    }
    let headers = response.headers();
    if response.version() != Version::HTTP_11
        || !tokens(headers, &UPGRADE).any(|token| token.eq_ignore_ascii_case(b"websocket"))
        || !tokens(headers, &CONNECTION).any(|token| token.eq_ignore_ascii_case(b"upgrade"))
    {
        return Err(OpenError::failed("the answer doesn't switch to WebSocket"));
    }
    let expected = derive_accept_key(key.as_bytes());
    let mut accepted = headers.get_all(SEC_WEBSOCKET_ACCEPT).iter();
    match (accepted.next(), accepted.next()) {
        (Some(value), None) if value.as_bytes().trim_ascii() == expected.as_bytes() => {}
        _ => return Err(OpenError::failed("the answer isn't one to this handshake")),
    }
    if tokens(headers, &SEC_WEBSOCKET_EXTENSIONS).next().is_some() {
        return Err(OpenError::failed("the far end chose an extension that wasn't offered"));
    }
    let mut chosen = tokens(headers, &SEC_WEBSOCKET_PROTOCOL);
    match (chosen.next(), chosen.next()) {
        (None, _) => Ok(String::new()),
        (Some(protocol), None) if request.offers(protocol) => Ok(String::from_utf8_lossy(protocol).into_owned()),
        _ => Err(OpenError::failed("the far end chose a subprotocol that wasn't offered")),
    }
}

/// What a header lists, over all its lines; empty members don't count.
fn tokens<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a [u8]> {
    let values = headers.get_all(name).iter().flat_map(|value| value.as_bytes().split(|&byte| byte == b','));
    values.map(<[u8]>::trim_ascii).filter(|token| !token.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::generated::link::WsOpen;

    /// The example of RFC 6455.
    const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
    const ACCEPT: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
    const RIGHT: [(&str, &str); 3] =
        [("Upgrade", "WebSocket"), ("Connection", "keep-alive, upgrade"), ("Sec-WebSocket-Accept", ACCEPT)];

    fn request() -> WsRequest {
        let protocols = vec!["chat".into(), "v2".into()];
        WsRequest::parse(&WsOpen { url: "ws://h/".into(), protocols, headers: vec![] }).unwrap()
    }

    fn answer<'a>(headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<String, String> {
        let mut response = Response::builder().status(101);
        for (name, value) in headers {
            response = response.header(name, value);
        }
        accept(&response.body(()).unwrap(), KEY, &request()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_right_answer_may_choose_one_offered_subprotocol_or_none() {
        assert_eq!(answer(RIGHT), Ok(String::new()));
        assert_eq!(answer(RIGHT.into_iter().chain([("Sec-WebSocket-Protocol", "v2")])), Ok("v2".to_owned()));
        assert_eq!(answer(RIGHT.into_iter().chain([("Sec-WebSocket-Protocol", "")])), Ok(String::new()));
    }

    #[test]
    fn a_subprotocol_or_an_extension_that_was_not_offered_is_refused() {
        for chosen in [&["v3"][..], &["CHAT"], &["chat, v2"], &["chat", "v2"], &["chat", "chat"]] {
            let headers = chosen.iter().map(|&value| ("Sec-WebSocket-Protocol", value));
            let refused = answer(RIGHT.into_iter().chain(headers));
            assert_eq!(refused, Err("the far end chose a subprotocol that wasn't offered".to_owned()));
        }
        let refused = answer(RIGHT.into_iter().chain([("Sec-WebSocket-Extensions", "permessage-deflate")]));
        assert_eq!(refused, Err("the far end chose an extension that wasn't offered".to_owned()));
        assert_eq!(answer(RIGHT.into_iter().chain([("Sec-WebSocket-Extensions", "")])), Ok(String::new()));
    }

    #[test]
    fn an_answer_that_does_not_switch_is_refused() {
        for missing in RIGHT {
            assert!(answer(RIGHT.into_iter().filter(|header| *header != missing)).is_err(), "without {}", missing.0);
        }
        let wrong = [RIGHT[0], RIGHT[1], ("Sec-WebSocket-Accept", "x3pPLMBiTxaQ9kYGzzhZRbK+xOo=")];
        assert_eq!(answer(wrong), Err("the answer isn't one to this handshake".to_owned()));
        assert!(answer(RIGHT.into_iter().chain([("Sec-WebSocket-Accept", ACCEPT)])).is_err(), "twice");
    }

    #[test]
    fn any_other_status_is_named() {
        for status in [200u16, 204, 301, 302, 401, 404, 426, 500] {
            let response = Response::builder().status(status).body(()).unwrap();
            let error = accept(&response, KEY, &request()).unwrap_err();
            assert_eq!((error.code(), error.to_string()), (ErrorCode::Econnrefused, format!("HTTP {status}")));
        }
    }

    proptest! {
        #[test]
        fn only_an_offered_subprotocol_is_ever_chosen(chosen in "[ -~]{0,12}") {
            let answered = answer(RIGHT.into_iter().chain([("Sec-WebSocket-Protocol", chosen.as_str())]));
            if let Ok(protocol) = answered {
                prop_assert!(["", "chat", "v2"].contains(&protocol.as_str()));
            }
        }
    }
}
