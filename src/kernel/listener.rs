//! Where browsers connect to: loopback, and nothing else.

use std::{
    future::pending,
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::sleep,
};

use super::{Streams, connection, heads::Heads};
use crate::link::Pages;

/// How long no connection is accepted after one could not be: the process is out of file descriptors, say.
const PAUSE: Duration = Duration::from_millis(100);
/// How often a free port is looked for that both addresses have.
const TRIES: usize = 16;

/// Listeners on one port of 127.0.0.1 and, where the machine has it, of [::1]: browsers try either for `*.localhost`.
#[derive(Debug)]
pub struct Listeners {
    port: u16,
    v4: TcpListener,
    v6: Result<TcpListener, io::Error>,
}

impl Listeners {
    /// Listens on this port.
    ///
    /// # Errors
    /// When the port of 127.0.0.1 can't be had. That of [::1] is a bonus, see [`Listeners::missing`].
    pub async fn bind(port: u16) -> io::Result<Self> {
        let v4 = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let port = v4.local_addr()?.port();
        let v6 = TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await;
        Ok(Self { port, v4, v6 })
    }

    /// Listens on a port that is free on both addresses.
    ///
    /// # Errors
    /// When none is found.
    pub async fn bind_free() -> io::Result<Self> {
        for _ in 1..TRIES {
            let listeners = Self::bind(0).await?;
            if listeners.missing().is_none() {
                return Ok(listeners);
            }
        }
        Self::bind(0).await
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Why there is no listener on [::1], on a machine that has the address.
    pub fn missing(&self) -> Option<&io::Error> {
        // A machine without the address says something else.
        let taken =
            |error: &&io::Error| matches!(error.kind(), io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied);
        self.v6.as_ref().err().filter(taken)
    }

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let v6 = async {
            match &self.v6 {
                Ok(listener) => listener.accept().await,
                Err(_) => pending().await,
            }
        };
        tokio::select! {
            accepted = self.v4.accept() => accepted,
            accepted = v6 => accepted,
        }
    }

    /// Carries connections into the pages until it is dropped, which closes them.
    pub(super) async fn serve(self, pages: Pages, streams: Streams) {
        let mut heads = Heads::new(self.port);
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.accept() => match accepted {
                    Ok((socket, _)) => {
                        // Small pieces, such as a WebSocket's, must not wait for each other.
                        if let Err(error) = socket.set_nodelay(true) {
                            tracing::debug!(%error, "a kernel services connection broke");
                        }
                        heads.push(socket);
                    }
                    // That browser has gone already.
                    Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                    Err(error) => {
                        tracing::debug!(%error, "a kernel services connection could not be accepted");
                        heads.drop_oldest();
                        sleep(PAUSE).await;
                    }
                },
                asked = heads.next() => drop(connections.spawn(connection::serve(asked, pages.clone(), streams.clone()))),
                Some(ended) = connections.join_next() => if let Err(error) = ended {
                    tracing::debug!(%error, "a kernel services connection broke");
                },
            }
        }
    }
}
