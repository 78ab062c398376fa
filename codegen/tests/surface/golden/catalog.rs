//! Browsers and origins. Generated from catalog/catalog.json by `cargo codegen`. Do not edit.

/// A browser that slicc can find.
#[derive(Debug, Clone, Copy)]
pub struct Browser {
    /// Its id, such as `chrome`.
    pub id: &'static str,
    /// Its name, as people know it.
    pub name: &'static str,
    /// Other names that people may type.
    pub aliases: &'static [&'static str],
    /// Its release channel, such as `stable`.
    pub channel: &'static str,
    /// The kind that its debugging endpoint reports.
    pub product_kind: &'static str,
    /// Whether its version is the Chromium version.
    pub version_is_chromium: bool,
    /// Where macOS has it.
    pub macos: MacosBrowser,
    /// Where Windows has it.
    pub windows: WindowsBrowser,
    /// Where Linux has it.
    pub linux: LinuxBrowser,
    /// Facts that are a guess, by their path in the catalog, such as `windows.appPaths`. A sure fact comes before them.
    pub guesses: &'static [&'static str],
}

/// A browser on macOS. One that isn't made for macOS has no names and no user data dir.
#[derive(Debug, Clone, Copy)]
pub struct MacosBrowser {
    /// Bundle ids.
    pub bundle_ids: &'static [&'static str],
    /// Names of the app bundle, without `.app`.
    pub app_names: &'static [&'static str],
    /// The default user data dir, relative to the home dir.
    pub user_data_dir: &'static str,
}

/// A browser on Windows. One that isn't made for Windows has no names and no user data dir.
#[derive(Debug, Clone, Copy)]
pub struct WindowsBrowser {
    /// Keys under `StartMenuInternet`, up to their first dot.
    pub start_menu_internet: &'static [&'static str],
    /// Names under `App Paths`.
    pub app_paths: &'static [&'static str],
    /// Paths relative to `%ProgramFiles%`.
    pub program_files: &'static [&'static str],
    /// Paths relative to `%ProgramFiles(x86)%`.
    pub program_files_x86: &'static [&'static str],
    /// Paths relative to `%LOCALAPPDATA%`.
    pub local_app_data: &'static [&'static str],
    /// The default user data dir.
    pub user_data_dir: &'static str,
    /// What the user data dir is relative to.
    pub user_data_dir_in: WindowsFolder,
}

/// What a path on Windows is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WindowsFolder {
    /// `%LOCALAPPDATA%`.
    LocalAppData,
    /// `%APPDATA%`.
    AppData,
}

/// A browser on Linux. One that isn't made for Linux has no names and no user data dir.
#[derive(Debug, Clone, Copy)]
pub struct LinuxBrowser {
    /// Names on PATH.
    pub path_names: &'static [&'static str],
    /// Debian packages.
    pub deb_packages: &'static [&'static str],
    /// Ids of `.desktop` files.
    pub desktop_ids: &'static [&'static str],
    /// The default user data dir, relative to the config dir.
    pub user_data_dir: &'static str,
    /// Its flatpaks.
    pub flatpaks: &'static [Flatpak],
    /// Its snaps.
    pub snaps: &'static [Snap],
}

/// A flatpak of a browser.
#[derive(Debug, Clone, Copy)]
pub struct Flatpak {
    /// Its id.
    pub id: &'static str,
    /// The default user data dir, relative to the home dir.
    pub user_data_dir: &'static str,
    /// The id of its `.desktop` file.
    pub desktop_id: &'static str,
}

/// A snap of a browser.
#[derive(Debug, Clone, Copy)]
pub struct Snap {
    /// Its name.
    pub name: &'static str,
    /// Its executable.
    pub executable: &'static str,
    /// The default user data dir, relative to the home dir.
    pub user_data_dir: &'static str,
    /// The id of its `.desktop` file.
    pub desktop_id: &'static str,
}

