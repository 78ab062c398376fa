//! A hosts file is read or refused; a name has its addresses in any case and with a dot at its end, each once and none mapped.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::policy::Hosts;

fuzz_target!(|text: &str| {
    let Ok(hosts) = Hosts::parse(text) else { return };
    for line in text.lines() {
        let entry = line.split_once('#').map_or(line, |(entry, _)| entry);
        for name in entry.split_whitespace().skip(1) {
            let addresses = hosts.get(name).expect("the file names it");
            assert!(!addresses.is_empty());
            for (at, address) in addresses.iter().enumerate() {
                assert!(!addresses[..at].contains(address));
                assert_eq!(address.to_canonical(), *address);
            }
            assert_eq!(hosts.get(&name.to_ascii_uppercase()), Some(addresses));
            if !name.ends_with('.') {
                assert_eq!(hosts.get(&format!("{name}.")), Some(addresses));
            }
        }
    }
});
