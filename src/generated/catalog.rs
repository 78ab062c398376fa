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
        id: "edge",
        name: "Microsoft Edge",
        aliases: &["Edge"],
        channel: "stable",
        product_kind: "edge",
        version_is_chromium: true,
        macos: MacosBrowser {
            bundle_ids: &["com.microsoft.edgemac"],
            app_names: &["Microsoft Edge"],
            user_data_dir: "Library/Application Support/Microsoft Edge",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["Microsoft Edge"],
            app_paths: &["msedge.exe"],
            program_files: &["Microsoft\\Edge\\Application\\msedge.exe"],
            program_files_x86: &["Microsoft\\Edge\\Application\\msedge.exe"],
            local_app_data: &["Microsoft\\Edge\\Application\\msedge.exe"],
            user_data_dir: "Microsoft\\Edge\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["microsoft-edge-stable", "microsoft-edge"],
            deb_packages: &["microsoft-edge-stable"],
            desktop_ids: &["microsoft-edge.desktop", "com.microsoft.Edge.desktop"],
            user_data_dir: "microsoft-edge",
            flatpaks: &[Flatpak {
                id: "com.microsoft.Edge",
                user_data_dir: ".var/app/com.microsoft.Edge/config/microsoft-edge",
                desktop_id: "com.microsoft.Edge.desktop",
            }],
            snaps: &[],
        },
        guesses: &["aliases", "channel"],
    },
    Browser {
        id: "brave",
        name: "Brave Browser",
        aliases: &["Brave"],
        channel: "stable",
        product_kind: "chrome",
        version_is_chromium: false,
        macos: MacosBrowser {
            bundle_ids: &["com.brave.Browser"],
            app_names: &["Brave Browser"],
            user_data_dir: "Library/Application Support/BraveSoftware/Brave-Browser",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["Brave"],
            app_paths: &["brave.exe"],
            program_files: &["BraveSoftware\\Brave-Browser\\Application\\brave.exe"],
            program_files_x86: &["BraveSoftware\\Brave-Browser\\Application\\brave.exe"],
            local_app_data: &["BraveSoftware\\Brave-Browser\\Application\\brave.exe"],
            user_data_dir: "BraveSoftware\\Brave-Browser\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["brave-browser", "brave-browser-stable", "brave"],
            deb_packages: &["brave-browser"],
            desktop_ids: &["brave-browser.desktop", "com.brave.Browser.desktop"],
            user_data_dir: "BraveSoftware/Brave-Browser",
            flatpaks: &[Flatpak {
                id: "com.brave.Browser",
                user_data_dir: ".var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser",
                desktop_id: "com.brave.Browser.desktop",
            }],
            snaps: &[Snap {
                name: "brave",
                executable: "/snap/bin/brave",
                user_data_dir: "snap/brave/current/.config/BraveSoftware/Brave-Browser",
                desktop_id: "brave_brave.desktop",
            }],
        },
        guesses: &["aliases", "channel"],
    },
    Browser {
        id: "opera",
        name: "Opera",
        aliases: &["Opera Stable"],
        channel: "stable",
        product_kind: "opera",
        version_is_chromium: false,
        macos: MacosBrowser {
            bundle_ids: &["com.operasoftware.Opera"],
            app_names: &["Opera"],
            user_data_dir: "Library/Application Support/com.operasoftware.Opera",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["OperaStable"],
            app_paths: &["opera.exe"],
            program_files: &["Opera\\opera.exe", "Opera\\launcher.exe"],
            program_files_x86: &["Opera\\opera.exe", "Opera\\launcher.exe"],
            local_app_data: &["Programs\\Opera\\opera.exe", "Programs\\Opera\\launcher.exe"],
            user_data_dir: "Opera Software\\Opera Stable",
            user_data_dir_in: WindowsFolder::AppData,
        },
        linux: LinuxBrowser {
            path_names: &["opera", "opera-stable"],
            deb_packages: &["opera-stable"],
            desktop_ids: &["opera.desktop"],
            user_data_dir: "opera",
            flatpaks: &[Flatpak {
                id: "com.opera.Opera",
                user_data_dir: ".var/app/com.opera.Opera/config/opera",
                desktop_id: "com.opera.Opera.desktop",
            }],
            snaps: &[Snap {
                name: "opera",
                executable: "/snap/bin/opera",
                user_data_dir: "snap/opera/current/.config/opera",
                desktop_id: "opera_opera.desktop",
            }],
        },
        guesses: &["aliases", "channel"],
    },
    Browser {
        id: "vivaldi",
        name: "Vivaldi",
        aliases: &[],
        channel: "stable",
        product_kind: "chrome",
        version_is_chromium: false,
        macos: MacosBrowser {
            bundle_ids: &["com.vivaldi.Vivaldi"],
            app_names: &["Vivaldi"],
            user_data_dir: "Library/Application Support/Vivaldi",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["Vivaldi"],
            app_paths: &["vivaldi.exe"],
            program_files: &["Vivaldi\\Application\\vivaldi.exe"],
            program_files_x86: &["Vivaldi\\Application\\vivaldi.exe"],
            local_app_data: &["Vivaldi\\Application\\vivaldi.exe"],
            user_data_dir: "Vivaldi\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["vivaldi-stable", "vivaldi"],
            deb_packages: &["vivaldi-stable"],
            desktop_ids: &["vivaldi-stable.desktop"],
            user_data_dir: "vivaldi",
            flatpaks: &[Flatpak {
                id: "com.vivaldi.Vivaldi",
                user_data_dir: ".var/app/com.vivaldi.Vivaldi/config/vivaldi",
                desktop_id: "com.vivaldi.Vivaldi.desktop",
            }],
            snaps: &[Snap {
                name: "vivaldi",
                executable: "/snap/bin/vivaldi.vivaldi-stable",
                user_data_dir: "snap/vivaldi/current/.config/vivaldi",
                desktop_id: "vivaldi_vivaldi-stable.desktop",
            }],
        },
        guesses: &["channel"],
    },
    Browser {
        id: "arc",
        name: "Arc",
        aliases: &["Arc Browser"],
        channel: "stable",
        product_kind: "chrome",
        version_is_chromium: false,
        macos: MacosBrowser {
            bundle_ids: &["company.thebrowser.Browser"],
            app_names: &["Arc"],
            user_data_dir: "Library/Application Support/Arc/User Data",
        },
        windows: WindowsBrowser {
            start_menu_internet: &[],
            app_paths: &[],
            program_files: &[],
            program_files_x86: &[],
            local_app_data: &["Microsoft\\WindowsApps\\Arc.exe"],
            user_data_dir: "Packages\\TheBrowserCompany.Arc_ttt1ap7aakyb4\\LocalCache\\Local\\Arc\\User Data",
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
        guesses: &["aliases", "channel", "productKind"],
    },
    Browser {
        id: "atlas",
        name: "ChatGPT Atlas",
        aliases: &["Atlas"],
        channel: "stable",
        product_kind: "chrome",
        version_is_chromium: false,
        macos: MacosBrowser {
            bundle_ids: &["com.openai.atlas"],
            app_names: &["ChatGPT Atlas"],
            user_data_dir: "Library/Application Support/com.openai.atlas/browser-data/host",
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
        guesses: &["aliases", "channel", "productKind", "windows"],
    },
    Browser {
        id: "dia",
        name: "Dia",
        aliases: &[],
        channel: "stable",
        product_kind: "chrome",
        version_is_chromium: false,
        macos: MacosBrowser {
            bundle_ids: &["company.thebrowser.dia"],
            app_names: &["Dia"],
            user_data_dir: "Library/Application Support/Dia/User Data",
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
        guesses: &["channel", "productKind", "windows"],
    },
    Browser {
        id: "chrome-beta",
        name: "Google Chrome Beta",
        aliases: &["Chrome Beta"],
        channel: "beta",
        product_kind: "chrome",
        version_is_chromium: true,
        macos: MacosBrowser {
            bundle_ids: &["com.google.Chrome.beta"],
            app_names: &["Google Chrome Beta"],
            user_data_dir: "Library/Application Support/Google/Chrome Beta",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["Google Chrome Beta"],
            app_paths: &["chrome.exe"],
            program_files: &["Google\\Chrome Beta\\Application\\chrome.exe"],
            program_files_x86: &["Google\\Chrome Beta\\Application\\chrome.exe"],
            local_app_data: &["Google\\Chrome Beta\\Application\\chrome.exe"],
            user_data_dir: "Google\\Chrome Beta\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["google-chrome-beta"],
            deb_packages: &["google-chrome-beta"],
            desktop_ids: &["google-chrome-beta.desktop"],
            user_data_dir: "google-chrome-beta",
            flatpaks: &[],
            snaps: &[],
        },
        guesses: &["aliases", "channel", "versionIsChromium", "windows.appPaths"],
    },
    Browser {
        id: "chrome-dev",
        name: "Google Chrome Dev",
        aliases: &["Chrome Dev"],
        channel: "dev",
        product_kind: "chrome",
        version_is_chromium: true,
        macos: MacosBrowser {
            bundle_ids: &["com.google.Chrome.dev"],
            app_names: &["Google Chrome Dev"],
            user_data_dir: "Library/Application Support/Google/Chrome Dev",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["Google Chrome Dev"],
            app_paths: &["chrome.exe"],
            program_files: &["Google\\Chrome Dev\\Application\\chrome.exe"],
            program_files_x86: &["Google\\Chrome Dev\\Application\\chrome.exe"],
            local_app_data: &["Google\\Chrome Dev\\Application\\chrome.exe"],
            user_data_dir: "Google\\Chrome Dev\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["google-chrome-unstable"],
            deb_packages: &["google-chrome-unstable"],
            desktop_ids: &["google-chrome-unstable.desktop"],
            user_data_dir: "google-chrome-unstable",
            flatpaks: &[Flatpak {
                id: "com.google.ChromeDev",
                user_data_dir: ".var/app/com.google.ChromeDev/config/google-chrome-unstable",
                desktop_id: "com.google.ChromeDev.desktop",
            }],
            snaps: &[],
        },
        guesses: &["aliases", "channel", "versionIsChromium", "windows.appPaths"],
    },
    Browser {
        id: "chrome-canary",
        name: "Google Chrome Canary",
        aliases: &["Chrome Canary"],
        channel: "canary",
        product_kind: "chrome",
        version_is_chromium: true,
        macos: MacosBrowser {
            bundle_ids: &["com.google.Chrome.canary"],
            app_names: &["Google Chrome Canary"],
            user_data_dir: "Library/Application Support/Google/Chrome Canary",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["Google Chrome Canary"],
            app_paths: &["chrome.exe"],
            program_files: &["Google\\Chrome SxS\\Application\\chrome.exe"],
            program_files_x86: &["Google\\Chrome SxS\\Application\\chrome.exe"],
            local_app_data: &["Google\\Chrome SxS\\Application\\chrome.exe"],
            user_data_dir: "Google\\Chrome SxS\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["google-chrome-canary"],
            deb_packages: &["google-chrome-canary"],
            desktop_ids: &["google-chrome-canary.desktop"],
            user_data_dir: "google-chrome-canary",
            flatpaks: &[],
            snaps: &[],
        },
        guesses: &["aliases", "channel", "versionIsChromium", "windows.appPaths"],
    },
    Browser {
        id: "brave-beta",
        name: "Brave Browser Beta",
        aliases: &["Brave Beta"],
        channel: "beta",
        product_kind: "chrome",
        version_is_chromium: false,
        macos: MacosBrowser {
            bundle_ids: &["com.brave.Browser.beta"],
            app_names: &["Brave Browser Beta"],
            user_data_dir: "Library/Application Support/BraveSoftware/Brave-Browser-Beta",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["Brave Beta"],
            app_paths: &["brave.exe"],
            program_files: &["BraveSoftware\\Brave-Browser-Beta\\Application\\brave.exe"],
            program_files_x86: &["BraveSoftware\\Brave-Browser-Beta\\Application\\brave.exe"],
            local_app_data: &["BraveSoftware\\Brave-Browser-Beta\\Application\\brave.exe"],
            user_data_dir: "BraveSoftware\\Brave-Browser-Beta\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["brave-browser-beta"],
            deb_packages: &["brave-browser-beta"],
            desktop_ids: &["brave-browser-beta.desktop"],
            user_data_dir: "BraveSoftware/Brave-Browser-Beta",
            flatpaks: &[],
            snaps: &[],
        },
        guesses: &["aliases", "channel", "name", "windows.appPaths"],
    },
    Browser {
        id: "brave-nightly",
        name: "Brave Browser Nightly",
        aliases: &["Brave Nightly"],
        channel: "nightly",
        product_kind: "chrome",
        version_is_chromium: false,
        macos: MacosBrowser {
            bundle_ids: &["com.brave.Browser.nightly"],
            app_names: &["Brave Browser Nightly"],
            user_data_dir: "Library/Application Support/BraveSoftware/Brave-Browser-Nightly",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["Brave Nightly"],
            app_paths: &["brave.exe"],
            program_files: &["BraveSoftware\\Brave-Browser-Nightly\\Application\\brave.exe"],
            program_files_x86: &["BraveSoftware\\Brave-Browser-Nightly\\Application\\brave.exe"],
            local_app_data: &["BraveSoftware\\Brave-Browser-Nightly\\Application\\brave.exe"],
            user_data_dir: "BraveSoftware\\Brave-Browser-Nightly\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["brave-browser-nightly"],
            deb_packages: &["brave-browser-nightly"],
            desktop_ids: &["brave-browser-nightly.desktop"],
            user_data_dir: "BraveSoftware/Brave-Browser-Nightly",
            flatpaks: &[],
            snaps: &[],
        },
        guesses: &["aliases", "channel", "name", "windows.appPaths"],
    },
    Browser {
        id: "edge-beta",
        name: "Microsoft Edge Beta",
        aliases: &["Edge Beta"],
        channel: "beta",
        product_kind: "edge",
        version_is_chromium: true,
        macos: MacosBrowser {
            bundle_ids: &["com.microsoft.edgemac.Beta"],
            app_names: &["Microsoft Edge Beta"],
            user_data_dir: "Library/Application Support/Microsoft Edge Beta",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["Microsoft Edge Beta"],
            app_paths: &["msedge.exe"],
            program_files: &["Microsoft\\Edge Beta\\Application\\msedge.exe"],
            program_files_x86: &["Microsoft\\Edge Beta\\Application\\msedge.exe"],
            local_app_data: &["Microsoft\\Edge Beta\\Application\\msedge.exe"],
            user_data_dir: "Microsoft\\Edge Beta\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["microsoft-edge-beta"],
            deb_packages: &["microsoft-edge-beta"],
            desktop_ids: &["microsoft-edge-beta.desktop"],
            user_data_dir: "microsoft-edge-beta",
            flatpaks: &[],
            snaps: &[],
        },
        guesses: &["aliases", "channel", "versionIsChromium", "windows.appPaths"],
    },
    Browser {
        id: "edge-dev",
        name: "Microsoft Edge Dev",
        aliases: &["Edge Dev"],
        channel: "dev",
        product_kind: "edge",
        version_is_chromium: true,
        macos: MacosBrowser {
            bundle_ids: &["com.microsoft.edgemac.Dev"],
            app_names: &["Microsoft Edge Dev"],
            user_data_dir: "Library/Application Support/Microsoft Edge Dev",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["Microsoft Edge Dev"],
            app_paths: &["msedge.exe"],
            program_files: &["Microsoft\\Edge Dev\\Application\\msedge.exe"],
            program_files_x86: &["Microsoft\\Edge Dev\\Application\\msedge.exe"],
            local_app_data: &["Microsoft\\Edge Dev\\Application\\msedge.exe"],
            user_data_dir: "Microsoft\\Edge Dev\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["microsoft-edge-dev"],
            deb_packages: &["microsoft-edge-dev"],
            desktop_ids: &["microsoft-edge-dev.desktop"],
            user_data_dir: "microsoft-edge-dev",
            flatpaks: &[Flatpak {
                id: "com.microsoft.EdgeDev",
                user_data_dir: ".var/app/com.microsoft.EdgeDev/config/microsoft-edge-dev",
                desktop_id: "com.microsoft.EdgeDev.desktop",
            }],
            snaps: &[],
        },
        guesses: &["aliases", "channel", "versionIsChromium", "windows.appPaths"],
    },
    Browser {
        id: "edge-canary",
        name: "Microsoft Edge Canary",
        aliases: &["Edge Canary"],
        channel: "canary",
        product_kind: "edge",
        version_is_chromium: true,
        macos: MacosBrowser {
            bundle_ids: &["com.microsoft.edgemac.Canary"],
            app_names: &["Microsoft Edge Canary"],
            user_data_dir: "Library/Application Support/Microsoft Edge Canary",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["Microsoft Edge Canary", "Microsoft Edge SxS"],
            app_paths: &["msedge.exe"],
            program_files: &["Microsoft\\Edge SxS\\Application\\msedge.exe"],
            program_files_x86: &["Microsoft\\Edge SxS\\Application\\msedge.exe"],
            local_app_data: &["Microsoft\\Edge SxS\\Application\\msedge.exe"],
            user_data_dir: "Microsoft\\Edge SxS\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["microsoft-edge-canary"],
            deb_packages: &["microsoft-edge-canary"],
            desktop_ids: &["microsoft-edge-canary.desktop"],
            user_data_dir: "microsoft-edge-canary",
            flatpaks: &[],
            snaps: &[],
        },
        guesses: &[
            "aliases",
            "channel",
            "linux.debPackages",
            "linux.desktopIds",
            "linux.pathNames",
            "versionIsChromium",
            "windows.appPaths",
            "windows.startMenuInternet",
        ],
    },
    Browser {
        id: "vivaldi-snapshot",
        name: "Vivaldi Snapshot",
        aliases: &[],
        channel: "snapshot",
        product_kind: "chrome",
        version_is_chromium: false,
        macos: MacosBrowser {
            bundle_ids: &["com.vivaldi.Vivaldi.snapshot"],
            app_names: &["Vivaldi Snapshot"],
            user_data_dir: "Library/Application Support/Vivaldi Snapshot",
        },
        windows: WindowsBrowser {
            start_menu_internet: &["Vivaldi Snapshot"],
            app_paths: &["vivaldi.exe"],
            program_files: &["Vivaldi Snapshot\\Application\\vivaldi.exe"],
            program_files_x86: &["Vivaldi Snapshot\\Application\\vivaldi.exe"],
            local_app_data: &["Vivaldi Snapshot\\Application\\vivaldi.exe"],
            user_data_dir: "Vivaldi Snapshot\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["vivaldi-snapshot"],
            deb_packages: &["vivaldi-snapshot"],
            desktop_ids: &["vivaldi-snapshot.desktop"],
            user_data_dir: "vivaldi-snapshot",
            flatpaks: &[],
            snaps: &[],
        },
        guesses: &[
            "channel",
            "windows.appPaths",
            "windows.localAppData",
            "windows.programFiles",
            "windows.programFilesX86",
            "windows.startMenuInternet",
            "windows.userDataDir",
        ],
    },
    Browser {
        id: "chrome-for-testing",
        name: "Google Chrome for Testing",
        aliases: &["Chrome for Testing"],
        channel: "testing",
        product_kind: "chrome",
        version_is_chromium: true,
        macos: MacosBrowser {
            bundle_ids: &["com.google.chrome.for.testing"],
            app_names: &["Google Chrome for Testing"],
            user_data_dir: "Library/Application Support/Google/Chrome for Testing",
        },
        windows: WindowsBrowser {
            start_menu_internet: &[],
            app_paths: &[],
            program_files: &[],
            program_files_x86: &[],
            local_app_data: &["Google\\Chrome for Testing\\Application\\chrome.exe"],
            user_data_dir: "Google\\Chrome for Testing\\User Data",
            user_data_dir_in: WindowsFolder::LocalAppData,
        },
        linux: LinuxBrowser {
            path_names: &["chrome-for-testing", "google-chrome-for-testing"],
            deb_packages: &[],
            desktop_ids: &[],
            user_data_dir: "google-chrome-for-testing",
            flatpaks: &[],
            snaps: &[],
        },
        guesses: &["aliases", "channel", "linux.pathNames", "versionIsChromium", "windows.localAppData"],
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
];

/// Which browser an executable on Windows is: the first fragment that its lower-cased path holds, and the browser's id.
pub const WINDOWS_PATH_HINTS: &[(&str, &str)] = &[
    ("\\google\\chrome beta\\application\\", "chrome-beta"),
    ("\\google\\chrome dev\\application\\", "chrome-dev"),
    ("\\google\\chrome sxs\\application\\", "chrome-canary"),
    ("\\google\\chrome for testing\\application\\", "chrome-for-testing"),
    ("\\google\\chrome\\application\\", "chrome"),
    ("\\microsoft\\edge beta\\application\\", "edge-beta"),
    ("\\microsoft\\edge dev\\application\\", "edge-dev"),
    ("\\microsoft\\edge sxs\\application\\", "edge-canary"),
    ("\\microsoft\\edge\\application\\", "edge"),
    ("\\bravesoftware\\brave-browser-beta\\application\\", "brave-beta"),
    ("\\bravesoftware\\brave-browser-nightly\\application\\", "brave-nightly"),
    ("\\bravesoftware\\brave-browser\\application\\", "brave"),
    ("\\vivaldi snapshot\\application\\", "vivaldi-snapshot"),
    ("\\vivaldi\\application\\", "vivaldi"),
    ("\\chromium\\application\\", "chromium"),
];

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
        App { bundle_id: "com.microsoft.teams2", name: "Microsoft Teams" },
        App { bundle_id: "com.microsoft.VSCode", name: "Visual Studio Code" },
        App { bundle_id: "com.microsoft.VSCodeInsiders", name: "VS Code Insiders" },
        App { bundle_id: "com.spotify.client", name: "Spotify" },
        App { bundle_id: "com.tinyspeck.slackmacgap", name: "Slack" },
        App { bundle_id: "com.hnc.Discord", name: "Discord" },
        App { bundle_id: "com.todesktop.230313mzl4w4u92", name: "Cursor" },
        App { bundle_id: "com.figma.Desktop", name: "Figma" },
        App { bundle_id: "notion.id", name: "Notion" },
        App { bundle_id: "com.obsproject.obs-studio", name: "OBS Studio" },
        App { bundle_id: "com.1password.1password", name: "1Password" },
        App { bundle_id: "us.zoom.xos", name: "Zoom" },
        App { bundle_id: "com.linear", name: "Linear" },
        App { bundle_id: "com.loom.desktop", name: "Loom" },
        App { bundle_id: "md.obsidian", name: "Obsidian" },
        App { bundle_id: "com.bitwarden.desktop", name: "Bitwarden" },
        App { bundle_id: "com.todoist.mac.Todoist", name: "Todoist" },
        App { bundle_id: "com.github.GitHubClient", name: "GitHub Desktop" },
        App { bundle_id: "com.postmanlabs.mac", name: "Postman" },
        App { bundle_id: "org.whispersystems.signal-desktop", name: "Signal" },
        App { bundle_id: "com.tdesktop.Telegram", name: "Telegram Desktop" },
        App { bundle_id: "com.logseq.logseq", name: "Logseq" },
        App { bundle_id: "com.whatsonchain.WhatsOnChain", name: "WhatsOnChain" },
        App { bundle_id: "io.trystorybook.app", name: "Storybook" },
        App { bundle_id: "com.mongodb.compass", name: "MongoDB Compass" },
        App { bundle_id: "com.insomnia.app", name: "Insomnia" },
        App { bundle_id: "com.jetbrains.toolbox", name: "JetBrains Toolbox" },
        App { bundle_id: "com.electron.replit", name: "Replit" },
        App { bundle_id: "com.twitch.studio", name: "Twitch Studio" },
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
