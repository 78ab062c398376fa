//! The two sources that read this machine: `DevToolsActivePort` files and the process list (section "Browsers" of the
//! requirement). Both block for as long as the file system does, and no longer.

use std::{num::NonZeroU16, path::PathBuf, time::Duration};

use super::{Candidate, process::parse_command};
use crate::{
    browser::{
        installed::{Via, user_data_dirs},
        profile::{self, Place},
        running,
        six::{self, SixDirs},
    },
    cdp::Endpoint,
    generated::{catalog::discovery::USER_DATA_DIR_SNAPS, events::EndpointSource},
    host::System,
};

/// How long the command that lists processes may take, where one is needed.
const PROCESSES: Duration = Duration::from_millis(1500);

/// What the files of this machine name: those in the browsers' default user data dirs, in SLICC profiles and in SLICC
/// six's.
pub(super) fn files(system: &dyn System) -> Vec<Candidate> {
    let six = SixDirs::of(system);
    let defaults = user_data_dirs(system).into_iter();
    let defaults = defaults
        .filter(|dir| dir.via != Some(Via::Snap) || dir.package.is_some_and(|snap| USER_DATA_DIR_SNAPS.contains(&snap)))
        .map(|dir| (dir.path, Some(dir.browser), None));
    let profiles = Place::all(system).into_iter().flat_map(|place| place.profiles(system));
    let profiles = profiles.map(|(name, dir)| (dir, None, Some(name.to_string())));
    let sixes = six::dirs(system).into_iter().map(|dir| (dir, None, None));
    let mut candidates = Vec::new();
    for (dir, browser, profile) in defaults.chain(profiles).chain(sixes) {
        let Some(socket) = running::read(system, &dir) else { continue };
        let six = six.is_six(system, &dir);
        let at = Candidate::at(socket.http(), EndpointSource::DevtoolsActivePort);
        candidates.push(Candidate {
            socket: Some(socket),
            must_match: true,
            browser,
            user_data_dir: Some(dir),
            profile: profile.filter(|_| !six),
            six,
            ..at
        });
    }
    candidates
}

/// What the processes of this machine name. With port 0, the port is in the file of the user data dir.
pub(super) fn processes(system: &dyn System) -> Vec<Candidate> {
    let os = system.os();
    let own = system.own_pid();
    let debugged = system.processes(PROCESSES).into_iter().filter(|line| line.pid != 0 && line.pid != own);
    let mut debugged = debugged.filter_map(|line| parse_command(&line.command, os)).peekable();
    if debugged.peek().is_none() {
        return Vec::new();
    }
    let six = SixDirs::of(system);
    debugged
        .filter_map(|process| {
            let dir = process.user_data_dir.map(PathBuf::from).filter(|dir| os.is_absolute(dir));
            let is_six = dir.as_ref().is_some_and(|dir| six.is_six(system, dir));
            let candidate = if let Some(port) = NonZeroU16::new(process.port) {
                Candidate::at(Endpoint::on_loopback(port), EndpointSource::Process)
            } else {
                let dir = dir.as_ref().filter(|dir| is_six || !profile::is_in_old_profiles(system, dir))?;
                let socket = running::read(system, dir)?;
                let at = Candidate::at(socket.http(), EndpointSource::Process);
                Candidate { socket: Some(socket), must_match: true, ..at }
            };
            Some(Candidate { user_data_dir: dir, six: is_six, ..candidate })
        })
        .collect()
}
