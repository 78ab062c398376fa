//! Servers that no one here wrote, as processes on loopback. `scripts/suite-servers` installs them.

use std::{
    io,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, ChildStdin, Command},
    sync::oneshot,
    time::timeout,
};

/// How long a server may take to listen, on a machine under load.
const START: Duration = Duration::from_secs(30);
/// Lines of a server that are kept for the report of a test that fails.
const KEPT_LINES: usize = 200;
const GUARD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/http_real/servers/guard.py");

/// A certificate for `localhost`, and who issued it.
#[derive(Debug)]
pub struct Certificates {
    dir: TempDir,
}

impl Certificates {
    /// New ones.
    ///
    /// # Panics
    /// When they can't be made.
    pub fn new() -> Self {
        let mut authority = CertificateParams::new(Vec::new()).expect("parameters");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority =
            CertifiedIssuer::self_signed(authority, KeyPair::generate().expect("a key")).expect("an issuer");
        let key = KeyPair::generate().expect("a key");
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let leaf =
            CertificateParams::new(names).expect("parameters").signed_by(&key, &authority).expect("a certificate");
        let dir = tempfile::tempdir().expect("a temporary folder");
        let write = |name, text| std::fs::write(dir.path().join(name), text).expect("a file");
        write("authority.pem", authority.pem());
        write("certificate.pem", leaf.pem());
        write("key.pem", key.serialize_pem());
        Self { dir }
    }

    /// The issuer's certificate, in PEM.
    pub fn authority(&self) -> PathBuf {
        self.dir.path().join("authority.pem")
    }

    fn certificate(&self) -> PathBuf {
        self.dir.path().join("certificate.pem")
    }

    fn key(&self) -> PathBuf {
        self.dir.path().join("key.pem")
    }
}

/// A running server. It ends with its owner, and with this process however that ends.
#[derive(Debug)]
pub struct Foreign {
    process: Child,
    /// The server's guard kills it when this closes.
    _owner: Option<ChildStdin>,
    scheme: &'static str,
    port: u16,
    said: Arc<Mutex<Vec<String>>>,
    _home: TempDir,
}

/// Where the servers are installed, or why they aren't.
fn installed() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("suite-servers");
    if folder.join("ready").exists() {
        return Ok(folder.join("venv/bin"));
    }
    let reason = std::fs::read_to_string(folder.join("skipped"));
    Err(reason.expect("the servers of these tests are installed: run scripts/suite-servers"))
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/http_real/servers").join(name)
}

impl Foreign {
    /// httpbin, served by gunicorn over HTTP/1.1. `None` where the servers can't be installed, which is said on stderr.
    pub async fn httpbin() -> Option<Self> {
        Self::start("http", |bin| {
            let mut command = Command::new(bin.join("gunicorn"));
            command.args(["--bind", "127.0.0.1:0", "--worker-class", "gthread", "--threads", "16", "httpbin:app"]);
            command.arg("--no-control-socket");
            command
        })
        .await
    }

    /// httpbin, served by hypercorn over HTTP/2 and TLS.
    pub async fn httpbin_http2(certificates: &Certificates) -> Option<Self> {
        Self::start("https", |bin| {
            let mut command = Command::new(bin.join("hypercorn"));
            command.args(["--bind", "127.0.0.1:0", "wsgi:http2_httpbin:app", "--certfile"]);
            command.arg(certificates.certificate()).arg("--keyfile").arg(certificates.key());
            command.env("PYTHONPATH", script(""));
            command
        })
        .await
    }

    /// Python's own http.server.
    pub async fn stdlib() -> Option<Self> {
        Self::start("http", |bin| python(bin, "stdlib.py")).await
    }

    /// aiohttp.
    pub async fn aiohttp() -> Option<Self> {
        Self::start("http", |bin| python(bin, "aio.py")).await
    }

    /// Node.js over HTTP/1.1.
    pub async fn node() -> Option<Self> {
        Self::start("http", |_| node()).await
    }

    /// Node.js over HTTP/2 and TLS.
    pub async fn node_http2(certificates: &Certificates) -> Option<Self> {
        Self::start("https", |_| {
            let mut command = node();
            command.arg(certificates.certificate()).arg(certificates.key());
            command
        })
        .await
    }

    async fn start(scheme: &'static str, program: impl FnOnce(&Path) -> Command) -> Option<Self> {
        match installed() {
            Ok(bin) => {
                let started = Self::spawn(scheme, &bin, &program(&bin)).await;
                Some(started.unwrap_or_else(|error| panic!("a server doesn't start: {error}")))
            }
            Err(reason) => {
                eprintln!("SKIPPED: {}", reason.trim());
                None
            }
        }
    }

    async fn spawn(scheme: &'static str, bin: &Path, program: &Command) -> io::Result<Self> {
        let home = tempfile::tempdir()?;
        let mut command = Command::new(bin.join("python"));
        command.arg(GUARD).arg(program.as_std().get_program()).args(program.as_std().get_args());
        command.env("HOME", home.path()).env("TMPDIR", home.path()).env("PYTHONDONTWRITEBYTECODE", "1");
        for (name, value) in program.as_std().get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).process_group(0);
        let mut process = command.spawn()?;
        let owner = process.stdin.take();
        let stdout = process.stdout.take().ok_or_else(|| io::Error::other("no stdout"))?;
        let said = Arc::new(Mutex::new(Vec::new()));
        let (listening, port) = oneshot::channel();
        tokio::spawn(follow(BufReader::new(stdout), said.clone(), listening));
        let mut server = Self { process, _owner: owner, scheme, port: 0, said, _home: home };
        let port = timeout(START, port).await.map_err(|_| io::Error::other("it listens nowhere"))?;
        server.port = port.map_err(|_| io::Error::other("it ended"))?;
        Ok(server)
    }

    /// The URL of a path on this server.
    pub fn url(&self, path: &str) -> String {
        format!("{}://localhost:{}{path}", self.scheme, self.port)
    }

    /// The port on which it listens, on 127.0.0.1.
    pub const fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("what the server said: {:#?}", self.said.lock().unwrap_or_else(PoisonError::into_inner));
        }
        if let Some(group) = self.process.id().and_then(|pid| pid.try_into().ok()) {
            // It may have ended by itself.
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
    }
}

fn python(bin: &Path, name: &str) -> Command {
    let mut command = Command::new(bin.join("python"));
    command.arg(script(name));
    command
}

fn node() -> Command {
    let mut command = Command::new("node");
    command.arg(script("node.mjs"));
    command
}

/// Reads what a server says, the first port of which is the one that it listens on.
async fn follow(
    lines: impl tokio::io::AsyncBufRead + Unpin,
    said: Arc<Mutex<Vec<String>>>,
    listening: oneshot::Sender<u16>,
) {
    let mut listening = Some(listening);
    let mut lines = lines.lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(port) = port_in(&line)
            && let Some(listening) = listening.take()
        {
            // Whoever waited may have given up.
            let _ = listening.send(port);
        }
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.len() < KEPT_LINES {
            said.push(line);
        }
    }
}

fn port_in(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("127.0.0.1:")?;
    rest.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}
