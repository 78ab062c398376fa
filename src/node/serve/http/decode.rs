//! Undoing content codings. Section "Link", http: decoding.
//!
//! Every coding is undone as a stream: memory is bounded by the number of codings ([`limits::HTTP_CODINGS`]), whatever
//! the body expands to. A body must be exactly its coding: one that breaks off, is corrupt, or goes on after its end is an
//! error, since a page couldn't tell it from a complete one. gzip may have several members, as gzip files do. A body
//! without a single byte stays empty, as servers send it under any Content-Encoding.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use async_compression::tokio::bufread::{BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder};
use bytes::{Buf, Bytes};
use hyper::body::Body;
use tokio::{
    io::{AsyncBufRead, AsyncRead, ReadBuf},
    task::coop,
};

use crate::generated::link::limits;

/// Bytes that a decoder gives at once.
const BUFFER: usize = 32 * 1024;

/// A coding that the node undoes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// gzip or x-gzip.
    Gzip,
    /// deflate: zlib, or raw under the same name.
    Deflate,
    /// br.
    Brotli,
}

/// What is done with a body, by its Content-Encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Plan {
    /// Passed on as it came, with its headers: there is no coding, or one that the node doesn't know.
    AsItCame,
    /// Nothing to undo, but the header goes: identity alone.
    Identity,
    /// Codings to undo, in the order in which that is done.
    Undo(Vec<Coding>),
    /// More codings than the node undoes.
    TooMany,
}

/// Reads the values of Content-Encoding.
pub fn plan<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Plan {
    let mut codings = Vec::new();
    let mut identity = false;
    let listed = values.into_iter().flat_map(|value| value.split(|&byte| byte == b',')).map(<[u8]>::trim_ascii);
    for coding in listed.filter(|coding| !coding.is_empty()) {
        match coding.to_ascii_lowercase().as_slice() {
            b"gzip" | b"x-gzip" => codings.push(Coding::Gzip),
            b"deflate" => codings.push(Coding::Deflate),
            b"br" => codings.push(Coding::Brotli),
            b"identity" => identity = true,
            _ => return Plan::AsItCame,
        }
    }
    if codings.len() > limits::HTTP_CODINGS {
        return Plan::TooMany;
    }
    codings.reverse();
    match (codings.is_empty(), identity) {
        (false, _) => Plan::Undo(codings),
        (true, true) => Plan::Identity,
        (true, false) => Plan::AsItCame,
    }
}

/// A body with its codings undone, in the order given.
pub fn undo(body: impl AsyncBufRead + Send + Unpin + 'static, codings: &[Coding]) -> Source {
    codings.iter().fold(Box::new(body), |inner, &coding| Box::new(Layer::new(coding, inner)))
}

/// Where bytes of a body come from.
pub type Source = Box<dyn AsyncBufRead + Send + Unpin>;

/// Reads an HTTP body's data. Trailers are skipped.
#[derive(Debug)]
pub struct BodySource<B> {
    body: B,
    chunk: Bytes,
}

impl<B> BodySource<B> {
    /// Reads this body.
    pub const fn new(body: B) -> Self {
        Self { body, chunk: Bytes::new() }
    }
}

impl<B> AsyncBufRead for BodySource<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        while this.chunk.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_frame(cx)) {
                Some(Ok(frame)) => this.chunk = frame.into_data().unwrap_or_default(),
                Some(Err(error)) => return Poll::Ready(Err(io::Error::other(error))),
                None => break,
            }
        }
        Poll::Ready(Ok(&this.chunk))
    }

    fn consume(self: Pin<&mut Self>, amount: usize) {
        self.get_mut().chunk.advance(amount);
    }
}

impl<B> AsyncRead for BodySource<B>
where
    Self: AsyncBufRead,
{
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        copy_buffered(self, cx, out)
    }
}

/// One coding being undone, with a buffer for what comes out.
struct Layer {
    state: State,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
}

enum State {
    /// Nothing was read yet, so it is open whether the body is empty and what kind of deflate it is.
    Start(Coding, Source),
    Gzip(GzipDecoder<Source>),
    Zlib(ZlibDecoder<Source>),
    Deflate(DeflateDecoder<Source>),
    Brotli(BrotliDecoder<Source>),
    /// The decoder is done, and what it read from should be too.
    Ending(Source),
    Ended,
}

