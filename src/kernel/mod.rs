//! Kernel services: `http://<port>.kernel.localhost/` in this machine's browsers reaches the servers of the page's kernel
//! (section "Kernel services" of the requirement).

pub mod answer;
mod connection;
pub mod gate;
mod heads;
mod listener;
#[cfg(test)]
mod tests;

use std::{fmt, io, sync::Arc};

pub use listener::Listeners;

use crate::{
    generated::link::Cap,
    link::{LinkedPage, Pages},
};

/// The local port without --kernel-port.
pub const DEFAULT_PORT: u16 = 80;

/// Where kernel services listen.
#[derive(Debug)]
pub enum Place {
    /// On this port, from when the first page that offers its kernel is linked.
    Port(u16),
    /// On a port that is listened on already.
    Listening(Listeners),
}

/// Is told of each stream into a page: `true` when it opens, and `false` when it is over. It must return quickly.
pub type Streams = Arc<dyn Fn(bool) + Send + Sync>;

/// What kernel services tell the user.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// They are there.
    On {
        /// The local port.
        port: u16,
    },
    /// There are none: the port can't be had.
    Off {
        /// The local port.
        port: u16,
        /// What the system said.
        reason: String,
    },
    /// They are there on 127.0.0.1 alone, though the machine has [::1].
    OnIpv4Alone {
        /// The local port.
        port: u16,
        /// What the system said of [::1].
        reason: String,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::On { port: DEFAULT_PORT } => f.write_str("kernel services are at http://<port>.kernel.localhost/"),
            Self::On { port } => write!(f, "kernel services are at http://<port>.kernel.localhost:{port}/"),
            Self::Off { port, reason } => {
                write!(f, "kernel services are off: cannot listen on 127.0.0.1:{port} ({reason}); try --kernel-port")
            }
            Self::OnIpv4Alone { port, reason } => write!(
                f,
                "kernel services may not be reached by every browser: cannot listen on [::1]:{port} ({reason}); try \
                 --kernel-port"
            ),
        }
    }
}

impl Place {
    /// The local port.
    pub fn port(&self) -> u16 {
        match self {
            Self::Port(port) => *port,
            Self::Listening(listeners) => listeners.port(),
        }
    }
}

/// Runs kernel services for these pages until it is dropped. It tries to listen once, when the first page that offers its
/// kernel is linked, and ends when that fails.
pub async fn run(place: Place, pages: Pages, streams: Streams, notify: impl Fn(Notice)) {
    let offers = |page: &LinkedPage| page.hello().offers(Cap::KernelIn);
    // The list is there as long as `pages` is.
    if pages.subscribe().wait_for(|list| list.iter().any(offers)).await.is_err() {
        return;
    }
    let port = place.port();
    let listeners = match place {
        Place::Port(port) => Listeners::bind(port).await,
        Place::Listening(listeners) => Ok(listeners),
    };
    match listeners {
        Ok(listeners) => {
            notify(Notice::On { port });
            if let Some(error) = listeners.missing() {
                notify(Notice::OnIpv4Alone { port, reason: reason(error) });
            }
            listeners.serve(pages, streams).await;
        }
        Err(error) => notify(Notice::Off { port, reason: reason(&error) }),
    }
}

/// What the system said, without its number for it.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
