//! Spotlight's commands, and what they print. It is foreign text.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crate::{
    browser::installed::version,
    host::{Os, System},
};

/// How long Spotlight may take to find apps, and then to say what it knows about all of them. With the index off it
/// answers at once, with nothing.
const LIMIT: Duration = Duration::from_secs(1);
/// How many commands run at once.
const AT_ONCE: usize = 8;
/// The most apps that are asked about.
const MAX_APPS: usize = 200;

/// What Spotlight knows about an app.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes {
    /// `kMDItemCFBundleIdentifier`.
    pub bundle_id: Option<String>,
    /// `kMDItemVersion`.
    pub version: Option<String>,
}

/// Apps with one of these bundle ids. Nothing is asked for no id.
pub(super) fn find(system: &dyn System, bundle_ids: &[&str]) -> Vec<PathBuf> {
    if bundle_ids.is_empty() {
        return Vec::new();
    }
    let query = query(bundle_ids);
    let output = system.run("mdfind".as_ref(), &[OsStr::new(&query)], LIMIT);
    output.map(|output| parse_mdfind(&output)).unwrap_or_default()
}

/// The query for apps with one of these bundle ids. They are the catalog's, so they hold no quote.
pub(super) fn query(bundle_ids: &[&str]) -> String {
    let terms = bundle_ids.iter().map(|id| format!("kMDItemCFBundleIdentifier == '{id}'"));
    terms.collect::<Vec<_>>().join(" || ")
}

/// Parses the paths that `mdfind` prints. One in a trash doesn't count.
pub fn parse_mdfind(output: &str) -> Vec<PathBuf> {
    let paths = output.lines().map(str::trim_end).filter(|line| line.strip_suffix(super::APP).is_some());
    let paths = paths.filter(|line| Os::Macos.is_absolute(Path::new(line)) && !line.contains("/.Trash/"));
    paths.take(MAX_APPS).map(PathBuf::from).collect()
}

/// What Spotlight knows about each of these apps, in their order.
pub(super) fn attributes(system: &dyn System, apps: &[&Path]) -> Vec<Attributes> {
    let mut known = vec![Attributes::default(); apps.len()];
    let deadline = Instant::now() + LIMIT;
    let chunk = apps.len().div_ceil(AT_ONCE).max(1);
    thread::scope(|scope| {
        for (apps, known) in apps.chunks(chunk).zip(known.chunks_mut(chunk)) {
            scope.spawn(move || {
                for (app, known) in apps.iter().zip(known) {
                    let args = ["-name", "kMDItemCFBundleIdentifier", "-name", "kMDItemVersion"].map(OsStr::new);
                    let args: Vec<&OsStr> = args.into_iter().chain([app.as_os_str()]).collect();
                    let left = deadline.saturating_duration_since(Instant::now());
                    let output = if left.is_zero() { None } else { system.run("mdls".as_ref(), &args, left) };
                    *known = output.map(|output| parse_mdls(&output)).unwrap_or_default();
                }
            });
        }
    });
    known
}

/// Parses what `mdls` prints: `name = "value"` in each line, and `(null)` for what isn't known.
pub fn parse_mdls(output: &str) -> Attributes {
    let value = |name: &str| {
        let line = output.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('='))?;
        let text = line.trim().strip_prefix('"')?.strip_suffix('"')?;
        (!text.is_empty()).then(|| text.to_owned())
    };
    Attributes {
        bundle_id: value("kMDItemCFBundleIdentifier"),
        version: value("kMDItemVersion").as_deref().and_then(version::leading),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mdfind_prints_paths() {
        let output = "/Applications/A B.app\n/Users/me/.Trash/C.app\nrelative.app\n/x/readme\n\n/Volumes/D/E.app\n";
        assert_eq!(parse_mdfind(output), ["/Applications/A B.app", "/Volumes/D/E.app"].map(PathBuf::from));
        assert_eq!(query(&["a", "b"]), "kMDItemCFBundleIdentifier == 'a' || kMDItemCFBundleIdentifier == 'b'");
    }

    #[test]
    fn mdls_prints_attributes() {
        let output = "kMDItemCFBundleIdentifier = \"com.google.Chrome\"\nkMDItemVersion            = \"154.0.1.2\"\n";
        let expected = Attributes { bundle_id: Some("com.google.Chrome".into()), version: Some("154.0.1.2".into()) };
        assert_eq!(parse_mdls(output), expected);
        let nothing = "kMDItemCFBundleIdentifier = (null)\nkMDItemVersion = (null)\n";
        assert_eq!(parse_mdls(nothing), Attributes::default());
        assert_eq!(parse_mdls("/x: could not find /x."), Attributes::default());
    }

    proptest! {
        #[test]
        fn any_output_is_read(output in "(?s)(kMDItemVersion *= *\"?)?.{0,100}") {
            let _ = parse_mdls(&output);
            for path in parse_mdfind(&output) {
                prop_assert!(Os::Macos.is_absolute(&path));
            }
        }
    }
}