/// Browsers, in id order, which is the order of preference.
pub const BROWSERS: &[Browser] = &[
    Browser {
        id: "chrome",
        name: "Google Chrome",
        aliases: &["Chrome"],
        channel: "stable",
        product_kind: "chrome",
        version_is_chromium: true,
        macos: MacosBrowser {
            bundle_ids: &["com.google.Chrome"],
            app_names: &["Google Chrome"],
            user_data_dir: "Library/Application Support/Google/Chrome",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["Google Chrome"],
            app_paths: &["chrome.exe"],
            program_files: &["Google\\Chrome\\Application\\chrome.exe"],
            program_files_x86: &["Google\\Chrome\\Application\\chrome.exe"],
            local_app_data: &["Google\\Chrome\\Application\\chrome.exe"],
            user_data_dir: "Google\\Chrome\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["google-chrome-stable", "google-chrome"],
            deb_packages: &["google-chrome-stable"],
            desktop_ids: &["google-chrome.desktop"],
            user_data_dir: "google-chrome",
            flatpaks: &[Flatpak {
                id: "com.google.Chrome",
                user_data_dir: ".var/app/com.google.Chrome/config/google-chrome",
                desktop_id: "com.google.Chrome.desktop",
            }],
            snaps: &[],
        },
        guesses: &["aliases"],
    },
    Browser {
        id: "chromium",
        name: "Chromium",
        aliases: &[],
        channel: "stable",
        product_kind: "chrome",
        version_is_chromium: true,
        macos: MacosBrowser {
            bundle_ids: &["org.chromium.Chromium"],
            app_names: &["Chromium"],
            user_data_dir: "Library/Application Support/Chromium",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["Chromium"],
            app_paths: &["chrome.exe"],
            program_files: &["Chromium\\Application\\chrome.exe"],
            program_files_x86: &["Chromium\\Application\\chrome.exe"],
            local_app_data: &["Chromium\\Application\\chrome.exe"],
            user_data_dir: "Chromium\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["chromium", "chromium-browser"],
            deb_packages: &["chromium", "chromium-browser"],
            desktop_ids: &["chromium.desktop", "chromium-browser.desktop"],
            user_data_dir: "chromium",
            flatpaks: &[
                Flatpak {
                    id: "org.chromium.Chromium",
                    user_data_dir: ".var/app/org.chromium.Chromium/config/chromium",
                    desktop_id: "org.chromium.Chromium.desktop",
                },
                Flatpak {
                    id: "io.github.ungoogled_software.ungoogled_chromium",
                    user_data_dir: ".var/app/io.github.ungoogled_software.ungoogled_chromium/config/chromium",
                    desktop_id: "io.github.ungoogled_software.ungoogled_chromium.desktop",
                },
            ],
            snaps: &[Snap {
                name: "chromium",
                executable: "/snap/bin/chromium",
                user_data_dir: "snap/chromium/common/chromium",
                desktop_id: "chromium_chromium.desktop",
            }],
        },
        guesses: &["channel", "linux.flatpaks.1"],
    },
    Browser {
        id: "dia",
        name: "Dia",
        aliases: &[],
        channel: "stable",
        product_kind: "chrome",
        version_is_chromium: false,
        macos: MacosBrowser {
            bundle_ids: &["company.example.dia"],
            app_names: &["Dia"],
            user_data_dir: "Library/Dia/User Data",
        },
        windows: WindowsBrowser {
            start_menu_internet: &[],
            app_paths: &[],
            program_files: &[],
            program_files_x86: &[],
            local_app_data: &[],
            user_data_dir: "",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &[],
            deb_packages: &[],
            desktop_ids: &[],
            user_data_dir: "",
            flatpaks: &[],
            snaps: &[],
        },
        guesses: &["productKind", "windows"],
    },
    Browser {
        id: "opera",
        name: "Opera",
        aliases: &[],
        channel: "stable",
        product_kind: "opera",
        version_is_chromium: false,
        macos: MacosBrowser { bundle_ids: &[], app_names: &[], user_data_dir: "" },
        windows: WindowsBrowser {
            start_menu_internet: &["OperaStable"],
            app_paths: &["opera.exe"],
            program_files: &[],
            program_files_x86: &[],
            local_app_data: &["Programs\\Opera\\opera.exe"],
            user_data_dir: "Opera Software\\Opera Stable",
            user_data_dir_in: WindowsFolder::AppData,
        },
        linux: LinuxBrowser {
            path_names: &[],
            deb_packages: &[],
            desktop_ids: &[],
            user_data_dir: "",
            flatpaks: &[],
            snaps: &[],
        },
        guesses: &[],
    },
];

