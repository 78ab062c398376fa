//! http streams from the page's end, against servers on loopback.

mod failures;
mod flow;
mod requests;
mod responses;
pub mod secure;
pub mod support;
