//! Setup messages: hello, offer, answer, candidate and bye, as JSON (section "Setup over CDP" of the requirement).
//!
//! What comes in is hostile: it is bounded before and after it is parsed, and what people will read is cleaned.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Candidate, NodeId, Nonce, Reply, Signal};
use crate::generated::link::setup;

/// The longest text of a candidate line or of one of its ids, in bytes.
const MAX_CANDIDATE_TEXT: usize = 4096;

/// A message from a page, or from the harness that speaks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageMessage {
    /// The harness asks for a fresh hello (section "Setup over stdio").
    Hello,
    /// A message that belongs to a hello.
    Of {
        /// The hello's nonce, as the page gave it.
        nonce: Nonce,
        /// What it says.
        body: PageBody,
    },
}

/// What a page's message says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageBody {
    /// An offer.
    Offer {
        /// The session description.
        sdp: String,
    },
    /// A candidate; `None` at the end of gathering.
    Candidate(Option<Candidate>),
    /// The end.
    Bye {
        /// The page's reason, cleaned; empty when it gave none.
        reason: String,
    },
}

impl PageBody {
    /// The signal that the message is for the node.
    pub fn into_signal(self, nonce: Nonce) -> Signal {
        match self {
            Self::Offer { sdp } => Signal::Offer { nonce, sdp },
            Self::Candidate(candidate) => Signal::Candidate { nonce, candidate },
            Self::Bye { reason } => Signal::Bye { nonce, reason },
        }
    }
}

/// A message that can't be taken. Its text quotes nothing of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// It is longer than [`setup::MESSAGE`] bytes.
    #[error("a setup message is longer than {} bytes", setup::MESSAGE)]
    TooLong,
    /// It isn't a JSON object.
    #[error("a setup message isn't a JSON object")]
    NotAnObject,
    /// A field is missing, of another type, or too long.
    #[error("a setup message's {0} is missing, of another type, or too long")]
    Field(&'static str),
}

/// Reads a page's message. `None` for a type that is unknown, or that only a node sends.
pub fn parse(text: &str) -> Result<Option<PageMessage>, MessageError> {
    if text.len() > setup::MESSAGE {
        return Err(MessageError::TooLong);
    }
    let message: Map<String, Value> = serde_json::from_str(text).map_err(|_| MessageError::NotAnObject)?;
    let body = match text_field(&message, "t", usize::MAX)? {
        "hello" => return Ok(Some(PageMessage::Hello)),
        "offer" => PageBody::Offer { sdp: text_field(&message, "sdp", setup::SDP)?.to_owned() },
        "candidate" => PageBody::Candidate(candidate(&message)?),
        "bye" => PageBody::Bye { reason: clean_reason(message.get("reason").and_then(Value::as_str).unwrap_or("")) },
        _ => return Ok(None),
    };
    let nonce = Nonce(text_field(&message, "nonce", MAX_CANDIDATE_TEXT)?.to_owned());
    Ok(Some(PageMessage::Of { nonce, body }))
}

fn text_field<'a>(message: &'a Map<String, Value>, field: &'static str, max: usize) -> Result<&'a str, MessageError> {
    match message.get(field) {
        Some(Value::String(text)) if text.len() <= max => Ok(text),
        _ => Err(MessageError::Field(field)),
    }
}

