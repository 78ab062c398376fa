//! Decides from a connection's first bytes which port of the kernel it asks for (section "Kernel services" of the
//! requirement, "Each connection"). No socket, no clock.
//!
//! The head goes to the page as it came, so the gate takes only what every server reads the same way: lines that end in
//! CRLF, names right before their colon, no continued lines, no control characters.

use bytes::{BufMut, Bytes, BytesMut};

use super::answer::Refusal;
use crate::generated::link::{ErrorCode, limits};

/// What follows the kernel's port in a Host, in lower case.
const DOMAIN: &str = ".kernel.localhost";
/// seven's facade of the DevTools Protocol, which no browser may reach.
const CDP_FACADE: u16 = 9222;
/// The room that is made for one read, in bytes.
const READ: usize = 4096;

/// What becomes of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The page is asked for this port of its kernel.
    Ask(u16),
    /// It is answered without the page.
    Refuse(Refusal),
}

/// Collects one request head, at most [`limits::KERNEL_HEAD`] bytes of it.
#[derive(Debug)]
pub struct Gate {
    /// The listener's own port.
    listener: u16,
    read: BytesMut,
    /// Where the line starts whose end isn't found yet.
    line: usize,
    /// Up to where no line ends any more.
    searched: usize,
}

impl Gate {
    /// A gate that has read nothing. `listener` is the port that the browser is connected to.
    pub fn new(listener: u16) -> Self {
        Self { listener, read: BytesMut::new(), line: 0, searched: 0 }
    }

    /// Where the next bytes are read into. It has room until the head is over.
    pub fn buffer(&mut self) -> impl BufMut {
        let left = limits::KERNEL_HEAD - self.read.len();
        self.read.reserve(left.min(READ));
        (&mut self.read).limit(left)
    }

    /// Takes bytes, and decides. What a head has no room for is left out.
    pub fn push(&mut self, bytes: &[u8]) -> Option<Verdict> {
        let left = limits::KERNEL_HEAD - self.read.len();
        self.read.extend_from_slice(&bytes[..bytes.len().min(left)]);
        self.decide()
    }

    /// The verdict, once the head is complete or can't be any more. It depends on the bytes alone, and not on how they
    /// were split.
    pub fn decide(&mut self) -> Option<Verdict> {
        while let Some(found) = self.read[self.searched..].iter().position(|byte| *byte == b'\n') {
            let end = self.searched + found;
            if matches!(self.read[self.line..end], [] | [b'\r']) {
                return Some(judge(&self.read[..=end], self.listener));
            }
            self.searched = end + 1;
            self.line = end + 1;
        }
        self.searched = self.read.len();
        (self.read.len() >= limits::KERNEL_HEAD).then_some(Verdict::Refuse(Refusal::TooLarge))
    }

    /// Whether the answer to this request has no body.
    pub fn is_head(&self) -> bool {
        self.read.starts_with(b"HEAD ")
    }

    /// Everything that was read, which may be more than the head.
    pub fn into_read(self) -> Bytes {
        self.read.freeze()
    }
}

/// The verdict on a whole head, its empty line included.
fn judge(head: &[u8], listener: u16) -> Verdict {
    let Some(host) = host(head) else { return Verdict::Refuse(Refusal::Malformed) };
    match kernel_port(host, listener) {
        None => Verdict::Refuse(Refusal::WrongHost),
        Some(CDP_FACADE) => {
            Verdict::Refuse(Refusal::Failed { port: CDP_FACADE, reason: ErrorCode::Eacces.as_str().to_owned() })
        }
        Some(port) => Verdict::Ask(port),
    }
}

/// The one Host of a well-formed head.
fn host(head: &[u8]) -> Option<&[u8]> {
    let mut lines = head.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r"));
    if !is_request_line(lines.next()??) {
        return None;
    }
    let mut host = None;
    for line in lines {
        let line = line?;
        if line.is_empty() {
            return host;
        }
        let (name, value) = field(line)?;
        if name.eq_ignore_ascii_case(b"host") && host.replace(value).is_some() {
            return None;
        }
    }
    None
}

