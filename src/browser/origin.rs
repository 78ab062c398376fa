//! Which origins are seven (sections "Local setup: slicc attach" and "Linking seven in your everyday browser" of the
//! requirement): `https://<label>.sliccy.ai` with the catalog's exceptions, and the ones that the user adds.

use std::fmt;

use url::{Host, Url};

use crate::generated::catalog::seven;

/// An http or https origin. Its text is `scheme://host`, with the port unless it is the scheme's own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    secure: bool,
    host: Host,
    port: u16,
}

/// A text that is no origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an origin ({problem}); use scheme://host[:port] with http or https")]
pub struct NotAnOrigin {
    /// What is wrong with it.
    pub problem: &'static str,
}

impl Origin {
    /// Reads the value of `--origin`: `scheme://host[:port]` with http or https, and nothing after it.
    pub fn parse(text: &str) -> Result<Self, NotAnOrigin> {
        let refuse = |problem| Err(NotAnOrigin { problem });
        let Some((_, rest)) = text.split_once("://") else { return refuse("it has no scheme") };
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return refuse("it holds a space or a control character");
        }
        if rest.contains(['/', '\\', '?', '#', '@']) {
            return refuse("it holds more than a host and a port");
        }
        match Url::parse(text) {
            Ok(url) => Self::of(&url).map_or_else(|| refuse("its scheme isn't http or https"), Ok),
            Err(_) => refuse("its host or port can't be read"),
        }
    }

    /// The origin of a URL, when it is http or https. A `blob:` URL has none here, though it belongs to one.
    pub fn of(url: &Url) -> Option<Self> {
        let secure = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        Some(Self { secure, host: url.host()?.to_owned(), port: url.port_or_known_default()? })
    }

    /// The host.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Whether this is `https://<label>.sliccy.ai`, on port 443, with a label that the catalog doesn't exclude.
    fn is_label_of_seven(&self) -> bool {
        let Host::Domain(host) = &self.host else { return false };
        let label = host.strip_suffix(seven::DOMAIN).and_then(|rest| rest.strip_suffix('.'));
        self.secure && self.port == 443 && label.is_some_and(is_label)
    }
}

