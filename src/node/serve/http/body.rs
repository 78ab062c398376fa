//! The request body: from the page's stream to the request, under the window. Section "Link", http: request body.
//!
//! What is collected of bodies to learn their length is bounded over all streams: only so many may be beyond one DATA frame
//! ([`limits::HTTP_LARGE_BODIES`]) until their server has what was collected.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::{generated::link::limits, link::stream::RecvHalf};

/// What the page sends of a body.
#[derive(Debug)]
pub enum Piece {
    /// Some bytes, never none.
    Data(Bytes),
    /// END. A channel that closes without it belongs to a page that is gone.
    End,
}

/// Passes what the page sends on to `to`, one piece at a time, and credits a piece once the request has taken it. When
/// nobody takes pieces any more, the rest is read and dropped.
///
/// Resolves only once the page is gone: it reset the stream, or the link is down.
pub async fn pump(from: &mut RecvHalf, first: Bytes, to: mpsc::Sender<Piece>) -> io::Error {
    let mut next = (!first.is_empty()).then_some(first);
    loop {
        let piece = match next.take() {
            Some(piece) => piece,
            None => match from.recv().await {
                Ok(Some(piece)) => piece,
                Ok(None) => break,
                Err(gone) => return gone,
            },
        };
        let length = piece.len();
        // The one slot is free: it was waited for below. A closed channel drops the piece, as it should.
        let _ = to.try_send(Piece::Data(piece));
        tokio::select! {
            _ = to.reserve() => from.credit(length),
            gone = from.failed() => return gone,
        }
    }
    let _ = to.try_send(Piece::End);
    from.failed().await
}

/// The page went away before its request was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the page is gone")]
pub struct PageGone;

/// Why a request body can't be sent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The page went away.
    #[error(transparent)]
    Gone(#[from] PageGone),
    /// The page's Content-Length isn't its body's length.
    #[error("the request body doesn't have the length that its Content-Length gives")]
    Length,
}

/// The beginning of a body, read far enough to know how it is to be sent.
#[derive(Debug)]
pub struct Beginning {
    bytes: Bytes,
    rest: Option<mpsc::Receiver<Piece>>,
}

/// How many large bodies may be collected at once. Clones share it.
#[derive(Debug, Clone)]
pub struct LargeBodies(Arc<Semaphore>);

impl LargeBodies {
    /// Room for this many.
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Semaphore::new(most)))
    }

    /// Waits for a turn. Turns come in the order in which they are asked for.
    async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        // Nobody closes the semaphore; a body would be collected without a turn then.
        self.0.clone().acquire_owned().await.ok()
    }
}

impl Default for LargeBodies {
    fn default() -> Self {
        Self::new(limits::HTTP_LARGE_BODIES)
    }
}

