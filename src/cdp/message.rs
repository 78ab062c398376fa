//! One CDP message from the browser, as far as it can be read without knowing its method.
//!
//! Parameters and results stay raw until someone reads the fields that it needs. So a page's title or URL that holds a lone
//! surrogate (`"\ud800"`, which is no Rust string) spoils nothing but the field that it is in.

use std::fmt;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

/// The longest text of a refusal that is kept, in characters.
const MAX_REFUSAL: usize = 200;

/// A session with a target, on one connection.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(pub String);

/// A target: a tab, a frame, a worker.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TargetId(pub String);

/// An event. Its `Debug` leaves the parameters out: they hold page content.
#[derive(Clone)]
pub struct Event {
    /// The session that it belongs to; `None` for the browser's own.
    pub session: Option<SessionId>,
    /// Its method, such as `Runtime.bindingCalled`.
    pub method: String,
    params: Option<Box<RawValue>>,
}

impl Event {
    /// An event with these parameters, for tests and for replaying one.
    pub fn new(session: Option<SessionId>, method: &str, params: &impl Serialize) -> serde_json::Result<Self> {
        let params = Some(serde_json::value::to_raw_value(params)?);
        Ok(Self { session, method: method.to_owned(), params })
    }

    /// Reads the parameters.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Unreadable> {
        read(self.params.as_deref())
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("method", &self.method).finish_non_exhaustive()
    }
}

/// What a call to the browser returned. Its `Debug` says nothing: results hold page content.
#[derive(Clone)]
pub struct Answer(Box<RawValue>);

impl Answer {
    /// An answer with this result, for tests.
    pub fn new(result: &impl Serialize) -> serde_json::Result<Self> {
        Ok(Self(serde_json::value::to_raw_value(result)?))
    }

    /// Reads the result.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Unreadable> {
        read(Some(&self.0))
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answer(…)")
    }
}

/// Parameters or a result of another shape than expected, or with a text that isn't Unicode. It names no content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the browser's message has another shape than expected")]
pub struct Unreadable;

fn read<T: DeserializeOwned>(raw: Option<&RawValue>) -> Result<T, Unreadable> {
    serde_json::from_str(raw.map_or("{}", RawValue::get)).map_err(|_| Unreadable)
}

/// A browser's refusal of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The code, such as -32602.
    pub code: i64,
    /// The browser's text, cut, and without control characters.
    pub message: String,
}

/// A message from the browser.
#[derive(Debug)]
pub enum Incoming {
    /// The answer to the call with this id.
    Answer {
        /// The call's id.
        id: i32,
        /// Its result, or why the browser refused.
        result: Result<Answer, Refusal>,
    },
    /// An event.
    Event(Event),
}

/// Reads a message from the browser.
pub fn parse(text: &str) -> Result<Incoming, Unreadable> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Envelope {
        id: Option<i32>,
        method: Option<String>,
        session_id: Option<SessionId>,
        params: Option<Box<RawValue>>,
        result: Option<Box<RawValue>>,
        error: Option<Wire>,
    }
    #[derive(Deserialize)]
    struct Wire {
        #[serde(default)]
        code: i64,
        #[serde(default)]
        message: String,
    }
    let envelope: Envelope = serde_json::from_str(text).map_err(|_| Unreadable)?;
    match envelope {
        Envelope { id: None, method: Some(method), session_id, params, .. } => {
            let session = session_id.filter(|session| !session.0.is_empty());
            Ok(Incoming::Event(Event { session, method, params }))
        }
        Envelope { id: Some(id), method: None, error: Some(error), .. } => {
            let message = error.message.chars().filter(|c| !c.is_control()).take(MAX_REFUSAL).collect();
            Ok(Incoming::Answer { id, result: Err(Refusal { code: error.code, message }) })
        }
        Envelope { id: Some(id), method: None, result: Some(result), .. } => {
            Ok(Incoming::Answer { id, result: Ok(Answer(result)) })
        }
        _ => Err(Unreadable),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn an_event_and_an_answer_are_told_apart() {
        let Incoming::Event(event) = parse(r#"{"method":"A.b","params":{"x":1},"sessionId":"S"}"#).unwrap() else {
            panic!("an event")
        };
        assert_eq!((event.session, event.method.as_str()), (Some(SessionId("S".into())), "A.b"));
        let Incoming::Answer { id: 7, result: Ok(answer) } = parse(r#"{"id":7,"result":{"x":1}}"#).unwrap() else {
            panic!("an answer")
        };
        assert_eq!(answer.read::<Value>().unwrap(), serde_json::json!({"x": 1}));
    }

    #[test]
    fn an_empty_session_is_the_browsers_own() {
        let Incoming::Event(event) = parse(r#"{"method":"A.b","sessionId":""}"#).unwrap() else { panic!("an event") };
        assert_eq!(event.session, None);
    }

    #[test]
    fn a_lone_surrogate_spoils_only_its_own_field() {
        #[derive(Deserialize)]
        struct Url {
            url: String,
        }
        #[derive(Deserialize)]
        struct Title {
            #[serde(rename = "title")]
            _title: String,
        }
        let text = r#"{"method":"A.b","params":{"title":"\ud800","url":"about:blank"}}"#;
        let Incoming::Event(event) = parse(text).unwrap() else { panic!("an event") };
        assert_eq!(event.read::<Url>().unwrap().url, "about:blank");
        assert!(event.read::<Title>().is_err());
    }

    #[test]
    fn a_refusal_is_cleaned_for_the_terminal() {
        let text = format!(r#"{{"id":1,"error":{{"code":-32000,"message":"no\u001b{}"}}}}"#, "x".repeat(1000));
        let Incoming::Answer { result: Err(refusal), .. } = parse(&text).unwrap() else { panic!("a refusal") };
        assert_eq!(refusal.message.len(), MAX_REFUSAL);
        assert!(refusal.message.starts_with("nox"));
    }

    #[test]
    fn what_is_neither_is_refused() {
        for text in ["", "{}", "[]", "null", r#"{"id":1}"#, r#"{"id":1,"method":"A.b","result":{}}"#, r#"{"id":"1"}"#] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,80}") {
            let _ = parse(&text);
        }

        #[test]
        fn any_parameters_pass_unread(method in "[A-Z][a-z]{1,8}\\.[a-z]{1,8}", x in any::<i64>()) {
            let text = serde_json::json!({"method": method, "params": {"x": x}}).to_string();
            let Incoming::Event(event) = parse(&text).unwrap() else { panic!("an event") };
            prop_assert_eq!(event.read::<Value>().unwrap()["x"].as_i64(), Some(x));
        }
    }
}
