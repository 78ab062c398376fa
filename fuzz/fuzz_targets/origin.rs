//! An origin reads back from what is shown of it. Only `https://<label>.sliccy.ai` is seven without a flag, as the URL
//! standard sees the URL's origin.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::{
    browser::origin::{Origin, SevenOrigins},
    generated::catalog::seven,
};
use url::Url;

fuzz_target!(|text: &str| {
    let flag = Origin::parse(text).ok();
    if let Some(origin) = &flag {
        assert_eq!(Origin::parse(&origin.to_string()).as_ref(), Ok(origin));
        let url = Url::parse(text).expect("an origin is a URL");
        assert_eq!(url.origin().ascii_serialization(), origin.to_string());
    }
    if let Some(origin) = SevenOrigins::default().is_seven(text) {
        let url = Url::parse(text).expect("what is seven is a URL");
        assert_eq!(url.origin().ascii_serialization(), origin.to_string());
        let shown = origin.to_string();
        let host = shown.strip_prefix("https://").expect("seven is https");
        let label = host.strip_suffix(seven::DOMAIN).and_then(|rest| rest.strip_suffix('.')).expect("seven's domain");
        assert!((1..=seven::MAX_LABEL).contains(&label.len()));
        assert!(label.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')));
        assert!(!seven::EXCLUDED_LABELS.contains(&label));
        assert!(!seven::EXCLUDED_LABEL_PREFIXES.iter().any(|prefix| label.starts_with(prefix)));
    }
    if let Some(origin) = flag {
        assert!(SevenOrigins::new(vec![origin]).is_seven(text).is_some());
    }
});
