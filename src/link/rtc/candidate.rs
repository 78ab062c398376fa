//! Candidates of the peer, read with suspicion: the stack only ever sees lines that are written here.

use std::{
    fmt::Write as _,
    net::{IpAddr, Ipv4Addr},
};

/// The most candidates that one connection takes from its peer.
pub const MAX_CANDIDATES: usize = 256;
/// The longest candidate line, in bytes. Browsers stay under 300.
pub const MAX_LINE: usize = 1024;

/// A candidate line that can't be read. Its text never holds the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CandidateError {
    /// It is longer than [`MAX_LINE`].
    #[error("it is longer than {MAX_LINE} bytes")]
    TooLong,
    /// It has fewer than the eight fields that each candidate has.
    #[error("it has too few fields")]
    TooShort,
    /// A field isn't what it must be.
    #[error("its {0} is malformed")]
    Field(&'static str),
    /// The peer sent more than [`MAX_CANDIDATES`].
    #[error("the peer sent more than {MAX_CANDIDATES}")]
    TooMany,
}

/// What to do with a candidate of the peer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Use it: the line in a canonical form, without the `candidate:` in front and without extensions.
    Use(String),
    /// Leave it out, because.
    Drop(&'static str),
    /// It is the end of candidates.
    End,
}

/// Judges a candidate line, with or without `a=` and `candidate:` in front.
///
/// Only UDP candidates of component 1 are used, on addresses that a datagram can reach: TCP ones would make the stack dial
/// out, and a link-local IPv6 address means nothing without its zone. A name must be an mDNS one, so that no candidate
/// causes a DNS lookup.
///
/// # Errors
/// [`CandidateError`] for a line that isn't a candidate.
pub fn judge(line: &str) -> Result<Verdict, CandidateError> {
    if line.len() > MAX_LINE {
        return Err(CandidateError::TooLong);
    }
    let line = line.trim();
    let line = line.strip_prefix("a=").unwrap_or(line);
    let line = line.strip_prefix("candidate:").unwrap_or(line);
    if line.is_empty() || line == "end-of-candidates" {
        return Ok(Verdict::End);
    }
    let mut fields = line.split_ascii_whitespace();
    let mut next = || fields.next().ok_or(CandidateError::TooShort);
    let (foundation, component, transport) = (next()?, next()?, next()?);
    let (priority, address, port) = (next()?, next()?, next()?);
    let (typ, kind) = (next()?, next()?);

    if foundation.len() > 32 || !foundation.bytes().all(is_ice_char) {
        return Err(CandidateError::Field("foundation"));
    }
    let component: u16 = number(component).ok_or(CandidateError::Field("component"))?;
    let priority: u32 = number(priority).ok_or(CandidateError::Field("priority"))?;
    let port: u16 = number(port).ok_or(CandidateError::Field("port"))?;
    if typ != "typ" {
        return Err(CandidateError::Field("type"));
    }
    if !transport.eq_ignore_ascii_case("udp") {
        return if transport.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            Ok(Verdict::Drop("it isn't a UDP candidate"))
        } else {
            Err(CandidateError::Field("transport"))
        };
    }
    let kind = match kind {
        "host" => "host",
        "srflx" => "srflx",
        "prflx" => "prflx",
        "relay" => "relay",
        _ => return Err(CandidateError::Field("type")),
    };
    if component != 1 {
        return Ok(Verdict::Drop("it isn't for the data channels' component"));
    }
    if port == 0 {
        return Err(CandidateError::Field("port"));
    }
    let address = match reach(address)? {
        Reach::At(address) => address,
        Reach::Named(name) if kind == "host" => name,
        Reach::Named(_) => return Err(CandidateError::Field("address")),
        Reach::Not(why) => return Ok(Verdict::Drop(why)),
    };
    let mut canonical = String::with_capacity(96);
    let _ = write!(canonical, "{foundation} 1 udp {priority} {address} {port} typ {kind}");
    if kind != "host" {
        // The grammar wants a related address; the peer's own addresses are none of our business.
        canonical.push_str(" raddr 0.0.0.0 rport 0");
    }
    Ok(Verdict::Use(canonical))
}

