//! How long `slicc browsers --json` takes, beside a bare loop that starts as `slicc --version` does and then makes the same
//! GETs: with nothing running, with one Chromium, and with 50 endpoints that only answer as one does.
//!
//! Discovery is limited to the endpoints that are named, so that the browsers of this machine don't count. Last comes the
//! whole discovery with every source on an empty home, which is what a user waits for; it asks the usual ports.
//!
//! `cargo bench --bench discovery [-- --rounds 100]`

#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/table.rs"]
mod table;

use std::{
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use slicc::{
    browser::installed,
    host::{RealSystem, System as _},
};
use table::{Table, quantile, verdict};

/// slicc may take so many times as long as the bare loop.
const MAX_RATIO: f64 = 1.3;
/// What a user may wait for when nothing runs, in milliseconds.
const MAX_NOTHING: f64 = 100.0;
/// How long Chromium may take to start.
const START: Duration = Duration::from_secs(30);

fn main() {
    if table::asked_for_tests() {
        return;
    }
    let rounds: usize = table::option("rounds", 100);
    let home = tempfile::tempdir().expect("a temporary folder");
    let mut table =
        Table::new(&["running", "slicc median ms", "p99 ms", "loop median ms", "p99 ms", "ratio", "target"]);
    let fakes: Vec<u16> = (0..50).map(|_| fake_endpoint().expect("a free port")).collect();
    measure(&mut table, "nothing", home.path(), &[], rounds);
    match chromium(home.path()) {
        Ok(Some(chromium)) => measure(&mut table, "one Chromium", home.path(), &[chromium.port], rounds),
        Ok(None) => eprintln!("Chromium isn't installed; its row is left out"),
        Err(error) => eprintln!("Chromium can't be used: {error}"),
    }
    measure(&mut table, "50 endpoints", home.path(), &fakes, rounds);
    table.print(&format!("Discovery of the endpoints that are named ({rounds} runs of each, in turns)"));

    let mut times = Vec::new();
    for round in 0..=rounds {
        let took = run(slicc(home.path(), &[]).env_remove("SLICC_DISCOVERY"));
        if round > 0 {
            times.push(took);
        }
    }
    let (median, p99) = (quantile(&times, 0.5), quantile(&times, 0.99));
    let mut table = Table::new(&["sources", "median ms", "p99 ms", "target"]);
    let target = format!("≤ {MAX_NOTHING} {}", verdict(median <= MAX_NOTHING));
    table.row(["all, an empty home".to_owned(), format!("{median:.2}"), format!("{p99:.2}"), target]);
    table.print(&format!("The whole discovery ({rounds} runs)"));
}

/// `slicc browsers` and the bare loop in turns.
fn measure(table: &mut Table, name: &str, home: &Path, ports: &[u16], rounds: usize) {
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    // The first round fills the page cache, and isn't counted.
    for round in 0..=rounds {
        let took = run(&mut slicc(home, ports));
        let least = bare(home, ports);
        if round > 0 {
            ours.push(took);
            floor.push(least);
        }
    }
    let ratio = quantile(&ours, 0.5) / quantile(&floor, 0.5);
    let figures = [&ours, &floor].map(|times| [0.5, 0.99].map(|share| format!("{:.2}", quantile(times, share))));
    let judged = [format!("{ratio:.2}"), format!("≤ {MAX_RATIO} {}", verdict(ratio <= MAX_RATIO))];
    table.row([name.to_owned()].into_iter().chain(figures.into_iter().flatten()).chain(judged));
}

fn slicc(home: &Path, ports: &[u16]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slicc"));
    command.args(["browsers", "--json"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.env("HOME", home).env("SLICC_DISCOVERY", "isolated").env_remove("SLICC_USER_DATA_DIR");
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"] {
        command.env_remove(name);
    }
    for port in ports {
        command.args(["--cdp", &port.to_string()]);
    }
    command
}

fn run(command: &mut Command) -> f64 {
    let start = Instant::now();
    let status = command.status().expect("slicc runs");
    let took = start.elapsed().as_secs_f64() * 1000.0;
    assert!(status.success(), "{status}");
    took
}

/// A process, and the two GETs of each endpoint, each endpoint in a thread of its own.
fn bare(home: &Path, ports: &[u16]) -> f64 {
    let start = Instant::now();
    let mut version = slicc(home, &[]);
    let program = version.get_program().to_owned();
    version = Command::new(program);
    let status = version.arg("--version").stdout(Stdio::null()).status().expect("slicc runs");
    assert!(status.success(), "{status}");
    std::thread::scope(|scope| {
        for port in ports {
            scope.spawn(move || {
                for path in ["/json/version", "/json/list"] {
                    get(*port, path).expect("the endpoint answers");
                }
            });
        }
    });
    start.elapsed().as_secs_f64() * 1000.0
}

fn get(port: u16, path: &str) -> io::Result<String> {
    let mut socket = TcpStream::connect(("127.0.0.1", port))?;
    socket.set_nodelay(true)?;
    write!(socket, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")?;
    let (mut answer, mut buffer) = (Vec::new(), [0; 4096]);
    while !is_whole(&answer) {
        match socket.read(&mut buffer)? {
            0 => break,
            length => answer.extend_from_slice(&buffer[..length]),
        }
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Whether an answer has as many bytes as it says.
fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    length.is_some_and(|length: usize| body.len() >= length)
}

/// An endpoint that answers as a browser without tabs does. It lasts as long as the process.
fn fake_endpoint() -> io::Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let port = listener.local_addr()?.port();
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            // A client that hung up wants no answer.
            drop(answer(socket, port));
        }
    });
    Ok(port)
}

fn answer(mut socket: TcpStream, port: u16) -> io::Result<()> {
    let (mut head, mut buffer) = (Vec::new(), [0; 4096]);
    while !head.ends_with(b"\r\n\r\n") {
        match socket.read(&mut buffer)? {
            0 => return Ok(()),
            length => head.extend_from_slice(&buffer[..length]),
        }
    }
    let body = if head.starts_with(b"GET /json/version ") {
        format!(
            r#"{{"Browser":"Chrome/154.0.8037.98","User-Agent":"Chrome/154.0.0.0","webSocketDebuggerUrl":"ws://127.0.0.1:{port}/devtools/browser/a"}}"#
        )
    } else {
        "[]".to_owned()
    };
    write!(socket, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

/// A running Chromium. It ends with its owner, and so does its profile.
struct Chromium {
    child: Child,
    port: u16,
    profile: PathBuf,
}

fn chromium(home: &Path) -> io::Result<Option<Chromium>> {
    let Some(executable) = installed::best_executable(&RealSystem) else { return Ok(None) };
    let profile = home.join("profile");
    let mut command = Command::new(executable);
    command.args(["--headless=new", "--remote-debugging-port=0", "--no-first-run", "--disable-gpu"]);
    command.arg(format!("--user-data-dir={}", profile.display()));
    if RealSystem.is_root() {
        command.arg("--no-sandbox");
    }
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mut chromium = Chromium { child, port: 0, profile };
    let end = Instant::now() + START;
    while chromium.port == 0 {
        let text = std::fs::read_to_string(chromium.profile.join("DevToolsActivePort")).unwrap_or_default();
        chromium.port = text.lines().next().and_then(|line| line.parse().ok()).unwrap_or(0);
        if Instant::now() > end {
            return Err(io::Error::other("it names no port"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(Some(chromium))
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // What can't be ended is gone already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
