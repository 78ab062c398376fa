//! The socket under a request. It remembers how it failed, since HTTP and TLS errors don't tell, and it lets an answer be
//! read after the server has stopped reading the request.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

/// How a connection failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Trouble {
    /// It hasn't.
    None,
    /// The server closed it.
    Closed,
    /// Some other error.
    Other,
    /// The system gave up on the peer.
    TimedOut,
    /// The peer reset it.
    Reset,
}

/// The worst that has happened to a connection so far.
#[derive(Debug, Clone, Default)]
pub struct Record(Arc<AtomicU8>);

impl Record {
    /// What it is.
    pub fn trouble(&self) -> Trouble {
        let value = self.0.load(Ordering::Relaxed);
        [Trouble::Reset, Trouble::TimedOut, Trouble::Other, Trouble::Closed]
            .into_iter()
            .find(|trouble| *trouble as u8 == value)
            .unwrap_or(Trouble::None)
    }

    fn note(&self, trouble: Trouble) {
        self.0.fetch_max(trouble as u8, Ordering::Relaxed);
    }

    fn note_error(&self, error: &io::Error) {
        self.note(match error.kind() {
            io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe => {
                Trouble::Reset
            }
            io::ErrorKind::TimedOut => Trouble::TimedOut,
            _ => Trouble::Other,
        });
    }
}

/// A TCP connection to a server.
///
/// A server may answer and close without reading the whole request. Writing then fails, but the answer is still there to
/// be read. So after a failed write, what is written is dropped, and reading decides how the request ends.
#[derive(Debug)]
pub struct Wire {
    socket: TcpStream,
    record: Record,
    deaf: bool,
}

impl Wire {
    /// Wraps a connected socket.
    pub fn new(socket: TcpStream, record: Record) -> Self {
        Self { socket, record, deaf: false }
    }

    fn forgive(&mut self, written: io::Result<usize>, wanted: usize) -> io::Result<usize> {
        written.or_else(|error| {
            self.record.note_error(&error);
            self.deaf = true;
            Ok(wanted)
        })
    }
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = out.filled().len();
        let room = out.remaining() > 0;
        let read = ready!(Pin::new(&mut self.socket).poll_read(cx, out));
        match &read {
            Ok(()) if room && out.filled().len() == before => self.record.note(Trouble::Closed),
            Ok(()) => {}
            Err(error) => self.record.note_error(error),
        }
        Poll::Ready(read)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        if self.deaf {
            return Poll::Ready(Ok(data.len()));
        }
        let written = ready!(Pin::new(&mut self.socket).poll_write(cx, data));
        Poll::Ready(self.forgive(written, data.len()))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wanted = data.iter().map(|slice| slice.len()).sum();
        if self.deaf {
            return Poll::Ready(Ok(wanted));
        }
        let written = ready!(Pin::new(&mut self.socket).poll_write_vectored(cx, data));
        Poll::Ready(self.forgive(written, wanted))
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.deaf { Poll::Ready(Ok(())) } else { Pin::new(&mut self.socket).poll_flush(cx) }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.deaf { Poll::Ready(Ok(())) } else { Pin::new(&mut self.socket).poll_shutdown(cx) }
    }
}