/// Whether a line is `<method token> <target> HTTP/1.0` or `HTTP/1.1`.
fn is_request_line(line: &[u8]) -> bool {
    let mut parts = line.split(|byte| *byte == b' ');
    let (Some(method), Some(target), Some(version), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let target_is_visible = !target.is_empty() && target.iter().all(|byte| *byte > b' ' && *byte != 0x7f);
    is_token(method) && target_is_visible && matches!(version, b"HTTP/1.0" | b"HTTP/1.1")
}

/// A field's name and its value without the whitespace around it.
fn field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    let is_text = |byte: &u8| matches!(*byte, b'\t' | b' '..=b'~' | 0x80..);
    (is_token(name) && value.iter().all(is_text)).then(|| (name, value.trim_ascii()))
}

fn is_token(text: &[u8]) -> bool {
    let is_token_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !text.is_empty() && text.iter().all(is_token_byte)
}

/// The kernel's port that a Host names: `<1–65535>.kernel.localhost`, alone or with the listener's own port.
pub fn kernel_port(host: &[u8], listener: u16) -> Option<u16> {
    let host = std::str::from_utf8(host).ok()?;
    let name = match host.split_once(':') {
        Some((name, port)) if number(port)? == listener => name,
        Some(_) => return None,
        None => host,
    };
    let at = name.len().checked_sub(DOMAIN.len())?;
    let (label, domain) = name.split_at_checked(at)?;
    if domain.eq_ignore_ascii_case(DOMAIN) { number(label) } else { None }
}

