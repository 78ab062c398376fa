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
pub mod origin;
mod paths;
pub mod prefs;
mod process;
pub mod profile;
pub mod rank;
pub mod six;
#[cfg(test)]
pub(crate) mod test_browser;