/// Whether a label is a seven's: letters, digits and inner hyphens, and not excluded.
fn is_label(label: &str) -> bool {
    let letters = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=seven::MAX_LABEL).contains(&label.len())
        && label.bytes().all(letters)
        && !label.starts_with('-')
        && !label.ends_with('-')
        && !seven::EXCLUDED_LABELS.contains(&label)
        && !seven::EXCLUDED_LABEL_PREFIXES.iter().any(|prefix| label.starts_with(prefix))
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, default) = if self.secure { ("https", 443) } else { ("http", 80) };
        write!(f, "{scheme}://{}", self.host)?;
        if self.port == default { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

/// The origins that are seven in this process.
#[derive(Debug, Clone, Default)]
pub struct SevenOrigins {
    extra: Vec<Origin>,
    only_extra: bool,
}

impl SevenOrigins {
    /// seven's own origins, and these.
    pub fn new(extra: Vec<Origin>) -> Self {
        Self { extra, only_extra: false }
    }

    /// This origin and none of seven's own: for a page of slicc's own, which must not meet a seven that is open.
    pub fn only(origin: Origin) -> Self {
        Self { extra: vec![origin], only_extra: true }
    }

    /// The origin of a URL, or of an origin's text, when it is seven. The URL is parsed as browsers do (WHATWG).
    pub fn is_seven(&self, url: &str) -> Option<Origin> {
        let origin = Origin::of(&Url::parse(url).ok()?)?;
        ((origin.is_label_of_seven() && !self.only_extra) || self.extra.contains(&origin)).then_some(origin)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seven(url: &str) -> Option<String> {
        SevenOrigins::default().is_seven(url).map(|origin| origin.to_string())
    }

    #[test]
    fn a_label_of_seven_is_seven_whatever_path_case_or_userinfo() {
        for url in [
            "https://seven.sliccy.ai",
            "https://seven.sliccy.ai/",
            "https://seven.sliccy.ai:443/x?y#z",
            "HTTPS://SEVEN.SLICCY.AI/",
            "https://user:password@seven.sliccy.ai/",
            "https://ｓeven.sliccy.ai/",
            "https://%73even.sliccy.ai/",
        ] {
            assert_eq!(seven(url).as_deref(), Some("https://seven.sliccy.ai"), "{url}");
        }
        assert!(seven("https://lars-2.sliccy.ai/").is_some());
        assert!(seven("https://wwwx.sliccy.ai/").is_some());
        assert!(seven("https://vaults.sliccy.ai/").is_some());
    }

    #[test]
    fn everything_else_is_not_seven() {
        for url in [
            "",
            "about:blank",
            "null",
            "://",
            "seven.sliccy.ai",
            "https://sliccy.ai/",
            "https://.sliccy.ai/",
            "https://www.sliccy.ai/",
            "https://WWW.sliccy.ai/",
            "https://vault.sliccy.ai/",
            "https://vault-seven.sliccy.ai/",
            "https://-a.sliccy.ai/",
            "https://a-.sliccy.ai/",
            "https://a_b.sliccy.ai/",
            "https://a.b.sliccy.ai/",
            "https://seven.sliccy.ai./",
            "https://seven.sliccy.ai:8443/",
            "http://seven.sliccy.ai/",
            "http://seven.sliccy.ai:443/",
            "https://seven.sliccy.ai.evil.test/",
            "https://evil.test/https://seven.sliccy.ai/",
            "https://seven.sliccy.ai@evil.test/",
            "https://evilsliccy.ai/",
            "wss://seven.sliccy.ai/",
            "blob:https://seven.sliccy.ai/0",
            "view-source:https://seven.sliccy.ai/",
            "filesystem:https://seven.sliccy.ai/temporary/x",
            "chrome-extension://seven.sliccy.ai/",
        ] {
            assert_eq!(seven(url), None, "{url}");
        }
        assert_eq!(seven(&format!("https://{}.sliccy.ai/", "a".repeat(64))), None);
        assert!(seven(&format!("https://{}.sliccy.ai/", "a".repeat(63))).is_some());
    }

    #[test]
    fn an_extra_origin_counts_with_its_exact_scheme_host_and_port() {
        let origins = SevenOrigins::new(vec![Origin::parse("http://127.0.0.1:8000").unwrap()]);
        assert!(origins.is_seven("http://127.0.0.1:8000/page").is_some());
        assert!(origins.is_seven("https://seven.sliccy.ai/").is_some());
        for url in ["http://127.0.0.1:8001/", "https://127.0.0.1:8000/", "http://localhost:8000/"] {
            assert!(origins.is_seven(url).is_none(), "{url}");
        }
    }

    #[test]
    fn a_default_port_is_the_same_origin() {
        assert_eq!(Origin::parse("https://host:443").unwrap(), Origin::parse("https://host").unwrap());
        assert_eq!(Origin::parse("http://HOST:80").unwrap().to_string(), "http://host");
        assert_eq!(Origin::parse("http://[::1]:8000").unwrap().to_string(), "http://[::1]:8000");
    }

    #[test]
    fn an_origin_flag_takes_an_origin_and_nothing_else() {
        for text in [
            "",
            "host",
            "host:8000",
            "null",
            "*",
            "ftp://host",
            "ws://host",
            "file://host",
            "http://",
            "http://host/",
            "http://host/path",
            "http://host?query",
            "http://host#fragment",
            "http://user@host",
            "http://host\\path",
            "http://ho st",
            "http://host\n",
            "http://host:port",
            "http://host:65536",
        ] {
            assert!(Origin::parse(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_url_is_judged(url in "\\PC{0,60}") {
            let _ = seven(&url);
            let _ = Origin::parse(&url);
        }

        #[test]
        fn an_origin_that_is_read_reads_again(text in "(http|https)://[a-zA-Z0-9.-]{1,20}(:[0-9]{1,5})?") {
            if let Ok(origin) = Origin::parse(&text) {
                prop_assert_eq!(Origin::parse(&origin.to_string()).unwrap(), origin);
            }
        }

        #[test]
        fn the_rule_agrees_with_its_text_form(label in "[a-z0-9-]{1,66}", port in prop::option::of(440..446u16)) {
            let port_text = port.map(|port| format!(":{port}")).unwrap_or_default();
            let expected = label.len() <= 63
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label != "www"
                && label != "vault"
                && !label.starts_with("vault-")
                && matches!(port, None | Some(443))
                // A label that IDNA can't decode has no host, as in the browser.
                && Url::parse(&format!("https://{label}.test/")).is_ok();
            prop_assert_eq!(seven(&format!("https://{label}.sliccy.ai{port_text}/")).is_some(), expected);
        }
    }
}
