//! `slicc launch` from outside.

mod adoption;
mod chromium;
mod fake;
mod six;
pub mod support;
