//! http streams: one HTTP request, fetched for the page. Section "Link", http and credentialed.
//!
//! A stream goes through [`head`] and [`headers`] (what may be asked), [`body`] (what is sent along), [`client`] (the
//! server) and [`decode`] (what came back). Nothing in here knows what a link is made of, and nothing is kept once a
//! stream is over.

pub mod body;
pub mod client;
pub mod decode;
pub mod error;
pub mod head;
pub mod headers;
pub mod tls;
mod wire;

#[cfg(test)]
pub(super) mod tests;

use bytes::Bytes;
use http::{
    Method, Response, StatusCode,
    header::{CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING},
    response,
};
use http_body_util::BodyExt;
use hyper::{body::Incoming, ext::ReasonPhrase};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt},
    sync::mpsc,
};

pub use client::{Client, Connector};

use self::{
    body::{BodyError, PageGone, Piece, RequestBody},
    decode::{BodySource, Plan},
    error::FetchError,
    head::{HeadBuffer, HeadError, RequestHead, ResponseHead},
};
use crate::{
    generated::link::{ErrorCode, HttpOpen, HttpOpened},
    link::{SendHalf, Stream},
};

/// How a stream ends that doesn't end with END.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Head(#[from] HeadError),
    #[error("the answer is a part (206) of an encoded body, whose Content-Range wouldn't match the decoded bytes")]
    EncodedPart,
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("the answer broke off")]
    BrokeOff,
    #[error("the answer's content coding is broken, or the answer broke off")]
    BrokenCoding,
    #[error(transparent)]
    PageGone(#[from] PageGone),
}

impl Failure {
    const fn code(&self) -> ErrorCode {
        match self {
            Self::Head(error) => error.code(),
            Self::EncodedPart => ErrorCode::Eproto,
            Self::Fetch(error) => error.code(),
            Self::BrokeOff | Self::BrokenCoding | Self::PageGone(_) => ErrorCode::Econnreset,
        }
    }
}

/// Serves one http stream until it is over. A page that resets it, or a link that goes down, ends the request at once;
/// so does dropping the future.
pub async fn serve<C: Connector>(open: HttpOpen, mut stream: Stream, client: &Client<C>) {
    let HttpOpen { credentialed } = open;
    let (head, rest) = match request_head(credentialed, &mut stream).await {
        Ok(head) => head,
        Err(failure) => return stream.reset(failure.code(), &failure.to_string()),
    };
    // Neither path, query, header nor body, at any level.
    tracing::debug!(method = %head.method, scheme = head.scheme(), host = head.target.host, "http");

    let (mut from_page, mut to_page) = stream.split();
    let (pieces, upload) = mpsc::channel(1);
    let outcome = tokio::select! {
        _gone = body::pump(&mut from_page, rest, pieces) => Err(PageGone.into()),
        outcome = exchange(credentialed, &head, upload, &mut to_page, client) => outcome,
    };
    if let Err(failure) = outcome {
        to_page.reset(failure.code(), &failure.to_string());
    }
}

/// Accepts the stream and reads the request's head, and what of the body came along with its end.
async fn request_head(credentialed: bool, stream: &mut Stream) -> Result<(RequestHead, Bytes), Failure> {
    stream.accept(&HttpOpened {}).map_err(|_| PageGone)?;
    let mut buffer = HeadBuffer::default();
    loop {
        let piece = stream.recv().await.map_err(|_| PageGone)?.ok_or(HeadError::CutShort)?;
        let length = piece.len();
        let complete = buffer.push(piece)?;
        let rest = complete.as_ref().map_or(0, |(_, rest)| rest.len());
        stream.credit(length - rest);
        if let Some((json, rest)) = complete {
            return Ok((RequestHead::parse(&json, credentialed)?, rest));
        }
    }
}

/// Sends the request and passes the response on.
async fn exchange<C: Connector>(
    credentialed: bool,
    head: &RequestHead,
    upload: mpsc::Receiver<Piece>,
    to_page: &mut SendHalf,
    client: &Client<C>,
) -> Result<(), Failure> {
    let body = if head.has_no_body() {
        drop(upload);
        RequestBody::none()
    } else {
        let beginning = body::begin(upload, client.large_bodies()).await?;
        RequestBody::from_beginning(beginning, head.headers.content_length).map_err(|error| match error {
            BodyError::Gone(gone) => Failure::from(gone),
            BodyError::Length => FetchError::other(error.to_string()).into(),
        })?
    };
    let (response, connection) = client.fetch(head, body, credentialed).await?;
    respond(head, response, to_page).await?;
    to_page.end();
    connection.finish().await;
    Ok(())
}

