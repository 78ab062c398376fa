//! TLS for what a page asks for: verified by the roots that this system trusts. Section "Link", http: upstream.

use std::sync::Arc;

use rustls::{ClientConfig, client::Resumption, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::sync::OnceCell;

use super::error::FetchError;

/// The protocols that are offered, best first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

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
}

impl Configs {
    fn new(mut config: ClientConfig) -> Self {
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        let mut credentialed = config.clone();
        // A credentialed request leaves nothing behind that a later one could be linked by.
        credentialed.resumption = Resumption::disabled();
        Self { ordinary: Arc::new(config), credentialed: Arc::new(credentialed) }
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

    /// The settings of one connection.
    pub async fn config(&self, credentialed: bool) -> Result<Arc<ClientConfig>, FetchError> {
        let configs = self.configs.get_or_try_init(load).await?;
        Ok(if credentialed { configs.credentialed.clone() } else { configs.ordinary.clone() })
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
