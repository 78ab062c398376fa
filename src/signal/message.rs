//! Setup messages as JSON (section "Setup over CDP" of the requirement). Their shapes are generated.
//!
//! What comes in is hostile: it is bounded before and after it is parsed, and what people will read is cleaned.

use super::{NodeId, Nonce, Reply, Signal};
use crate::generated::{
    events::{SetupFromNode, SetupFromPage},
    link::setup,
};

/// The longest text of a nonce, of a candidate line or of one of its ids, in bytes.
const MAX_TEXT: usize = 4096;

/// A message that can't be taken. Its text quotes nothing of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// It is longer than [`setup::MESSAGE`] bytes.
    #[error("a setup message is longer than {} bytes", setup::MESSAGE)]
    TooLong,
    /// It isn't a JSON object with the fields of a page's message. A type that is unknown, or that only a node sends, is one
    /// of the reasons.
    #[error("a setup message isn't one that a page sends")]
    NotAPages,
    /// A text of it is too long.
    #[error("a setup message's {0} is too long")]
    Field(&'static str),
}

/// Reads a page's message, and cleans it: a bye's reason is one for people to read, and an empty candidate line is the end
/// of the candidates, as `null` is.
///
/// # Errors
/// A [`MessageError`]; such a message is ignored.
pub fn parse(text: &str) -> Result<SetupFromPage, MessageError> {
    if text.len() > setup::MESSAGE {
        return Err(MessageError::TooLong);
    }
    // serde takes an array of the fields for the object too.
    if !text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('{') {
        return Err(MessageError::NotAPages);
    }
    let mut message: SetupFromPage = serde_json::from_str(text).map_err(|_| MessageError::NotAPages)?;
    if message.nonce().is_some_and(|nonce| nonce.0.len() > MAX_TEXT) {
        return Err(MessageError::Field("nonce"));
    }
    match &mut message {
        SetupFromPage::Offer { sdp, .. } if sdp.len() > setup::SDP => return Err(MessageError::Field("sdp")),
        SetupFromPage::Hello | SetupFromPage::Offer { .. } => {}
        SetupFromPage::Candidate { candidate, .. } => {
            let texts =
                candidate.iter().flat_map(|c| [Some(&c.candidate), c.sdp_mid.as_ref(), c.username_fragment.as_ref()]);
            if texts.flatten().any(|text| text.len() > MAX_TEXT) {
                return Err(MessageError::Field("candidate"));
            }
            candidate.take_if(|candidate| candidate.candidate.is_empty());
        }
        SetupFromPage::Bye { reason, .. } => *reason = reason.as_deref().map(clean_reason),
    }
    Ok(message)
}

impl SetupFromPage {
    /// The nonce of the hello that the message belongs to. A harness's hello has none.
    pub fn nonce(&self) -> Option<&Nonce> {
        match self {
            Self::Hello => None,
            Self::Offer { nonce, .. } | Self::Candidate { nonce, .. } | Self::Bye { nonce, .. } => Some(nonce),
        }
    }

    /// The signal that the message is for the node. A harness's hello is none.
    pub fn into_signal(self) -> Option<Signal> {
        match self {
            Self::Hello => None,
            Self::Offer { nonce, sdp } => Some(Signal::Offer { nonce, sdp }),
            Self::Candidate { nonce, candidate } => Some(Signal::Candidate { nonce, candidate }),
            Self::Bye { nonce, reason } => Some(Signal::Bye { nonce, reason: reason.unwrap_or_default() }),
        }
    }
}

impl SetupFromNode {
    /// The hello that a context gets.
    pub fn hello(nonce: &Nonce, node: &NodeId) -> Self {
        Self::Hello { v: setup::VERSION.into(), nonce: nonce.clone(), node: node.as_str().to_owned() }
    }
}

impl From<Reply> for SetupFromNode {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Answer { nonce, sdp } => Self::Answer { nonce, sdp },
            Reply::Candidate { nonce, candidate } => Self::Candidate { nonce, candidate },
            Reply::Bye { nonce, reason } => Self::Bye { nonce, reason },
        }
    }
}

