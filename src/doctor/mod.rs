//! The self-check: a page of slicc's own, in a browser of slicc's own, over a link to slicc itself.

pub mod page;
pub mod page_server;
pub mod report;
pub mod servers;
pub mod tab;

#[cfg(unix)]
#[cfg(test)]
mod chromium_tests;
