//! The browser that tests run in: the best one installed, headless, quiet, in a throwaway profile.

use super::{installed, launch::LaunchOptions};
use crate::{generated::cli::env, host::RealSystem};

/// How a test launches its browser. `None`, and a word about it, on a developer's machine without one; where CI is set
/// that fails the test.
pub(crate) fn options(url: &str) -> Option<LaunchOptions> {
    let Some(executable) = installed::best_executable(&RealSystem) else {
        assert!(std::env::var_os("CI").is_none(), "the tests need Chrome or Chromium on CI");
        eprintln!("skipped: no Chrome or Chromium here; set {} to one", env::SLICC_TEST_CHROME);
        return None;
    };
    let mut options = LaunchOptions::new(executable, url);
    options.extra_args =
        ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
            .map(String::from)
            .to_vec();
    Some(options)
}
