//! Launching and closing real browsers, and shell scripts that behave like bad ones.

use std::{io, process::Command};

use tempfile::TempDir;

use super::*;
use crate::{
    browser::test_browser,
    cdp::{Client, EventFilter},
    host::{RealSystem, system::relocated::Relocated},
};

/// A machine like this one, with a temp dir of the test's own, so that what is left behind is seen.
#[derive(Debug)]
struct Machine {
    temp: TempDir,
    system: Relocated,
}

impl Machine {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let temp_dir = temp.path().join("tmp");
        std::fs::create_dir(&temp_dir).unwrap();
        Self { temp, system: Relocated { temp_dir, ..Relocated::default() } }
    }

    /// An executable shell script outside the dir in which profiles are made. Another process writes it: a file that
    /// this one has open for writing may leak into a child that another test starts, and then can't be run.
    fn script(&self, body: &str) -> PathBuf {
        use io::Write as _;
        let dir = self.temp.path().join("bin");
        std::fs::create_dir_all(&dir).unwrap();
        let path = dir.join("browser");
        let mut writer = Command::new("sh")
            .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
            .arg(&path)
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        write!(writer.stdin.take().unwrap(), "#!/bin/sh\n{body}\n").unwrap();
        assert!(writer.wait().unwrap().success());
        path
    }

    fn assert_nothing_is_left(&self) {
        let profiles: Vec<_> =
            std::fs::read_dir(&self.system.temp_dir).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(profiles, Vec::<PathBuf>::new());
        assert_eq!(processes_naming(self.temp.path()), Vec::<String>::new());
    }
}

/// The command lines of processes that name this path. A zombie has none, so its name stands in.
fn processes_naming(path: &Path) -> Vec<String> {
    let listing = Command::new("ps").args(["-A", "-ww", "-o", "pid=,stat=,command="]).output().unwrap();
    let path = path.to_str().unwrap();
    String::from_utf8_lossy(&listing.stdout).lines().filter(|line| line.contains(path)).map(str::to_owned).collect()
}

/// Sends Browser.close. Whether the browser took it.
async fn browser_close(endpoint: Endpoint) -> bool {
    let Ok((client, _events)) = Client::connect(&endpoint, EventFilter::NONE).await else { return false };
    client.call(None, "Browser.close", serde_json::json!({})).await.is_ok()
}

#[tokio::test]
async fn a_closed_browser_leaves_no_process_and_no_profile() {
    let machine = Machine::new();
    let Some(options) = test_browser::options("about:blank") else { return };
    let browser = launch(&machine.system, &options).await.unwrap();
    assert!(browser.version().product.contains('/'));
    assert_eq!(browser.notices().contains(&LaunchNotice::NoSandbox), cfg!(target_os = "linux") && RealSystem.is_root());
    assert!(!processes_naming(browser.profile_dir().unwrap()).is_empty());
    let endpoint = browser.endpoint().clone();
    assert_eq!(Box::pin(browser.close(browser_close(endpoint))).await.unwrap(), Closed::Asked);
    machine.assert_nothing_is_left();
}

#[tokio::test]
async fn a_dropped_browser_leaves_no_process_and_no_profile() {
    let machine = Machine::new();
    let Some(options) = test_browser::options("about:blank") else { return };
    drop(launch(&machine.system, &options).await.unwrap());
    machine.assert_nothing_is_left();
}

#[tokio::test]
async fn a_browser_killed_from_outside_takes_its_processes_along() {
    let machine = Machine::new();
    let Some(options) = test_browser::options("about:blank") else { return };
    let browser = launch(&machine.system, &options).await.unwrap();
    assert!(Command::new("kill").args(["-9", &browser.pid().to_string()]).status().unwrap().success());
    assert!(!browser.exited().await.success());
    assert_eq!(browser.close(async { false }).await.unwrap(), Closed::Asked);
    machine.assert_nothing_is_left();
}

#[tokio::test]
async fn a_browser_behind_a_wrapper_that_does_not_exec_is_ended_too() {
    let machine = Machine::new();
    let Some(mut options) = test_browser::options("about:blank") else { return };
    let script = format!("{} \"$@\"\nexit $?", options.program.file().display());
    options.program = Program::Executable(machine.script(&script));
    let browser = launch(&machine.system, &options).await.unwrap();
    assert_eq!(browser.close(async { false }).await.unwrap(), Closed::Terminated);
    machine.assert_nothing_is_left();
}

