//! An OPEN of any kind is read or refused, what was read means the same when it is written and read again, and a refusal
//! names a field and nothing else.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};
use slicc::generated::link::{ErrorCode, StreamKind};

fuzz_target!(|json: &[u8]| {
    let Ok(open) = serde_json::from_slice::<Map<String, Value>>(json) else { return };
    for kind in StreamKind::ALL {
        match kind.checked(&open) {
            Ok(written) => {
                assert_eq!(written.get("kind").and_then(Value::as_str), Some(kind.as_str()));
                assert_eq!(kind.checked(&written).as_ref(), Ok(&written));
            }
            Err(error) => assert!(ErrorCode::ALL.contains(&kind.field_code(error.field))),
        }
    }
});
