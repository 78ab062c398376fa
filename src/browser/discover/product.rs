//! What a browser is called by what it says about itself, and whether slicc can drive it (section "Browsers" of the
//! requirement).

use crate::{
    cdp::BrowserVersion,
    generated::catalog::{
        MIN_CHROMIUM_MAJOR,
        product::{FALLBACK, KINDS, Match},
    },
};

/// What names the Chromium version in a user agent, headless or not.
const CHROME: &str = "Chrome/";

/// The name and the kind of a browser, such as `Chrome (headless)` and `chrome`. A product that the catalog doesn't know has
/// its own name.
pub fn name_and_kind(version: &BrowserVersion) -> (String, String) {
    let (product, _) = split(version);
    let known = KINDS.iter().find(|(matching, _)| match matching {
        Match::UserAgent(part) => version.user_agent.contains(part),
        Match::Product(name) => product == *name,
    });
    match known {
        Some((_, kind)) => (kind.name.to_owned(), kind.kind.to_owned()),
        None if product.is_empty() => (FALLBACK.name.to_owned(), FALLBACK.kind.to_owned()),
        None => (product.to_owned(), product.to_lowercase()),
    }
}

/// The version in the product.
pub fn number(version: &BrowserVersion) -> Option<&str> {
    Some(split(version).1).filter(|number| !number.is_empty())
}

fn split(version: &BrowserVersion) -> (&str, &str) {
    let product = version.product.trim();
    product.split_once('/').unwrap_or((product, ""))
}

/// Whether the user agent names a Chromium version below the lowest one that slicc drives. One that names none is not too
/// old.
pub fn is_too_old(user_agent: &str) -> bool {
    let majors = user_agent.match_indices(CHROME).filter_map(|(at, _)| major(&user_agent[at + CHROME.len()..]));
    majors.take(1).any(|major| major < MIN_CHROMIUM_MAJOR)
}

/// The number before the first dot of a version. One that is longer than any version counts as new.
pub fn major(version: &str) -> Option<u32> {
    let end = version.find(|c: char| !c.is_ascii_digit()).unwrap_or(version.len());
    (end > 0).then(|| version[..end].parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(product: &str, user_agent: &str) -> BrowserVersion {
        BrowserVersion {
            product: product.to_owned(),
            user_agent: user_agent.to_owned(),
            protocol_version: String::new(),
            web_socket_debugger_url: None,
        }
    }

    #[test]
    fn each_product_has_its_name_and_kind() {
        for (product, user_agent, name, kind) in [
            ("Chrome/154.0.1.2", "Chrome/154.0.0.0", "Chrome", "chrome"),
            ("HeadlessChrome/154.0.1.2", "HeadlessChrome/154.0.0.0", "Chrome (headless)", "chrome"),
            ("Edg/154.0.1.2", "Chrome/154.0.0.0 Edg/154.0.0.0", "Microsoft Edge", "edge"),
            ("OPR/120.0.1.2", "Chrome/136.0.0.0", "Opera", "opera"),
            ("Chrome/140.0.1.2", "Chrome/140.0.1.2 Electron/38.1.0", "Electron", "electron"),
            ("Sunflower/1.0", "", "Sunflower", "sunflower"),
            ("", "", "Chromium", "chromium"),
        ] {
            let found = name_and_kind(&version(product, user_agent));
            assert_eq!((found.0.as_str(), found.1.as_str()), (name, kind), "{product}");
        }
    }

    #[test]
    fn the_number_stands_after_the_slash() {
        assert_eq!(number(&version("Chrome/154.0.8037.98", "")), Some("154.0.8037.98"));
        assert_eq!(number(&version("Chrome", "")), None);
        assert_eq!(number(&version("Chrome/", "")), None);
    }

    #[test]
    fn the_floor_is_judged_by_the_user_agent() {
        for (user_agent, expected) in [
            ("Mozilla/5.0 Chrome/115.0.0.0 Safari/537.36", true),
            ("Mozilla/5.0 Chrome/116.0.0.0 Safari/537.36", false),
            ("Mozilla/5.0 HeadlessChrome/115.0.0.0", true),
            ("Mozilla/5.0 Chrome/115.0.0.0 Edg/154.0", true),
            ("Mozilla/5.0 Chrome/99999999999.0", false),
            ("Mozilla/5.0 Chrome/x", false),
            ("", false),
        ] {
            assert_eq!(is_too_old(user_agent), expected, "{user_agent}");
        }
    }
}
