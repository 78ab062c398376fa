//! Browsers: what is installed, how one is launched, and which pages are seven (section "Browsers").

pub mod active_port;
pub mod installed;
pub mod launch;
pub mod lock;
pub mod migrate;
pub mod origin;
pub mod open;
mod paths;
pub mod prefs;
pub mod prepare;
mod process;
pub mod profile;
pub mod record;
pub mod running;
pub mod six;
#[cfg(test)]
pub(crate) mod test_browser;
