//! A message of the browser is an answer or an event, or it is refused. An answer's `Debug` holds no page content, and what
//! people will read is clean and short.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use slicc::{
    cdp::message::{Incoming, parse},
    signal::over_cdp::events,
};

fuzz_target!(|message: &str| {
    match parse(message) {
        Ok(Incoming::Event(event)) => {
            let _ = event.read::<Value>();
            let _ = events::read(&event);
        }
        Ok(Incoming::Answer { result: Ok(answer), .. }) => {
            let _ = answer.read::<Value>();
            assert_eq!(format!("{answer:?}"), "Answer(…)");
        }
        Ok(Incoming::Answer { result: Err(refusal), .. }) => {
            assert!(refusal.message.chars().count() <= 200 && !refusal.message.chars().any(char::is_control));
        }
        Err(_) => {}
    }
});