impl State {
    /// The decoder for a body that begins with this byte.
    ///
    /// zlib's first byte has 8 in its low half. In raw deflate those four bits say "stored, not the last block", with a
    /// set bit in the padding, which encoders leave at zero.
    fn decoder(coding: Coding, first: u8, source: Source) -> Self {
        match coding {
            Coding::Gzip => {
                let mut decoder = GzipDecoder::new(source);
                decoder.multiple_members(true);
                Self::Gzip(decoder)
            }
            Coding::Deflate if first & 0x0F == 8 => Self::Zlib(ZlibDecoder::new(source)),
            Coding::Deflate => Self::Deflate(DeflateDecoder::new(source)),
            Coding::Brotli => Self::Brotli(BrotliDecoder::new(source)),
        }
    }

    fn into_source(self) -> Option<Source> {
        match self {
            Self::Start(_, source) | Self::Ending(source) => Some(source),
            Self::Gzip(decoder) => Some(decoder.into_inner()),
            Self::Zlib(decoder) => Some(decoder.into_inner()),
            Self::Deflate(decoder) => Some(decoder.into_inner()),
            Self::Brotli(decoder) => Some(decoder.into_inner()),
            Self::Ended => None,
        }
    }
}

impl Layer {
    fn new(coding: Coding, source: Source) -> Self {
        Self { state: State::Start(coding, source), buffer: vec![0; BUFFER].into(), start: 0, end: 0 }
    }

    fn take(&mut self) -> State {
        std::mem::replace(&mut self.state, State::Ended)
    }

    /// Fills the empty buffer; leaves it empty at the end.
    fn poll_refill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut out = ReadBuf::new(&mut self.buffer);
            match &mut self.state {
                State::Start(_, source) => {
                    let first = ready!(Pin::new(source).poll_fill_buf(cx))?.first().copied();
                    if let (State::Start(coding, source), Some(first)) = (self.take(), first) {
                        self.state = State::decoder(coding, first, source);
                    }
                    continue;
                }
                State::Gzip(decoder) => ready!(Pin::new(decoder).poll_read(cx, &mut out))?,
                State::Zlib(decoder) => ready!(Pin::new(decoder).poll_read(cx, &mut out))?,
                State::Deflate(decoder) => ready!(Pin::new(decoder).poll_read(cx, &mut out))?,
                State::Brotli(decoder) => ready!(Pin::new(decoder).poll_read(cx, &mut out))?,
                State::Ending(source) => {
                    if !ready!(Pin::new(source).poll_fill_buf(cx))?.is_empty() {
                        return Poll::Ready(Err(io::Error::new(
                            io::ErrorKind::InvalidData,
                            "the body goes on after the end of its coding",
                        )));
                    }
                    self.state = State::Ended;
                    return Poll::Ready(Ok(()));
                }
                State::Ended => return Poll::Ready(Ok(())),
            }
            (self.start, self.end) = (0, out.filled().len());
            if self.end > 0 {
                return Poll::Ready(Ok(()));
            }
            if let Some(source) = self.take().into_source() {
                self.state = State::Ending(source);
            }
        }
    }
}

impl AsyncBufRead for Layer {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        if this.start == this.end {
            // A stacked body can keep an outer decoder busy for hours without a byte coming out. Yielding keeps the rest
            // of the process alive and lets the page cancel.
            let progress = ready!(coop::poll_proceed(cx));
            ready!(this.poll_refill(cx))?;
            progress.made_progress();
        }
        Poll::Ready(Ok(&this.buffer[this.start..this.end]))
    }

    fn consume(self: Pin<&mut Self>, amount: usize) {
        let this = self.get_mut();
        this.start = (this.start + amount).min(this.end);
    }
}

impl AsyncRead for Layer {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        copy_buffered(self, cx, out)
    }
}

fn copy_buffered<S: AsyncBufRead + ?Sized>(
    mut source: Pin<&mut S>,
    cx: &mut Context<'_>,
    out: &mut ReadBuf<'_>,
) -> Poll<io::Result<()>> {
    let bytes = ready!(source.as_mut().poll_fill_buf(cx))?;
    let amount = bytes.len().min(out.remaining());
    out.put_slice(&bytes[..amount]);
    source.consume(amount);
    Poll::Ready(Ok(()))
}