/// Reads a candidate in the shape of `RTCIceCandidate.toJSON()`. An empty candidate line is the end too.
fn candidate(message: &Map<String, Value>) -> Result<Option<Candidate>, MessageError> {
    let refuse = MessageError::Field("candidate");
    let value = message.get("candidate").ok_or(refuse)?;
    let candidate: Option<Candidate> = Option::deserialize(value).map_err(|_| refuse)?;
    let texts = candidate.iter().flat_map(|c| [Some(&c.candidate), c.sdp_mid.as_ref(), c.username_fragment.as_ref()]);
    if texts.flatten().any(|text| text.len() > MAX_CANDIDATE_TEXT) {
        return Err(refuse);
    }
    Ok(candidate.filter(|candidate| !candidate.candidate.is_empty()))
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

/// A message from the node, ready to be written as JSON.
#[derive(Debug, Serialize)]
#[serde(tag = "t", rename_all = "lowercase")]
pub enum NodeMessage<'a> {
    /// The node is there and waits for an offer.
    Hello {
        /// [`setup::VERSION`].
        v: u32,
        /// What the page's messages have to carry.
        nonce: &'a str,
        /// The process's id.
        node: &'a str,
    },
    /// The answer to an offer.
    Answer {
        /// The hello's nonce.
        nonce: &'a str,
        /// The session description.
        sdp: &'a str,
    },
    /// A candidate; `None` at the end of gathering.
    Candidate {
        /// The hello's nonce.
        nonce: &'a str,
        /// The candidate.
        candidate: Option<&'a Candidate>,
    },
    /// The end.
    Bye {
        /// The hello's nonce.
        nonce: &'a str,
        /// Why.
        reason: &'a str,
    },
}

impl<'a> NodeMessage<'a> {
    /// The hello that a context gets.
    pub fn hello(nonce: &'a Nonce, node: &'a NodeId) -> Self {
        Self::Hello { v: setup::VERSION, nonce: &nonce.0, node: node.as_str() }
    }
}