impl Reply {
    /// The nonce of the context that the reply is for.
    pub fn nonce(&self) -> &Nonce {
        match self {
            Self::Answer { nonce, .. } | Self::Candidate { nonce, .. } | Self::Bye { nonce, .. } => nonce,
        }
    }
}

/// Cleans a page's reason for people: no control characters, no characters that turn the direction of text, runs of space as
/// one, at most [`setup::REASON`] characters.
pub fn clean_reason(text: &str) -> String {
    let mut clean = String::new();
    let visible = |c: char| !c.is_control() && !is_format(c);
    // A hostile reason is long; what people read is short, so no more than that is looked at.
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        let word: String = word.chars().filter(|c| visible(*c)).take(setup::REASON).collect();
        if word.is_empty() {
            continue;
        }
        if !clean.is_empty() {
            clean.push(' ');
        }
        clean.push_str(&word);
        if clean.chars().count() >= setup::REASON {
            break;
        }
    }
    clean.chars().take(setup::REASON).collect()
}

/// Marks and overrides of direction, and invisible characters that could hide text.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::signal::Candidate;

    fn read(value: &Value) -> Result<SetupFromPage, MessageError> {
        parse(&value.to_string())
    }

    fn nonce() -> Nonce {
        Nonce("N".into())
    }

    #[test]
    fn an_offer_a_candidate_and_a_bye_are_read() {
        assert_eq!(
            read(&json!({"t": "offer", "nonce": "N", "sdp": "v=0\r\n", "more": [1]})),
            Ok(SetupFromPage::Offer { nonce: nonce(), sdp: "v=0\r\n".into() })
        );
        let candidate = json!({"candidate": "candidate:1 1 udp 1 x.local 5 typ host", "sdpMid": "0", "sdpMLineIndex": 0,
            "usernameFragment": "rmxn"});
        let expected = Candidate {
            candidate: "candidate:1 1 udp 1 x.local 5 typ host".into(),
            sdp_mid: Some("0".into()),
            sdp_m_line_index: Some(0),
            username_fragment: Some("rmxn".into()),
        };
        assert_eq!(
            read(&json!({"t": "candidate", "candidate": candidate, "nonce": "N"})),
            Ok(SetupFromPage::Candidate { nonce: nonce(), candidate: Some(expected) })
        );
        assert_eq!(
            read(&json!({"t": "bye", "nonce": "N", "reason": "tab\r\nclosed"})),
            Ok(SetupFromPage::Bye { nonce: nonce(), reason: Some("tab closed".into()) })
        );
        assert_eq!(read(&json!({"t": "bye", "nonce": "N"})), Ok(SetupFromPage::Bye { nonce: nonce(), reason: None }));
        assert_eq!(read(&json!({"t": "hello"})), Ok(SetupFromPage::Hello));
    }

    #[test]
    fn null_and_an_empty_line_end_the_candidates() {
        for end in [json!(null), json!({"candidate": ""})] {
            assert_eq!(
                read(&json!({"t": "candidate", "nonce": "N", "candidate": end})),
                Ok(SetupFromPage::Candidate { nonce: nonce(), candidate: None })
            );
        }
        let nulls = json!({"candidate": "c", "sdpMid": null, "sdpMLineIndex": null, "usernameFragment": null});
        assert!(matches!(
            read(&json!({"t": "candidate", "nonce": "N", "candidate": nulls})),
            Ok(SetupFromPage::Candidate { candidate: Some(Candidate { sdp_mid: None, .. }), .. })
        ));
    }

    #[test]
    fn a_message_of_another_type_or_without_its_fields_is_refused() {
        for message in [
            json!({}),
            json!({"t": 1}),
            json!({"t": "answer", "nonce": "N", "sdp": "x"}),
            json!({"t": "later", "nonce": "N"}),
            json!({"t": "", "nonce": "N"}),
            json!({"t": "offer", "sdp": "x"}),
            json!({"t": "offer", "nonce": 7, "sdp": "x"}),
            json!({"t": "offer", "nonce": "N"}),
            json!({"t": "offer", "nonce": "N", "sdp": {}}),
            json!(["offer", "N", "x"]),
            json!({"t": "candidate", "nonce": "N"}),
            json!({"t": "candidate", "nonce": "N", "candidate": "c"}),
            json!({"t": "candidate", "nonce": "N", "candidate": {"candidate": "c", "sdpMLineIndex": -1}}),
            json!({"t": "bye", "nonce": "N", "reason": 1}),
        ] {
            assert_eq!(read(&message), Err(MessageError::NotAPages), "{message}");
        }
        for text in ["", "null", "[]", "[\"hello\"]", "\"hello\"", "{\"t\":\"bye\"", r#"{"t":"bye","nonce":"\ud800"}"#]
        {
            assert_eq!(parse(text), Err(MessageError::NotAPages), "{text}");
        }
    }

    #[test]
    fn huge_messages_are_refused() {
        let sdp = "x".repeat(setup::SDP + 1);
        assert_eq!(read(&json!({"t": "offer", "nonce": "N", "sdp": sdp})), Err(MessageError::Field("sdp")));
        let line = "x".repeat(MAX_TEXT + 1);
        assert_eq!(read(&json!({"t": "bye", "nonce": line})), Err(MessageError::Field("nonce")));
        assert_eq!(
            read(&json!({"t": "candidate", "nonce": "N", "candidate": {"candidate": line}})),
            Err(MessageError::Field("candidate"))
        );
        let padding = "x".repeat(setup::MESSAGE);
        assert_eq!(read(&json!({"t": "hello", "padding": padding})), Err(MessageError::TooLong));
        let deep = format!(r#"{{"t":"hello","x":{}{}}}"#, "[".repeat(50_000), "]".repeat(50_000));
        assert_eq!(parse(&deep), Err(MessageError::NotAPages));
    }

    #[test]
    fn a_reason_is_cleaned_for_the_terminal() {
        assert_eq!(clean_reason(" a\u{1b}[31m\r\n\tb \u{202e}c "), "a [31m b c");
        assert_eq!(clean_reason(&"x ".repeat(500)).chars().count(), setup::REASON);
        assert_eq!(clean_reason(&"é".repeat(500)).chars().count(), setup::REASON);
    }

    #[test]
    fn what_the_node_says_has_the_shapes_of_the_requirement() {
        let text = |message: SetupFromNode| serde_json::to_string(&message).unwrap();
        let hello = text(SetupFromNode::hello(&nonce(), &NodeId("P".into())));
        assert_eq!(hello, r#"{"t":"hello","v":1,"nonce":"N","node":"P"}"#);
        let answer = Reply::Answer { nonce: nonce(), sdp: "v=0".into() };
        assert_eq!(text(answer.into()), r#"{"t":"answer","nonce":"N","sdp":"v=0"}"#);
        let end = Reply::Candidate { nonce: nonce(), candidate: None };
        assert_eq!(text(end.into()), r#"{"t":"candidate","nonce":"N","candidate":null}"#);
        let bye = Reply::Bye { nonce: nonce(), reason: "slicc exits".into() };
        assert_eq!(text(bye.into()), r#"{"t":"bye","nonce":"N","reason":"slicc exits"}"#);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
            let _ = parse(&text);
        }

        #[test]
        fn any_reason_comes_out_clean(text in any::<String>()) {
            let clean = clean_reason(&text);
            prop_assert!(clean.chars().count() <= setup::REASON);
            prop_assert!(!clean.chars().any(|c| c.is_control() || is_format(c)));
            prop_assert_eq!(clean_reason(&clean), clean.trim_end());
        }

        #[test]
        fn any_offer_survives(nonce in "[A-Za-z0-9_-]{22}", sdp in any::<String>()) {
            let message = json!({"t": "offer", "nonce": nonce, "sdp": sdp});
            prop_assert_eq!(read(&message), Ok(SetupFromPage::Offer { nonce: Nonce(nonce), sdp }));
        }
    }
}