#[tokio::test]
async fn a_browser_that_exits_at_once_is_reported_with_its_last_line() {
    let machine = Machine::new();
    let script = machine.script("echo first >&2; echo 'Missing X server or $DISPLAY' >&2; exit 3");
    let error = launch(&machine.system, &LaunchOptions::new(script, "about:blank")).await.unwrap_err();
    assert!(matches!(&error, LaunchError::Exited { status, .. } if status.code() == Some(3)));
    assert!(error.to_string().ends_with("): Missing X server or $DISPLAY"), "{error}");
    machine.assert_nothing_is_left();
}

#[tokio::test]
async fn a_missing_executable_is_named() {
    let machine = Machine::new();
    let error = launch(&machine.system, &LaunchOptions::new("/nowhere/chrome", "about:blank")).await.unwrap_err();
    assert!(error.to_string().starts_with("could not run /nowhere/chrome: "), "{error}");
    machine.assert_nothing_is_left();
}

#[tokio::test]
async fn a_browser_that_never_opens_its_port_is_ended() {
    let machine = Machine::new();
    let mut options = LaunchOptions::new(machine.script("echo waiting >&2; sleep 600"), "about:blank");
    options.start_limit = Duration::from_millis(300);
    let error = launch(&machine.system, &options).await.unwrap_err();
    assert!(matches!(&error, LaunchError::NoEndpoint { .. }), "{error}");
    machine.assert_nothing_is_left();
}

/// A server that answers every request as the browser with this WebSocket path.
async fn answering_as(path: &'static str) -> (u16, tokio_util::task::AbortOnDropHandle<()>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let body = format!(r#"{{"Browser":"Chrome/1","webSocketDebuggerUrl":"ws://127.0.0.1{path}"}}"#);
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1024];
            let _ = stream.read(&mut request).await;
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    (port, tokio_util::task::AbortOnDropHandle::new(server))
}

/// The start of a fake browser: `$p` is its profile.
const FIND_PROFILE: &str = "for a in \"$@\"; do case $a in --user-data-dir=*) p=${a#*=};; esac; done";

#[tokio::test]
async fn another_browser_on_the_announced_port_does_not_count() {
    let machine = Machine::new();
    let (port, _server) = answering_as("/devtools/browser/other").await;
    let script = machine.script(&format!(
        "{FIND_PROFILE}\nprintf '{port}\\n/devtools/browser/mine' > \"$p/DevToolsActivePort\"\nsleep 600"
    ));
    let mut options = LaunchOptions::new(script, "about:blank");
    options.start_limit = Duration::from_millis(500);
    let error = launch(&machine.system, &options).await.unwrap_err();
    assert!(matches!(&error, LaunchError::NoEndpoint { .. }), "{error}");
    machine.assert_nothing_is_left();
}

#[tokio::test]
async fn the_line_on_stderr_stands_in_for_a_file_that_is_out_of_sight() {
    let machine = Machine::new();
    let (port, _server) = answering_as("/devtools/browser/mine").await;
    let script = machine
        .script(&format!("echo 'DevTools listening on ws://127.0.0.1:{port}/devtools/browser/mine' >&2\nsleep 600"));
    let browser = launch(&machine.system, &LaunchOptions::new(script, "about:blank")).await.unwrap();
    let announced = Endpoint::parse(&format!("ws://127.0.0.1:{port}/devtools/browser/mine")).unwrap();
    assert_eq!(*browser.endpoint(), announced);
    assert_eq!(browser.close(async { false }).await.unwrap(), Closed::Terminated);
    machine.assert_nothing_is_left();
}

#[tokio::test]
async fn a_launch_that_is_given_up_ends_the_browser() {
    let machine = Machine::new();
    let options = LaunchOptions::new(machine.script("sleep 600"), "about:blank");
    let given_up = tokio::time::timeout(Duration::from_millis(200), launch(&machine.system, &options)).await;
    assert!(given_up.is_err());
    machine.assert_nothing_is_left();
}

#[tokio::test]
async fn a_browser_that_ignores_the_signal_is_killed() {
    let machine = Machine::new();
    let script = machine.script("trap '' TERM\necho ready >&2\nwhile :; do sleep 600; done");
    let process = BrowserProcess::spawn(Command::new(script), None).unwrap();
    let mut stderr = process.cursor();
    while process.stderr().last_line != "ready" {
        process.said(&mut stderr).await;
    }
    assert_eq!(end(&process, async { false }).await.unwrap(), Closed::Killed);
    process.silent().await;
    machine.assert_nothing_is_left();
}

/// A script in the place of a program that starts the browser: it notes its arguments.
const NOTE_ARGUMENTS: &str = "printf '%s\\n' \"$@\" > \"$(dirname \"$0\")/arguments\"";

