//! Installed browsers on Linux: snaps, then names on PATH, then flatpaks, then `.desktop` files, which show Electron apps too.

mod desktop;
mod packages;

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

pub use self::{
    desktop::{DesktopEntry, parse_desktop_entry},
    packages::{parse_dpkg_status, parse_snap_manifest},
};
use super::{
    Engine, Installed, Via, data_dirs, electron,
    finds::{Finds, chromium, electron_app, is_below, sandboxed},
    place, read_text, version,
};
use crate::{
    generated::catalog::{BROWSERS, Browser, places},
    host::{Os, System},
};

/// How long a browser may take to print its version. All are asked at once.
const VERSION_LIMIT: Duration = Duration::from_secs(2);
/// The largest `.desktop` file that is read.
const MAX_DESKTOP_ENTRY: u64 = 256 << 10;
/// The largest snap manifest that is read.
const MAX_MANIFEST: u64 = 256 << 10;
/// The largest status file of dpkg that is read. A full desktop's is some 10 MB.
const MAX_DPKG_STATUS: u64 = 128 << 20;

/// What is installed. Versions are found later, for what counts.
pub(super) fn find(system: &dyn System) -> Finds {
    let mut finds = Finds::default();
    snaps(system, &mut finds);
    path_names(system, &mut finds);
    let program = flatpak_program(system);
    if let Some(program) = &program {
        flatpaks(system, program, &mut finds);
    }
    desktop_entries(system, program.as_deref(), &mut finds);
    finds
}

fn snaps(system: &dyn System, finds: &mut Finds) {
    for browser in BROWSERS {
        for (index, snap) in browser.linux.snaps.iter().enumerate() {
            if system.is_executable(Path::new(snap.executable)) {
                let found = snapped(system, browser, snap.name, PathBuf::from(snap.executable));
                finds.add(system, found, &format!("linux.snaps.{index}"));
            }
        }
        // A command can also have one of the browser's other names.
        for name in browser.linux.path_names {
            let path = Os::Linux.join(Path::new(places::SNAP_COMMANDS), name);
            if system.is_executable(&path) {
                finds.add(system, native(system, browser, path), "linux.pathNames");
            }
        }
    }
}

fn path_names(system: &dyn System, finds: &mut Finds) {
    for browser in BROWSERS {
        if let Some(path) = browser.linux.path_names.iter().find_map(|name| system.find_on_path(name)) {
            finds.add(system, native(system, browser, path), "linux.pathNames");
        }
    }
}

fn flatpaks(system: &dyn System, program: &Path, finds: &mut Finds) {
    for browser in BROWSERS {
        for (index, flatpak) in browser.linux.flatpaks.iter().enumerate() {
            if let Some(dir) = flatpak_dir(system, flatpak.id) {
                let found = flatpacked(system, browser, flatpak.id, dir, program);
                finds.add(system, found, &format!("linux.flatpaks.{index}"));
            }
        }
    }
}

/// The directory of an installed flatpak.
fn flatpak_dir(system: &dyn System, id: &str) -> Option<PathBuf> {
    let folders = places::FLATPAK_APPS.iter().filter_map(|folder| place(system, folder));
    folders.map(|folder| Os::Linux.join(&folder, id)).find(|dir| system.is_dir(dir))
}

fn flatpak_program(system: &dyn System) -> Option<PathBuf> {
    let usual = PathBuf::from(places::FLATPAK_PROGRAM);
    system.find_on_path("flatpak").or_else(|| system.is_executable(&usual).then_some(usual))
}

/// A browser with this executable, which can turn out to be a snap's command.
fn native(system: &dyn System, browser: &Browser, executable: PathBuf) -> Installed {
    match snap_of(&executable) {
        Some(snap) => snapped(system, browser, &snap, executable),
        None => Installed { user_data_dir: data_dirs::native(system, browser), ..chromium(browser, executable) },
    }
}

