//! The peer's session description, read with suspicion. Of the text that a page sends, the stack sees nothing: it gets a
//! description that is written here from the few values a link needs.

use std::fmt::Write as _;

use super::{
    candidate::{MAX_CANDIDATES, is_ice_char, number},
    certificate::Fingerprint,
};

/// The longest session description, in bytes. A browser's has about 1 KiB.
pub const MAX_SDP: usize = 64 << 10;
/// The longest media id.
const MAX_MID: usize = 64;
/// The port that SCTP uses within DTLS when the description names none.
const DEFAULT_SCTP_PORT: u16 = 5000;
/// RFC 8841: the largest message of a peer that doesn't name one.
const DEFAULT_MAX_MESSAGE: u32 = 65_536;

/// Why a session description can't be used. Its text never holds the description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SdpError {
    /// It is longer than [`MAX_SDP`].
    #[error("it is longer than {MAX_SDP} bytes")]
    TooLong,
    /// It has more candidates than [`MAX_CANDIDATES`].
    #[error("it has more than {MAX_CANDIDATES} candidates")]
    TooManyCandidates,
    /// It doesn't begin with `v=0`.
    #[error("it isn't a session description")]
    NotSdp,
    /// It has no section for data channels, another one, or more than one.
    #[error("it must have one section, for data channels over UDP/DTLS/SCTP")]
    Sections,
    /// It has no SHA-256 fingerprint, or more than one.
    #[error("it must have exactly one SHA-256 fingerprint")]
    Fingerprint,
    /// A value is missing or malformed.
    #[error("its {0} is missing or malformed")]
    Field(&'static str),
}

/// Who starts the DTLS handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setup {
    /// The other side decides.
    ActPass,
    /// The peer starts.
    Active,
    /// The peer waits.
    Passive,
}

impl Setup {
    const fn as_str(self) -> &'static str {
        match self {
            Self::ActPass => "actpass",
            Self::Active => "active",
            Self::Passive => "passive",
        }
    }
}

/// What a link needs of a session description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The ICE user name fragment.
    pub ufrag: String,
    /// The ICE password.
    pub password: String,
    /// The certificate's fingerprint.
    pub fingerprint: Fingerprint,
    /// The DTLS role.
    pub setup: Setup,
    /// The media section's id.
    pub mid: String,
    /// The SCTP port.
    pub sctp_port: u16,
    /// The largest message that the peer takes, in bytes; `None` for any size.
    pub max_message: Option<u32>,
    /// The candidate lines, as they stand, without `a=`. Each one is still to be judged.
    pub candidates: Vec<String>,
    /// Whether the description says that no more candidates follow.
    pub end_of_candidates: bool,
}

impl Description {
    /// Reads an offer or an answer.
    ///
    /// # Errors
    /// [`SdpError`] when it isn't a description of one data channel section.
    pub fn parse(sdp: &str) -> Result<Self, SdpError> {
        if sdp.len() > MAX_SDP {
            return Err(SdpError::TooLong);
        }
        let mut lines = sdp.lines().map(str::trim_end).filter(|line| !line.is_empty());
        if lines.next() != Some("v=0") {
            return Err(SdpError::NotSdp);
        }
        let (mut session, mut media) = (Section::default(), None::<Section>);
        for line in lines {
            if let Some(section) = line.strip_prefix("m=") {
                if media.is_some() || !is_data_channel_section(section) {
                    return Err(SdpError::Sections);
                }
                media = Some(Section::default());
            } else if let Some(attribute) = line.strip_prefix("a=") {
                media.as_mut().unwrap_or(&mut session).take(attribute)?;
            }
        }
        let media = media.ok_or(SdpError::Sections)?;

        let ufrag = media.ufrag.or(session.ufrag).filter(|text| is_ice_text(text, 4));
        let password = media.password.or(session.password).filter(|text| is_ice_text(text, 22));
        let fingerprint = match (session.fingerprint, media.fingerprint) {
            (Some(session), Some(media)) if session != media => return Err(SdpError::Fingerprint),
            (session, media) => media.or(session).ok_or(SdpError::Fingerprint)?,
        };
        Ok(Self {
            ufrag: ufrag.ok_or(SdpError::Field("ice-ufrag"))?.to_owned(),
            password: password.ok_or(SdpError::Field("ice-pwd"))?.to_owned(),
            fingerprint,
            setup: media.setup.or(session.setup).ok_or(SdpError::Field("setup"))?,
            mid: media.mid.filter(|mid| is_mid(mid)).ok_or(SdpError::Field("mid"))?.to_owned(),
            sctp_port: media.sctp_port.unwrap_or(DEFAULT_SCTP_PORT),
            max_message: match media.max_message.unwrap_or(DEFAULT_MAX_MESSAGE) {
                0 => None,
                bytes => Some(bytes),
            },
            candidates: media.candidates.into_iter().map(str::to_owned).collect(),
            end_of_candidates: media.end_of_candidates || session.end_of_candidates,
        })
    }

