//! `tcp` streams: a TCP connection for the page (section "Link", "tcp" of the requirement).

use std::io;

use tokio::net::TcpStream;

use crate::{
    generated::link::{ErrorCode, TcpOpen, TcpOpened, timeouts},
    link::{Stream, relay},
    policy::Dialer,
};

/// Serves one stream: dials through the policy, answers OPENED or RESET, then carries bytes until both sides have ended.
pub async fn serve(open: TcpOpen, mut stream: Stream, dialer: &Dialer) {
    let dialled = tokio::select! {
        biased;
        // Nothing may come before OPENED, so this is the page's RESET: nobody waits for the connection any more.
        _ = stream.recv() => return,
        dialled = dialer.connect(&open.host, open.port, timeouts::TCP_DIAL) => dialled,
    };
    let socket = match dialled {
        Ok(socket) => socket,
        Err(error) => return stream.reset(error.code(), &error.to_string()),
    };
    match opened(&socket).and_then(|opened| stream.accept(&opened)) {
        Ok(()) => relay(socket, stream).await,
        // A connection without addresses is one that broke already.
        Err(error) => {
            tracing::debug!(%error, "a tcp stream's socket failed before OPENED");
            stream.reset(ErrorCode::Econnreset, "the connection broke");
        }
    }
}

fn opened(socket: &TcpStream) -> io::Result<TcpOpened> {
    Ok(TcpOpened { local_addr: socket.local_addr()?.to_string(), remote_addr: socket.peer_addr()?.to_string() })
}
