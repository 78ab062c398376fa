//! slicc from outside: the built program with real parts around it.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests, too")]

mod attach_chromium;
mod attach_stdio;
mod browsers;
mod cli;
#[cfg(unix)]
mod default_flow;
mod doctor_chromium;
mod files;
mod http_real;
mod kernel;
#[cfg(unix)]
mod launch;
mod support;
#[cfg(unix)]
mod terminal;
