//! TLS for what a page asks for: verified by the roots that this system trusts. Section "Link", http: upstream, and ws: dial.

use std::{error::Error, sync::Arc};

use rustls::{CertificateError, ClientConfig, Error as TlsError, client::Resumption, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::sync::OnceCell;

use super::error::FetchError;

/// The protocols that are offered for a request, best first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The one protocol that a WebSocket's handshake can go over.
const HTTP1: &[u8] = b"http/1.1";

/// The TLS settings of a client. The system's roots are read when the first connection needs them, and again as long as
/// that fails.
#[derive(Debug, Default)]
pub struct Tls {
    configs: OnceCell<Configs>,
}

#[derive(Debug)]
struct Configs {
    ordinary: Arc<ClientConfig>,
    credentialed: Arc<ClientConfig>,
    web_socket: Arc<ClientConfig>,
}

impl Configs {
    fn new(mut config: ClientConfig) -> Self {
        let mut web_socket = config.clone();
        web_socket.alpn_protocols = vec![HTTP1.to_vec()];
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        let mut credentialed = config.clone();
        // A credentialed request leaves nothing behind that a later one could be linked by.
        credentialed.resumption = Resumption::disabled();
        Self { ordinary: Arc::new(config), credentialed: Arc::new(credentialed), web_socket: Arc::new(web_socket) }
    }
}

impl Tls {
    /// Verifies by the system's roots.
    pub fn system() -> Self {
        Self::default()
    }

    /// Verifies as `config` does; its ALPN list is replaced. For servers that no system trusts, such as a test's.
    pub fn with_config(config: ClientConfig) -> Self {
        Self { configs: OnceCell::new_with(Some(Configs::new(config))) }
    }

    /// The settings of a request's connection.
    pub async fn config(&self, credentialed: bool) -> Result<Arc<ClientConfig>, FetchError> {
        let configs = self.configs.get_or_try_init(load).await?;
        Ok(if credentialed { configs.credentialed.clone() } else { configs.ordinary.clone() })
    }

    /// The settings of a WebSocket's connection.
    pub async fn web_socket(&self) -> Result<Arc<ClientConfig>, FetchError> {
        Ok(self.configs.get_or_try_init(load).await?.web_socket.clone())
    }
}

/// Reads the system's roots, which takes files and time.
async fn load() -> Result<Configs, FetchError> {
    let loaded = tokio::task::spawn_blocking(|| {
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions()?.with_platform_verifier()?;
        Ok::<_, rustls::Error>(builder.with_no_client_auth())
    });
    match loaded.await {
        Ok(Ok(config)) => Ok(Configs::new(config)),
        Ok(Err(_)) | Err(_) => Err(FetchError::other("this system has no certificates to trust")),
    }
}

/// A TLS failure, as the page may know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    reason: &'static str,
    certificate: bool,
}

impl Failure {
    /// What failed, in words of ours: a certificate or a server may hold any text.
    pub const fn reason(self) -> &'static str {
        self.reason
    }

    /// Whether it is about the server's certificate.
    pub const fn is_certificate(self) -> bool {
        self.certificate
    }

    fn of(error: &TlsError) -> Self {
        Self { reason: tls_reason(error), certificate: matches!(error, TlsError::InvalidCertificate(_)) }
    }
}

/// The TLS failure behind an error, if there is one. An I/O error's inner error is looked into too.
pub fn failure(error: &(dyn Error + 'static)) -> Option<Failure> {
    let mut next = Some(error);
    while let Some(error) = next {
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        let found = error.downcast_ref::<TlsError>().or_else(|| inner.and_then(|inner| inner.downcast_ref()));
        if found.is_some() {
            return found.map(Failure::of);
        }
        next = error.source();
    }
    None
}

fn tls_reason(error: &TlsError) -> &'static str {
    match error {
        TlsError::InvalidCertificate(certificate) => match certificate {
            CertificateError::UnknownIssuer => "this system doesn't trust who issued the server's certificate",
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the server's certificate has expired"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the server's certificate isn't valid yet"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "the server's certificate is for another name"
            }
            CertificateError::Revoked => "the server's certificate was revoked",
            _ => "the server's certificate isn't valid",
        },
        TlsError::AlertReceived(_) => "the server refused the TLS connection",
        TlsError::PeerIncompatible(_) | TlsError::NoApplicationProtocol => {
            "the server speaks no version of TLS and HTTP that slicc does"
        }
        TlsError::InvalidMessage(_) => "the server doesn't speak TLS on this port",
        _ => "the TLS handshake failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_that_lists_names_does_not_get_them_into_a_reason() {
        let error = TlsError::InvalidCertificate(CertificateError::NotValidForNameContext {
            expected: "a.example".try_into().unwrap(),
            presented: vec!["hunter2.example".into(); 1000],
        });
        assert_eq!(tls_reason(&error), "the server's certificate is for another name");
    }
}