#[cfg(test)]
mod tests {
    use async_compression::tokio::bufread::{BrotliEncoder, DeflateEncoder, GzipEncoder, ZlibEncoder};
    use proptest::prelude::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};

    use super::*;

    const TEXT: &[u8] = b"a page reads this, a page reads this, and a page reads this once more";

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    fn read(source: impl AsyncRead + Unpin) -> io::Result<Vec<u8>> {
        let mut source = source;
        let mut out = Vec::new();
        run(source.read_to_end(&mut out)).map(|_| out)
    }

    fn gzip(data: &[u8]) -> Vec<u8> {
        read(GzipEncoder::new(data)).unwrap()
    }

    fn zlib(data: &[u8]) -> Vec<u8> {
        read(ZlibEncoder::new(data)).unwrap()
    }

    fn raw(data: &[u8]) -> Vec<u8> {
        read(DeflateEncoder::new(data)).unwrap()
    }

    fn brotli(data: &[u8]) -> Vec<u8> {
        read(BrotliEncoder::new(data)).unwrap()
    }

    fn undone(body: &[u8], encoding: &str) -> io::Result<Vec<u8>> {
        let Plan::Undo(codings) = plan([encoding.as_bytes()]) else { panic!("nothing to undo in {encoding}") };
        read(undo(io::Cursor::new(body.to_vec()), &codings))
    }

    #[test]
    fn each_coding_is_undone() {
        assert_eq!(undone(&gzip(TEXT), "gzip").unwrap(), TEXT);
        assert_eq!(undone(&gzip(TEXT), "X-GZip").unwrap(), TEXT);
        assert_eq!(undone(&zlib(TEXT), "deflate").unwrap(), TEXT);
        assert_eq!(undone(&raw(TEXT), "deflate").unwrap(), TEXT);
        assert_eq!(undone(&brotli(TEXT), "br").unwrap(), TEXT);
    }

    #[test]
    fn stacked_codings_are_undone_from_the_last_listed() {
        assert_eq!(plan([&b"gzip, br"[..]]), Plan::Undo(vec![Coding::Brotli, Coding::Gzip]));
        assert_eq!(undone(&brotli(&gzip(TEXT)), "gzip, br").unwrap(), TEXT);
        assert_eq!(undone(&gzip(&brotli(TEXT)), "br , identity,,\tGZIP").unwrap(), TEXT);
        assert_eq!(undone(&raw(&zlib(&gzip(TEXT))), "gzip,deflate,deflate").unwrap(), TEXT);
        assert!(undone(&brotli(&gzip(TEXT)), "br, gzip").is_err());
    }

    #[test]
    fn codings_in_several_headers_are_one_list() {
        assert_eq!(plan([&b"gzip"[..], b"deflate"]), Plan::Undo(vec![Coding::Deflate, Coding::Gzip]));
        assert_eq!(plan([&b"gzip"[..], b"zstd"]), Plan::AsItCame);
    }

    #[test]
    fn identity_is_ignored_and_dropped_alone() {
        assert_eq!(plan([&b"identity"[..]]), Plan::Identity);
        assert_eq!(plan([&b"Identity, identity"[..]]), Plan::Identity);
        assert_eq!(plan([&b"identity, gzip"[..]]), Plan::Undo(vec![Coding::Gzip]));
    }

    #[test]
    fn an_unknown_coding_anywhere_passes_the_list_on() {
        for list in ["zstd", "gzip, zstd", "compress, br", "gzip;q=1", "gz ip", "\u{e9}", "gzip identity"] {
            assert_eq!(plan([list.as_bytes()]), Plan::AsItCame, "{list}");
        }
        assert_eq!(plan([]), Plan::AsItCame);
        assert_eq!(plan([&b""[..]]), Plan::AsItCame);
        assert_eq!(plan([&b" , "[..]]), Plan::AsItCame);
    }

    #[test]
    fn a_list_of_very_many_codings_is_refused() {
        let list = ["gzip"; limits::HTTP_CODINGS + 1].join(",");
        assert_eq!(plan([list.as_bytes()]), Plan::TooMany);
        assert!(matches!(plan([&list.as_bytes()[5..]]), Plan::Undo(_)));
    }

    #[test]
    fn a_body_that_breaks_off_is_an_error_wherever_it_does() {
        for (body, coding) in
            [(gzip(TEXT), "gzip"), (zlib(TEXT), "deflate"), (raw(TEXT), "deflate"), (brotli(TEXT), "br")]
        {
            for length in 1..body.len() {
                assert!(undone(&body[..length], coding).is_err(), "{coding} cut at {length} of {}", body.len());
            }
        }
        let stacked = gzip(&gzip(TEXT)[..30]);
        assert!(undone(&stacked, "gzip, gzip").is_err());
    }

    #[test]
    fn a_corrupt_checksum_is_an_error() {
        for (mut body, coding) in [(gzip(TEXT), "gzip"), (zlib(TEXT), "deflate")] {
            let at = body.len() - if coding == "gzip" { 5 } else { 1 };
            body[at] ^= 1;
            assert!(undone(&body, coding).is_err(), "{coding}");
        }
    }

    #[test]
    fn bytes_after_the_end_of_a_coding_are_an_error() {
        for (mut body, coding) in
            [(gzip(TEXT), "gzip"), (zlib(TEXT), "deflate"), (raw(TEXT), "deflate"), (brotli(TEXT), "br")]
        {
            body.extend_from_slice(b"more");
            assert!(undone(&body, coding).is_err(), "{coding}");
        }
    }

    #[test]
    fn gzip_may_have_several_members() {
        let body = [gzip(TEXT), gzip(b""), gzip(b"!")].concat();
        assert_eq!(undone(&body, "gzip").unwrap(), [TEXT, b"!"].concat());
    }

    #[test]
    fn an_empty_body_stays_empty_under_every_coding() {
        for coding in ["gzip", "deflate", "br", "gzip, br", "br, deflate, gzip"] {
            assert_eq!(undone(b"", coding).unwrap(), b"", "{coding}");
        }
        for (body, coding) in [(gzip(b""), "gzip"), (zlib(b""), "deflate"), (raw(b""), "deflate"), (brotli(b""), "br")]
        {
            assert_eq!(undone(&body, coding).unwrap(), b"", "{coding}");
        }
    }

    #[test]
    fn a_flushed_piece_comes_out_before_the_next_is_there() {
        macro_rules! check {
            ($encoder:ident, $coding:expr) => {
                run(async {
                    let (far, near) = tokio::io::duplex(64 * 1024);
                    let mut encoder = async_compression::tokio::write::$encoder::new(far);
                    let mut body = undo(BufReader::new(near), &[$coding]);
                    encoder.write_all(b"first").await.unwrap();
                    encoder.flush().await.unwrap();
                    let mut out = [0; 5];
                    body.read_exact(&mut out).await.unwrap();
                    assert_eq!(&out, b"first");
                    encoder.write_all(b"rest").await.unwrap();
                    encoder.shutdown().await.unwrap();
                    drop(encoder);
                    let mut rest = Vec::new();
                    body.read_to_end(&mut rest).await.unwrap();
                    assert_eq!(rest, b"rest");
                });
            };
        }
        check!(GzipEncoder, Coding::Gzip);
        check!(ZlibEncoder, Coding::Deflate);
        check!(DeflateEncoder, Coding::Deflate);
        check!(BrotliEncoder, Coding::Brotli);
    }

    #[test]
    fn a_body_that_keeps_decoders_busy_without_output_can_be_cancelled() {
        // gzip of empty stored blocks: the inner layer gives bytes without end, the outer one never does.
        let mut empty_blocks = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
        empty_blocks.extend([0, 0, 0, 0xff, 0xff].repeat(4_000_000));
        let body = gzip(&empty_blocks);
        run(async {
            let mut source = undo(io::Cursor::new(body), &[Coding::Gzip, Coding::Gzip]);
            let mut out = [0; 1];
            tokio::select! {
                biased;
                _ = source.read(&mut out) => panic!("it ran to its end before anything else could"),
                () = tokio::task::yield_now() => {}
            }
        });
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(
            data in prop::collection::vec(any::<u8>(), 0..5_000),
            codings in prop::collection::vec(0usize..4, 1..=5),
        ) {
            let (mut body, mut list) = (data.clone(), Vec::new());
            for coding in codings {
                let (encoded, name) = match coding {
                    0 => (gzip(&body), "gzip"),
                    1 => (zlib(&body), "deflate"),
                    2 => (raw(&body), "deflate"),
                    _ => (brotli(&body), "br"),
                };
                body = encoded;
                list.push(name);
            }
            prop_assert_eq!(undone(&body, &list.join(", ")).unwrap(), data);
        }

        #[test]
        fn any_bytes_end_or_fail(
            body in prop::collection::vec(any::<u8>(), 0..300),
            list in "(gzip|deflate|br)(, (gzip|deflate|br)){0,2}",
        ) {
            let _ = undone(&body, &list);
        }

        #[test]
        fn any_list_gets_a_plan(list in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = plan([list.as_slice()]);
        }
    }
}