/// Which browser an executable on Windows is: the first fragment that its lower-cased path holds, and the browser's id.
pub const WINDOWS_PATH_HINTS: &[(&str, &str)] =
    &[("\\google\\chrome\\application\\", "chrome"), ("\\chromium\\application\\", "chromium")];

/// The lowest Chromium major version that slicc drives.
pub const MIN_CHROMIUM_MAJOR: u32 = 116;

/// Where each system keeps its applications. A path with `~/` is under the home dir.
pub mod places {
    /// Folders with app bundles on macOS, in the order in which they count.
    pub const APPLICATIONS: &[&str] = &["/Applications", "~/Applications"];
    /// The folder with debug builds on macOS.
    pub const DEBUG_BUILDS: &str = "~/Applications";
    /// The end of a debug build's name, before `.app`.
    pub const DEBUG_BUILD_SUFFIX: &str = " Debug";
    /// Registry keys whose subkeys are browsers, in the order in which they count.
    pub const START_MENU_INTERNET: &[&str] =
        &["SOFTWARE\\Clients\\StartMenuInternet", "SOFTWARE\\WOW6432Node\\Clients\\StartMenuInternet"];
    /// Registry keys whose subkeys are names of executables, in the order in which they count.
    pub const APP_PATHS: &[&str] = &[
        "SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\App Paths",
        "SOFTWARE\\WOW6432Node\\Microsoft\\Windows\\CurrentVersion\\App Paths",
    ];
    /// Folders on Windows whose folders may be Electron apps; each begins with an environment variable.
    pub const ELECTRON_FOLDERS: &[&str] = &["%LOCALAPPDATA%\\Programs", "%ProgramFiles%", "%ProgramFiles(x86)%"];
    /// The folder on Windows whose folders may be apps that Squirrel installed.
    pub const SQUIRREL_FOLDER: &str = "%LOCALAPPDATA%";
    /// The folder with the commands of snaps.
    pub const SNAP_COMMANDS: &str = "/snap/bin";
    /// A snap's manifest; `<snap>` stands for its name.
    pub const SNAP_MANIFEST: &str = "/snap/<snap>/current/meta/snap.yaml";
    /// The file with the versions of Debian packages.
    pub const DPKG_STATUS: &str = "/var/lib/dpkg/status";
    /// Folders with a folder for each flatpak, in the order in which they count.
    pub const FLATPAK_APPS: &[&str] = &["~/.local/share/flatpak/app", "/var/lib/flatpak/app"];
    /// The flatpak program, where it isn't on PATH.
    pub const FLATPAK_PROGRAM: &str = "/usr/bin/flatpak";
    /// XDG data dirs, when `XDG_DATA_DIRS` names none.
    pub const DATA_DIRS: &[&str] = &["/usr/local/share", "/usr/share"];
    /// Folders with `.desktop` files, after `applications` in the XDG data dirs.
    pub const DESKTOP_DIRS: &[&str] = &[
        "~/.local/share/flatpak/exports/share/applications",
        "/var/lib/flatpak/exports/share/applications",
        "/var/lib/snapd/desktop/applications",
    ];
}

/// Where running browsers are looked for.
pub mod discovery {
    /// The file in a user data dir with the debugging port and the WebSocket's path.
    pub const ACTIVE_PORT_FILE: &str = "DevToolsActivePort";
    /// The ports on 127.0.0.1 that are always asked.
    pub const PROBE_PORTS: std::ops::RangeInclusive<u16> = 9222..=9229;
    /// The sources of endpoints. For the same endpoint an earlier one wins.
    pub const SOURCES: &[&str] = &["devtools-active-port", "flag", "process", "probe"];
    /// Snaps whose user data dir is looked into for the file.
    pub const USER_DATA_DIR_SNAPS: &[&str] = &["chromium"];
}

