//! Versions in foreign text.

use std::cmp::Ordering;

/// The version at the beginning of a text: numbers with dots, at least two of them, such as `154.0.8037.98` in
/// `154.0.8037.98-1`. `None` for anything else.
pub(super) fn leading(text: &str) -> Option<String> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let version = text[..end].trim_end_matches('.');
    let parts = version.split('.');
    let whole = parts.clone().all(|part| !part.is_empty() && part.len() < 20);
    (whole && (2..=8).contains(&parts.count())).then(|| version.to_owned())
}

/// The first version in what a browser prints with `--version`, such as `Chromium 154.0.8037.98 built on Debian`.
pub(super) fn first(text: &str) -> Option<String> {
    text.split_whitespace().find_map(leading)
}

/// Whether a text is a version and nothing else.
pub(super) fn is_version(text: &str) -> bool {
    leading(text).is_some_and(|version| version.len() == text.len())
}

/// Compares versions number by number; a missing number is less than any.
pub(super) fn compare(one: &str, other: &str) -> Ordering {
    let numbers = |text: &str| text.split('.').map(|part| part.parse::<u64>().unwrap_or_default()).collect::<Vec<_>>();
    numbers(one).cmp(&numbers(other))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_version_is_numbers_with_dots() {
        for (text, expected) in [
            ("154.0.8037.98-1~deb12u1", Some("154.0.8037.98")),
            ("1.75.181", Some("1.75.181")),
            ("1snap1", None),
            ("154", None),
            ("154.", None),
            (".1", None),
            ("1..2", None),
            ("", None),
            ("v1.2", None),
        ] {
            assert_eq!(leading(text).as_deref(), expected, "{text}");
        }
        assert_eq!(first("Google Chrome 154.0.8037.98 \n").as_deref(), Some("154.0.8037.98"));
        assert_eq!(first("no version 7 here"), None);
        assert!(is_version("1.2.3") && !is_version("1.2.3-beta") && !is_version("1"));
    }

    #[test]
    fn versions_compare_as_numbers() {
        assert_eq!(compare("9.0", "10.0"), Ordering::Less);
        assert_eq!(compare("131.0.2", "131.0"), Ordering::Greater);
        assert_eq!(compare("1.2", "1.2"), Ordering::Equal);
    }

    proptest! {
        #[test]
        fn any_text_has_a_version_or_none(text in any::<String>()) {
            for version in leading(&text).into_iter().chain(first(&text)) {
                prop_assert!(is_version(&version));
            }
        }
    }
}
