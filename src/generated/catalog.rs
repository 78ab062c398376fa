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
            flatpaks: &[Flatpak {
                id: "org.chromium.Chromium",
                user_data_dir: ".var/app/org.chromium.Chromium/config/chromium",
                desktop_id: "org.chromium.Chromium.desktop",
            }],
            snaps: &[Snap {
                name: "chromium",
                executable: "/snap/bin/chromium",
                user_data_dir: "snap/chromium/common/chromium",
                desktop_id: "chromium_chromium.desktop",
            }],
        },
    },
];

/// Which browser an executable on Windows is: the first fragment that its lower-cased path holds, and the browser's id.
pub const WINDOWS_PATH_HINTS: &[(&str, &str)] =
    &[("\\google\\chrome\\application\\", "chrome"), ("\\chromium\\application\\", "chromium")];

/// The lowest Chromium major version that slicc drives.
pub const MIN_CHROMIUM_MAJOR: u32 = 116;

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
        /// The end of its id, after `electron:`.
        pub slug: &'static str,
    }

    /// Apps known by their bundle id.
    pub const APPS: &[App] = &[];
    /// Names of app bundles that refuse remote debugging, without `.app`, and why.
    pub const UNDEBUGGABLE: &[(&str, &str)] = &[];
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
}

/// How running browsers are found in the process list.
pub mod process_scan {
    /// Programs that only carry a browser's command line.
    pub const WRAPPERS: &[&str] = &[
        "node",
        "npx",
        "tsx",
        "npm",
        "open",
        "bash",
        "zsh",
        "sh",
        "csh",
        "fish",
        "dash",
        "timeout",
        "env",
        "sudo",
        "caffeinate",
        "cmd",
        "powershell",
        "pwsh",
    ];
    /// The switch with the debugging port.
    pub const PORT_SWITCH: &str = "--remote-debugging-port";
    /// The switch with the user data dir.
    pub const DIRECTORY_SWITCH: &str = "--user-data-dir";
}