/// A tier of the ranking, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// An endpoint with seven open.
    SevenOpen = 1,
    /// Any other running endpoint.
    Running = 2,
    /// Chrome stable.
    ChromeStable = 3,
    /// Another Chromium browser.
    Chromium = 4,
    /// An Electron app.
    Electron = 5,
    /// An endpoint in SLICC six's profile, with or without seven open.
    Six = 6,
}

impl Tier {
    /// Its number, as in `slicc browsers --json`.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// The kind of a browser, by what its debugging endpoint reports.
pub mod product {
    /// What is compared.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Match {
        /// A part of the user agent.
        UserAgent(&'static str),
        /// The product, the part of `Browser` before the slash.
        Product(&'static str),
    }

    /// A kind and its name.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Kind {
        /// The kind.
        pub kind: &'static str,
        /// What people call it.
        pub name: &'static str,
    }

    /// Matches, the first of which counts. Any other product is its own kind, in lower case.
    pub const KINDS: &[(Match, Kind)] = &[
        (Match::UserAgent("Electron/"), Kind { kind: "electron", name: "Electron" }),
        (Match::Product("Chrome"), Kind { kind: "chrome", name: "Chrome" }),
        (Match::Product("HeadlessChrome"), Kind { kind: "chrome", name: "Chrome (headless)" }),
        (Match::Product("Edg"), Kind { kind: "edge", name: "Microsoft Edge" }),
        (Match::Product("OPR"), Kind { kind: "opera", name: "Opera" }),
    ];

    /// An endpoint that reports no product.
    pub const FALLBACK: Kind = Kind { kind: "chromium", name: "Chromium" };
}

/// Which origins are seven.
pub mod seven {
    /// The page that opens when none is named.
    pub const DEFAULT_PAGE: &str = "https://seven.sliccy.ai/";
    /// The domain under which each label is a seven.
    pub const DOMAIN: &str = "sliccy.ai";
    /// The longest label.
    pub const MAX_LABEL: usize = 63;
    /// Labels that are not a seven.
    pub const EXCLUDED_LABELS: &[&str] = &["www", "vault"];
    /// Beginnings of labels that are not a seven.
    pub const EXCLUDED_LABEL_PREFIXES: &[&str] = &["vault-"];
}

/// How a browser is launched.
pub mod launch {
    /// Flags of every launch; `<profile>` stands for the profile dir.
    pub const BASE_FLAGS: &[&str] =
        &["--remote-debugging-port=0", "--user-data-dir=<profile>", "--no-first-run", "--no-default-browser-check"];
    /// Flags that keep a seven tab running in the background.
    pub const SEVEN_FLAGS: &[&str] = &[
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        "--disable-background-tracing",
    ];
    /// Features that are switched off, in one `--disable-features`.
    pub const DISABLE_FEATURES: &[&str] = &[
        "LocalNetworkAccessChecks",
        "LocalNetworkAccessChecksWebSockets",
        "IntensiveWakeUpThrottling",
        "HighEfficiencyModeAvailable",
        "InfiniteTabsFreezing",
        "InfiniteTabsFreezingOnMemoryPressure",
        "CPUMeasurementInFreezingPolicy",
        "MemoryMeasurementInFreezingPolicy",
        "AllowDevtoolsConnectedDiscard",
    ];
    /// Switches of a throwaway profile.
    pub const THROWAWAY_SWITCHES: &[&str] = &["--use-mock-keychain", "--password-store=basic"];
    /// The flag that hides the window.
    pub const HEADLESS: &str = "--headless=new";

    /// A preference that keeps a seven tab running. What a profile has already is kept.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Pref {
        /// Its path, with dots.
        pub path: &'static str,
        /// What is done to it.
        pub edit: PrefEdit,
    }

