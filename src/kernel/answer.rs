//! What slicc itself answers a browser that asked for a port of the kernel (section "Kernel services" of the requirement,
//! "Errors").

use bytes::Bytes;
use http::StatusCode;

use crate::{
    generated::link::{ErrorCode, limits},
    link::Reset,
};

/// Why a connection doesn't reach a server in the page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The Host isn't a port of the kernel.
    #[error("only <port>.kernel.localhost is served here")]
    WrongHost,
    /// The request line or the fields aren't well-formed, or there isn't exactly one Host.
    #[error("malformed request head")]
    Malformed,
    /// The head has more than [`limits::KERNEL_HEAD`] bytes.
    #[error("request head too large")]
    TooLarge,
    /// No page that offers its kernel is linked, or its link closed before it answered.
    #[error("no seven page connected")]
    NoPage,
    /// The page says that nothing listens there.
    #[error("nothing listening on kernel port {port}")]
    NothingListening {
        /// The kernel's port.
        port: u16,
    },
    /// It can't be reached for another reason.
    #[error("kernel port {port}: {reason}")]
    Failed {
        /// The kernel's port.
        port: u16,
        /// Why: printable ASCII.
        reason: String,
    },
    /// The page didn't answer in time.
    #[error("kernel port {port} did not answer")]
    NoAnswer {
        /// The kernel's port.
        port: u16,
    },
}

impl Refusal {
    /// What the page's RESET means. Its text is the page's, so no more of it is repeated than a plain text may hold.
    pub fn from_reset(port: u16, reset: &Reset) -> Self {
        if reset.code == ErrorCode::Econnrefused.as_str() {
            return Self::NothingListening { port };
        }
        let text = reset.to_string();
        let reason = text.chars().filter(|c| matches!(c, ' '..='~')).take(limits::KERNEL_REASON).collect();
        Self::Failed { port, reason }
    }

    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::WrongHost => StatusCode::MISDIRECTED_REQUEST,
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::TooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::NoPage | Self::NothingListening { .. } | Self::Failed { .. } => StatusCode::BAD_GATEWAY,
            Self::NoAnswer { .. } => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    /// The whole answer. `to_head` leaves the body out, which the answer to a HEAD request doesn't have.
    pub fn response(&self, to_head: bool) -> Bytes {
        let (status, body) = (self.status(), self.to_string());
        let head = format!(
            "HTTP/1.1 {} {}\r\n\
             Content-Type: text/plain; charset=utf-8\r\n\
             Content-Length: {}\r\n\
             X-Proxy-Error: 1\r\n\
             Cache-Control: no-store\r\n\
             Connection: close\r\n\r\n",
            status.as_str(),
            status.canonical_reason().unwrap_or_default(),
            body.len(),
        );
        Bytes::from(if to_head { head } else { head + &body })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_answer_has_its_status_and_text() {
        let reset = |text: &str| Refusal::from_reset(7, &Reset::parse(text.as_bytes()));
        let table = [
            (Refusal::WrongHost, "421 Misdirected Request", "only <port>.kernel.localhost is served here"),
            (Refusal::Malformed, "400 Bad Request", "malformed request head"),
            (Refusal::TooLarge, "431 Request Header Fields Too Large", "request head too large"),
            (Refusal::NoPage, "502 Bad Gateway", "no seven page connected"),
            (reset("ECONNREFUSED"), "502 Bad Gateway", "nothing listening on kernel port 7"),
            (reset("ECONNREFUSED: not there"), "502 Bad Gateway", "nothing listening on kernel port 7"),
            (reset("EACCES"), "502 Bad Gateway", "kernel port 7: EACCES"),
            (reset("EIO: the kernel halted"), "502 Bad Gateway", "kernel port 7: EIO: the kernel halted"),
            (reset(""), "502 Bad Gateway", "kernel port 7: ECONNRESET"),
            (Refusal::NoAnswer { port: 7 }, "504 Gateway Timeout", "kernel port 7 did not answer"),
        ];
        for (refusal, status, body) in table {
            let expected = format!(
                "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
                 X-Proxy-Error: 1\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
                body.len()
            );
            assert_eq!(refusal.response(true), expected.as_bytes());
            assert_eq!(refusal.response(false), (expected + body).as_bytes());
        }
    }

    #[test]
    fn a_reason_is_printable_ascii_and_at_most_200_characters() {
        let reset = Reset::parse("EIO: a\r\nX: b\u{e9}\u{1b}[2J".as_bytes());
        assert_eq!(Refusal::from_reset(7, &reset).to_string(), "kernel port 7: EIO: aX: b[2J");
        let reset = Reset::parse(format!("EIO: {}", "x".repeat(1000)).as_bytes());
        assert_eq!(Refusal::from_reset(7, &reset).to_string().len(), "kernel port 7: ".len() + 200);
    }

    proptest! {
        #[test]
        fn a_page_cannot_add_a_line_to_an_answer(payload in proptest::collection::vec(any::<u8>(), 0..400)) {
            let response = Refusal::from_reset(7, &Reset::parse(&payload)).response(false);
            let text = std::str::from_utf8(&response).expect("ASCII");
            prop_assert_eq!(text.lines().count(), 8);
            prop_assert_eq!(text.matches("\r\n\r\n").count(), 1);
        }
    }
}
