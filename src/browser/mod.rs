//! Browsers: what is installed, how one is launched, and which pages are seven (section "Browsers").

pub mod active_port;
#[cfg(test)]
mod corpus_tests;
pub mod discover;
pub mod installed;
pub mod launch;
pub mod list;
pub mod lock;
pub mod migrate;
pub mod open;
pub mod origin;
mod paths;
pub mod prefs;
pub mod prepare;
mod process;
pub mod profile;
pub mod rank;
pub mod record;
pub mod running;
pub mod six;
#[cfg(test)]
pub(crate) mod test_browser;
