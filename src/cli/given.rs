//! What the values of flags that several commands share mean, whatever the machine.

use std::{fmt::Display, path::Path};

use super::Failure;
use crate::{
    browser::{open::ProfileChoice, origin::Origin, profile::ProfileName, six::SixChoice},
    cdp::Endpoint,
    kernel, node,
    policy::{Hosts, Rule, Rules},
};

/// A usage failure that names the flag.
fn wrong(flag: &str) -> impl Fn(&dyn Display) -> Failure + '_ {
    move |error| Failure::usage(format_args!("{flag}: {error}"))
}

/// A value of `--cdp`.
///
/// # Errors
/// A usage failure.
pub fn endpoint(value: &str) -> Result<Endpoint, Failure> {
    Endpoint::parse(value).map_err(|error| wrong("--cdp")(&error))
}

/// The values of `--origin`.
///
/// # Errors
/// A usage failure.
pub fn origins(values: &[String]) -> Result<Vec<Origin>, Failure> {
    values.iter().map(|value| Origin::parse(value).map_err(|error| wrong("--origin")(&error))).collect()
}

/// The flags about the node.
#[derive(Debug)]
pub struct NodeFlags<'a> {
    /// `--name`.
    pub name: Option<&'a str>,
    /// `--allow`.
    pub allow: &'a [String],
    /// `--deny`.
    pub deny: &'a [String],
    /// `--hosts`.
    pub hosts: Option<&'a Path>,
    /// `--kernel-port`.
    pub kernel_port: Option<u16>,
    /// `--no-kernel`.
    pub no_kernel: bool,
}

impl NodeFlags<'_> {
    /// What they mean. It touches nothing but the hosts file.
    ///
    /// # Errors
    /// A usage failure.
    pub fn options(&self) -> Result<node::Options, Failure> {
        let rules = |flag, values| Rule::parse_lists(values).map_err(|error| wrong(flag)(&error));
        let rules = Rules { allow: rules("--allow", self.allow)?, deny: rules("--deny", self.deny)? };
        let hosts = match self.hosts {
            Some(file) => Hosts::read(file).map_err(|error| wrong("--hosts")(&error))?,
            None => Hosts::default(),
        };
        let port = self.kernel_port.unwrap_or(kernel::DEFAULT_PORT);
        let kernel = (!self.no_kernel).then_some(kernel::Place::Port(port));
        Ok(node::Options { name: self.name.map(str::to_owned), rules, hosts, kernel })
    }
}

/// The value of `--profile`.
///
/// # Errors
/// A usage failure.
pub fn profile(text: Option<&str>) -> Result<ProfileChoice, Failure> {
    let wrong = wrong("--profile");
    match text.map(|text| (text, SixChoice::parse(text))) {
        None => Ok(ProfileChoice::Slicc(None)),
        Some((_, Some(six))) => six.map(ProfileChoice::Six).map_err(|error| wrong(&error)),
        Some((text, None)) => match ProfileName::parse(text) {
            Ok(name) => Ok(ProfileChoice::Slicc(Some(name))),
            Err(error) => Err(wrong(&error)),
        },
    }
}