fn snapped(system: &dyn System, browser: &Browser, name: &str, executable: PathBuf) -> Installed {
    let snap = browser.linux.snaps.iter().find(|snap| snap.name == name);
    let user_data_dir = snap.and_then(|snap| data_dirs::snap(system, snap));
    sandboxed(Installed { user_data_dir, ..chromium(browser, executable) }, Via::Snap, name)
}

fn flatpacked(system: &dyn System, browser: &Browser, id: &str, dir: PathBuf, program: &Path) -> Installed {
    let flatpak = browser.linux.flatpaks.iter().find(|flatpak| flatpak.id == id);
    let user_data_dir = flatpak.and_then(|flatpak| data_dirs::flatpak(system, flatpak));
    let found = Installed { path: dir, user_data_dir, ..chromium(browser, program.to_path_buf()) };
    sandboxed(found, Via::Flatpak, id)
}

/// The snap whose command this is: `vivaldi` for `/snap/bin/vivaldi.vivaldi-stable`.
fn snap_of(executable: &Path) -> Option<String> {
    if !is_below(Os::Linux, executable, places::SNAP_COMMANDS) {
        return None;
    }
    let command = Os::Linux.file_name(executable)?;
    command.to_string_lossy().split('.').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

fn desktop_entries(system: &dyn System, flatpak: Option<&Path>, finds: &mut Finds) {
    let mut apps = Vec::new();
    for dir in desktop_dirs(system) {
        for name in system.list(&dir) {
            let Some(id) = name.to_str().filter(|name| name.ends_with(".desktop")) else { continue };
            let browser = BROWSERS.iter().find(|browser| is_desktop_id(browser, id));
            let Some(text) = read_text(system, &Os::Linux.join(&dir, id), MAX_DESKTOP_ENTRY) else { continue };
            let Some(entry) = parse_desktop_entry(&text) else { continue };
            match browser {
                Some(browser) => desktop_browser(system, browser, &entry, flatpak, finds),
                None => apps.extend(desktop_app(system, &entry)),
            }
        }
    }
    for app in apps {
        finds.add(system, app, "");
    }
}

fn is_desktop_id(browser: &Browser, id: &str) -> bool {
    browser.linux.desktop_ids.contains(&id)
        || browser.linux.flatpaks.iter().any(|flatpak| flatpak.desktop_id == id)
        || browser.linux.snaps.iter().any(|snap| snap.desktop_id == id)
}

/// A browser by its `.desktop` file. What it runs says whether it is a flatpak: packages outside of flatpak use such names too.
fn desktop_browser(
    system: &dyn System,
    browser: &Browser,
    entry: &DesktopEntry,
    flatpak: Option<&Path>,
    finds: &mut Finds,
) {
    if let Some(id) = entry.flatpak() {
        if let (Some(program), Some(dir)) = (flatpak, flatpak_dir(system, id)) {
            finds.add(system, flatpacked(system, browser, id, dir, program), "linux.desktopIds");
        }
    } else if let Some(path) = entry.program().and_then(|program| program_path(system, program)) {
        finds.add(system, native(system, browser, path), "linux.desktopIds");
    }
}

fn desktop_app(system: &dyn System, entry: &DesktopEntry) -> Option<Installed> {
    let path = program_path(system, entry.program()?)?;
    // A command in /usr/bin is often a link to the executable next to the app's files.
    let real = system.canonical(&path);
    let dirs = [Some(&path), real.as_ref()].into_iter().flatten().filter_map(|path| Os::Linux.parent(path));
    let dir = dirs.into_iter().find(|dir| electron::is_app_dir(system, dir))?;
    let app = electron_app(&entry.name, path, electron::debug_support(&entry.name, None))?;
    Some(Installed { version: electron::manifest_version(system, &dir), ..app })
}

fn program_path(system: &dyn System, program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        let path = PathBuf::from(program);
        return (Os::Linux.is_absolute(&path) && system.is_executable(&path)).then_some(path);
    }
    system.find_on_path(program)
}

