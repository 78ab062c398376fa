//! Browsers: what is installed, how one is launched, and which pages are seven (section "Browsers").

pub mod active_port;
pub mod installed;
pub mod launch;
pub mod origin;
pub mod prefs;
mod process;
#[cfg(test)]
pub(crate) mod test_browser;