    /// What is done to a preference.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PrefEdit {
        /// It is set to a truth value.
        SetBool(bool),
        /// It is set to a number.
        SetInteger(i64),
        /// A list gets patterns.
        Append {
            /// The patterns.
            patterns: &'static [&'static str],
            /// Whether the host of each extra allowed origin is one, too.
            extra_origins: bool,
        },
        /// A map gets patterns with the time: microseconds since 1601 as a decimal string.
        Stamp {
            /// The patterns.
            patterns: &'static [&'static str],
            /// Whether the host of each extra allowed origin is one, too.
            extra_origins: bool,
        },
    }

    /// The preferences of a profile that shows seven, in order.
    pub const SEVEN_PREFS: &[Pref] = &[
        Pref { path: "tab_freezing_enabled", edit: PrefEdit::SetBool(false) },
        Pref { path: "performance_tuning.tab_freezing.enabled", edit: PrefEdit::SetBool(false) },
        Pref { path: "performance_tuning.high_efficiency_mode.state", edit: PrefEdit::SetInteger(0) },
        Pref {
            path: "performance_tuning.tab_discarding.exceptions",
            edit: PrefEdit::Append { patterns: &["[*.]sliccy.ai"], extra_origins: true },
        },
        Pref {
            path: "performance_tuning.tab_discarding.exceptions_with_time",
            edit: PrefEdit::Stamp { patterns: &["[*.]sliccy.ai"], extra_origins: true },
        },
    ];
}

/// What the cdp capability never touches.
pub mod protected {
    /// Domains protected with every subdomain, on any port, over https and http.
    pub const DOMAINS: &[&str] = &["sliccy.ai"];
    /// Hosts protected by name.
    pub const HOSTS: &[&str] = &["vault.sliccy.ai"];
    /// Schemes whose URL holds the protected one.
    pub const WRAPPED_SCHEMES: &[&str] = &["blob:", "filesystem:", "view-source:"];
    /// Schemes that are protected as such.
    pub const SCHEMES: &[&str] = &["devtools:"];
    /// Hosts that stay reachable.
    pub const NOT_PROTECTED: &[&str] = &["*.kernel.localhost"];
}

/// Apps made with Electron.
pub mod electron {
    /// An app known by its bundle id.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct App {
        /// Its bundle id.
        pub bundle_id: &'static str,
        /// Its name.
        pub name: &'static str,
    }

    /// Apps known by their bundle id.
    pub const APPS: &[App] = &[
        App { bundle_id: "com.tinyspeck.slackmacgap", name: "Slack" },
        App { bundle_id: "com.spotify.client", name: "Spotify" },
    ];
    /// An app that refuses remote debugging.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Undebuggable {
        /// The name of its bundle, without `.app`.
        pub name: &'static str,
        /// Its bundle id.
        pub bundle_id: &'static str,
        /// Why.
        pub reason: &'static str,
    }

    /// Apps that refuse remote debugging.
    pub const UNDEBUGGABLE: &[Undebuggable] = &[
        Undebuggable {
            name: "Claude",
            bundle_id: "com.anthropic.claudefordesktop",
            reason: "checks the CLAUDE_CDP_AUTH JWT and exits when --remote-debugging-port is given",
        },
        Undebuggable { name: "1Password", bundle_id: "com.1password.1password", reason: "blocks remote debugging" },
    ];
    /// What `Contents/Frameworks` of such an app's bundle holds, any of it.
    pub const FRAMEWORKS: &[&str] = &["Electron Framework.framework", "MSWebView2.framework"];
    /// What the folder `resources` next to the executable holds, any of it.
    pub const RESOURCES: &[&str] = &["app.asar", "app"];
    /// Chromium's resources, any of which lies next to the executable.
    pub const PAKS: &[&str] = &["chrome_100_percent.pak", "chrome_200_percent.pak", "resources.pak"];
    /// Snapshots of V8, any of which lies next to the executable.
    pub const SNAPSHOTS: &[&str] = &["snapshot_blob.bin", "v8_context_snapshot.bin"];
    /// The first debugging port that an app is launched with.
    pub const FIRST_PORT: u16 = 9333;
}

