//! What a browser is started with.

use std::{ffi::OsString, path::Path};

use super::LaunchOptions;
use crate::generated::catalog::launch as flags;

/// The switch of a browser that root runs.
const NO_SANDBOX: &str = "--no-sandbox";

/// Where the debugging port comes from.
#[derive(Debug, Clone, Copy)]
pub enum Port<'a> {
    /// The browser picks one, and says so in its profile.
    InProfile {
        /// The profile.
        dir: &'a Path,
        /// Whether it is a throwaway one, whose browser asks for no keychain.
        throwaway: bool,
    },
    /// This one, for an app whose profile isn't known.
    Number(u16),
}

/// The browser's arguments: base flags, throwaway switches, seven flags, one `--disable-features`, the extra switches,
/// `--headless=new`, then the page. Chromium keeps only one `--disable-features`, so all of them are merged, in order and
/// without duplicates. An app gets its port and no more than that, but for `--no-sandbox`.
pub fn arguments(port: Port<'_>, without_sandbox: bool, options: &LaunchOptions) -> Vec<OsString> {
    const DISABLE_FEATURES: &str = "--disable-features=";
    let mut arguments: Vec<OsString> = Vec::new();
    let (profile, throwaway) = match port {
        Port::InProfile { dir, throwaway } => (dir, throwaway),
        Port::Number(port) => {
            arguments.push(format!("--remote-debugging-port={port}").into());
            if without_sandbox {
                arguments.push(NO_SANDBOX.into());
            }
            return arguments;
        }
    };
    for flag in flags::BASE_FLAGS {
        match flag.split_once("<profile>") {
            Some((before, after)) => {
                let mut argument = OsString::from(before);
                argument.push(profile);
                argument.push(after);
                arguments.push(argument);
            }
            None => arguments.push(flag.into()),
        }
    }
    if throwaway {
        arguments.extend(flags::THROWAWAY_SWITCHES.iter().map(Into::into));
    }
    let mut features: Vec<&str> = Vec::new();
    if options.seven_flags {
        arguments.extend(flags::SEVEN_FLAGS.iter().map(Into::into));
        features.extend(flags::DISABLE_FEATURES);
    }
    for extra in &options.extra_args {
        match extra.strip_prefix(DISABLE_FEATURES) {
            Some(list) => features.extend(list.split(',').filter(|feature| !feature.is_empty())),
            None => arguments.push(extra.into()),
        }
    }
    let mut merged: Vec<&str> = Vec::new();
    for feature in features {
        if !merged.contains(&feature) {
            merged.push(feature);
        }
    }
    if !merged.is_empty() {
        arguments.push(format!("{DISABLE_FEATURES}{}", merged.join(",")).into());
    }
    if without_sandbox && !options.extra_args.iter().any(|extra| extra == NO_SANDBOX) {
        arguments.push(NO_SANDBOX.into());
    }
    if options.headless {
        arguments.push(flags::HEADLESS.into());
    }
    arguments.extend(options.url.iter().map(Into::into));
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(options: &LaunchOptions, without_sandbox: bool) -> Vec<String> {
        let port = Port::InProfile { dir: Path::new("/tmp/p q"), throwaway: true };
        arguments(port, without_sandbox, options).into_iter().map(|argument| argument.into_string().unwrap()).collect()
    }

    #[test]
    fn the_page_comes_last_and_the_profile_is_one_argument() {
        let arguments = strings(&LaunchOptions::new("chrome", "http://127.0.0.1:1/"), false);
        assert_eq!(arguments[0], "--remote-debugging-port=0");
        assert_eq!(arguments[1], "--user-data-dir=/tmp/p q");
        assert!(arguments.contains(&"--use-mock-keychain".to_owned()));
        assert_eq!(arguments[arguments.len() - 2..], ["--headless=new", "http://127.0.0.1:1/"]);
    }

    #[test]
    fn there_is_one_disable_features_without_duplicates() {
        let mut options = LaunchOptions::new("chrome", "about:blank");
        options.extra_args = vec![
            "--disable-features=Translate,LocalNetworkAccessChecks".into(),
            "--disable-gpu".into(),
            "--disable-features=Translate,,MediaRouter".into(),
        ];
        let arguments = strings(&options, false);
        let features: Vec<_> = arguments.iter().filter(|argument| argument.starts_with("--disable-features")).collect();
        assert_eq!(features.len(), 1);
        assert!(features[0].starts_with("--disable-features=LocalNetworkAccessChecks,"));
        assert!(features[0].ends_with(",Translate,MediaRouter"));
        assert_eq!(features[0].matches("LocalNetworkAccessChecks,").count(), 1);
    }

    #[test]
    fn without_the_seven_flags_no_feature_is_switched_off() {
        let mut options = LaunchOptions::new("chrome", "about:blank");
        options.seven_flags = false;
        options.headless = false;
        let arguments = strings(&options, false);
        assert!(
            !arguments.iter().any(|argument| argument.starts_with("--disable-") || argument.starts_with("--headless"))
        );
    }

    #[test]
    fn a_profile_that_stays_keeps_the_real_keychain() {
        let port = Port::InProfile { dir: Path::new("/p"), throwaway: false };
        let arguments = arguments(port, false, &LaunchOptions::new("chrome", "about:blank"));
        for switch in flags::THROWAWAY_SWITCHES {
            assert!(!arguments.iter().any(|argument| argument == switch), "{switch}");
        }
    }

    #[test]
    fn an_app_gets_its_port_alone() {
        let options = LaunchOptions::new("slack", "about:blank");
        assert_eq!(arguments(Port::Number(9333), false, &options), ["--remote-debugging-port=9333"]);
    }

    #[test]
    fn only_root_runs_without_the_sandbox_and_says_so_once() {
        let mut options = LaunchOptions::new("chrome", "about:blank");
        assert!(!strings(&options, false).contains(&"--no-sandbox".to_owned()));
        options.extra_args.push("--no-sandbox".into());
        assert_eq!(strings(&options, true).iter().filter(|argument| *argument == "--no-sandbox").count(), 1);
    }
}
