//! From a launch's options to a browser whose debugging port answers.

use std::{
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime},
};

use super::{
    LaunchError, LaunchNotice, LaunchOptions, ProfileUse, Program, SILENCE_LIMIT, arguments, arguments::Port,
    profile::Profile,
};
use crate::{
    browser::{
        lock::Lock,
        prefs::Edits,
        prepare::{PrepareError, prepare},
        process::BrowserProcess,
        profile::{is_six, is_throwaway},
        record::{Record, process_of},
        running,
    },
    cdp::{BrowserVersion, Endpoint},
    generated::catalog::{discovery::ACTIVE_PORT_FILE, electron},
    host::{Os, System, files::create_private_dir},
};

/// How often `DevToolsActivePort` is looked for. Nothing announces the file on every system.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// How many ports are tried for an app.
const MAX_PORTS: u16 = 1000;

/// A browser that was started. Dropping it ends the browser and removes a temporary profile.
#[derive(Debug)]
pub(super) struct Started {
    pub process: BrowserProcess,
    pub record: Option<Record>,
    pub profile: Option<Profile>,
    pub profile_dir: Option<PathBuf>,
    pub notices: Vec<LaunchNotice>,
    /// The port that an app was given.
    port: Option<u16>,
    /// The port file that was there before.
    before: Option<PortFile>,
}

/// A port file, as it was at one time.
#[derive(Debug, PartialEq, Eq)]
struct PortFile {
    endpoint: Endpoint,
    written: Option<SystemTime>,
}

impl PortFile {
    fn of(system: &dyn System, profile: &Path) -> Option<Self> {
        let endpoint = running::read(system, profile)?;
        let written = profile.join(ACTIVE_PORT_FILE).metadata().and_then(|meta| meta.modified()).ok();
        Some(Self { endpoint, written })
    }
}

impl Started {
    /// Makes the profile ready and starts the browser in it.
    pub(super) fn new(system: &dyn System, options: &LaunchOptions) -> Result<Self, LaunchError> {
        let mut profile = None;
        let mut record = None;
        let profile_dir = match &options.profile {
            ProfileUse::Temporary => {
                let made = Profile::new(&system.temp_dir()).map_err(LaunchError::Profile)?;
                let dir = made.path().to_owned();
                record = Record::take(&dir).map_err(LaunchError::Record)?;
                profile = Some(made);
                Some(dir)
            }
            ProfileUse::Slicc(dir) => {
                record = Some(take(system, dir, options)?);
                Some(dir.clone())
            }
            ProfileUse::InPlace(dir) => Some(dir.clone()),
            ProfileUse::Apps => None,
        };
        let port = if options.profile == ProfileUse::Apps { Some(free_port()?) } else { None };
        let before = profile_dir.as_ref().and_then(|dir| PortFile::of(system, dir));
        let without_sandbox = system.os() == Os::Linux && system.is_root();
        let target = match (&profile_dir, port) {
            (Some(dir), _) => Port::InProfile { dir, throwaway: is_throwaway(system, dir) },
            (None, port) => Port::Number(port.unwrap_or(electron::FIRST_PORT)),
        };
        let arguments = arguments(target, without_sandbox, options);
        let (mut command, direct) = command(system, options, profile_dir.as_deref());
        // The first argument tells an app's processes from others, and the second a browser's.
        let telling = arguments.get(usize::from(port.is_none())).and_then(|argument| argument.to_str());
        let elsewhere = telling.filter(|_| !direct).map(str::to_owned);
        command.args(&arguments);
        if let Some(profile) = &profile
            && system.os() == Os::Linux
        {
            // Chromium keeps a socket in a folder of its own there, which it leaves behind when it is killed. Elsewhere the
            // path would be too long for a socket.
            command.env("TMPDIR", profile.path());
        }
        let process = BrowserProcess::spawn(command, elsewhere)
            .map_err(|error| LaunchError::Spawn { executable: options.program.file().clone(), error })?;
        let notices = if without_sandbox { vec![LaunchNotice::NoSandbox] } else { Vec::new() };
        Ok(Self { process, record, profile, profile_dir, notices, port, before })
    }

