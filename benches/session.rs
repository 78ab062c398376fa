//! Plain `slicc`: how long it takes from its start to a linked page, beside the browser's own time to that page, and what the
//! dashboard costs while nothing happens.
//!
//! `cargo bench --bench session [-- --rounds 15 --idle 30]`

#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/browser.rs"]
mod browser;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/process.rs"]
mod process;
#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/table.rs"]
mod table;

use std::{
    io::{self, Read as _, Write as _},
    num::NonZero,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use browser::Browser;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::{Value, json};
use slicc::{browser::installed, doctor::servers::Servers, host::RealSystem};
use table::{Table, median, quantile, verdict};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
};

/// What the idle dashboard may use of one core, in percent.
const MAX_IDLE: f64 = 1.0;
/// How long one run may take to be linked.
const LIMIT: Duration = Duration::from_mins(1);
/// What the picker shows beside the row that Enter takes, and the dashboard once a page is linked.
const PICKED: &str = "best match";
const LINKED: &str = "linked 0:";
/// What would lead slicc out of its home.
const ELSEWHERE: [&str; 5] =
    ["SLICC_USER_DATA_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"];
/// The dashboard's terminal.
const ROWS: NonZero<u16> = NonZero::new(24).expect("not zero");
const COLUMNS: NonZero<u16> = NonZero::new(80).expect("not zero");

#[tokio::main(flavor = "multi_thread", worker_threads = 1)]
async fn main() -> io::Result<()> {
    if table::asked_for_tests() {
        return Ok(());
    }
    let rounds: usize = table::option("rounds", 15);
    let idle = Duration::from_secs(table::option("idle", 30));
    let servers = Servers::start().await?;
    let page = servers.page_url();
    let mut times =
        Table::new(&["browser", "start → linked, median ms", "slowest", "the page alone", "slowest", "more"]);

    let running = Browser::start("data:text/html,<script>globalThis.linkTest=1</script>", &[]).await;
    let (mut open, mut opened, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let (took, target) = tab(&running, &page).await;
        let with_tab = attached(&running, &page).await?;
        close(&running, &target).await;
        let without_tab = attached(&running, &page).await?;
        close_pages(&running, &page).await;
        // The round before the first warms everything up, and isn't counted.
        if round > 0 {
            alone.push(took);
            open.push(with_tab);
            opened.push(without_tab);
        }
    }
    row(&mut times, "running, the page in a tab", &open, None);
    row(&mut times, "running, the page opened by slicc", &opened, Some(&alone));

    let (mut fresh, mut launched) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let start = Instant::now();
        let browser = Browser::start(&page, &[]).await;
        let took = milliseconds(start);
        browser.close().await;
        let linked = launch(&page).await?;
        if round > 0 {
            launched.push(took);
            fresh.push(linked);
        }
    }
    row(&mut times, "launched by slicc", &fresh, Some(&launched));
    times.print(&format!("From the start of plain slicc to a linked page ({rounds} rounds, in turns)"));

    let share = dashboard(&running, &page, idle)?;
    let mut cost = Table::new(&["dashboard", "% of a core", "target"]);
    let target = format!("< {MAX_IDLE} {}", verdict(share < MAX_IDLE));
    cost.row([format!("idle for {} s", idle.as_secs()), format!("{share:.2}"), target]);
    cost.print("The dashboard while nothing happens");
    running.close().await;
    Ok(())
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

fn row(table: &mut Table, name: &str, times: &[f64], alone: Option<&[f64]>) {
    let figures = |times: &[f64]| [median(times), quantile(times, 1.0)].map(|time| format!("{time:.0}"));
    let beside = alone.map_or([String::new(), String::new()], figures);
    let more = alone.map(|alone| format!("{:.0}", median(times) - median(alone))).unwrap_or_default();
    table.row([name.to_owned()].into_iter().chain(figures(times)).chain(beside).chain([more]));
}