impl<'a> From<&'a Reply> for NodeMessage<'a> {
    fn from(reply: &'a Reply) -> Self {
        match reply {
            Reply::Answer { nonce, sdp } => Self::Answer { nonce: &nonce.0, sdp },
            Reply::Candidate { nonce, candidate } => Self::Candidate { nonce: &nonce.0, candidate: candidate.as_ref() },
            Reply::Bye { nonce, reason } => Self::Bye { nonce: &nonce.0, reason },
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Result<Option<PageMessage>, MessageError> {
        parse(&value.to_string())
    }

    fn body(value: &Value) -> PageBody {
        match read(value) {
            Ok(Some(PageMessage::Of { nonce, body })) if nonce.0 == "N" => body,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_offer_a_candidate_and_a_bye_are_read() {
        assert_eq!(
            body(&json!({"t": "offer", "nonce": "N", "sdp": "v=0\r\n", "more": [1]})),
            PageBody::Offer { sdp: "v=0\r\n".into() }
        );
        let candidate = json!({"candidate": "candidate:1 1 udp 1 x.local 5 typ host", "sdpMid": "0", "sdpMLineIndex": 0,
            "usernameFragment": "rmxn"});
        let expected = Candidate {
            candidate: "candidate:1 1 udp 1 x.local 5 typ host".into(),
            sdp_mid: Some("0".into()),
            sdp_m_line_index: Some(0),
            username_fragment: Some("rmxn".into()),
        };
        let read = body(&json!({"t": "candidate", "candidate": candidate, "nonce": "N"}));
        assert_eq!(read, PageBody::Candidate(Some(expected)));
        let read = body(&json!({"t": "bye", "nonce": "N", "reason": "closed"}));
        assert_eq!(read, PageBody::Bye { reason: "closed".into() });
        assert_eq!(body(&json!({"t": "bye", "nonce": "N"})), PageBody::Bye { reason: String::new() });
    }

    #[test]
    fn null_and_an_empty_line_end_the_candidates() {
        for end in [json!(null), json!({"candidate": ""})] {
            let read = body(&json!({"t": "candidate", "nonce": "N", "candidate": end}));
            assert_eq!(read, PageBody::Candidate(None));
        }
        let nulls = json!({"candidate": "c", "sdpMid": null, "sdpMLineIndex": null, "usernameFragment": null});
        assert!(matches!(
            body(&json!({"t": "candidate", "nonce": "N", "candidate": nulls})),
            PageBody::Candidate(Some(Candidate { sdp_mid: None, .. }))
        ));
    }

    #[test]
    fn unknown_types_and_the_nodes_own_are_ignored() {
        for t in ["answer", "later", ""] {
            assert_eq!(read(&json!({"t": t, "nonce": "N", "sdp": "x"})), Ok(None));
        }
    }

    #[test]
    fn a_message_without_its_fields_is_refused() {
        for (message, field) in [
            (json!({}), "t"),
            (json!({"t": 1}), "t"),
            (json!({"t": "offer", "sdp": "x"}), "nonce"),
            (json!({"t": "offer", "nonce": 7, "sdp": "x"}), "nonce"),
            (json!({"t": "offer", "nonce": "N"}), "sdp"),
            (json!({"t": "offer", "nonce": "N", "sdp": {}}), "sdp"),
            (json!({"t": "candidate", "nonce": "N"}), "candidate"),
            (json!({"t": "candidate", "nonce": "N", "candidate": "c"}), "candidate"),
            (
                json!({"t": "candidate", "nonce": "N", "candidate": {"candidate": "c", "sdpMLineIndex": -1}}),
                "candidate",
            ),
        ] {
            assert_eq!(read(&message), Err(MessageError::Field(field)), "{message}");
        }
        for text in ["", "null", "[]", "\"hello\"", "{\"t\":\"bye\"", r#"{"t":"bye","nonce":"\ud800"}"#] {
            assert_eq!(parse(text), Err(MessageError::NotAnObject), "{text}");
        }
    }

    #[test]
    fn huge_messages_are_refused() {
        let sdp = "x".repeat(setup::SDP + 1);
        assert_eq!(read(&json!({"t": "offer", "nonce": "N", "sdp": sdp})), Err(MessageError::Field("sdp")));
        let line = "x".repeat(MAX_CANDIDATE_TEXT + 1);
        assert_eq!(
            read(&json!({"t": "candidate", "nonce": "N", "candidate": {"candidate": line}})),
            Err(MessageError::Field("candidate"))
        );
        let padding = "x".repeat(setup::MESSAGE);
        assert_eq!(read(&json!({"t": "hello", "padding": padding})), Err(MessageError::TooLong));
        let deep = format!(r#"{{"t":"hello","x":{}{}}}"#, "[".repeat(50_000), "]".repeat(50_000));
        assert_eq!(parse(&deep), Err(MessageError::NotAnObject));
    }

    #[test]
    fn a_reason_is_cleaned_for_the_terminal() {
        assert_eq!(clean_reason(" a\u{1b}[31m\r\n\tb \u{202e}c "), "a [31m b c");
        assert_eq!(clean_reason(&"x ".repeat(500)).chars().count(), setup::REASON);
        assert_eq!(clean_reason(&"é".repeat(500)).chars().count(), setup::REASON);
    }

    #[test]
    fn what_the_node_says_has_the_shapes_of_the_requirement() {
        let (nonce, node) = (Nonce("N".into()), NodeId("P".into()));
        let text = |message: NodeMessage| serde_json::to_string(&message).unwrap();
        assert_eq!(text(NodeMessage::hello(&nonce, &node)), r#"{"t":"hello","v":1,"nonce":"N","node":"P"}"#);
        let answer = Reply::Answer { nonce: nonce.clone(), sdp: "v=0".into() };
        assert_eq!(text((&answer).into()), r#"{"t":"answer","nonce":"N","sdp":"v=0"}"#);
        let end = Reply::Candidate { nonce: nonce.clone(), candidate: None };
        assert_eq!(text((&end).into()), r#"{"t":"candidate","nonce":"N","candidate":null}"#);
        let bye = Reply::Bye { nonce, reason: "slicc exits".into() };
        assert_eq!(text((&bye).into()), r#"{"t":"bye","nonce":"N","reason":"slicc exits"}"#);
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
            let expected = PageMessage::Of { nonce: Nonce(nonce), body: PageBody::Offer { sdp } };
            prop_assert_eq!(read(&message), Ok(Some(expected)));
        }
    }
}