/// Sends the response's head and body to the page.
async fn respond(head: &RequestHead, response: Response<Incoming>, to_page: &mut SendHalf) -> Result<(), Failure> {
    let (parts, body) = response.into_parts();
    let has_body = has_body(&head.method, parts.status);
    let plan = if has_body { plan(&parts)? } else { Plan::AsItCame };
    let mut dropped = Vec::new();
    if matches!(plan, Plan::Undo(_) | Plan::Identity) {
        dropped.push(CONTENT_ENCODING);
    }
    // Beside chunked, a Content-Length says nothing about the body.
    if matches!(plan, Plan::Undo(_)) || (has_body && parts.headers.contains_key(TRANSFER_ENCODING)) {
        dropped.push(CONTENT_LENGTH);
    }
    let sent = ResponseHead {
        status: parts.status.as_u16(),
        status_text: reason_phrase(&parts),
        headers: headers::for_page(&parts.headers, &dropped),
        url: head.url.clone(),
    };
    let sent = sent.encode().map_err(|_| FetchError::other("the answer's head can't be written"))?;
    send(to_page, sent).await?;
    let passed = if has_body { pass_on(body, plan, to_page).await } else { Ok(()) };
    if passed.is_err() {
        // The RESET that follows must not overtake the head and what came of the body.
        to_page.flush().await.map_err(|_| PageGone)?;
    }
    passed
}

/// Sends a response's body to the page, decoded as planned.
async fn pass_on(mut body: Incoming, plan: Plan, to_page: &mut SendHalf) -> Result<(), Failure> {
    let Plan::Undo(codings) = plan else {
        while let Some(frame) = body.frame().await {
            if let Ok(data) = frame.map_err(|_| Failure::BrokeOff)?.into_data() {
                send(to_page, data).await?;
            }
        }
        return Ok(());
    };
    let mut source = decode::undo(BodySource::new(body), &codings);
    loop {
        let piece = source.fill_buf().await.map_err(|_| Failure::BrokenCoding)?;
        if piece.is_empty() {
            return Ok(());
        }
        let piece = Bytes::copy_from_slice(piece);
        source.consume(piece.len());
        send(to_page, piece).await?;
    }
}

async fn send(to_page: &mut SendHalf, data: Bytes) -> Result<(), PageGone> {
    to_page.send(data).await.map_err(|_| PageGone)
}

/// Whether a response to this method with this status has a body that is passed on.
fn has_body(method: &Method, status: StatusCode) -> bool {
    *method != Method::HEAD
        && !status.is_informational()
        && !matches!(status, StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::NOT_MODIFIED)
}

/// What is done with the body of a response, or why the response isn't passed on.
fn plan(parts: &response::Parts) -> Result<Plan, Failure> {
    // HTTP takes chunked off; what else it names would be left on the body.
    let mut transfer = parts.headers.get_all(TRANSFER_ENCODING).iter();
    if transfer.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked")) {
        return Err(FetchError::other("the answer has a transfer coding besides chunked").into());
    }
    match decode::plan(parts.headers.get_all(CONTENT_ENCODING).iter().map(http::HeaderValue::as_bytes)) {
        Plan::TooMany => Err(FetchError::other("the answer has too many content codings").into()),
        Plan::Undo(_) if parts.status == StatusCode::PARTIAL_CONTENT => Err(Failure::EncodedPart),
        plan => Ok(plan),
    }
}

/// The reason phrase as the server sent it. HTTP/2 has none.
fn reason_phrase(parts: &response::Parts) -> String {
    if parts.version == http::Version::HTTP_2 {
        return String::new();
    }
    match parts.extensions.get::<ReasonPhrase>() {
        Some(phrase) => headers::latin1_text(phrase.as_bytes()),
        // An HTTP/1 phrase is kept only when it isn't the usual one.
        None => parts.status.canonical_reason().unwrap_or_default().to_owned(),
    }
}
