//! A UDP socket as the stack reads it: many datagrams in one system call, handed over a few at a time.

use std::{
    io::{self, IoSliceMut},
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use webrtc::runtime::{AsyncUdpSocket, RecvMeta, Transmit};

use super::runtime::Arrivals;

/// Messages that one system call reads at most.
const BATCH: usize = 16;
/// Messages after which the stack is to think that there are no more, for once.
///
/// It acknowledges what it got when it has read all there is. A browser sends at most four packets for each acknowledgement,
/// so one for a long batch would leave it waiting most of the time: with one for every four, a page sends twice as fast,
/// and the node needs half of the time for each byte, since it seldom has to be woken.
const TURN: usize = 4;

/// A socket that tells when packets arrive.
#[derive(Debug)]
pub(super) struct Socket {
    inner: Arc<dyn AsyncUdpSocket>,
    arrivals: Arc<Arrivals>,
    batch: Mutex<Batch>,
}

/// What one system call read, and how much of it the stack has.
#[derive(Debug, Default)]
struct Batch {
    /// Room for [`BATCH`] messages of the length that the stack has room for. Only what arrives takes memory.
    bytes: Vec<u8>,
    /// The room for each message.
    room: usize,
    meta: [RecvMeta; BATCH],
    filled: usize,
    taken: usize,
    /// Messages handed over since the stack last found nothing.
    turn: usize,
}

impl Batch {
    /// Reads what there is.
    fn fill(&mut self, cx: &mut Context<'_>, socket: &dyn AsyncUdpSocket, room: usize) -> Poll<io::Result<()>> {
        (self.filled, self.taken) = (0, 0);
        if self.room != room {
            (self.bytes, self.room) = (vec![0; room * BATCH], room);
        }
        let mut messages = self.bytes.chunks_exact_mut(room).map(IoSliceMut::new);
        let mut messages: [IoSliceMut<'_>; BATCH] =
            std::array::from_fn(|_| messages.next().unwrap_or_else(|| IoSliceMut::new(&mut [])));
        self.filled = ready!(socket.poll_recv(cx, &mut messages, &mut self.meta))?.min(BATCH);
        Poll::Ready(Ok(()))
    }

    /// The next message. `buffer` has the room that it was read with.
    fn take(&mut self, buffer: &mut [u8]) -> Option<RecvMeta> {
        let meta = self.meta[..self.filled].get(self.taken).copied()?;
        let start = self.taken * self.room;
        let length = meta.len.min(self.room).min(buffer.len());
        buffer[..length].copy_from_slice(&self.bytes[start..start + length]);
        self.taken += 1;
        self.turn += 1;
        Some(meta)
    }
}

impl Socket {
    /// Reads from and writes to `inner`.
    pub(super) fn new(inner: Arc<dyn AsyncUdpSocket>, arrivals: Arc<Arrivals>) -> Self {
        Self { inner, arrivals, batch: Mutex::default() }
    }
}

impl AsyncUdpSocket for Socket {
    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }

    fn poll_send(&self, cx: &mut Context<'_>, transmit: &Transmit<'_>) -> Poll<io::Result<usize>> {
        self.inner.poll_send(cx, transmit)
    }

    fn poll_recv(
        &self,
        cx: &mut Context<'_>,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let (Some(buffer), Some(meta)) = (buffers.first_mut(), meta.first_mut()) else { return Poll::Ready(Ok(0)) };
        let mut batch = self.batch.lock().unwrap_or_else(PoisonError::into_inner);
        if batch.turn >= TURN {
            batch.turn = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if batch.taken == batch.filled {
            let Poll::Ready(filled) = batch.fill(cx, &*self.inner, buffer.len()) else {
                batch.turn = 0;
                return Poll::Pending;
            };
            filled?;
            self.arrivals.arrived();
        }
        let Some(message) = batch.take(buffer) else { return Poll::Ready(Ok(0)) };
        *meta = message;
        Poll::Ready(Ok(1))
    }

    fn max_gso_segments(&self) -> usize {
        self.inner.max_gso_segments()
    }

    fn max_gro_segments(&self) -> usize {
        self.inner.max_gro_segments()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::VecDeque, task::Waker};

    use super::*;

    /// A socket with messages at hand: each is a byte, so many times.
    #[derive(Debug, Default)]
    struct Scripted(Mutex<VecDeque<(u8, usize)>>);

    impl AsyncUdpSocket for Scripted {
        fn local_addr(&self) -> io::Result<SocketAddr> {
            Ok(([127, 0, 0, 1], 9).into())
        }

        fn poll_send(&self, _: &mut Context<'_>, _: &Transmit<'_>) -> Poll<io::Result<usize>> {
            Poll::Pending
        }

        fn poll_recv(
            &self,
            _: &mut Context<'_>,
            buffers: &mut [IoSliceMut<'_>],
            meta: &mut [RecvMeta],
        ) -> Poll<io::Result<usize>> {
            let mut messages = self.0.lock().unwrap();
            let count = messages.len().min(buffers.len());
            for (n, (byte, length)) in messages.drain(..count).enumerate() {
                buffers[n][..length].fill(byte);
                meta[n] = RecvMeta::default();
                (meta[n].len, meta[n].stride) = (length, length);
            }
            if count == 0 { Poll::Pending } else { Poll::Ready(Ok(count)) }
        }
    }

    /// What the stack reads until it finds nothing: the messages, and whether the socket has more.
    fn turn(socket: &Socket) -> Vec<Vec<u8>> {
        let mut cx = Context::from_waker(Waker::noop());
        let mut read = Vec::new();
        loop {
            let (mut bytes, mut meta) = ([0; 64], [RecvMeta::default()]);
            match socket.poll_recv(&mut cx, &mut [IoSliceMut::new(&mut bytes)], &mut meta) {
                Poll::Ready(count) => {
                    assert_eq!(count.unwrap(), 1);
                    read.push(bytes[..meta[0].len].to_vec());
                }
                Poll::Pending => return read,
            }
        }
    }

    fn socket(messages: u8) -> (Socket, Arc<Arrivals>) {
        let inner = Scripted(Mutex::new((0..messages).map(|n| (n, usize::from(n) % 64)).collect()));
        let arrivals: Arc<Arrivals> = Arc::default();
        (Socket::new(Arc::new(inner), Arc::clone(&arrivals)), arrivals)
    }

    #[test]
    fn every_message_is_handed_over_once_and_in_order() {
        let (socket, _) = socket(100);
        let mut read = Vec::new();
        loop {
            let messages = turn(&socket);
            if messages.is_empty() {
                break;
            }
            read.extend(messages);
        }
        let expected: Vec<_> = (0..100u8).map(|n| vec![n; usize::from(n) % 64]).collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn the_stack_gets_to_acknowledge_after_a_few_messages() {
        let (socket, _) = socket(9);
        let turns: Vec<_> = (0..4).map(|_| turn(&socket).len()).collect();
        assert_eq!(turns, [TURN, TURN, 1, 0]);
    }

    #[test]
    fn a_system_call_is_one_arrival() {
        let (socket, arrivals) = socket(20);
        while !turn(&socket).is_empty() {}
        assert_eq!(arrivals.count(), 2);
    }
}
