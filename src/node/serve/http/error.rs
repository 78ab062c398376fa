//! Why a fetch failed, as the page may know it. Section "Link", http and credentialed: RESET.
//!
//! No text of a library's or the system's goes out: HTTP/2 errors repeat what the server says, and the server knows the
//! request. Every reason is one of ours.

use std::{borrow::Cow, error::Error};

use rustls::{CertificateError, Error as TlsError};

use super::wire::{Record, Trouble};
use crate::generated::link::ErrorCode;

/// A failed fetch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("fetch failed: {reason}")]
pub struct FetchError {
    code: ErrorCode,
    reason: Cow<'static, str>,
}

impl FetchError {
    /// A failure with this code and reason. Codes that http streams don't have become ECONNREFUSED.
    pub fn new(code: ErrorCode, reason: impl Into<Cow<'static, str>>) -> Self {
        let code = match code {
            ErrorCode::Eacces | ErrorCode::Enotfound | ErrorCode::Etimedout | ErrorCode::Econnreset => code,
            _ => ErrorCode::Econnrefused,
        };
        Self { code, reason: reason.into() }
    }

    /// A failure that has no code of its own.
    pub fn other(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::Econnrefused, reason)
    }

    /// The code of the RESET.
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// A TLS handshake that failed.
    pub fn tls(error: &std::io::Error, record: &Record) -> Self {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<TlsError>()) {
            Some(error) => Self::other(tls_reason(error)),
            None => Self::wire(record).unwrap_or_else(|| Self::other("the TLS handshake broke off")),
        }
    }

    /// A request that got no response head.
    pub fn http(error: &hyper::Error, record: &Record) -> Self {
        if error.is_parse_too_large() {
            return Self::other("the answer's headers are too large");
        }
        if error.is_parse() {
            return Self::other("the answer isn't valid HTTP");
        }
        // A certificate can still be refused after the handshake: a client certificate that TLS 1.3 asked for.
        if let Some(error) = source::<TlsError>(error) {
            return Self::other(tls_reason(error));
        }
        Self::wire(record).unwrap_or_else(|| match record.trouble() {
            Trouble::Closed => Self::new(ErrorCode::Econnreset, "the server closed the connection without an answer"),
            _ => Self::other("the server refused the request before it answered"),
        })
    }

    /// What the connection itself went through, besides being closed.
    fn wire(record: &Record) -> Option<Self> {
        match record.trouble() {
            Trouble::Reset => Some(Self::new(ErrorCode::Econnreset, "the connection was reset")),
            Trouble::TimedOut => Some(Self::new(ErrorCode::Etimedout, "the connection timed out")),
            Trouble::Other => Some(Self::other("the connection failed")),
            Trouble::None | Trouble::Closed => None,
        }
    }
}

/// The first error of this type among an error's sources. An I/O error's inner error is looked into too.
fn source<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = error.source();
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        if let Some(found) = inner.and_then(|inner| inner.downcast_ref::<E>()) {
            return Some(found);
        }
        next = error.source();
    }
    None
}

fn tls_reason(error: &TlsError) -> &'static str {
    match error {
        TlsError::InvalidCertificate(certificate) => match certificate {
            CertificateError::UnknownIssuer => "this system doesn't trust who issued the server's certificate",
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the server's certificate has expired"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the server's certificate isn't valid yet"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "the server's certificate is for another name"
            }
            CertificateError::Revoked => "the server's certificate was revoked",
            _ => "the server's certificate isn't valid",
        },
        TlsError::AlertReceived(_) => "the server refused the TLS connection",
        TlsError::PeerIncompatible(_) | TlsError::NoApplicationProtocol => {
            "the server speaks no version of TLS and HTTP that slicc does"
        }
        TlsError::InvalidMessage(_) => "the server doesn't speak TLS on this port",
        _ => "the TLS handshake failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_http_streams_do_not_have_become_econnrefused() {
        for code in [ErrorCode::Enetunreach, ErrorCode::Ehostunreach, ErrorCode::Econnrefused, ErrorCode::Eproto] {
            assert_eq!(FetchError::new(code, "").code(), ErrorCode::Econnrefused);
        }
        for code in [ErrorCode::Eacces, ErrorCode::Enotfound, ErrorCode::Etimedout, ErrorCode::Econnreset] {
            assert_eq!(FetchError::new(code, "").code(), code);
        }
    }

    #[test]
    fn a_certificate_that_lists_names_does_not_get_them_into_a_reason() {
        let error = TlsError::InvalidCertificate(CertificateError::NotValidForNameContext {
            expected: "a.example".try_into().unwrap(),
            presented: vec!["hunter2.example".into(); 1000],
        });
        assert_eq!(tls_reason(&error), "the server's certificate is for another name");
    }
}