/// The collected beginning of a large body. Its turn is over when the last piece of it is gone.
struct Collected {
    bytes: Bytes,
    _turn: Option<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for Collected {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Collects a body until it ends or is longer than its sized part. A body beyond one DATA frame waits for its turn first.
pub async fn begin(mut from: mpsc::Receiver<Piece>, large: &LargeBodies) -> Result<Beginning, PageGone> {
    let mut bytes = BytesMut::new();
    let mut turn = None;
    let rest = loop {
        match from.recv().await.ok_or(PageGone)? {
            Piece::Data(piece) => bytes.extend_from_slice(&piece),
            Piece::End => break None,
        }
        if bytes.len() > limits::HTTP_SIZED_BODY {
            break Some(from);
        }
        if bytes.len() > limits::DATA && turn.is_none() {
            turn = large.turn().await;
        }
    };
    let bytes = bytes.freeze();
    let bytes = if turn.is_some() { Bytes::from_owner(Collected { bytes, _turn: turn }) } else { bytes };
    Ok(Beginning { bytes, rest })
}

/// A request body as the HTTP client reads it.
///
/// With a Content-Length of the page's that doesn't fit, its last bytes are held back, so that a server never takes a
/// cut body for a complete one.
#[derive(Debug)]
pub struct RequestBody {
    first: Bytes,
    rest: Option<mpsc::Receiver<Piece>>,
    held: Option<Bytes>,
    /// Bytes still to come, when that is known.
    left: Option<u64>,
    wrong_length: Arc<AtomicBool>,
    _over: oneshot::Sender<()>,
}

/// What stays behind when a [`RequestBody`] is handed to the HTTP client.
#[derive(Debug)]
pub struct BodyWatch {
    wrong_length: Arc<AtomicBool>,
    over: oneshot::Receiver<()>,
}

impl BodyWatch {
    /// Whether the body failed for its length.
    pub fn wrong_length(&self) -> bool {
        self.wrong_length.load(Ordering::Relaxed)
    }

    /// Resolves once the client has taken the whole body, or given it up.
    pub async fn over(&mut self) {
        // The sender is never used, only dropped with the body.
        let _ = (&mut self.over).await;
    }
}

impl RequestBody {
    /// No body at all.
    pub fn none() -> (Self, BodyWatch) {
        Self::new(Bytes::new(), None, Some(0))
    }

    /// A body with this beginning: with its own length when it has ended, otherwise with the page's Content-Length, when
    /// there is one, or without a length.
    pub fn from_beginning(beginning: Beginning, declared: Option<u64>) -> Result<(Self, BodyWatch), BodyError> {
        let Beginning { bytes, rest } = beginning;
        let so_far = bytes.len() as u64;
        let left = if rest.is_none() { Some(so_far) } else { declared };
        if left.is_some_and(|length| length < so_far) {
            return Err(BodyError::Length);
        }
        Ok(Self::new(bytes, rest, left))
    }

    fn new(first: Bytes, rest: Option<mpsc::Receiver<Piece>>, left: Option<u64>) -> (Self, BodyWatch) {
        let wrong_length = Arc::new(AtomicBool::new(false));
        let (sender, over) = oneshot::channel();
        let watch = BodyWatch { wrong_length: wrong_length.clone(), over };
        (Self { first, rest, held: None, left, wrong_length, _over: sender }, watch)
    }

    /// The body's length, when it is known before the body is sent.
    pub const fn length(&self) -> Option<u64> {
        self.left
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>, BodyError>> {
        if !self.first.is_empty() {
            // In pieces, so that no more is copied than the client takes at a time.
            let piece = self.first.len().min(limits::DATA);
            return Poll::Ready(Ok(Some(self.first.split_to(piece))));
        }
        let Some(rest) = &mut self.rest else { return Poll::Ready(Ok(None)) };
        match ready!(rest.poll_recv(cx)) {
            Some(Piece::Data(piece)) => Poll::Ready(Ok(Some(piece))),
            Some(Piece::End) => {
                self.rest = None;
                Poll::Ready(Ok(None))
            }
            None => Poll::Ready(Err(PageGone.into())),
        }
    }

    fn wrong(&self) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        self.wrong_length.store(true, Ordering::Relaxed);
        Poll::Ready(Some(Err(BodyError::Length)))
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let this = self.get_mut();
        loop {
            let piece = match ready!(this.poll_piece(cx)) {
                Ok(piece) => piece,
                Err(error) => return Poll::Ready(Some(Err(error))),
            };
            match (piece, &mut this.left) {
                (Some(piece), None) => return Poll::Ready(Some(Ok(Frame::data(piece)))),
                (Some(piece), Some(left)) => {
                    let Some(after) = left.checked_sub(piece.len() as u64) else { return this.wrong() };
                    *left = after;
                    if after > 0 || this.rest.is_none() {
                        return Poll::Ready(Some(Ok(Frame::data(piece))));
                    }
                    this.held = Some(piece);
                }
                (None, Some(1..)) => return this.wrong(),
                (None, _) => return Poll::Ready(this.held.take().map(|piece| Ok(Frame::data(piece)))),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_empty() && self.rest.is_none() && self.held.is_none() && matches!(self.left, None | Some(0))
    }

    fn size_hint(&self) -> SizeHint {
        let held = self.held.as_ref().map_or(0, |piece| piece.len() as u64);
        self.left.map_or_else(SizeHint::default, |left| SizeHint::with_exact(left + held))
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    /// The frames of a body that the page sends in these pieces, with this Content-Length.
    async fn sent(pieces: Vec<Vec<u8>>, declared: Option<u64>) -> Result<(Option<u64>, Vec<u8>), (BodyError, usize)> {
        let (sender, receiver) = mpsc::channel(1);
        let page = async move {
            for piece in pieces {
                if sender.send(Piece::Data(piece.into())).await.is_err() {
                    return;
                }
            }
            let _ = sender.send(Piece::End).await;
        };
        let request = async {
            let beginning = begin(receiver, &LargeBodies::default()).await.unwrap();
            let (mut body, _watch) = RequestBody::from_beginning(beginning, declared).map_err(|e| (e, 0))?;
            let length = body.length();
            let mut out = Vec::new();
            while let Some(frame) = body.frame().await {
                match frame {
                    Ok(frame) => out.extend_from_slice(&frame.into_data().unwrap()),
                    Err(error) => return Err((error, out.len())),
                }
            }
            assert!(body.is_end_stream());
            Ok((length, out))
        };
        tokio::join!(page, request).1
    }

    const LIMIT: usize = limits::HTTP_SIZED_BODY;

    #[tokio::test]
    async fn a_body_that_ends_within_its_first_mib_has_its_exact_length() {
        assert_eq!(sent(vec![], Some(9)).await.unwrap(), (Some(0), vec![]));
        assert_eq!(sent(vec![vec![1], vec![2]], Some(9)).await.unwrap(), (Some(2), vec![1, 2]));
        let whole = vec![7; LIMIT];
        assert_eq!(sent(vec![whole.clone()], Some(9)).await.unwrap(), (Some(LIMIT as u64), whole));
    }

    #[tokio::test]
    async fn a_longer_body_has_the_pages_length_or_none() {
        let pieces = vec![vec![7; LIMIT], vec![8]];
        let whole = pieces.concat();
        assert_eq!(sent(pieces.clone(), None).await.unwrap(), (None, whole.clone()));
        let length = Some(whole.len() as u64);
        assert_eq!(sent(pieces, length).await.unwrap(), (length, whole));
    }

    #[tokio::test]
    async fn a_body_with_a_wrong_length_never_looks_complete() {
        let pieces = vec![vec![7; LIMIT], vec![8], vec![9], vec![10]];
        let length = LIMIT as u64 + 3;
        assert!(sent(pieces.clone(), Some(length)).await.is_ok());
        for declared in [0, 5, LIMIT as u64, length - 2, length - 1, length + 1, u64::MAX] {
            let (error, passed) = sent(pieces.clone(), Some(declared)).await.unwrap_err();
            assert_eq!(error, BodyError::Length);
            assert!((passed as u64) < declared.max(1), "{passed} of {declared}");
        }
    }

    #[tokio::test]
    async fn a_page_that_goes_away_leaves_no_complete_body() {
        let (sender, receiver) = mpsc::channel(1);
        sender.send(Piece::Data(Bytes::from_static(b"a"))).await.unwrap();
        drop(sender);
        assert_eq!(begin(receiver, &LargeBodies::default()).await.unwrap_err(), PageGone);

        let (sender, rest) = mpsc::channel(1);
        drop(sender);
        let beginning = Beginning { bytes: Bytes::from_static(b"a"), rest: Some(rest) };
        let (mut body, _watch) = RequestBody::from_beginning(beginning, None).unwrap();
        body.frame().await.unwrap().unwrap();
        assert_eq!(body.frame().await.unwrap().unwrap_err(), PageGone.into());
    }

    /// All of a body of this length, as the page sends it.
    fn body(length: usize) -> mpsc::Receiver<Piece> {
        let (sender, receiver) = mpsc::channel(length / limits::DATA + 2);
        for start in (0..length).step_by(limits::DATA) {
            sender.try_send(Piece::Data(vec![7; limits::DATA.min(length - start)].into())).unwrap();
        }
        sender.try_send(Piece::End).unwrap();
        receiver
    }

    async fn is_waiting<F: Future>(mut future: Pin<&mut F>) -> bool {
        std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_pending())).await
    }

    #[tokio::test]
    async fn only_so_many_large_bodies_are_collected_at_once() {
        const LARGE: usize = 3 * limits::DATA;
        let large = LargeBodies::new(1);
        let beginning = begin(body(LARGE), &large).await.unwrap();
        let mut next = std::pin::pin!(begin(body(LARGE), &large));
        assert!(is_waiting(next.as_mut()).await);
        // Bodies of one DATA frame pass by those that wait.
        assert_eq!(begin(body(limits::DATA), &large).await.unwrap().bytes.len(), limits::DATA);
        assert!(is_waiting(next.as_mut()).await);

        // The turn is over once the server has the whole beginning, not before.
        let (mut request, _watch) = RequestBody::from_beginning(beginning, None).unwrap();
        let mut last = None;
        while let Some(frame) = request.frame().await {
            last = Some(frame.unwrap().into_data().unwrap());
            assert!(is_waiting(next.as_mut()).await);
        }
        drop(last);
        assert_eq!(next.await.unwrap().bytes.len(), LARGE);
    }

    #[tokio::test]
    async fn a_page_that_goes_away_gives_its_turn_back() {
        let large = LargeBodies::new(1);
        let held = begin(body(LIMIT), &large).await.unwrap();
        {
            let mut gives_up = std::pin::pin!(begin(body(LIMIT), &large));
            assert!(is_waiting(gives_up.as_mut()).await);
        }
        let mut next = std::pin::pin!(begin(body(LIMIT), &large));
        assert!(is_waiting(next.as_mut()).await);
        drop(held);
        assert_eq!(next.await.unwrap().bytes.len(), LIMIT);
    }

    #[tokio::test]
    async fn the_watch_tells_when_the_body_is_over() {
        let (body, mut watch) = RequestBody::none();
        drop(body);
        watch.over().await;
        assert!(!watch.wrong_length());
    }
}
