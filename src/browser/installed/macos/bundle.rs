//! `Info.plist` of an app bundle, parsed by a pure function. It is foreign data, in XML or binary.

use std::{io::Cursor, path::Path};

use plist::stream::{Event, Reader};

use crate::{
    browser::installed::version,
    host::{Os, System},
};

/// The largest `Info.plist` that is read.
const MAX_INFO: u64 = 4 << 20;
/// The most values that are looked at. A binary list can be small and name the same value any number of times.
const MAX_EVENTS: usize = 100_000;
/// The longest text that is kept, in bytes.
const MAX_TEXT: usize = 1024;

/// What a bundle says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BundleInfo {
    /// `CFBundleIdentifier`.
    pub bundle_id: Option<String>,
    /// `CFBundleDisplayName`, otherwise `CFBundleName`.
    pub name: Option<String>,
    /// `CFBundleShortVersionString`, otherwise `CFBundleVersion`.
    pub version: Option<String>,
    /// `CFBundleExecutable`, a name in `Contents/MacOS`.
    pub executable: Option<String>,
}

impl BundleInfo {
    /// What this bundle says. `None` when its `Info.plist` can't be read.
    pub(super) fn read(system: &dyn System, bundle: &Path) -> Option<Self> {
        parse_info_plist(&system.read(&Os::Macos.join(bundle, "Contents/Info.plist"), MAX_INFO).ok()?)
    }
}

/// Parses an `Info.plist`. `None` when it is none. Its values are read one by one, however deep they are nested.
pub fn parse_info_plist(bytes: &[u8]) -> Option<BundleInfo> {
    const KEYS: [&str; 6] = [
        "CFBundleIdentifier",
        "CFBundleDisplayName",
        "CFBundleName",
        "CFBundleShortVersionString",
        "CFBundleVersion",
        "CFBundleExecutable",
    ];
    let mut values: [Option<String>; 6] = Default::default();
    let mut depth = 0_usize;
    // In the outermost dictionary: the key that was read, when its value comes next.
    let mut key: Option<String> = None;
    for event in Reader::new(Cursor::new(bytes)).take(MAX_EVENTS) {
        let event = event.ok()?;
        match event {
            Event::StartDictionary(_) if depth == 0 => depth = 1,
            _ if depth == 0 => return None,
            Event::StartArray(_) | Event::StartDictionary(_) => depth += 1,
            Event::EndCollection => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
                if depth == 1 {
                    key = None;
                }
            }
            Event::String(text) if depth == 1 && key.is_none() => key = Some(text.into_owned()),
            other if depth == 1 => {
                let at = key.take().and_then(|key| KEYS.iter().position(|known| **known == key));
                if let (Some(at), Event::String(text)) = (at, other) {
                    let text = text.trim();
                    let kept = !text.is_empty() && text.len() <= MAX_TEXT && !text.contains(char::is_control);
                    values[at] = kept.then(|| text.to_owned());
                }
            }
            _ => {}
        }
    }
    let [bundle_id, display_name, name, short_version, version, executable] = values;
    let version = [short_version, version].into_iter().flatten().find_map(|text| version::leading(&text));
    Some(BundleInfo { bundle_id, name: display_name.or(name), version, executable })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn xml(body: &str) -> Vec<u8> {
        format!(r#"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>{body}</dict></plist>"#)
            .into_bytes()
    }

    fn binary(values: &[(&str, &str)]) -> Vec<u8> {
        let values = values.iter().map(|(key, value)| ((*key).to_owned(), plist::Value::from(*value)));
        let mut bytes = Vec::new();
        plist::Value::Dictionary(values.collect()).to_writer_binary(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_bundle_says_its_name_version_and_executable() {
        let expected = BundleInfo {
            bundle_id: Some("com.google.Chrome".into()),
            name: Some("Google Chrome".into()),
            version: Some("154.0.8037.98".into()),
            executable: Some("Google Chrome".into()),
        };
        let pairs = [
            ("CFBundleIdentifier", "com.google.Chrome"),
            ("CFBundleName", "Chrome"),
            ("CFBundleDisplayName", "Google Chrome"),
            ("CFBundleVersion", "8037.98"),
            ("CFBundleShortVersionString", "154.0.8037.98"),
            ("CFBundleExecutable", "Google Chrome"),
        ];
        let body = pairs.map(|(key, value)| format!("<key>{key}</key><string>{value}</string>")).concat();
        let nested =
            "<key>X</key><dict><key>CFBundleName</key><string>no</string></dict><key>Y</key><array><true/></array>";
        assert_eq!(parse_info_plist(&xml(&format!("{nested}{body}"))), Some(expected.clone()));
        assert_eq!(parse_info_plist(&binary(&pairs)), Some(expected));
    }

    #[test]
    fn a_value_of_another_kind_or_an_empty_one_does_not_count() {
        let info = parse_info_plist(&xml(
            "<key>CFBundleIdentifier</key><integer>3</integer><key>CFBundleDisplayName</key><string> </string>\
             <key>CFBundleName</key><string>A</string><key>CFBundleShortVersionString</key><string>x</string>\
             <key>CFBundleVersion</key><string>1.2.3</string>",
        ));
        assert_eq!(
            info,
            Some(BundleInfo { name: Some("A".into()), version: Some("1.2.3".into()), ..BundleInfo::default() })
        );
    }

    #[test]
    fn what_is_no_list_of_properties_says_nothing() {
        for bytes in
            [b"".as_slice(), b"{", b"bplist00", b"<plist><array/></plist>", b"<plist version=\"1.0\"><dict><key>"]
        {
            assert_eq!(parse_info_plist(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn nesting_without_end_is_survived() {
        let deep = "<array>".repeat(90_000);
        let body = format!("<key>CFBundleName</key><string>A</string><key>X</key>{deep}{}", deep.replace('<', "</"));
        // Read or not, it ends.
        let _ = parse_info_plist(&xml(&body));
    }

    #[test]
    fn a_small_list_that_unfolds_without_end_is_cut() {
        const LEVELS: u8 = 60;
        // A dictionary with one value: an array that names the next one twice, and so on, down to a text.
        let mut objects = vec![vec![0xD1, LEVELS + 1, 1]];
        objects.extend((1..=LEVELS).map(|level| vec![0xA2, (level + 1).max(2), (level + 1).max(2)]));
        objects.push(vec![0x51, b'x']);
        let mut bytes = b"bplist00".to_vec();
        let mut offsets = Vec::new();
        for object in &objects {
            offsets.push(u8::try_from(bytes.len()).unwrap());
            bytes.extend(object);
        }
        let table = bytes.len() as u64;
        bytes.extend(&offsets);
        bytes.extend([0, 0, 0, 0, 0, 0, 1, 1]);
        for number in [objects.len() as u64, 0, table] {
            bytes.extend(number.to_be_bytes());
        }
        let started = std::time::Instant::now();
        let _ = parse_info_plist(&bytes);
        assert!(started.elapsed() < std::time::Duration::from_secs(10));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn any_bytes_are_a_bundles_info_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse_info_plist(&bytes);
            let _ = parse_info_plist(&[b"bplist00".as_slice(), &bytes].concat());
            let _ = parse_info_plist(&xml(&String::from_utf8_lossy(&bytes)));
        }

        #[test]
        fn a_damaged_list_is_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = binary(&[("CFBundleName", "A"), ("CFBundleIdentifier", "a.b"), ("CFBundleVersion", "1.2")]);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = parse_info_plist(&bytes);
        }
    }
}
