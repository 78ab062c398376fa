//! Installed browsers on Windows: the registry's `StartMenuInternet` and `App Paths`, then the known paths. Electron apps are
//! directories with their files in the usual places, and installs of Squirrel.

use std::path::{Path, PathBuf};

use super::{
    Installed, data_dirs, electron,
    finds::{Finds, chromium, electron_app},
    version, windows_place,
};
use crate::{
    generated::catalog::{BROWSERS, Browser, WINDOWS_PATH_HINTS, places},
    host::{Hive, Os, System},
};

/// The current user's settings come before the machine's.
const HIVES: [Hive; 2] = [Hive::CurrentUser, Hive::LocalMachine];

/// What is installed.
pub(super) fn find(system: &dyn System) -> Finds {
    let mut finds = Finds::default();
    start_menu(system, &mut finds);
    app_paths(system, &mut finds);
    known_paths(system, &mut finds);
    electron_folders(system, &mut finds);
    squirrel(system, &mut finds);
    finds
}

/// Every hive with every key of the list.
fn keys(list: &'static [&'static str]) -> impl Iterator<Item = (Hive, &'static str)> {
    HIVES.into_iter().flat_map(move |hive| list.iter().map(move |key| (hive, *key)))
}

fn start_menu(system: &dyn System, finds: &mut Finds) {
    for (hive, root) in keys(places::START_MENU_INTERNET) {
        for key in system.registry_keys(hive, root) {
            // An install for one user adds a dot and a suffix.
            let base = key.split('.').next().unwrap_or_default();
            let named = |browser: &Browser| has(browser.windows.start_menu_internet, base);
            let Some(browser) = surest(named, "windows.startMenuInternet") else { continue };
            let command = system.registry_value(hive, &format!("{root}\\{key}\\shell\\open\\command"), "");
            let executable = command.and_then(|command| program(system, &command));
            add(system, browser, executable, "windows.startMenuInternet", finds);
        }
    }
}

fn app_paths(system: &dyn System, finds: &mut Finds) {
    for (hive, root) in keys(places::APP_PATHS) {
        for key in system.registry_keys(hive, root) {
            let named = |browser: &Browser| has(browser.windows.app_paths, &key);
            let Some(browser) = surest(named, "windows.appPaths") else { continue };
            let executable = system.registry_value(hive, &format!("{root}\\{key}"), "");
            let executable = executable.and_then(|command| program(system, &command));
            add(system, browser, executable, "windows.appPaths", finds);
        }
    }
}

fn known_paths(system: &dyn System, finds: &mut Finds) {
    for browser in BROWSERS {
        let known = &browser.windows;
        for (folder, paths, fact) in [
            ("%ProgramFiles%", known.program_files, "windows.programFiles"),
            ("%ProgramFiles(x86)%", known.program_files_x86, "windows.programFilesX86"),
            ("%LOCALAPPDATA%", known.local_app_data, "windows.localAppData"),
        ] {
            for path in paths {
                let executable = windows_place(system, &format!("{folder}\\{path}"));
                add(system, browser, executable.filter(|path| system.is_executable(path)), fact, finds);
            }
        }
    }
}

fn has(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The first such browser whose fact is no guess, otherwise the first one.
fn surest(is_such: impl Fn(&Browser) -> bool, fact: &str) -> Option<&'static Browser> {
    let mut sure = BROWSERS.iter().filter(|browser| !browser.guesses.contains(&fact));
    sure.find(|browser| is_such(browser)).or_else(|| BROWSERS.iter().find(|browser| is_such(browser)))
}

/// Adds a find by its path: browsers share names of executables, and the path tells them apart.
fn add(system: &dyn System, named: &'static Browser, executable: Option<PathBuf>, fact: &str, finds: &mut Finds) {
    let Some(executable) = executable else { return };
    let path = executable.to_string_lossy().to_lowercase();
    let hinted = WINDOWS_PATH_HINTS.iter().find(|(fragment, _)| path.contains(fragment));
    let hinted = hinted.and_then(|(_, id)| super::browser(id));
    // What the path says is as sure as a path can be.
    let fact = if hinted.is_some() { "" } else { fact };
    let browser = hinted.unwrap_or(named);
    let found = Installed {
        version: version_beside(system, &executable),
        user_data_dir: data_dirs::native(system, browser),
        ..chromium(browser, executable)
    };
    finds.add(system, found, fact);
}