fn noted(program: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(program.with_file_name("arguments")).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_flatpak_is_given_its_profile_and_ended_with_it() {
    let machine = Machine::new();
    let (port, _server) = answering_as("/devtools/browser/mine").await;
    let script = machine.script(&format!(
        "{NOTE_ARGUMENTS}\n{FIND_PROFILE}\nprintf '{port}\\n/devtools/browser/mine' > \"$p/DevToolsActivePort\"\nsleep 600"
    ));
    let profile = machine.temp.path().join("profiles/work");
    let mut options = LaunchOptions::new("", "about:blank");
    options.program = Program::Flatpak { flatpak: script.clone(), id: "org.chromium.Chromium".into() };
    options.profile = ProfileUse::Slicc(profile.clone());
    let browser = launch(&machine.system, &options).await.unwrap();
    let shown = profile.display();
    let expected = [
        "run".into(),
        format!("--filesystem={shown}"),
        "org.chromium.Chromium".into(),
        "--remote-debugging-port=0".into(),
    ];
    assert_eq!(noted(&script)[..4], expected);
    assert_eq!(noted(&script)[4], format!("--user-data-dir={shown}"));
    assert_eq!(browser.close(async { false }).await.unwrap(), Closed::Terminated);
    machine.assert_nothing_is_left();
}

#[tokio::test]
async fn on_macos_a_window_opens_through_open_and_no_window_does_not() {
    let mut machine = Machine::new();
    machine.system.os = Some(crate::host::Os::Macos);
    let (port, _server) = answering_as("/devtools/browser/mine").await;
    // The browser runs in a session of its own, as one that launchd started, and `open` waits for it.
    let open = machine.script(&format!(
        "{NOTE_ARGUMENTS}\n{FIND_PROFILE}\nprintf '{port}\\n/devtools/browser/mine' > \"$p/DevToolsActivePort\"\n\
         setsid -w sh -c 'sleep 600 & wait' \"--user-data-dir=$p\"\nwait"
    ));
    let bin = open.parent().unwrap();
    std::fs::rename(&open, bin.join("open")).unwrap();
    let path = std::env::join_paths([bin, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    machine.system.env.insert("PATH".into(), path);
    let mut options = LaunchOptions::new("", "about:blank");
    options.headless = false;
    options.program = Program::App { bundle: "/Applications/My App.app".into(), executable: "/nowhere/My App".into() };
    options.profile = ProfileUse::Slicc(machine.temp.path().join("profiles/work"));
    let browser = launch(&machine.system, &options).await.unwrap();
    assert_eq!(noted(&open)[..5], ["-n", "-W", "-a", "/Applications/My App.app", "--args"]);
    assert_eq!(noted(&open)[5], "--remote-debugging-port=0");
    let main = browser.pid();
    assert_eq!(browser.close(async { false }).await.unwrap(), Closed::Terminated);
    assert!(!Path::new(&format!("/proc/{main}")).exists(), "the browser is gone, not only open");
    machine.assert_nothing_is_left();

    options.headless = true;
    let error = launch(&machine.system, &options).await.unwrap_err();
    assert!(error.to_string().starts_with("could not run /nowhere/My App: "), "{error}");
}

#[tokio::test]
async fn an_app_answers_on_a_port_of_its_own() {
    let machine = Machine::new();
    let script = machine.script(
        "for a in \"$@\"; do case $a in --remote-debugging-port=*) p=${a#*=};; esac; done\n\
         printf '%s' \"$p\" > \"$(dirname \"$0\")/port\"\nsleep 600",
    );
    let mut options = LaunchOptions::new(&script, "about:blank");
    options.profile = ProfileUse::Apps;
    let file = script.with_file_name("port");
    let serving = async {
        let port = loop {
            match std::fs::read_to_string(&file).ok().and_then(|text| text.parse::<u16>().ok()) {
                Some(port) => break port,
                None => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        };
        assert!(port >= crate::generated::catalog::electron::FIRST_PORT);
        let body = format!(
            r#"{{"Browser":"Chrome/140.0.1.2","webSocketDebuggerUrl":"ws://127.0.0.1:{port}/devtools/browser/a"}}"#
        );
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.unwrap();
        loop {
            use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 1024]).await;
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    };
    let browser = tokio::select! {
        browser = launch(&machine.system, &options) => browser.unwrap(),
        () = serving => unreachable!("it serves for ever"),
    };
    assert!(browser.endpoint().port() >= crate::generated::catalog::electron::FIRST_PORT);
    assert_eq!(browser.profile_dir(), None);
    assert_eq!(browser.close(async { false }).await.unwrap(), Closed::Terminated);
    machine.assert_nothing_is_left();
}
