//! Browsers and origins. Generated from catalog/catalog.json by `cargo codegen`. Do not edit.

/// A browser that slicc can find.
#[derive(Debug, Clone, Copy)]
pub struct Browser {
    /// Its id, such as `chrome`.
    pub id: &'static str,
    /// Its name, as people know it.
    pub name: &'static str,
    /// Whether its version is the Chromium version.
    pub version_is_chromium: bool,
    /// Where macOS has it.
    pub macos: MacosBrowser,
    /// Where Windows has it.
    pub windows: WindowsBrowser,
    /// Where Linux has it.
    pub linux: LinuxBrowser,
}

/// A browser on macOS.
#[derive(Debug, Clone, Copy)]
pub struct MacosBrowser {
    /// Bundle ids.
    pub bundle_ids: &'static [&'static str],
    /// Names of the app bundle, without `.app`.
    pub app_names: &'static [&'static str],
    /// The default user data dir, relative to the home dir.
    pub user_data_dir: &'static str,
}

/// A browser on Windows.
#[derive(Debug, Clone, Copy)]
pub struct WindowsBrowser {
    /// Keys under `StartMenuInternet`.
    pub start_menu_internet: &'static [&'static str],
    /// Names under `App Paths`.
    pub app_paths: &'static [&'static str],
    /// Paths relative to `%ProgramFiles%`.
    pub program_files: &'static [&'static str],
    /// Paths relative to `%ProgramFiles(x86)%`.
    pub program_files_x86: &'static [&'static str],
    /// Paths relative to `%LOCALAPPDATA%`.
    pub local_app_data: &'static [&'static str],
    /// The default user data dir, relative to `%LOCALAPPDATA%`.
    pub user_data_dir: &'static str,
}

/// A browser on Linux.
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
}

/// Browsers, in id order.
pub const BROWSERS: &[Browser] = &[
    Browser {
        id: "chrome",
        name: "Google Chrome",
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
        },
        linux: LinuxBrowser {
            path_names: &["google-chrome-stable", "google-chrome"],
            deb_packages: &["google-chrome-stable"],
            desktop_ids: &["google-chrome.desktop"],
            user_data_dir: "google-chrome",
        },
    },
    Browser {
        id: "chromium",
        name: "Chromium",
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
        },
        linux: LinuxBrowser {
            path_names: &["chromium", "chromium-browser"],
            deb_packages: &["chromium", "chromium-browser"],
            desktop_ids: &["chromium.desktop", "chromium-browser.desktop"],
            user_data_dir: "chromium",
        },
    },
];

/// The lowest Chromium major version that slicc drives.
pub const MIN_CHROMIUM_MAJOR: u32 = 116;

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
