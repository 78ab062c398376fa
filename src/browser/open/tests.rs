use super::*;
use crate::host::system::fake::FakeSystem;

fn installed(id: &str, name: &str, version: &str) -> Installed {
    let engine = if id.starts_with("electron:") { Engine::Electron } else { Engine::Chromium };
    Installed { version: Some(version.into()), ..Installed::new(id, name, engine, format!("/apps/{id}")) }
}

fn all() -> Vec<Installed> {
    vec![
        installed("chrome", "Google Chrome", "155.0.1.2"),
        installed("edge", "Microsoft Edge", "154.0.8037.98"),
        installed("chromium", "Chromium", "154.0.8037.98"),
        installed("electron:slack", "Slack", "4.1"),
    ]
}

fn options(profile: ProfileChoice) -> OpenOptions {
    OpenOptions {
        profile,
        url: None,
        headless: false,
        new_tab: true,
        seven_flags: true,
        extra_hosts: Vec::new(),
        extra_args: Vec::new(),
    }
}

fn slicc() -> OpenOptions {
    options(ProfileChoice::Slicc(None))
}

fn six() -> OpenOptions {
    options(ProfileChoice::Six(SixChoice { port: None }))
}

fn linux() -> FakeSystem {
    FakeSystem::new(Os::Linux).with_env("HOME", "/home/me")
}

const SIX: &str = "/home/me/.local/state/slicc/profiles/browser-coding-agent-chrome";

fn refused(system: &FakeSystem, browser: Option<&str>, options: &OpenOptions) -> String {
    target(system, &all(), browser, options).unwrap_err().to_string()
}

#[test]
fn the_best_browser_opens_in_the_profile_of_its_id() {
    let target = target(&linux(), &all(), None, &slicc()).unwrap();
    assert_eq!(target.browser.unwrap().id, "chrome");
    assert_eq!(target.profile.as_deref(), Some("chrome"));
    assert_eq!(target.dir.as_deref(), Some(Path::new("/home/me/.config/slicc/seven-profiles/chrome")));
}

#[test]
fn a_browser_is_named_by_its_id_or_by_its_name_in_any_case() {
    for wanted in ["edge", "microsoft EDGE", "EDGE"] {
        assert_eq!(target(&linux(), &all(), Some(wanted), &slicc()).unwrap().browser.unwrap().id, "edge", "{wanted}");
    }
    assert_eq!(refused(&linux(), Some("netscape"), &slicc()), "no installed browser is called \"netscape\"");
}

#[test]
fn an_app_alone_is_no_default() {
    let apps = [installed("electron:slack", "Slack", "4.1")];
    assert!(matches!(target(&linux(), &apps, None, &slicc()), Err(OpenError::NoBrowser)));
}

#[test]
fn a_snap_keeps_its_profile_where_it_can_write() {
    let mut snap = installed("chromium", "Chromium", "154");
    (snap.via, snap.package) = (Some(Via::Snap), Some("chromium".into()));
    let target = target(&linux(), &[snap], None, &slicc()).unwrap();
    let dir = "/home/me/snap/chromium/common/slicc/seven-profiles/chromium";
    assert_eq!(target.dir.as_deref(), Some(Path::new(dir)));
}

#[test]
fn sixs_profile_must_exist() {
    let message = "SLICC six's Chrome profile doesn't exist; start SLICC six once, or pick another --profile";
    assert_eq!(refused(&linux(), None, &six()), message);
}

#[test]
fn sixs_browser_is_the_first_one_of_the_profiles_version() {
    let chosen = |version: &str, browser| {
        let system = linux().with_file(&format!("{SIX}/Last Version"), version);
        target(&system, &all(), browser, &six()).unwrap().browser.unwrap().id
    };
    assert_eq!(chosen("154.0.8037.98", None), "edge");
    assert_eq!(chosen("155.0.1.2", None), "chrome");
    assert_eq!(chosen("1.2.3.4", None), "chrome");
    assert_eq!(chosen("", None), "chrome");
    assert_eq!(chosen("155.0.1.2", Some("chromium")), "chromium");
}

#[test]
fn without_chrome_and_without_a_match_there_is_no_browser_for_six() {
    let system = linux().with_file(&format!("{SIX}/Last Version"), "1.2.3.4");
    let target = target(&system, &all()[1..], None, &six()).unwrap();
    assert_eq!(target.browser, None);
    assert_eq!(target.profile.as_deref(), Some("six"));
}

#[test]
fn an_app_that_refuses_debugging_or_runs_is_refused() {
    let mut claude = installed("electron:claude", "Claude", "1");
    claude.debug_support = DebugSupport::Disabled;
    let error = target(&linux(), &[claude], Some("claude"), &slicc()).unwrap_err();
    assert_eq!(error.to_string(), "Claude refuses remote debugging, so slicc can't drive it");
    let mut running = linux();
    running.processes = "  12 /bin/sh /apps/electron:slack\n  42 /apps/electron:slack --type=zygote\n".into();
    assert_eq!(refused(&running, Some("slack"), &slicc()), "Slack is already running (process 42); quit it first");
}

#[test]
fn an_app_keeps_its_own_profile() {
    let target = target(&linux(), &all(), Some("electron:slack"), &slicc()).unwrap();
    assert_eq!((target.profile, target.dir), (None, None));
    let mut with_url = slicc();
    with_url.url = Some("https://a.test/".into());
    let mut headless = slicc();
    headless.headless = true;
    let named = options(ProfileChoice::Slicc(Some(ProfileName::parse("work").unwrap())));
    for (options, flag) in [(with_url, "--url"), (headless, "--headless"), (named, "--profile")] {
        let message = refused(&linux(), Some("Slack"), &options);
        assert_eq!(
            message,
            format!("Slack is an Electron app, which keeps its own data: {flag} can't be used with it")
        );
    }
}

#[test]
fn a_running_program_is_told_by_the_beginning_of_its_command_line() {
    let file = "/Applications/My App.app/Contents/MacOS/My App";
    assert!(runs(Os::Macos, &format!("{file} --x"), file));
    assert!(runs(Os::Macos, file, file));
    assert!(!runs(Os::Macos, &format!("{file}2"), file));
    assert!(runs(Os::Windows, r#""C:\Slack\slack.exe" --x"#, r"C:\slack\Slack.exe"));
}