    /// A description with these values and without candidates, as the stack gets it.
    pub fn to_sdp(&self) -> String {
        let Self { ufrag, password, fingerprint, setup, mid, sctp_port, max_message, .. } = self;
        let mut sdp = String::with_capacity(512);
        let _ = write!(
            sdp,
            "v=0\r\n\
             o=- 1 1 IN IP4 127.0.0.1\r\n\
             s=-\r\n\
             t=0 0\r\n\
             a=group:BUNDLE {mid}\r\n\
             m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n\
             c=IN IP4 0.0.0.0\r\n\
             a=ice-ufrag:{ufrag}\r\n\
             a=ice-pwd:{password}\r\n\
             a=ice-options:trickle\r\n\
             a=fingerprint:sha-256 {fingerprint}\r\n\
             a=setup:{}\r\n\
             a=mid:{mid}\r\n\
             a=sctp-port:{sctp_port}\r\n\
             a=max-message-size:{}\r\n",
            setup.as_str(),
            max_message.unwrap_or(0),
        );
        sdp
    }
}

/// The attributes of the session or of its media section.
#[derive(Default)]
struct Section<'a> {
    ufrag: Option<&'a str>,
    password: Option<&'a str>,
    fingerprint: Option<Fingerprint>,
    setup: Option<Setup>,
    mid: Option<&'a str>,
    sctp_port: Option<u16>,
    max_message: Option<u32>,
    candidates: Vec<&'a str>,
    end_of_candidates: bool,
}

impl<'a> Section<'a> {
    fn take(&mut self, attribute: &'a str) -> Result<(), SdpError> {
        let (name, value) = attribute.split_once(':').unwrap_or((attribute, ""));
        match name {
            "ice-ufrag" => once(&mut self.ufrag, value, "ice-ufrag")?,
            "ice-pwd" => once(&mut self.password, value, "ice-pwd")?,
            "mid" => once(&mut self.mid, value, "mid")?,
            "setup" => {
                let setup = match value {
                    "actpass" => Setup::ActPass,
                    "active" => Setup::Active,
                    "passive" => Setup::Passive,
                    _ => return Err(SdpError::Field("setup")),
                };
                once(&mut self.setup, setup, "setup")?;
            }
            "fingerprint" => {
                let (hash, digits) = value.split_once(' ').ok_or(SdpError::Fingerprint)?;
                if hash.eq_ignore_ascii_case("sha-256") {
                    let fingerprint = Fingerprint::parse(digits).ok_or(SdpError::Fingerprint)?;
                    if self.fingerprint.replace(fingerprint).is_some_and(|earlier| earlier != fingerprint) {
                        return Err(SdpError::Fingerprint);
                    }
                }
            }
            "sctp-port" => {
                let port = number(value).filter(|port| *port != 0).ok_or(SdpError::Field("sctp-port"))?;
                once(&mut self.sctp_port, port, "sctp-port")?;
            }
            "max-message-size" => {
                // Larger than any message that a link sends is as good as any size.
                let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
                let bytes = number(value).or(is_number.then_some(u32::MAX));
                once(&mut self.max_message, bytes.ok_or(SdpError::Field("max-message-size"))?, "max-message-size")?;
            }
            "candidate" => {
                if self.candidates.len() == MAX_CANDIDATES {
                    return Err(SdpError::TooManyCandidates);
                }
                self.candidates.push(attribute);
            }
            "end-of-candidates" => self.end_of_candidates = true,
            _ => {}
        }
        Ok(())
    }
}

fn once<T>(place: &mut Option<T>, value: T, field: &'static str) -> Result<(), SdpError> {
    if place.replace(value).is_some() { Err(SdpError::Field(field)) } else { Ok(()) }
}

/// `<media> <port> <protocol> <format>` of a section for data channels. A port of 0 would mean that it is refused.
fn is_data_channel_section(section: &str) -> bool {
    let fields: Vec<&str> = section.split_ascii_whitespace().take(5).collect();
    matches!(fields.as_slice(),
        ["application", port, "UDP/DTLS/SCTP", "webrtc-datachannel"]
            if number::<u16>(port).is_some_and(|port| port != 0))
}

fn is_ice_text(text: &str, least: usize) -> bool {
    (least..=256).contains(&text.len()) && text.bytes().all(is_ice_char)
}