/// Where `.desktop` files are, in the order in which they count.
fn desktop_dirs(system: &dyn System) -> Vec<PathBuf> {
    let os = Os::Linux;
    let own = system.env_dir("XDG_DATA_HOME").or_else(|| place(system, "~/.local/share"));
    let shared = system.env("XDG_DATA_DIRS").map(|dirs| {
        dirs.to_string_lossy().split(':').map(PathBuf::from).filter(|dir| os.is_absolute(dir)).collect::<Vec<_>>()
    });
    let shared = shared.filter(|dirs| !dirs.is_empty());
    let shared = shared.unwrap_or_else(|| places::DATA_DIRS.iter().map(PathBuf::from).collect());
    let xdg = own.into_iter().chain(shared).map(|dir| os.join(&dir, "applications"));
    let mut dirs: Vec<PathBuf> = Vec::new();
    for dir in xdg.chain(places::DESKTOP_DIRS.iter().filter_map(|dir| place(system, dir))) {
        if !dirs.contains(&dir) {
            dirs.push(dir);
        }
    }
    dirs
}

/// Fills in versions: from dpkg's status, from a snap's manifest, and otherwise from what the browser itself prints.
pub(super) fn ask_versions(system: &dyn System, found: &mut [Installed]) {
    let unknown = found.iter().filter(|app| app.version.is_none());
    let wanted: Vec<String> = unknown.flat_map(deb_packages).collect();
    let status = (!wanted.is_empty()).then(|| system.read(Path::new(places::DPKG_STATUS), MAX_DPKG_STATUS).ok());
    let packages = status.flatten().map(|status| parse_dpkg_status(&status, &wanted)).unwrap_or_default();
    for app in found.iter_mut().filter(|app| app.version.is_none()) {
        let from_dpkg = deb_packages(app).iter().find_map(|package| packages.get(package).cloned());
        app.version = from_dpkg.or_else(|| snap_version(system, app));
    }
    thread::scope(|scope| {
        for app in found.iter_mut().filter(|app| app.version.is_none() && app.engine == Engine::Chromium) {
            scope.spawn(|| app.version = printed_version(system, app));
        }
    });
}

/// The Debian packages that this executable can come from: none for a sandboxed one, and for one that isn't where packages
/// put theirs. The package of an app is usually named after its executable.
fn deb_packages(app: &Installed) -> Vec<String> {
    let packaged = ["/usr", "/opt"].iter().any(|dir| is_below(Os::Linux, &app.executable, dir));
    if app.via.is_some() || !packaged || is_below(Os::Linux, &app.executable, "/usr/local") {
        return Vec::new();
    }
    if let Some(browser) = super::browser(&app.id) {
        return browser.linux.deb_packages.iter().map(|package| (*package).to_owned()).collect();
    }
    let name = Os::Linux.file_name(&app.executable).unwrap_or_default().to_string_lossy().into_owned();
    vec![format!("{name}-desktop"), name]
}

fn snap_version(system: &dyn System, app: &Installed) -> Option<String> {
    let name = app.package.as_ref().filter(|_| app.via == Some(Via::Snap))?;
    let path = PathBuf::from(places::SNAP_MANIFEST.replace("<snap>", name));
    parse_snap_manifest(&read_text(system, &path, MAX_MANIFEST)?)
}

fn printed_version(system: &dyn System, app: &Installed) -> Option<String> {
    let output = match (app.via, &app.package) {
        (Some(Via::Flatpak), Some(id)) => {
            let args = ["run", id, "--version"].map(OsStr::new);
            system.run(app.executable.as_os_str(), &args, VERSION_LIMIT)
        }
        _ => system.run(app.executable.as_os_str(), &[OsStr::new("--version")], VERSION_LIMIT),
    };
    version::first(&output?)
}

#[cfg(test)]
mod tests;