/// The program in a command of the registry: in quotes, or up to `.exe`, with its variables filled in. `None` when it isn't
/// there, as keys outlive their program.
fn program(system: &dyn System, command: &str) -> Option<PathBuf> {
    let path = PathBuf::from(expand(system, &parse_command(command)?));
    (system.os().is_absolute(&path) && system.is_executable(&path)).then_some(path)
}

/// The program in a command line of Windows: in quotes, or up to and with the first `.exe`.
pub fn parse_command(command: &str) -> Option<String> {
    let command = command.trim();
    let program = match command.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => match command.to_ascii_lowercase().find(".exe") {
            Some(at) => &command[..at + 4],
            None => command,
        },
    };
    let program = program.trim();
    (!program.is_empty() && !program.contains(char::is_control)).then(|| program.to_owned())
}

/// A text with its `%VARIABLES%` filled in. One that isn't set stays as it is.
fn expand(system: &dyn System, text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out += before;
        let variable = after.split_once('%').and_then(|(name, after)| Some((system.env(name)?, after)));
        if let Some((value, after)) = variable {
            out += &value.to_string_lossy();
            rest = after;
        } else {
            out.push('%');
            rest = after;
        }
    }
    out + rest
}

/// The highest version among the directories next to the executable.
fn version_beside(system: &dyn System, executable: &Path) -> Option<String> {
    let dir = Os::Windows.parent(executable)?;
    let names = system.list(&dir).into_iter().filter_map(|name| name.into_string().ok());
    let versions = names.filter(|name| version::is_version(name) && system.is_dir(&Os::Windows.join(&dir, name)));
    versions.max_by(|one, other| version::compare(one, other))
}

fn electron_folders(system: &dyn System, finds: &mut Finds) {
    for folder in places::ELECTRON_FOLDERS.iter().filter_map(|folder| windows_place(system, folder)) {
        for name in system.list(&folder) {
            let dir = Os::Windows.join(&folder, &name);
            add_app(system, &dir, &name.to_string_lossy(), None, finds);
        }
    }
}

/// Squirrel keeps each version of an app in a directory of its own.
fn squirrel(system: &dyn System, finds: &mut Finds) {
    let Some(folder) = windows_place(system, places::SQUIRREL_FOLDER) else { return };
    for name in system.list(&folder) {
        let dir = Os::Windows.join(&folder, &name);
        if !system.is_file(&Os::Windows.join(&dir, "Update.exe")) {
            continue;
        }
        let names = system.list(&dir).into_iter().filter_map(|name| name.into_string().ok());
        let mut versions: Vec<String> = names.filter_map(|name| name.strip_prefix("app-").map(str::to_owned)).collect();
        versions.sort_by(|one, other| version::compare(other, one));
        // An update leaves directories behind that are half empty.
        let newest = versions.iter().find(|version| {
            let dir = Os::Windows.join(&dir, format!("app-{version}"));
            version::leading(version).is_some() && electron::is_app_dir(system, &dir)
        });
        if let Some(newest) = newest {
            let app_dir = Os::Windows.join(&dir, format!("app-{newest}"));
            add_app(system, &app_dir, &name.to_string_lossy(), version::leading(newest), finds);
        }
    }
}

/// Adds the Electron app in this directory, when there is one. It is called what its executable is called.
fn add_app(system: &dyn System, dir: &Path, name: &str, version: Option<String>, finds: &mut Finds) {
    if !electron::is_app_dir(system, dir) {
        return;
    }
    let Some((program, executable)) = electron::windows_executable(system, dir, name) else { return };
    let support = electron::debug_support(&program, None);
    if let Some(app) = electron_app(&program, executable, support) {
        let version = version.or_else(|| electron::manifest_version(system, dir));
        finds.add(system, Installed { version, ..app }, "");
    }
}

#[cfg(test)]
mod tests;