/// A new tab with the page, and how long the browser takes to load it.
async fn tab(browser: &Browser, page: &str) -> (f64, Value) {
    let start = Instant::now();
    let created = browser.client.call(None, "Target.createTarget", json!({ "url": page })).await;
    let created: Value = created.expect("a tab").read().expect("JSON");
    let session = browser::attach_to(&browser.client, &created["targetId"]).await;
    let loaded = json!({ "expression": "globalThis.linkTest !== undefined", "returnByValue": true });
    loop {
        let answer = browser.client.call(Some(&session), "Runtime.evaluate", loaded.clone()).await;
        // A document that goes away has no answer.
        let value: Option<Value> = answer.ok().and_then(|answer| answer.read().ok());
        if value.is_some_and(|value| value["result"]["value"] == true) {
            break;
        }
        assert!(start.elapsed() < LIMIT, "the page doesn't load");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let took = milliseconds(start);
    browser.client.call(None, "Target.detachFromTarget", json!({ "sessionId": session.0 })).await.expect("a session");
    (took, created["targetId"].clone())
}

async fn close(browser: &Browser, target: &Value) {
    browser.client.call(None, "Target.closeTarget", json!({ "targetId": target })).await.expect("a tab");
}

/// Closes every tab with the page.
async fn close_pages(browser: &Browser, page: &str) {
    let targets = browser.client.call(None, "Target.getTargets", json!({})).await;
    let targets: Value = targets.expect("tabs").read().expect("JSON");
    for info in targets["targetInfos"].as_array().into_iter().flatten().filter(|info| info["url"] == page) {
        close(browser, &info["targetId"]).await;
    }
}

/// `slicc` on a running browser: the time to its `linked`. It leaves the browser and the tab as they are.
async fn attached(browser: &Browser, page: &str) -> io::Result<f64> {
    let home = tempfile::tempdir()?;
    let mut command = slicc(home.path());
    command.args(["--cdp", &browser.endpoint()]);
    linked(command, page).await
}

/// `slicc` that launches the best installed browser in a home of its own.
async fn launch(page: &str) -> io::Result<f64> {
    let home = tempfile::tempdir()?;
    let installed = installed::best_executable(&RealSystem).ok_or(io::ErrorKind::NotFound)?;
    let bin = home.path().join("bin");
    std::fs::create_dir(&bin)?;
    #[cfg(unix)]
    std::os::unix::fs::symlink(installed, bin.join("chromium"))?;
    #[cfg(windows)]
    std::os::windows::fs::symlink_file(installed, bin.join("chromium.exe"))?;
    let mut command = slicc(home.path());
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    command.args(["--yes", "--browser", "chromium", "--headless"]);
    linked(command, page).await
}

fn slicc(home: &Path) -> Command {
    let mut command = browser::slicc();
    command.env("HOME", home).env("SLICC_DISCOVERY", "home").env("XDG_DATA_DIRS", home);
    for name in ELSEWHERE {
        command.env_remove(name);
    }
    command.args(["--json", "--no-fallback", "--no-kernel"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

async fn linked(mut command: Command, page: &str) -> io::Result<f64> {
    let start = Instant::now();
    let mut slicc = command.args(["--page", page]).spawn()?;
    let mut lines = BufReader::new(slicc.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?).lines();
    let took = tokio::time::timeout(LIMIT, async {
        loop {
            let line = lines.next_line().await?.ok_or_else(|| io::Error::other("slicc ended before it was linked"))?;
            let event: Value = serde_json::from_str(&line)?;
            if event["event"] == "linked" {
                return Ok::<_, io::Error>(milliseconds(start));
            }
        }
    });
    let took = took.await.map_err(|_| io::Error::other("no link in time"))??;
    interrupt(&slicc)?;
    // It closes what it launched, and says so on a pipe that has to be read.
    while lines.next_line().await?.is_some() {}
    slicc.wait().await?;
    Ok(took)
}

#[cfg(unix)]
fn interrupt(slicc: &Child) -> io::Result<()> {
    use nix::{sys::signal, unistd::Pid};
    let pid = slicc.id().and_then(|pid| i32::try_from(pid).ok()).ok_or(io::ErrorKind::NotFound)?;
    signal::kill(Pid::from_raw(pid), signal::Signal::SIGINT).map_err(io::Error::from)
}

/// Without signals nothing asks slicc to close what it launched, so there is nothing to measure.
#[cfg(not(unix))]
fn interrupt(_: &Child) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The percentage of a core that the dashboard uses while nothing happens.
fn dashboard(browser: &Browser, page: &str, idle: Duration) -> io::Result<f64> {
    let home = tempfile::tempdir()?;
    let size = PtySize { rows: ROWS.get(), cols: COLUMNS.get(), pixel_width: 0, pixel_height: 0 };
    let pty = native_pty_system().openpty(size).map_err(io::Error::other)?;
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_slicc"));
    command.args(["--no-fallback", "--no-kernel", "--cdp", &browser.endpoint(), "--page", page]);
    command.env("HOME", home.path());
    command.env("SLICC_DISCOVERY", "home");
    command.env("XDG_DATA_DIRS", home.path());
    command.env("TERM", "xterm-256color");
    for name in ELSEWHERE {
        command.env_remove(name);
    }
    let mut slicc = pty.slave.spawn_command(command).map_err(io::Error::other)?;
    drop(pty.slave);
    let mut screen = pty.master.try_clone_reader().map_err(io::Error::other)?;
    let mut keyboard = pty.master.take_writer().map_err(io::Error::other)?;
    let (said, hear) = std::sync::mpsc::sync_channel(16);
    let reader = std::thread::spawn(move || {
        let (mut parser, mut buffer) = (vt100::Parser::new(ROWS, COLUMNS, 0), [0; 4096]);
        while let Ok(length @ 1..) = screen.read(&mut buffer) {
            parser.process(&buffer[..length]);
            let text = parser.screen().contents();
            for shown in [PICKED, LINKED].into_iter().filter(|shown| text.contains(shown)) {
                // Whoever waits hears it once, and may have heard it.
                let _ = said.try_send(shown);
            }
        }
    });
    let pid = slicc.process_id().ok_or(io::ErrorKind::NotFound)?;
    for shown in [PICKED, LINKED] {
        while hear.recv_timeout(LIMIT).map_err(io::Error::other)? != shown {}
        if shown == PICKED {
            keyboard.write_all(b"\r")?;
        }
    }
    // The set-up isn't idle.
    std::thread::sleep(Duration::from_secs(3));
    let used = process::cpu(pid)?;
    std::thread::sleep(idle);
    let used = process::cpu(pid)?.saturating_sub(used);
    keyboard.write_all(b"q")?;
    slicc.wait()?;
    drop((pty.master, keyboard));
    reader.join().map_err(|_| io::Error::other("the terminal's reader panicked"))?;
    Ok(used.as_secs_f64() / idle.as_secs_f64() * 100.0)
}
