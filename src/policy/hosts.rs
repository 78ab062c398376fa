//! The hosts file of `--hosts`, which gives tests names without public DNS (section "Development" of the requirement, "Test
//! names").

use std::{collections::HashMap, fs::File, io, io::Read, net::IpAddr, path::Path};

use super::resolver::canonical;

/// Bytes of a hosts file, at most.
const LONGEST_FILE: u64 = 1 << 20;

/// Names and the addresses that a hosts file gives them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts {
    names: HashMap<String, Vec<IpAddr>>,
}

/// A hosts file that can't be used. The command exits 2.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostsError {
    /// It can't be read.
    #[error("the hosts file can't be read: {0}")]
    Read(#[source] io::Error),
    /// It is longer than a hosts file of tests ever is.
    #[error("the hosts file is longer than {LONGEST_FILE} bytes")]
    TooLong,
    /// It isn't UTF-8.
    #[error("the hosts file isn't UTF-8 text")]
    NotText,
    /// A line doesn't begin with an IP address.
    #[error("line {line} of the hosts file doesn't begin with an IP address: each line is <ip> <name> [<name>…]")]
    Address {
        /// The line's number, from 1.
        line: usize,
    },
    /// A line has an address alone.
    #[error("line {line} of the hosts file names no host: each line is <ip> <name> [<name>…]")]
    NoName {
        /// The line's number, from 1.
        line: usize,
    },
    /// A name can't be one, such as a lone dot.
    #[error("line {line} of the hosts file has an empty name")]
    EmptyName {
        /// The line's number, from 1.
        line: usize,
    },
}

impl Hosts {
    /// Reads a hosts file.
    ///
    /// # Errors
    /// The file can't be read, is longer than 1 MiB or can't be parsed.
    pub fn read(path: &Path) -> Result<Self, HostsError> {
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(HostsError::Read)?;
        file.take(LONGEST_FILE + 1).read_to_end(&mut bytes).map_err(HostsError::Read)?;
        if bytes.len() as u64 > LONGEST_FILE {
            return Err(HostsError::TooLong);
        }
        let text = String::from_utf8(bytes).map_err(|_| HostsError::NotText)?;
        Self::parse(&text)
    }

    /// Reads the text of a hosts file: on each line an address, then the names that have it. `#` starts a comment.
    ///
    /// # Errors
    /// A line that isn't one.
    pub fn parse(text: &str) -> Result<Self, HostsError> {
        let mut names: HashMap<String, Vec<IpAddr>> = HashMap::new();
        for (number, text) in text.lines().enumerate() {
            let line = number + 1;
            let entry = text.split_once('#').map_or(text, |(entry, _)| entry);
            let mut words = entry.split_whitespace();
            let Some(address) = words.next() else { continue };
            let address: IpAddr = canonical(address.parse().map_err(|_| HostsError::Address { line })?);
            let mut words = words.peekable();
            if words.peek().is_none() {
                return Err(HostsError::NoName { line });
            }
            for word in words {
                let name = key(word);
                if name.is_empty() {
                    return Err(HostsError::EmptyName { line });
                }
                let addresses = names.entry(name).or_default();
                if !addresses.contains(&address) {
                    addresses.push(address);
                }
            }
        }
        Ok(Self { names })
    }

    /// The addresses of a name, in file order; `None` when the file doesn't name it.
    pub fn get(&self, name: &str) -> Option<&[IpAddr]> {
        self.names.get(&key(name)).map(Vec::as_slice)
    }
}

/// The name as it is compared: in any case, with or without a dot at its end.
fn key(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn get<'a>(hosts: &'a Hosts, name: &str) -> Option<Vec<String>> {
        hosts.get(name).map(|addresses: &'a [IpAddr]| addresses.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn names_match_in_any_case_and_with_a_trailing_dot() {
        let hosts = Hosts::parse("192.0.2.7 Alpha.Test beta.test.\n").unwrap();
        for name in ["alpha.test", "ALPHA.TEST", "alpha.test.", "Beta.test", "beta.test."] {
            assert_eq!(get(&hosts, name), Some(vec!["192.0.2.7".into()]), "{name}");
        }
        assert_eq!(get(&hosts, "alpha"), None);
        assert_eq!(get(&hosts, "alpha.test.."), None);
    }

    #[test]
    fn a_name_on_several_lines_gets_every_address_in_file_order() {
        let hosts =
            Hosts::parse("192.0.2.7 a.test\n2001:db8::7 b.test a.test\n192.0.2.1 A.test\n192.0.2.7 a.test").unwrap();
        let expected = ["192.0.2.7", "2001:db8::7", "192.0.2.1"].map(String::from);
        assert_eq!(get(&hosts, "a.test"), Some(expected.into()));
    }

    #[test]
    fn comments_and_empty_lines_say_nothing() {
        let hosts = Hosts::parse("# 192.0.2.1 a.test\n\n  \t\r\n192.0.2.2\tb.test # c.test\r\n").unwrap();
        assert_eq!(get(&hosts, "a.test"), None);
        assert_eq!(get(&hosts, "b.test"), Some(vec!["192.0.2.2".into()]));
        assert_eq!(get(&hosts, "c.test"), None);
    }

    #[test]
    fn a_mapped_address_stands_for_its_ipv4_address() {
        let hosts = Hosts::parse("::ffff:127.0.0.1 a.test").unwrap();
        assert_eq!(get(&hosts, "a.test"), Some(vec!["127.0.0.1".into()]));
    }

    #[test]
    fn a_bad_line_is_named_by_its_number() {
        assert!(matches!(Hosts::parse("192.0.2.1 a\nb.test 192.0.2.1"), Err(HostsError::Address { line: 2 })));
        assert!(matches!(Hosts::parse("\n\n192.0.2.1 # a.test"), Err(HostsError::NoName { line: 3 })));
        assert!(matches!(Hosts::parse("192.0.2.1 ."), Err(HostsError::EmptyName { line: 1 })));
        assert!(matches!(Hosts::parse("127.1 a.test"), Err(HostsError::Address { line: 1 })));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(Hosts::read(&dir.path().join("none")), Err(HostsError::Read(_))));
        assert!(matches!(Hosts::read(dir.path()), Err(HostsError::Read(_))));
        let file = dir.path().join("hosts");
        std::fs::write(&file, [0xff, 0xfe]).unwrap();
        assert!(matches!(Hosts::read(&file), Err(HostsError::NotText)));
        std::fs::write(&file, vec![b'#'; (1 << 20) + 1]).unwrap();
        assert!(matches!(Hosts::read(&file), Err(HostsError::TooLong)));
        std::fs::write(&file, "192.0.2.1 a.test").unwrap();
        assert_eq!(get(&Hosts::read(&file).unwrap(), "a.test"), Some(vec!["192.0.2.1".into()]));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            let _ = Hosts::parse(&text);
        }

        #[test]
        fn every_name_of_a_good_file_is_found(lines in proptest::collection::vec((any::<IpAddr>(), "[a-zA-Z0-9.-]{1,9}[a-z]"), 0..9)) {
            let text = lines.iter().map(|(address, name)| format!("{address} {name}")).collect::<Vec<_>>().join("\n");
            let hosts = Hosts::parse(&text).unwrap();
            for (address, name) in &lines {
                prop_assert!(hosts.get(name).unwrap().contains(&canonical(*address)));
            }
        }
    }
}
