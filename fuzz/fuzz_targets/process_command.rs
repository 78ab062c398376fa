//! A process's command line names a debugging port or none, and what it names stands in it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use slicc::{browser::discover::process::parse_command, host::Os};

fuzz_target!(|command: &str| {
    for os in [Os::Linux, Os::Macos, Os::Windows] {
        let Some(process) = parse_command(command, os) else { continue };
        assert!(command.contains("--remote-debugging-port"));
        // Chromium takes leading zeros, too.
        assert!(command.contains(&process.port.to_string()));
        if let Some(dir) = process.user_data_dir {
            assert!(!dir.is_empty() && command.contains(&dir));
        }
    }
});
