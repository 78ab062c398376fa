//! What dpkg and snapd say about the versions of packages, parsed by pure functions. Both are foreign text.

use std::collections::HashMap;

use crate::browser::installed::version;

/// The upstream versions of installed packages, of those that are wanted, in dpkg's status file: without the epoch and the
/// Debian revision. A version that has no two numbers, like that of a package that only installs a snap, is left out.
pub fn parse_dpkg_status<T: AsRef<str>>(status: &[u8], wanted: &[T]) -> HashMap<String, String> {
    let mut found = HashMap::new();
    let mut package: Option<&str> = None;
    let mut installed = false;
    // Lines that are long or no UTF-8 are descriptions; the three fields are ASCII.
    for line in status.split(|byte| *byte == b'\n') {
        if line.is_empty() {
            package = None;
        } else if let Some(name) = field(line, b"Package:") {
            package = wanted.iter().map(AsRef::as_ref).find(|wanted| *wanted == name);
            installed = false;
        } else if package.is_none() {
        } else if let Some(text) = field(line, b"Status:") {
            installed = text.ends_with(" installed");
        } else if let Some(text) = field(line, b"Version:")
            && installed
            && let Some(name) = package
        {
            let upstream = text.split_once(':').map_or(text, |(_, rest)| rest);
            found.extend(version::leading(upstream).map(|version| (name.to_owned(), version)));
        }
    }
    found
}

fn field<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a str> {
    std::str::from_utf8(line.strip_prefix(name)?).ok().map(str::trim)
}

/// The version in a snap's `meta/snap.yaml`.
pub fn parse_snap_manifest(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix("version:"))?;
    version::leading(value.trim().trim_matches(['"', '\'']))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STATUS: &str = "Package: chromium\nStatus: install ok installed\nDescription: a\n b\nVersion: 154.0.1.2-1~deb12u1\n\n\
        Package: google-chrome-stable\nStatus: deinstall ok config-files\nVersion: 150.0.1.2-1\n\n\
        Package: chromium-browser\nStatus: install ok installed\nVersion: 2:1snap1-0ubuntu2\n\n\
        Package: microsoft-edge-stable\nStatus: install ok installed\nVersion: 1:131.0.7.8-1\n\n\
        Package: other\nStatus: install ok installed\nVersion: 1.2\n";

    #[test]
    fn dpkg_says_the_versions_of_installed_packages() {
        let wanted = ["chromium", "google-chrome-stable", "chromium-browser", "microsoft-edge-stable"];
        let found = parse_dpkg_status(STATUS.as_bytes(), &wanted);
        let expected = [("chromium", "154.0.1.2"), ("microsoft-edge-stable", "131.0.7.8")];
        let expected = expected.map(|(name, version)| (name.to_owned(), version.to_owned()));
        assert_eq!(found, HashMap::from(expected));
    }

    #[test]
    fn a_manifest_says_the_snaps_version() {
        for text in
            ["name: chromium\nversion: 131.0.6778.85\n", "version: '131.0.6778.85'", "version: \"131.0.6778.85\""]
        {
            assert_eq!(parse_snap_manifest(text).as_deref(), Some("131.0.6778.85"), "{text}");
        }
        for text in ["", "version:", "version: git", "  version: 1.2"] {
            assert_eq!(parse_snap_manifest(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_status(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let text = [b"Package: a\nStatus: install ok installed\nVersion: ".as_slice(), &bytes].concat();
            for (name, version) in parse_dpkg_status(&text, &["a"]) {
                prop_assert_eq!(name, "a");
                prop_assert!(version::is_version(&version));
            }
            let _ = parse_snap_manifest(&String::from_utf8_lossy(&bytes));
        }
    }
}
