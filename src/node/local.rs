//! A node that bridges to a browser on this machine: what `slicc attach` and `slicc doctor` link to a page.

use std::{sync::Arc, time::Duration};

use tokio::sync::{mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;

use super::{
    Event,
    engine::{Engine, Listener},
    serve::{Services, http::Client},
};
use crate::{
    cdp::Endpoint,
    generated::link::{Cap, HelloRoutes, NodeHello, StreamKind, timeouts},
    host, kernel,
    link::{
        Link, Pages,
        mux::Role,
        rtc::{self, Certificate, Connection, RtcError},
    },
    policy::{Base, Dialer, Hosts, Policy, Resolver, Rules},
    signal::{NodeId, Reply},
};

/// How long a local node's certificate is valid. It lives as long as the process.
const CERTIFICATE_VALIDITY: Duration = Duration::from_hours(30 * 24);
/// What every local node offers.
const CAPS: [Cap; 4] = [Cap::Net, Cap::Http, Cap::Credentialed, Cap::Ws];

/// What the user chose for a local node.
#[derive(Debug, Default)]
pub struct Options {
    /// The link's name and the host in HELLO. `slicc on <host>` and this machine's short host name without it.
    pub name: Option<String>,
    /// The --allow and --deny rules.
    pub rules: Rules,
    /// The names that the hosts file defines.
    pub hosts: Hosts,
    /// Where kernel services listen; nowhere without it.
    pub kernel: Option<kernel::Place>,
}

/// A local node. Every link of it has the same id, certificate and policy.
pub struct LocalNode {
    id: NodeId,
    name: String,
    host: String,
    policy: Policy,
    resolver: Resolver,
    services: Arc<Services>,
    pages: Pages,
    kernel: Option<kernel::Place>,
    certificate: Certificate,
}

/// Why a local node can't be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// No certificate could be made.
    #[error("cannot make a certificate for the link: {0}")]
    Certificate(#[source] RtcError),
}

impl LocalNode {
    /// Sets up a node under the local default policy.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(options: Options) -> Result<Self, SetupError> {
        let policy = Policy::new(Base::Local, options.rules);
        if let Some(place) = &options.kernel {
            policy.protect_port(place.port());
        }
        let resolver = Resolver::system(options.hosts);
        let dialer = Dialer::new(policy.clone(), resolver.clone());
        let http = Client::new(dialer.clone());
        let host = options.name.clone().unwrap_or_else(host::short_name);
        let name = options.name.unwrap_or_else(|| format!("slicc on {host}"));
        Ok(Self {
            id: NodeId::mint(),
            name,
            host,
            policy,
            resolver,
            services: Arc::new(Services::new(dialer, http)),
            pages: Pages::default(),
            kernel: options.kernel,
            certificate: Certificate::generate(CERTIFICATE_VALIDITY).map_err(SetupError::Certificate)?,
        })
    }

    /// The random id of this node.
    pub fn id(&self) -> &NodeId {
        &self.id
    }

    /// What this node offers.
    pub fn caps(&self) -> &'static [Cap] {
        &CAPS
    }

    /// The policy, to protect ports and endpoints that become known.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// How this node looks names up.
    pub fn resolver(&self) -> &Resolver {
        &self.resolver
    }

    /// Keeps a browser that this node serves out of the reach of streams: its debugging port on this machine, and the
    /// addresses of its endpoint and of its WebSocket (section "Network policy", items Protected ports and Browser endpoints).
    /// `id` tells it from other browsers of this node.
    pub async fn protect_browser(&self, id: &str, endpoint: &Endpoint) {
        self.policy.protect_port(endpoint.port());
        // A browser that doesn't answer is reported by whoever connects to it.
        let socket = endpoint.browser_socket().await.ok();
        let mut known = true;
        let mut addresses = Vec::new();
        for endpoint in std::iter::once(endpoint).chain(&socket) {
            match self.resolver.resolve(&endpoint.host().to_string(), timeouts::RESOLVE).await {
                Ok(answer) => addresses.extend(answer.addresses.iter().map(|found| (found.ip(), endpoint.port()))),
                Err(error) => {
                    known = false;
                    tracing::debug!(%error, "the browser's host has no address to protect");
                }
            }
        }
        // What is protected stays so while a name doesn't resolve.
        if known {
            self.policy.set_endpoints(id, addresses);
        } else {
            self.policy.add_endpoints(id, addresses);
        }
    }

    /// Starts kernel services for the pages of this node, unless it has none or they were started before. They end when
    /// the task is dropped.
    pub fn start_kernel_services(&mut self, listener: &Listener) -> Option<AbortOnDropHandle<()>> {
        let (told, listener) = (listener.clone(), listener.clone());
        let streams = Arc::new(move |open| {
            let kind = StreamKind::Kernel;
            told(if open { Event::StreamOpen { kind } } else { Event::StreamClose { kind } });
        });
        let notify = move |notice| listener(Event::Kernel(notice));
        let services = kernel::run(self.kernel.take()?, self.pages.clone(), streams, notify);
        Some(AbortOnDropHandle::new(tokio::spawn(services)))
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
                v: 1,
                role: "node",
                name: name.clone(),
                host: host.clone(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                mode: "local",
                node: id.as_str().to_owned(),
                caps: CAPS.iter().map(|cap| cap.as_str()).collect(),
                routes: HelloRoutes { prefixes: Vec::new(), exit: true },
                policy: policy.hello(),
                browsers: None,
                ssh_host_key: None,
                mounts: None,
                jerk: None,
            };
            serde_json::to_string(&hello).expect("a HELLO holds nothing that JSON can't say")
        };
        Engine::new(Box::new(connect), Box::new(hello), self.services.clone(), self.pages.clone(), listener, replies)
    }
}
