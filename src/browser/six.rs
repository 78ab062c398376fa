//! SLICC six's own Chrome profile, which is used in place and never written to (section "Using SLICC six's Chrome profile"
//! of the requirement).

use std::{
    fmt,
    path::{Path, PathBuf},
};

use super::paths::Parts;
use crate::{
    generated::catalog::six,
    host::{Os, System},
};

/// `Last Version` is a short line.
const MAX_LAST_VERSION: u64 = 256;
/// `Local State` is larger than it should be, and never this large.
const MAX_LOCAL_STATE: u64 = 32 << 20;
/// The longest version, in characters.
const MAX_VERSION: usize = 64;

/// What `--profile six` and `--profile six:<port>` choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SixChoice {
    /// The serve port, when one is named.
    pub port: Option<u16>,
}

/// A `--profile six:…` whose end is no port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("six:<port> takes a port from 1 to 65535, as in six:5710")]
pub struct NotAPort;

impl SixChoice {
    /// Reads the value of `--profile`. `None` when it names no profile of six's.
    pub fn parse(text: &str) -> Option<Result<Self, NotAPort>> {
        if text == "six" {
            return Some(Ok(Self { port: None }));
        }
        let port = text.strip_prefix("six:")?;
        let digits = port.bytes().all(|byte| byte.is_ascii_digit());
        Some(match port.parse() {
            Ok(port @ 1..) if digits => Ok(Self { port: Some(port) }),
            _ => Err(NotAPort),
        })
    }

    /// The profile's dir, whether or not it exists. `None` when this machine has no place for it.
    pub fn dir(self, system: &dyn System) -> Option<PathBuf> {
        if let Some(dir) = named_dir(system) {
            return Some(dir);
        }
        let name = match self.port {
            None | Some(six::DEFAULT_PORT) => six::NAME.to_owned(),
            Some(port) => format!("{}-{port}", six::NAME),
        };
        Some(system.os().join(&root(system)?, &name))
    }
}

impl fmt::Display for SixChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            None => f.write_str("six"),
            Some(port) => write!(f, "six:{port}"),
        }
    }
}

/// Where six keeps its profiles.
pub fn root(system: &dyn System) -> Option<PathBuf> {
    let root = match system.os() {
        Os::Linux => six::LINUX_ROOT,
        Os::Macos => six::MACOS_ROOT,
        Os::Windows => six::WINDOWS_ROOT,
    };
    let named = root.variable.and_then(|(variable, under)| Some((system.env_dir(variable)?, under)));
    let (base, under) = match named {
        Some(named) => named,
        None => (system.home_dir()?, root.home),
    };
    Some(system.os().join(&base, under))
}

/// The dir that [`six::DIRECTORY_VARIABLE`] names: six's profile for every port, when it isn't blank.
fn named_dir(system: &dyn System) -> Option<PathBuf> {
    let value = system.env(six::DIRECTORY_VARIABLE)?;
    let dir = match value.to_str() {
        Some(text) => PathBuf::from(text.trim()),
        None => PathBuf::from(value),
    };
    // A relative one depends on where six was started.
    system.os().is_absolute(&dir).then_some(dir)
}

/// Whether a dir under [`root`] is a profile of six's by its name, in any case.
pub fn is_profile_name(name: &str) -> bool {
    let name = name.to_lowercase();
    name.strip_prefix(six::NAME).is_some_and(|rest| {
        rest.is_empty()
            || rest.strip_prefix('-').is_some_and(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// Every profile of six's that exists, the one from the environment first.
pub fn dirs(system: &dyn System) -> Vec<PathBuf> {
    let os = system.os();
    let root = root(system);
    let named = root.iter().flat_map(|root| {
        let names = system.list(root).into_iter();
        names.filter_map(|name| name.to_str().filter(|name| is_profile_name(name)).map(|name| os.join(root, name)))
    });
    named_dir(system).into_iter().chain(named).filter(|dir| system.is_dir(dir)).collect()
}

/// Profiles of six's in the form in which paths are compared.
#[derive(Debug)]
pub struct SixDirs {
    root: Option<Parts>,
    dirs: Vec<Parts>,
}

impl SixDirs {
    /// Those of this machine, as they are now.
    pub fn of(system: &dyn System) -> Self {
        let all = dirs(system).into_iter().chain(named_dir(system));
        Self {
            root: root(system).map(|root| Parts::ignoring_case(system, &root)),
            dirs: all.map(|dir| Parts::ignoring_case(system, &dir)).collect(),
        }
    }

    /// Whether a path is one of six's profiles: compared without case, after resolving symbolic links.
    pub fn is_six(&self, system: &dyn System, path: &Path) -> bool {
        self.holds(&Parts::ignoring_case(system, path))
    }

    /// Whether a path is one of six's profiles, or lies in one.
    pub fn contains(&self, system: &dyn System, path: &Path) -> bool {
        let parts = Parts::ignoring_case(system, path);
        let mut outer = parts.clone();
        while outer.name().is_some() {
            if self.holds(&outer) {
                return true;
            }
            outer = outer.parent();
        }
        false
    }

    fn holds(&self, parts: &Parts) -> bool {
        let by_name = || parts.name().is_some_and(is_profile_name) && self.root.as_ref() == Some(&parts.parent());
        self.dirs.contains(parts) || by_name()
    }
}

/// The version of the browser that used the profile last: its `Last Version`, or else the one in its `Local State`.
pub fn last_version(system: &dyn System, profile: &Path) -> Option<String> {
    let os = system.os();
    let text = system.read(&os.join(profile, six::VERSION_FILE), MAX_LAST_VERSION).ok();
    let version = text.and_then(|text| String::from_utf8(text).ok()).and_then(|text| parse_version(&text));
    version.or_else(|| {
        let state = system.read(&os.join(profile, six::VERSION_PREF.0), MAX_LOCAL_STATE).ok()?;
        parse_local_state(&state)
    })
}

/// The version in a `Local State`: `user_experience_metrics.stability.stats_version`.
pub fn parse_local_state(json: &[u8]) -> Option<String> {
    let state: serde_json::Value = serde_json::from_slice(json).ok()?;
    // Chrome writes "154.0.8037.98-64-devel" and the like on some systems: the version ends at the first hyphen.
    let mut path = six::VERSION_PREF.1.split('.');
    let version = path.try_fold(&state, |state, key| state.get(key))?.as_str()?;
    parse_version(version.split('-').next().unwrap_or(version))
}

/// A dotted version.
fn parse_version(text: &str) -> Option<String> {
    let text = text.trim();
    let dotted = text.len() <= MAX_VERSION && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (dotted && text.starts_with(|c: char| c.is_ascii_digit())).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;
