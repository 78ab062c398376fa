//! One exchange on a stream of a link, from the page's side.

use bytes::Bytes;
use serde_json::{Value, json};
use slicc::link::{
    Link, Reset, Stream,
    mux::Placement::{self, Control, OwnChannel},
};

use super::{native_page::open_on, within};

/// Both places for a stream.
pub const PLACEMENTS: [Placement; 2] = [Control, OwnChannel];

/// Opens a stream.
///
/// # Panics
/// When it is reset.
pub async fn open(link: &Link, open: Value, placement: Placement) -> (Stream, Value) {
    let opened = within("OPENED", open_on(link, &open, placement)).await;
    let (stream, opened) = opened.unwrap_or_else(|error| panic!("{open}: {error}"));
    (stream, opened.into())
}

/// Opens a stream that is reset, and returns the reset's code and message.
///
/// # Panics
/// When it isn't.
pub async fn refusal(link: &Link, open: Value, placement: Placement) -> (String, String) {
    match within("a reset", open_on(link, &open, placement)).await {
        Ok((_, opened)) => panic!("{open} was opened: {opened:?}"),
        Err(error) => reset(&error),
    }
}

/// The code and the message of a stream's end.
///
/// # Panics
/// When it is none.
pub fn reset(error: &std::io::Error) -> (String, String) {
    let reset = error.get_ref().and_then(|inner| inner.downcast_ref::<Reset>());
    let reset = reset.unwrap_or_else(|| panic!("not a reset: {error}"));
    (reset.code.clone(), reset.message.clone())
}

/// Everything that comes until the peer's END.
///
/// # Errors
/// As [`Stream::recv`].
pub async fn receive_all(stream: &mut Stream) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    within("END", async {
        while let Some(data) = stream.recv().await? {
            bytes.extend_from_slice(&data);
            stream.credit(data.len());
        }
        Ok(bytes)
    })
    .await
}

/// The answer to an HTTP request.
#[derive(Debug)]
pub struct Answer {
    /// The head, as the node sent it.
    pub head: Value,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let headers = self.head["headers"].as_array()?;
        headers.iter().find(|header| header[0] == name)?[1].as_str()
    }
}

/// Sends one HTTP request.
///
/// # Errors
/// As [`Stream::recv`].
pub async fn request(link: &Link, head: &Value, body: &[u8], placement: Placement) -> std::io::Result<Answer> {
    request_as(link, json!({ "kind": "http" }), head.to_string().as_bytes(), body, placement).await
}

/// Sends the head and the body of one HTTP request on a stream that is opened with `open`.
///
/// # Errors
/// As [`Stream::recv`].
///
/// # Panics
/// When the stream isn't opened, or the answer isn't one.
pub async fn request_as(
    link: &Link,
    open: Value,
    head: &[u8],
    body: &[u8],
    placement: Placement,
) -> std::io::Result<Answer> {
    let (mut stream, opened) = self::open(link, open, placement).await;
    assert_eq!(opened, json!({}));
    let length = u32::try_from(head.len()).expect("a short head");
    stream.send(Bytes::copy_from_slice(&length.to_be_bytes())).await?;
    stream.send(Bytes::copy_from_slice(head)).await?;
    if !body.is_empty() {
        stream.send(Bytes::copy_from_slice(body)).await?;
    }
    stream.end();
    let answer = receive_all(&mut stream).await?;
    let (length, rest) = answer.split_first_chunk::<4>().expect("a length");
    let (head, body) = rest.split_at(u32::from_be_bytes(*length) as usize);
    Ok(Answer { head: serde_json::from_slice(head).expect("a head is JSON"), body: body.to_vec() })
}
