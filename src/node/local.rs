//! A node that bridges to a browser on this machine: what `slicc attach` and `slicc doctor` link to a page.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use super::{
    engine::{Engine, Listener},
    serve::{Services, http::Client},
};
use crate::{
    generated::link::{Cap, HelloRoutes, NodeHello},
    host,
    link::{
        Link,
        mux::Role,
        rtc::{self, Certificate, Connection, RtcError},
    },
    policy::{Base, Dialer, Hosts, Policy, Resolver, Rules},
    signal::{NodeId, Reply},
};

/// What the user chose for a local node.
#[derive(Debug, Default)]
pub struct Options {
    /// The link's name and the host in HELLO. `slicc on <host>` and this machine's short host name without it.
    pub name: Option<String>,
    /// The --allow and --deny rules.
    pub rules: Rules,
    /// The names that the hosts file defines.
    pub hosts: Hosts,
}

/// A local node. Every link of it has the same id, certificate and policy.
pub struct LocalNode {
    id: NodeId,
    name: String,
    host: String,
    policy: Policy,
    resolver: Resolver,
    services: Arc<Services>,
    certificate: Certificate,
}

/// Why a local node can't be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// No certificate could be made.
    #[error("cannot make a certificate for the link: {0}")]
    Certificate(#[source] RtcError),
    /// The system's certificates can't be used for HTTPS.
    #[error("cannot use the system's certificates: {0}")]
    Roots(String),
}

impl LocalNode {
    /// Sets up a node under the local default policy.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(options: Options) -> Result<Self, SetupError> {
        let policy = Policy::new(Base::Local, options.rules);
        let resolver = Resolver::system(options.hosts);
        let dialer = Dialer::new(policy.clone(), resolver.clone());
        let http = Client::new(dialer.clone()).map_err(|error| SetupError::Roots(error.to_string()))?;
        let (name, host) = match options.name {
            Some(name) => (name.clone(), name),
            None => {
                let host = host::short_name();
                (format!("slicc on {host}"), host)
            }
        };
        Ok(Self {
            id: NodeId::mint(),
            name,
            host,
            policy,
            resolver,
            services: Arc::new(Services::new(dialer, http)),
            certificate: Certificate::generate(rtc::PROCESS_VALIDITY).map_err(SetupError::Certificate)?,
        })
    }

    /// The random id of this node.
    pub fn id(&self) -> &NodeId {
        &self.id
    }

    /// The policy, to protect ports and endpoints that become known.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// How this node looks names up.
    pub fn resolver(&self) -> &Resolver {
        &self.resolver
    }

    /// An engine that links this node to the pages of one signaller.
    pub fn engine(&self, listener: Listener, replies: mpsc::Sender<Reply>) -> Engine {
        let certificate = self.certificate.clone();
        let connect = move |offer: String, hello: String, answer: oneshot::Sender<String>| {
            let config = rtc::Config::new(certificate.clone());
            Link::spawn(Role::Node, hello, async move || {
                let (connection, sdp) = Connection::answer(config, &offer).await.map_err(|error| error.to_string())?;
                // A node that replaced this link meanwhile doesn't want the answer any more.
                drop(answer.send(sdp));
                Ok(connection)
            })
        };
        let (policy, id, name, host) = (self.policy.clone(), self.id.clone(), self.name.clone(), self.host.clone());
        let hello = move || {
            let hello = NodeHello {
                policy: policy.hello(),
                ..local_hello(id.as_str().to_owned(), name.clone(), host.clone())
            };
            serde_json::to_string(&hello).expect("a HELLO holds nothing that JSON can't say")
        };
        Engine::new(Box::new(connect), Box::new(hello), self.services.clone(), listener, replies)
    }
}
