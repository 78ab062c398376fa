//! The self-check: a page of slicc's own, in a browser of slicc's own, over a link to slicc itself.

pub mod page;
pub mod servers;

#[cfg(all(test, unix))]
mod browser_tests;