/// A number from 1 to 65535, written without a sign and without leading zeros.
fn number(digits: &str) -> Option<u16> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    if plain { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PORT: u16 = 8080;

    fn verdict(bytes: impl AsRef<[u8]>) -> Option<Verdict> {
        Gate::new(PORT).push(bytes.as_ref())
    }

    fn with_host(host: &str) -> Option<Verdict> {
        verdict(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"))
    }

    const ASK: Option<Verdict> = Some(Verdict::Ask(5173));
    const MALFORMED: Option<Verdict> = Some(Verdict::Refuse(Refusal::Malformed));
    const WRONG_HOST: Option<Verdict> = Some(Verdict::Refuse(Refusal::WrongHost));

    #[test]
    fn a_host_is_a_port_of_the_kernel_in_any_case_alone_or_with_the_listeners_port() {
        for host in ["5173.kernel.localhost", "5173.KERNEL.LocalHost", "5173.kernel.localhost:8080"] {
            assert_eq!(with_host(host), ASK, "{host}");
        }
        for (host, port) in [("1.kernel.localhost", 1), ("65535.kernel.localhost", 65535)] {
            assert_eq!(with_host(host), Some(Verdict::Ask(port)));
        }
    }

    #[test]
    fn every_other_host_is_refused() {
        let hosts = [
            "",
            "localhost",
            "kernel.localhost",
            ".kernel.localhost",
            "0.kernel.localhost",
            "00080.kernel.localhost",
            "080.kernel.localhost",
            "65536.kernel.localhost",
            "99999999999999999999.kernel.localhost",
            "+80.kernel.localhost",
            "-80.kernel.localhost",
            "8 0.kernel.localhost",
            "80 .kernel.localhost",
            "８０.kernel.localhost",
            "80.kernel.localhost.",
            "80.kernel.localhost.:8080",
            "80.kernel.localhost:",
            "80.kernel.localhost:80",
            "80.kernel.localhost:08080",
            "80.kernel.localhost:8080:8080",
            "80.kernel.localhost:8080 ,81.kernel.localhost",
            "a.80.kernel.localhost",
            "80.kernel.localhost.evil.example",
            "80-kernel.localhost",
            "80.kerne\u{212a}.localhost",
            "user@80.kernel.localhost",
            "[::1]:8080",
            "127.0.0.1:8080",
            "http://80.kernel.localhost",
        ];
        for host in hosts {
            assert_eq!(with_host(host), WRONG_HOST, "{host:?}");
        }
    }

    #[test]
    fn sevens_cdp_facade_is_refused() {
        let refused = Refusal::Failed { port: 9222, reason: "EACCES".to_owned() };
        assert_eq!(with_host("9222.kernel.localhost:8080"), Some(Verdict::Refuse(refused)));
    }

    #[test]
    fn a_request_line_is_a_method_a_target_and_a_version() {
        let good = ["GET / HTTP/1.1", "get /?q=1 HTTP/1.0", "M-SEARCH * HTTP/1.1", "GET /\u{e9} HTTP/1.1"];
        for line in good {
            assert_eq!(verdict(format!("{line}\r\nHost: 5173.kernel.localhost\r\n\r\n")), ASK, "{line}");
        }
        let bad = [
            "GET /",
            "GET  / HTTP/1.1",
            " GET / HTTP/1.1",
            "GET / HTTP/1.1 ",
            "GET /a b HTTP/1.1",
            "GET /\tHTTP/1.1",
            "GET /\t HTTP/1.1",
            "GET /\u{0} HTTP/1.1",
            "GET /\u{7f} HTTP/1.1",
            "GET  HTTP/1.1",
            " / HTTP/1.1",
            "G(T / HTTP/1.1",
            "GÉT / HTTP/1.1",
            "GET / HTTP/1.2",
            "GET / HTTP/2.0",
            "GET / http/1.1",
            "GET / HTTP/1.1\r",
            "",
            "\u{16}\u{3}\u{1}",
        ];
        for line in bad {
            assert_eq!(verdict(format!("{line}\r\nHost: 5173.kernel.localhost\r\n\r\n")), MALFORMED, "{line:?}");
        }
    }

    #[test]
    fn there_is_exactly_one_host() {
        for head in [
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.0\r\nAccept: */*\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: 5173.kernel.localhost\r\nHost: 5173.kernel.localhost\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: 5173.kernel.localhost\r\nhOST: evil.example\r\n\r\n",
            "GET / HTTP/1.1\r\nX-Host: 5173.kernel.localhost\r\n\r\n",
        ] {
            assert_eq!(verdict(head), MALFORMED, "{head:?}");
        }
        assert_eq!(verdict("GET / HTTP/1.1\r\nX-Host: a\r\nhost:\t5173.kernel.localhost \r\n\r\n"), ASK);
    }

    #[test]
    fn a_head_that_servers_read_in_different_ways_is_malformed() {
        for head in [
            "GET / HTTP/1.1\nHost: 5173.kernel.localhost\n\n",
            "GET / HTTP/1.1\r\nHost: 5173.kernel.localhost\r\n\n",
            "GET / HTTP/1.1\r\nHost: 5173.kernel.localhost\n\r\n",
            "GET / HTTP/1.1\r\nHost : 5173.kernel.localhost\r\n\r\n",
            "GET / HTTP/1.1\r\nHost\t: 5173.kernel.localhost\r\n\r\n",
            "GET / HTTP/1.1\r\n Host: 5173.kernel.localhost\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: 5173.kernel.localhost\r\n evil.example\r\n\r\n",
            "GET / HTTP/1.1\r\nHost:\r\n\t5173.kernel.localhost\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: 5173.kernel.localhost\u{0}\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: 5173.kernel.localhost\u{b}\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: 5173.kernel\u{1}.localhost\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: 5173.kernel.localhost\r\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: 5173.kernel.localhost\rX: y\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: 5173.kernel.localhost\r\nno colon\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: 5173.kernel.localhost\r\n: no name\r\n\r\n",
            "\r\nGET / HTTP/1.1\r\nHost: 5173.kernel.localhost\r\n\r\n",
            "\nGET / HTTP/1.1\r\nHost: 5173.kernel.localhost\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ] {
            assert_eq!(verdict(head), MALFORMED, "{head:?}");
        }
    }

    #[test]
    fn values_may_hold_tabs_and_bytes_past_ascii() {
        let head = b"GET / HTTP/1.1\r\nX: a\tb\xff\r\nHost: 5173.kernel.localhost\r\n\r\n";
        assert_eq!(verdict(head), ASK);
    }

    #[test]
    fn a_head_may_have_64_kib_and_not_a_byte_more() {
        let head = |length: usize| {
            let (start, end) = ("GET / HTTP/1.1\r\nHost: 5173.kernel.localhost\r\nX: ", "\r\n\r\n");
            format!("{start}{}{end}", "x".repeat(length - start.len() - end.len()))
        };
        assert_eq!(verdict(head(limits::KERNEL_HEAD)), ASK);
        assert_eq!(verdict(head(limits::KERNEL_HEAD + 1)), Some(Verdict::Refuse(Refusal::TooLarge)));
        assert_eq!(verdict(vec![0; limits::KERNEL_HEAD - 1]), None);
        // What is wrong with it isn't looked at.
        assert_eq!(verdict(vec![0; limits::KERNEL_HEAD]), Some(Verdict::Refuse(Refusal::TooLarge)));
    }

    #[test]
    fn an_incomplete_head_is_not_judged() {
        let head = b"nonsense / HTTP/9.9\r\nHost: 5173.kernel.localhost\r\n\r\n";
        for length in 0..head.len() {
            assert_eq!(verdict(&head[..length]), None, "{length}");
        }
    }

    #[test]
    fn what_follows_the_head_is_kept() {
        let bytes = b"POST / HTTP/1.1\r\nHost: 5173.kernel.localhost\r\nContent-Length: 3\r\n\r\nabc";
        let mut gate = Gate::new(PORT);
        assert_eq!(gate.push(bytes), ASK);
        assert_eq!(gate.into_read(), bytes.as_slice());
    }

    /// Bytes that are often nearly a head.
    fn nearly_a_head() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just(b"GET / HTTP/1.1\r\n".to_vec()),
            Just(b"Host: 5173.kernel.localhost\r\n".to_vec()),
            Just(b"host:9222.kernel.localhost:8080\r\n".to_vec()),
            Just(b"X: y\r\n".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b"\r".to_vec()),
            Just(b"\n".to_vec()),
            Just(b" ".to_vec()),
            Just(vec![b'x'; 20_000]),
            proptest::collection::vec(any::<u8>(), 0..8),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn a_verdict_does_not_depend_on_how_the_bytes_are_split(
            bytes in nearly_a_head(),
            splits in proptest::collection::vec(any::<proptest::sample::Index>(), 0..8),
        ) {
            let whole = verdict(&bytes);
            let mut ends: Vec<_> = splits.iter().map(|split| split.index(bytes.len() + 1)).collect();
            ends.push(bytes.len());
            ends.sort_unstable();
            let mut gate = Gate::new(PORT);
            let (mut start, mut split) = (0, None);
            for end in ends {
                split = gate.push(&bytes[start..end]);
                if split.is_some() {
                    break;
                }
                start = end;
            }
            prop_assert_eq!(&split, &whole);
            let read = gate.into_read();
            prop_assert!(read.len() <= limits::KERNEL_HEAD && bytes.starts_with(&read));
        }

        #[test]
        fn a_byte_at_a_time_gives_the_same_verdict(bytes in nearly_a_head()) {
            let mut gate = Gate::new(PORT);
            prop_assert_eq!(bytes.iter().find_map(|byte| gate.push(&[*byte])), verdict(&bytes));
        }

        #[test]
        fn a_port_that_is_asked_for_stands_in_the_host(host in "[0-9a-z.:]{0,24}") {
            if let Some(port) = kernel_port(host.as_bytes(), PORT) {
                let plain = format!("{port}.kernel.localhost");
                let with_port = format!("{plain}:{PORT}");
                prop_assert!(host == plain || host == with_port);
            }
        }
    }
}