/// The Chrome profile of SLICC six.
pub mod six {
    /// Where profiles are on one system.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Root {
        /// The environment variable that names the base, and the dir under it.
        pub variable: Option<(&'static str, &'static str)>,
        /// The dir under the home dir, otherwise.
        pub home: &'static str,
    }

    /// Where profiles are on linux.
    pub const LINUX_ROOT: Root =
        Root { variable: Some(("XDG_STATE_HOME", "slicc/profiles")), home: ".local/state/slicc/profiles" };
    /// Where profiles are on macos.
    pub const MACOS_ROOT: Root = Root { variable: None, home: "Library/Application Support/Slicc/profiles" };
    /// Where profiles are on windows.
    pub const WINDOWS_ROOT: Root =
        Root { variable: Some(("LOCALAPPDATA", "Slicc\\profiles")), home: "AppData\\Local\\Slicc\\profiles" };
    /// The profile's name.
    pub const NAME: &str = "browser-coding-agent-chrome";
    /// The serve port whose profile has the plain name; any other is `<name>-<port>`.
    pub const DEFAULT_PORT: u16 = 5710;
    /// The environment variable that names its profile for every port.
    pub const DIRECTORY_VARIABLE: &str = "SLICC_USER_DATA_DIR";
    /// The debugging port of its own launch.
    pub const DEBUGGING_PORT: u16 = 9222;
    /// The file in the profile with the version of the browser that used it last.
    pub const VERSION_FILE: &str = "Last Version";
    /// Where that version stands otherwise: a file in the profile, and the path of a preference in it, with dots.
    pub const VERSION_PREF: (&str, &str) = ("Local State", "user_experience_metrics.stability.stats_version");
}

/// slicc's own profiles.
pub mod profiles {
    /// The folder with the profiles, relative to the config dir, with slashes.
    pub const FOLDER: &str = "slicc/seven-profiles";
    /// The folder that earlier versions used.
    pub const OLD_FOLDER: &str = "slicc/profiles";
    /// What both are relative to for a snap, relative to the home dir; `<snap>` stands for its name.
    pub const SNAP_PARENT: &str = "snap/<snap>/common";
    /// The file in the folder that says that the old folder was moved.
    pub const MIGRATED_MARKER: &str = ".migrated-from-profiles";
    /// What is removed from a profile before a launch, relative to it, with slashes.
    pub const STALE_FILES: &[&str] = &[
        "DevToolsActivePort",
        "SingletonLock",
        "SingletonSocket",
        "SingletonCookie",
        "Default/Sessions",
        "Default/Last Session",
        "Default/Last Tabs",
    ];

    /// The value of a preference.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PrefValue {
        /// A text.
        Text(&'static str),
        /// A truth value.
        Bool(bool),
    }

    /// Preferences that mark the last exit as clean: their paths, with dots, and their values.
    pub const CLEAN_EXIT: &[(&str, PrefValue)] =
        &[("profile.exit_type", PrefValue::Text("Normal")), ("profile.exited_cleanly", PrefValue::Bool(true))];
}

/// How running browsers are found in the process list.
pub mod process_scan {
    /// The command that lists processes on macOS and Linux: in each line the id and the command line.
    pub const POSIX_COMMAND: &[&str] = &["ps", "-ax", "-o", "pid=", "-o", "command="];
    /// The command that lists them on Windows, as JSON.
    pub const WINDOWS_COMMAND: &[&str] = &[
        "powershell",
        "-NoProfile",
        "-NonInteractive",
        "-Command",
        "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-CimInstance Win32_Process | Select-Object ProcessId, CommandLine | ConvertTo-Json -Compress",
    ];
    /// Programs that only carry a browser's command line.
    pub const WRAPPERS: &[&str] = &["node", "bash"];
    /// The switch with the debugging port.
    pub const PORT_SWITCH: &str = "--remote-debugging-port";
    /// The switch with the user data dir.
    pub const DIRECTORY_SWITCH: &str = "--user-data-dir";
    /// The end of a folder whose profiles are ignored with port 0, with slashes, whatever its case.
    pub const IGNORED_FOLDER: &str = "slicc/profiles";
}

/// Folders with browsers' data that are never shared, next to their user data dirs and the profiles. A path begins with
/// `~/` or an environment variable.
pub mod private_paths {
    /// On macOS.
    pub const MACOS: &[&str] = &["~/Library/Application Support/com.openai.atlas"];
    /// On Windows.
    pub const WINDOWS: &[&str] = &["%LOCALAPPDATA%\\Packages\\TheBrowserCompany.Arc_ttt1ap7aakyb4"];
    /// On Linux.
    pub const LINUX: &[&str] = &["~/snap/brave", "~/snap/chromium", "~/snap/opera", "~/snap/vivaldi"];
}
