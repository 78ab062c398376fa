//! The page's first message is a HELLO of the right role and version, or it is refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::generated::link::{Cap, PageHello};

fuzz_target!(|message: &str| {
    if let Ok(hello) = PageHello::parse(message) {
        assert!(hello.v >= 1);
        for cap in Cap::ALL {
            assert_eq!(hello.offers(*cap), hello.caps.iter().any(|listed| listed == cap.as_str()));
        }
    }
});
