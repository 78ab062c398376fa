//! A rule is read or refused, and its canonical form reads back as the same rule.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::policy::Rule;

fuzz_target!(|list: &str| match Rule::parse_list(list) {
    Ok(rules) => {
        for rule in &rules {
            assert_eq!(rule.to_string().parse::<Rule>().as_ref(), Ok(rule));
            assert_eq!(rule.net(), rule.net().trunc());
            assert!(rule.port() != Some(0));
        }
        let canonical = rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        assert_eq!(Rule::parse_list(&canonical), Ok(rules));
    }
    Err(error) => assert!(error.rule.chars().count() <= 101),
});
