//! How discovery reaches an endpoint: two GETs, and a TCP connect that sends nothing (section "Browsers" of the
//! requirement). There is no redirect, no proxy, no WebSocket and no other method.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;

use crate::cdp::{Endpoint, EndpointError};

/// What is open in a browser.
pub const LIST: &str = "/json/list";

/// What discovery does on the network. Everything that it does there goes through here, so that a test can describe the
/// servers of another machine.
#[async_trait]
pub trait Network: fmt::Debug + Send + Sync {
    /// Gets a path with a plain GET: straight to the endpoint, with no redirect followed and no proxy. `limit` bounds the
    /// time until the last byte, `max` the bytes. Any status but 200 is an error.
    async fn get(&self, endpoint: &Endpoint, path: &str, limit: Duration, max: usize) -> Result<Bytes, EndpointError>;

    /// Whether the endpoint's port takes a TCP connection. The connection is closed at once, with nothing sent.
    async fn connects(&self, endpoint: &Endpoint, limit: Duration) -> bool;
}

/// The network of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealNetwork;

#[async_trait]
impl Network for RealNetwork {
    async fn get(&self, endpoint: &Endpoint, path: &str, limit: Duration, max: usize) -> Result<Bytes, EndpointError> {
        endpoint.get_within(path, limit, max).await
    }

    async fn connects(&self, endpoint: &Endpoint, limit: Duration) -> bool {
        endpoint.connects(limit).await
    }
}