    /// Waits until the debugging port answers.
    pub(super) async fn answering(
        &self,
        system: &dyn System,
        options: &LaunchOptions,
    ) -> Result<(Endpoint, BrowserVersion), LaunchError> {
        // A future of its own, so that the limit and the exit cut every step short.
        let found = async {
            let mut look_again = tokio::time::interval(LOOK_AGAIN);
            look_again.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            let mut stderr = self.process.cursor();
            loop {
                tokio::select! {
                    _ = look_again.tick() => {}
                    () = self.process.said(&mut stderr) => {}
                }
                if let Some(found) = self.look(system).await {
                    return found;
                }
            }
        };
        tokio::select! {
            biased;
            status = self.process.exited() => {
                // What it said last may still be in the pipe.
                let _complete = tokio::time::timeout(SILENCE_LIMIT, self.process.silent()).await;
                Err(LaunchError::Exited { status, last_line: self.process.stderr().last_line })
            }
            found = found => Ok(found),
            () = tokio::time::sleep(options.start_limit) => {
                Err(LaunchError::NoEndpoint { limit: options.start_limit, last_line: self.process.stderr().last_line })
            }
        }
    }

    /// The endpoint, once it is announced and `/json/version` names the same WebSocket path.
    async fn look(&self, system: &dyn System) -> Option<(Endpoint, BrowserVersion)> {
        if let Some(port) = self.port {
            let endpoint = Endpoint::parse(&port.to_string()).ok()?;
            // Boxed: the HTTP client's state is large, and every caller's future would carry it.
            let version = Box::pin(endpoint.version()).await.ok()?;
            let socket = version.web_socket_debugger_url.clone()?;
            return (socket.port() == port).then_some((socket, version));
        }
        let file = self.profile_dir.as_ref().and_then(|dir| PortFile::of(system, dir));
        // One that was there before is ignored until the browser writes a new one.
        let file = file.filter(|file| self.before.as_ref() != Some(file)).map(|file| file.endpoint);
        if let Some(endpoint) = file
            && let Some(found) = running::answering(endpoint).await
        {
            return Some(found);
        }
        // A confined browser never writes the file, or writes it out of sight: its line on stderr stands in.
        running::answering(self.process.stderr().endpoint?).await
    }
}

/// Makes a SLICC profile ready that nobody else uses, and takes it.
fn take(system: &dyn System, dir: &Path, options: &LaunchOptions) -> Result<Record, LaunchError> {
    let path = dir.to_owned();
    if is_six(system, dir) {
        return Err(LaunchError::Six { path });
    }
    let lock = match options.program {
        // The lock of a flatpak names a process of its own name space.
        Program::Flatpak { .. } => process_of(system, dir).map_or(Lock::Free, |pid| Lock::Live(Some(pid))),
        _ => Lock::of(system, dir),
    };
    if let Lock::Live(pid) = lock {
        return Err(LaunchError::Held { path, pid });
    }
    create_private_dir(dir).map_err(|error| PrepareError {
        what: "create the profile",
        path: dir.to_owned(),
        error,
    })?;
    let record = Record::take(dir).map_err(LaunchError::Record)?.ok_or(LaunchError::Taken { path })?;
    let edits = Edits { seven: options.seven_flags, extra_hosts: &options.extra_hosts, now: SystemTime::now() };
    prepare(system, dir, &edits)?;
    Ok(record)
}

/// What is run before the browser's arguments, and whether that is the browser itself.
fn command(system: &dyn System, options: &LaunchOptions, profile: Option<&Path>) -> (Command, bool) {
    match &options.program {
        Program::App { bundle, .. } if !options.headless => {
            let open = system.find_on_path("open").unwrap_or_else(|| PathBuf::from("/usr/bin/open"));
            let mut command = Command::new(open);
            command.args(["-n", "-W", "-a"]).arg(bundle).arg("--args");
            (command, false)
        }
        Program::Flatpak { flatpak, id } => {
            let mut command = Command::new(flatpak);
            command.arg("run");
            if let Some(profile) = profile {
                let mut filesystem = std::ffi::OsString::from("--filesystem=");
                filesystem.push(profile);
                command.arg(filesystem);
            }
            command.arg(id);
            (command, false)
        }
        Program::Executable(executable) | Program::App { executable, .. } => (Command::new(executable), true),
    }
}

/// The first free port for an app.
fn free_port() -> Result<u16, LaunchError> {
    let first = electron::FIRST_PORT;
    let free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    (first..first.saturating_add(MAX_PORTS)).find(free).ok_or(LaunchError::NoPort { first })
}
