//! Why a fetch failed, as the page may know it. Section "Link", http and credentialed: RESET.
//!
//! No text of a library's or the system's goes out: HTTP/2 errors repeat what the server says, and the server knows the
//! request. Every reason is one of ours.

use std::borrow::Cow;

use super::{
    tls,
    wire::{Record, Trouble},
};
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

    /// What failed.
    pub fn into_reason(self) -> Cow<'static, str> {
        self.reason
    }

    /// A TLS handshake that failed.
    pub fn tls(error: &std::io::Error, record: &Record) -> Self {
        match tls::failure(error) {
            Some(failure) => Self::other(failure.reason()),
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
        if let Some(failure) = tls::failure(error) {
            return Self::other(failure.reason());
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
}