/// RFC 4566's token, which a media id is.
fn is_mid(mid: &str) -> bool {
    (1..=MAX_MID).contains(&mid.len())
        && mid.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`{|}~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHROME: &str = "v=0\r\n\
        o=- 4962303333179871722 2 IN IP4 127.0.0.1\r\n\
        s=-\r\n\
        t=0 0\r\n\
        a=group:BUNDLE 0\r\n\
        a=extmap-allow-mixed\r\n\
        a=msid-semantic: WMS\r\n\
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n\
        c=IN IP4 0.0.0.0\r\n\
        a=candidate:1 1 udp 2113937151 0f1a1b2c-3d4e-4f60-8a9b-0c1d2e3f4a5b.local 55310 typ host generation 0\r\n\
        a=ice-ufrag:EEtu\r\n\
        a=ice-pwd:asd88fgpdd777uzjYhagZg12\r\n\
        a=ice-options:trickle\r\n\
        a=fingerprint:sha-256 7B:8B:F0:65:5F:78:E2:51:3B:AC:6F:F3:3F:46:1B:35:DC:B8:5F:64:1A:24:C2:43:F0:A1:58:D0:A1:2C:19:08\r\n\
        a=setup:actpass\r\n\
        a=mid:0\r\n\
        a=sctp-port:5000\r\n\
        a=max-message-size:262144\r\n";

    #[test]
    fn chromes_offer_is_read() {
        let offer = Description::parse(CHROME).expect("a browser's offer");
        assert_eq!((offer.ufrag.as_str(), offer.setup, offer.mid.as_str()), ("EEtu", Setup::ActPass, "0"));
        assert_eq!((offer.sctp_port, offer.max_message), (5000, Some(262_144)));
        assert_eq!(offer.candidates.len(), 1);
        assert!(offer.fingerprint.to_string().starts_with("7B:8B:F0:65"));
    }

    #[test]
    fn what_the_stack_gets_says_the_same() {
        let offer = Description::parse(CHROME).expect("a browser's offer");
        let again = Description::parse(&offer.to_sdp()).expect("our own text");
        assert_eq!(again, Description { candidates: Vec::new(), ..offer });
    }

    #[test]
    fn values_at_the_session_level_count() {
        let moved = CHROME.replace("a=setup:actpass\r\n", "").replace("t=0 0\r\n", "t=0 0\r\na=setup:passive\r\n");
        assert_eq!(Description::parse(&moved).expect("a session level value").setup, Setup::Passive);
    }

    #[test]
    fn a_second_fingerprint_is_refused() {
        let other = "a=fingerprint:sha-256 00:8B:F0:65:5F:78:E2:51:3B:AC:6F:F3:3F:46:1B:35:DC:B8:5F:64:1A:24:C2:43:F0:A1:58:D0:A1:2C:19:08\r\n";
        for place in ["t=0 0\r\n", "a=mid:0\r\n"] {
            let two = CHROME.replace(place, &format!("{place}{other}"));
            assert_eq!(Description::parse(&two), Err(SdpError::Fingerprint));
        }
        let none = CHROME.replace("sha-256", "sha-1");
        assert_eq!(Description::parse(&none), Err(SdpError::Fingerprint));
    }

    #[test]
    fn other_sections_are_refused() {
        let audio = format!("{CHROME}m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n");
        let twice = format!("{CHROME}m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n");
        let refused = CHROME.replace("m=application 9 ", "m=application 0 ");
        let tcp = CHROME.replace("UDP/DTLS/SCTP", "TCP/DTLS/SCTP");
        for sdp in [audio, twice, refused, tcp] {
            assert_eq!(Description::parse(&sdp), Err(SdpError::Sections));
        }
    }

    #[test]
    fn a_line_break_cannot_be_smuggled_into_what_the_stack_gets() {
        for (from, to) in
            [("a=mid:0", "a=mid:0 0"), ("EEtu", "EE tu"), ("EEtu", "EE\u{85}tu"), ("a=mid:0", "a=mid:\u{b}0")]
        {
            assert!(Description::parse(&CHROME.replace(from, to)).is_err(), "{to:?}");
        }
    }

    #[test]
    fn sizes_are_bounded() {
        let long = format!("{CHROME}{}", "a=x\r\n".repeat(MAX_SDP / 5));
        assert_eq!(Description::parse(&long), Err(SdpError::TooLong));
        let many = format!("{CHROME}{}", "a=candidate:1 1 udp 1 127.0.0.1 9 typ host\r\n".repeat(MAX_CANDIDATES));
        assert_eq!(Description::parse(&many), Err(SdpError::TooManyCandidates));
    }

    #[test]
    fn a_missing_message_size_is_the_protocols_default() {
        let parse = |with: &str| Description::parse(&CHROME.replace("a=max-message-size:262144\r\n", with));
        assert_eq!(parse("").expect("optional").max_message, Some(65_536));
        assert_eq!(parse("a=max-message-size:0\r\n").expect("any").max_message, None);
        assert_eq!(parse("a=max-message-size:99999999999999999999\r\n").expect("large").max_message, Some(u32::MAX));
        assert!(parse("a=max-message-size:-1\r\n").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(sdp in "(?s).{0,400}") {
            let _ = Description::parse(&sdp);
        }

        #[test]
        fn a_damaged_offer_is_refused_or_rewritten_to_one_that_means_the_same(
            at in 0..CHROME.len(), remove in 0..40usize, insert in "[ -~\r\n]{0,12}"
        ) {
            let end = (at + remove).min(CHROME.len());
            let damaged = format!("{}{insert}{}", &CHROME[..at], &CHROME[end..]);
            if let Ok(offer) = Description::parse(&damaged) {
                let again = Description::parse(&offer.to_sdp());
                prop_assert_eq!(again, Ok(Description { candidates: Vec::new(), end_of_candidates: false, ..offer }));
            }
        }
    }
}
