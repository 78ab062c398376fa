//! Browsers: what is installed, how one is launched, and which pages are seven (section "Browsers").

pub mod endpoint;
pub mod installed;
pub mod launch;
pub mod origin;
mod process;