enum Reach {
    At(String),
    Named(String),
    Not(&'static str),
}

fn reach(address: &str) -> Result<Reach, CandidateError> {
    const MALFORMED: CandidateError = CandidateError::Field("address");
    // RFC 4007's zone: only link-local addresses have one.
    let (literal, zone) = address.split_once('%').map_or((address, None), |(literal, zone)| (literal, Some(zone)));
    if let Ok(address) = literal.parse::<IpAddr>() {
        let address = address.to_canonical();
        return Ok(match address {
            IpAddr::V6(v6) if v6.is_unicast_link_local() => Reach::Not("its address is link-local"),
            _ if zone.is_some() => return Err(MALFORMED),
            _ if address.is_unspecified() || address.is_multicast() || address == IpAddr::V4(Ipv4Addr::BROADCAST) => {
                Reach::Not("its address isn't one host's")
            }
            _ => Reach::At(address.to_string()),
        });
    }
    let label = address.strip_suffix(".local").ok_or(MALFORMED)?;
    let is_label = !label.is_empty()
        && label.len() <= 63
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-');
    if is_label { Ok(Reach::Named(address.to_owned())) } else { Err(MALFORMED) }
}

/// RFC 8839's `ice-char`.
pub(super) fn is_ice_char(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/'
}

/// A plain decimal number: no sign, no blanks.
pub(super) fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    if !text.is_empty() && text.len() <= 10 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn used(line: &str) -> String {
        match judge(line) {
            Ok(Verdict::Use(line)) => line,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn is_dropped(line: &str) -> bool {
        matches!(judge(line), Ok(Verdict::Drop(_)))
    }

    #[test]
    fn chromes_host_candidates_are_used() {
        assert_eq!(
            used(
                "candidate:842163049 1 udp 1677729535 192.0.2.7 46154 typ host generation 0 ufrag EEtu network-cost 999"
            ),
            "842163049 1 udp 1677729535 192.0.2.7 46154 typ host"
        );
        let name = "0f1a1b2c-3d4e-4f60-8a9b-0c1d2e3f4a5b.local";
        let line = format!("candidate:1 1 UDP 2113937151 {name} 55310 typ host generation 0");
        assert_eq!(used(&line), format!("1 1 udp 2113937151 {name} 55310 typ host"));
        assert_eq!(used("a=candidate:1 1 udp 1 ::1 9 typ host"), "1 1 udp 1 ::1 9 typ host");
        assert_eq!(used("1 1 udp 1 ::ffff:192.0.2.1 9 typ host"), "1 1 udp 1 192.0.2.1 9 typ host");
        assert_eq!(
            used("1 1 udp 1 192.0.2.1 9 typ srflx raddr 10.0.0.1 rport 77"),
            "1 1 udp 1 192.0.2.1 9 typ srflx raddr 0.0.0.0 rport 0"
        );
    }

    #[test]
    fn tcp_candidates_are_dropped() {
        assert!(is_dropped("candidate:1 1 tcp 1518280447 127.0.0.1 9 typ host tcptype active"));
        assert!(is_dropped("candidate:1 1 TCP 1518280447 127.0.0.1 22 typ host tcptype passive"));
        assert!(is_dropped("candidate:1 1 ssltcp 1518280447 127.0.0.1 443 typ host"));
    }

    #[test]
    fn addresses_that_are_no_single_host_are_dropped() {
        for address in
            ["fe80::1", "fe80::1%eth0", "febf::1", "0.0.0.0", "::", "224.0.0.251", "ff02::fb", "255.255.255.255"]
        {
            assert!(is_dropped(&format!("candidate:1 1 udp 1 {address} 9 typ host")), "{address}");
        }
        assert!(is_dropped("candidate:1 2 udp 1 127.0.0.1 9 typ host"));
    }

    #[test]
    fn names_outside_mdns_are_refused() {
        for address in
            ["example.com", "localhost", ".local", "a.b.local", "a_b.local", "-a.local", "a.local.", "1.2.3", "::1%lo"]
        {
            assert_eq!(
                judge(&format!("candidate:1 1 udp 1 {address} 9 typ host")),
                Err(CandidateError::Field("address")),
                "{address}"
            );
        }
    }

    #[test]
    fn malformed_lines_are_refused() {
        assert_eq!(judge("candidate:1 1 udp 1 127.0.0.1 9 typ"), Err(CandidateError::TooShort));
        assert_eq!(judge("candidate:1 1 udp -1 127.0.0.1 9 typ host"), Err(CandidateError::Field("priority")));
        assert_eq!(judge("candidate:1 1 udp 1 127.0.0.1 65536 typ host"), Err(CandidateError::Field("port")));
        assert_eq!(judge("candidate:1 1 udp 1 127.0.0.1 0 typ host"), Err(CandidateError::Field("port")));
        assert_eq!(judge("candidate:1 1 udp 1 127.0.0.1 9 type host"), Err(CandidateError::Field("type")));
        assert_eq!(judge("candidate:1 1 udp 1 127.0.0.1 9 typ other"), Err(CandidateError::Field("type")));
        assert_eq!(judge(&"x".repeat(MAX_LINE + 1)), Err(CandidateError::TooLong));
    }

    #[test]
    fn an_empty_candidate_is_the_end() {
        for line in ["", "candidate:", "a=end-of-candidates"] {
            assert_eq!(judge(line), Ok(Verdict::End));
        }
    }

    proptest! {
        #[test]
        fn any_text_gets_a_verdict(line in ".{0,200}") {
            let _ = judge(&line);
        }

        #[test]
        fn a_used_line_is_canonical_and_the_stack_can_read_it(
            line in r"(a=)?(candidate:)?[a-zA-Z0-9+/]{1,34} [1-2] (udp|UDP|tcp|x) [0-9]{1,11} ([0-9a-f:.%]{1,20}|[a-z-]{1,8}\.local|127\.0\.0\.1) [0-9]{1,6} typ (host|srflx|relay|none)( .{0,30})?"
        ) {
            if let Ok(Verdict::Use(canonical)) = judge(&line) {
                prop_assert_eq!(judge(&canonical), Ok(Verdict::Use(canonical.clone())));
                prop_assert!(::rtc::ice::candidate::unmarshal_candidate(&canonical).is_ok());
            }
        }
    }
}
