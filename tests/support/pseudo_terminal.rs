//! A program in a terminal of its own, and what it shows there.

use std::{
    io::{Read as _, Write},
    num::NonZeroU16,
    process::Command,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use tokio::sync::mpsc;

use super::{PATIENCE, slicc_process::Home, within};

/// How long a program that is told to stop, because its test is over, may take.
const FAREWELL: Duration = Duration::from_secs(15);
/// How often a state that nobody tells is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// The program, the terminal, and the home that they are in. When it goes, the program is told to stop, and killed if it
/// doesn't.
pub struct PseudoTerminal {
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    output: mpsc::UnboundedReceiver<Vec<u8>>,
    screen: vt100::Parser,
    /// Everything that the program wrote.
    pub bytes: Vec<u8>,
    /// The terminal's modes before the program started.
    modes: String,
    exited: Option<ExitStatus>,
    // The last to go, after its processes.
    home: Home,
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, ..PtySize::default() }
}

fn screen_size(columns: u16, rows: u16) -> (NonZeroU16, NonZeroU16) {
    (NonZeroU16::new(rows).expect("a terminal has rows"), NonZeroU16::new(columns).expect("a terminal has columns"))
}

fn modes(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().expect("a terminal has modes"))
}

impl PseudoTerminal {
    /// Starts a command in a terminal of 100×24.
    ///
    /// # Panics
    /// When it can't be started.
    pub fn spawn(home: Home, command: &Command) -> Self {
        let (columns, rows) = (100, 24);
        let pair = native_pty_system().openpty(size(columns, rows)).expect("a terminal");
        let mut builder = CommandBuilder::new(command.get_program());
        builder.args(command.get_args());
        builder.cwd(command.get_current_dir().expect("a test's program has a folder"));
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => builder.env(name, value),
                None => builder.env_remove(name),
            }
        }
        builder.env("TERM", "xterm-256color");
        if command.get_envs().all(|(name, _)| name != "NO_COLOR") {
            builder.env_remove("NO_COLOR");
        }
        let modes = modes(&*pair.master);
        let mut reader = pair.master.try_clone_reader().expect("a terminal can be read");
        let (sender, output) = mpsc::unbounded_channel();
        // It ends with the terminal.
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        let child = pair.slave.spawn_command(builder).expect("the program starts");
        let (height, width) = screen_size(columns, rows);
        Self {
            keyboard: pair.master.take_writer().expect("a terminal can be written"),
            master: pair.master,
            child,
            output,
            screen: vt100::Parser::new(height, width, 0),
            bytes: Vec::new(),
            modes,
            exited: None,
            home,
        }
    }

    /// Its home.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// What the terminal shows.
    pub fn text(&self) -> String {
        let (_, columns) = self.screen.screen().size();
        let rows: Vec<_> = self.screen.screen().rows(0, columns.get()).map(|row| row.trim_end().to_owned()).collect();
        rows.join("\n").trim_end().to_owned()
    }

    /// Whether a screen of the program's own is shown, instead of what the terminal showed before.
    pub fn is_taken(&self) -> bool {
        self.screen.screen().alternate_screen()
    }

    /// Expects that the terminal is as it was before the program started.
    ///
    /// # Panics
    /// When it isn't.
    pub fn expect_restored(&self) {
        assert!(!self.is_taken(), "the screen: {}", self.text());
        assert!(!self.screen.screen().hide_cursor(), "the cursor");
        assert_eq!(modes(&*self.master), self.modes, "the modes");
    }

    fn take(&mut self, bytes: Vec<u8>) {
        self.screen.process(&bytes);
        self.bytes.extend(bytes);
    }

    /// Waits until the terminal shows this.
    ///
    /// # Panics
    /// When it never does.
    pub async fn until(&mut self, what: &str) {
        self.until_shown(what, |text| text.contains(what)).await;
    }

    /// Waits until the terminal shows what a test wants to see.
    ///
    /// # Panics
    /// When it never does.
    pub async fn until_shown(&mut self, what: &str, ready: impl Fn(&str) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !ready(&self.text()) {
            let left = end.saturating_duration_since(Instant::now());
            let output = tokio::time::timeout(left, self.output.recv()).await;
            let Ok(Some(bytes)) = output else { panic!("{what} isn't shown ({output:?}):\n{}", self.text()) };
            self.take(bytes);
        }
    }

    /// Waits until a screen of the program's own is shown, or isn't any more.
    pub async fn until_taken(&mut self, taken: bool) {
        while self.is_taken() != taken {
            let bytes = within("the screen", self.output.recv()).await.expect("the program runs");
            self.take(bytes);
        }
    }

    /// Presses keys, in the bytes of a terminal.
    ///
    /// # Panics
    /// When the terminal is gone.
    pub fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.keyboard.flush().expect("the terminal takes keys");
    }

    /// Changes the window's size.
    ///
    /// # Panics
    /// When the terminal refuses.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        let (height, width) = screen_size(columns, rows);
        self.screen.screen_mut().set_size(height, width);
        self.master.resize(size(columns, rows)).expect("a terminal has a size");
    }

    /// The program's process.
    ///
    /// # Panics
    /// When it is gone.
    pub fn pid(&self) -> Pid {
        Pid::from_raw(self.child.process_id().expect("the program runs").try_into().expect("a process id"))
    }

    /// Sends a signal.
    ///
    /// # Panics
    /// When the program is gone.
    pub fn signal(&self, signal: Signal) {
        kill(self.pid(), signal).expect("the signal is delivered");
    }

    /// Waits until the process is stopped.
    pub async fn until_stopped(&self) {
        let stat = format!("/proc/{}/stat", self.pid());
        within("the process stops", async {
            loop {
                let stat = std::fs::read_to_string(&stat).expect("the process is there");
                // The state stands behind the name, which is in brackets.
                if stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T')) {
                    return;
                }
                tokio::time::sleep(LOOK).await;
            }
        })
        .await;
    }

    /// Waits for the exit, and for all output before it.
    ///
    /// # Panics
    /// When it takes too long.
    pub async fn exit(&mut self) -> ExitStatus {
        let status = within("an exit", async {
            loop {
                if let Some(status) = self.child.try_wait().expect("the program is waited for") {
                    return status;
                }
                tokio::time::sleep(LOOK).await;
            }
        })
        .await;
        self.exited = Some(status.clone());
        // Nobody holds the terminal's other end any more, so the reader comes to its end.
        while let Ok(Some(bytes)) = tokio::time::timeout(Duration::from_secs(1), self.output.recv()).await {
            self.take(bytes);
        }
        status
    }
}

impl Drop for PseudoTerminal {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("what the terminal shows:\n{}", self.text());
        }
        if self.exited.is_some() {
            return;
        }
        if let Some(Ok(pid)) = self.child.process_id().map(i32::try_from) {
            for signal in [Signal::SIGCONT, Signal::SIGTERM] {
                let _ = kill(Pid::from_raw(pid), signal);
            }
        }
        let end = Instant::now() + FAREWELL;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < end {
            std::thread::sleep(LOOK);
        }
        let _ = self.child.kill();
    }
}
