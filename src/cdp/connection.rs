//! A byte stream to a CDP endpoint: TCP, with TLS for `https` and `wss`. No proxy, whatever the environment says.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use rustls_platform_verifier::BuilderVerifierExt;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream, rustls};
use url::Host;

/// An open connection to an endpoint.
#[derive(Debug)]
pub(super) enum Connection {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection {
    /// Connects to the host and port, and with `secure` shakes hands over TLS with the system's roots.
    pub(super) async fn open(host: &Host, port: u16, secure: bool) -> io::Result<Self> {
        let tcp = match host {
            Host::Domain(name) => TcpStream::connect((name.as_str(), port)).await?,
            Host::Ipv4(address) => TcpStream::connect((*address, port)).await?,
            Host::Ipv6(address) => TcpStream::connect((*address, port)).await?,
        };
        tcp.set_nodelay(true)?;
        if !secure {
            return Ok(Self::Plain(tcp));
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(BuilderVerifierExt::with_platform_verifier)
            .map_err(io::Error::other)?
            .with_no_client_auth();
        let name = match host {
            Host::Domain(name) => rustls::pki_types::ServerName::try_from(name.clone()).map_err(io::Error::other)?,
            Host::Ipv4(address) => std::net::IpAddr::from(*address).into(),
            Host::Ipv6(address) => std::net::IpAddr::from(*address).into(),
        };
        let tls = TlsConnector::from(Arc::new(config)).connect(name, tcp).await?;
        Ok(Self::Tls(Box::new(tls)))
    }
}

impl AsyncRead for Connection {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
