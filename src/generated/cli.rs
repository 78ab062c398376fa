//! The command line. Generated from spec/cli.toml by `cargo codegen`. Do not edit.

use std::ffi::OsString;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

/// Exit statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ExitStatus {
    /// Everything went well, or slicc was told to stop and did.
    Success = 0,
    /// Something failed; stderr says what, and what to do about it.
    Failed = 1,
    /// The command line is wrong; nothing was done.
    Usage = 2,
    /// The other side doesn't allow it.
    NotAllowed = 3,
    /// A signal stopped a command before it was done.
    Interrupted = 130,
}

impl From<ExitStatus> for std::process::ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}

/// Names of environment variables.
pub mod env {
    /// Adds diagnostics to stderr. They name only allowed origins and hold no secret.
    pub const SLICC_DEBUG: &str = "SLICC_DEBUG";
    /// No colour, whatever the terminal can do.
    pub const NO_COLOR: &str = "NO_COLOR";
    /// SLICC six's Chrome profile, when it isn't where six keeps it; read only to tell which browser is six's.
    pub const SLICC_USER_DATA_DIR: &str = "SLICC_USER_DATA_DIR";
    /// Where SLICC six keeps its profiles on Linux; read only to tell which browser is six's.
    pub const XDG_STATE_HOME: &str = "XDG_STATE_HOME";
    /// Limits what discovery finds to --cdp alone; with `installed` to that and installed browsers; with `home` to those
    /// and the DevToolsActivePort files under the home and config dirs.
    pub const SLICC_DISCOVERY: &str = "SLICC_DISCOVERY";
    /// The Chrome executable that the tests run instead of the one that is installed.
    pub const SLICC_TEST_CHROME: &str = "SLICC_TEST_CHROME";
}

/// The command line of seven: links a page to this machine and shares it.
#[derive(Debug, Clone, PartialEq, Eq, Parser)]
#[command(
    name = "slicc",
    version,
    about = "The command line of seven: links a page to this machine and shares it",
    long_about = help::ROOT,
    after_help = help::ROOT_EXAMPLES,
    after_long_help = format!("{}\n\n{}\n\n{}", help::ROOT_EXAMPLES, help::ENVIRONMENT, help::EXIT_STATUS),
    subcommand_value_name = "command",
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What holds without a command.
    #[command(flatten)]
    pub default: DefaultArgs,
    /// What to do instead.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Link a seven that is open in a running browser.
    Attach(AttachArgs),
    /// List running debugging endpoints and installed browsers.
    Browsers(BrowsersArgs),
    /// Launch a browser that slicc can drive, and keep it until Ctrl-C.
    Launch(LaunchArgs),
    /// Check that linking works on this machine.
    Doctor(DoctorArgs),
    /// Print the JSON Schema of what slicc reads and writes.
    Schema(SchemaArgs),
    /// Print a script that completes slicc's command line in a shell.
    Completions(CompletionsArgs),
}
/// `slicc`: Find a browser, open seven in it, and link it.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct DefaultArgs {
    /// The browser that hosts seven; each further one is an extra browser that seven may drive (default: the best match).
    ///
    /// An id from `slicc browsers`, or a name in upper or lower case. slicc then asks nothing.
    #[arg(long = "browser", value_name = "id")]
    pub browser: Vec<String>,
    /// Also consider the browser at this debugging endpoint.
    ///
    /// `http(s)://host:port`, `ws(s)://host:port/devtools/browser/<id>`, `host:port` or a bare port. One that doesn't
    /// answer is reported on stderr and left out.
    #[arg(long = "cdp", value_name = "url")]
    pub cdp: Vec<String>,
    /// The page to open (default: https://seven.sliccy.ai/).
    ///
    /// It is http or https, and its origin is accepted as seven's.
    #[arg(long = "page", value_name = "url")]
    pub page: Option<String>,
    /// Also accept seven on this origin.
    ///
    /// An origin is `scheme://host[:port]`. `https://<label>.sliccy.ai` is always accepted, with the exception of labels
    /// that aren't a seven, such as `www`.
    #[arg(long = "origin", value_name = "origin")]
    pub origin: Vec<String>,
    /// The SLICC profile of the launched browser that hosts seven (default: the browser's id).
    ///
    /// A name has letters, digits, `.`, `_` and `-`. `six` and `six:<port>` use SLICC six's own Chrome profile in place,
    /// and nothing is written to it.
    #[arg(long = "profile", value_name = "name")]
    pub profile: Option<String>,
    /// Launch browsers without a window.
    #[arg(long = "headless")]
    pub headless: bool,
    /// What the link is called in seven (default: slicc on <host>).
    #[arg(long = "name", value_name = "name")]
    pub name: Option<String>,
    /// The local port for kernel services (default: 80).
    ///
    /// A server on port 5173 of seven's kernel is http://5173.kernel.localhost/ in every browser of this machine. With
    /// another port than 80, the URL carries it: http://5173.kernel.localhost:8080/. slicc listens on loopback alone, once
    /// a seven that offers kernel services is linked. The port is denied to the linked seven.
    #[arg(long = "kernel-port", value_name = "n", value_parser = clap::value_parser!(u16).range(1..=65535))]
    pub kernel_port: Option<u16>,
    /// No kernel services; nothing listens.
    #[arg(long = "no-kernel")]
    pub no_kernel: bool,
    /// Allow addresses that the default denies.
    ///
    /// A rule is a CIDR range, an address, or either with a port: `10.0.0.0/8`, `127.0.0.1/32:9222`, `[::1]:22`. The
    /// longest prefix wins, then the rule with a port, then a rule of yours over a default, then --deny over --allow.
    #[arg(long = "allow", value_name = "rule", value_delimiter = ',')]
    pub allow: Vec<String>,
    /// Deny addresses that the default allows.
    ///
    /// Rules are written as for --allow.
    #[arg(long = "deny", value_name = "rule", value_delimiter = ',')]
    pub deny: Vec<String>,
    /// Ask nothing, and go with the best match.
    #[arg(long = "yes")]
    pub yes: bool,
    /// Ask nothing, draw nothing, and print status lines alone.
    #[arg(long = "plain")]
    pub plain: bool,
    /// Print one JSON object per line on stdout.
    ///
    /// `slicc schema default` prints the schema of the lines.
    #[arg(long = "json")]
    pub json: bool,
    /// Never fall back to the default browser.
    ///
    /// slicc then launches an installed browser in a new SLICC profile, or fails when there is none.
    #[arg(long = "no-fallback")]
    pub no_fallback: bool,
    /// When falling back without a terminal, open the pairing URL in the default browser, too.
    #[arg(long = "open")]
    pub open: bool,
    /// Resolve the names in this hosts file to its addresses, without asking the system.
    ///
    /// Each line is `<ip> <name> [<name>…]`, and `#` starts a comment.
    #[arg(long = "hosts", value_name = "file", hide = true)]
    pub hosts: Option<std::path::PathBuf>,
}

/// `attach`: Link a seven that is open in a running browser.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(
    about = "Link a seven that is open in a running browser",
    long_about = help::ATTACH,
    after_help = help::ATTACH_EXAMPLES,
    after_long_help = format!("{}\n\n{}", help::ATTACH_EXAMPLES, help::EXIT_STATUS),
)]
pub struct AttachArgs {
    /// The browser's debugging endpoint.
    ///
    /// `http://host:port` is looked up through `GET /json/version`; `ws://…` is used as it is. It names one browser, so it
    /// can be given once.
    #[arg(long = "cdp", value_name = "url")]
    pub cdp: Option<String>,
    /// Also accept seven on this origin.
    ///
    /// An origin is `scheme://host[:port]`. `https://<label>.sliccy.ai` is always accepted, with the exception of labels
    /// that aren't a seven, such as `www`.
    #[arg(long = "origin", value_name = "origin")]
    pub origin: Vec<String>,
    /// How the link is set up (default: cdp).
    #[arg(long = "signal", value_name = "way", value_enum)]
    pub signal: Option<Signal>,
    /// What the link is called in seven (default: slicc on <host>).
    #[arg(long = "name", value_name = "name")]
    pub name: Option<String>,
    /// Allow addresses that the default denies.
    ///
    /// A rule is a CIDR range, an address, or either with a port: `10.0.0.0/8`, `127.0.0.1/32:9222`, `[::1]:22`. The
    /// longest prefix wins, then the rule with a port, then a rule of yours over a default, then --deny over --allow.
    #[arg(long = "allow", value_name = "rule", value_delimiter = ',')]
    pub allow: Vec<String>,
    /// Deny addresses that the default allows.
    ///
    /// Rules are written as for --allow.
    #[arg(long = "deny", value_name = "rule", value_delimiter = ',')]
    pub deny: Vec<String>,
    /// The local port for kernel services (default: 80).
    ///
    /// A server on port 5173 of seven's kernel is http://5173.kernel.localhost/ in every browser of this machine. With
    /// another port than 80, the URL carries it: http://5173.kernel.localhost:8080/. slicc listens on loopback alone, once
    /// a seven that offers kernel services is linked. The port is denied to the linked seven.
    #[arg(long = "kernel-port", value_name = "n", value_parser = clap::value_parser!(u16).range(1..=65535))]
    pub kernel_port: Option<u16>,
    /// No kernel services; nothing listens.
    #[arg(long = "no-kernel")]
    pub no_kernel: bool,
    /// Resolve the names in this hosts file to its addresses, without asking the system.
    ///
    /// Each line is `<ip> <name> [<name>…]`, and `#` starts a comment.
    #[arg(long = "hosts", value_name = "file", hide = true)]
    pub hosts: Option<std::path::PathBuf>,
}

/// `browsers`: List running debugging endpoints and installed browsers.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(
    about = "List running debugging endpoints and installed browsers",
    long_about = help::BROWSERS,
    after_help = help::BROWSERS_EXAMPLES,
    after_long_help = format!("{}\n\n{}", help::BROWSERS_EXAMPLES, help::EXIT_STATUS),
)]
pub struct BrowsersArgs {
    /// Print one JSON document on stdout.
    ///
    /// `slicc schema browsers` prints its schema.
    #[arg(long = "json")]
    pub json: bool,
    /// Also list the browser at this debugging endpoint.
    ///
    /// `http(s)://host:port`, `ws(s)://host:port/devtools/browser/<id>`, `host:port` or a bare port. One that doesn't
    /// answer is reported on stderr and left out.
    #[arg(long = "cdp", value_name = "url")]
    pub cdp: Vec<String>,
    /// Read nothing inside an app bundle, except for debug builds.
    ///
    /// macOS then asks nobody for permission. Browsers are matched by bundle id or app name, Electron apps by a list of
    /// known bundle ids, and versions come from Spotlight.
    #[arg(long = "no-bundle-scan")]
    pub no_bundle_scan: bool,
}

/// `launch`: Launch a browser that slicc can drive, and keep it until Ctrl-C.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(
    about = "Launch a browser that slicc can drive, and keep it until Ctrl-C",
    long_about = help::LAUNCH,
    after_help = help::LAUNCH_EXAMPLES,
    after_long_help = format!("{}\n\n{}", help::LAUNCH_EXAMPLES, help::EXIT_STATUS),
)]
pub struct LaunchArgs {
    /// The browser or Electron app to launch (default: the best one that is installed).
    ///
    /// An id or a name of an installed browser, as `slicc browsers` lists them. A name counts in upper and lower case.
    #[arg(long = "browser", value_name = "id")]
    pub browser: Option<String>,
    /// The SLICC profile (default: the browser's id).
    ///
    /// A name has letters, digits, `.`, `_` and `-`. A browser that still runs in the profile is used. `six` and
    /// `six:<port>` use SLICC six's own Chrome profile in place, and nothing is written to it.
    #[arg(long = "profile", value_name = "name")]
    pub profile: Option<String>,
    /// The page to open.
    #[arg(long = "url", value_name = "url")]
    pub url: Option<String>,
    /// Open no window.
    #[arg(long = "headless")]
    pub headless: bool,
    /// Leave out the flags and preferences that keep a seven tab running in the background.
    #[arg(long = "no-seven-flags")]
    pub no_seven_flags: bool,
    /// Print one JSON object per line on stdout.
    ///
    /// `slicc schema launch` prints the schema of the lines.
    #[arg(long = "json")]
    pub json: bool,
}

/// `doctor`: Check that linking works on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(
    about = "Check that linking works on this machine",
    long_about = help::DOCTOR,
    after_help = help::DOCTOR_EXAMPLES,
    after_long_help = format!("{}\n\n{}", help::DOCTOR_EXAMPLES, help::EXIT_STATUS),
)]
pub struct DoctorArgs {
    /// Check with this running browser instead of launching one.
    #[arg(long = "cdp", value_name = "url", conflicts_with = "headed")]
    pub cdp: Option<String>,
    /// Print one JSON object per line on stdout.
    ///
    /// `slicc schema doctor` prints the schema of the lines.
    #[arg(long = "json")]
    pub json: bool,
    /// Show the browser's window, and leave it open until Ctrl-C.
    #[arg(long = "headed")]
    pub headed: bool,
    /// Leave the page open until Ctrl-C.
    #[arg(long = "keep")]
    pub keep: bool,
    /// Run this browser executable instead of the one that is installed.
    #[arg(long = "browser", value_name = "path", conflicts_with = "cdp", hide = true)]
    pub browser: Option<std::path::PathBuf>,
}

/// `schema`: Print the JSON Schema of what slicc reads and writes.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(
    about = "Print the JSON Schema of what slicc reads and writes",
    long_about = help::SCHEMA,
    after_help = help::SCHEMA_EXAMPLES,
    after_long_help = format!("{}\n\n{}", help::SCHEMA_EXAMPLES, help::EXIT_STATUS),
)]
pub struct SchemaArgs {
    /// The schema to print.
    #[arg(value_name = "name")]
    pub name: Option<String>,
}

/// `completions`: Print a script that completes slicc's command line in a shell.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(
    about = "Print a script that completes slicc's command line in a shell",
    long_about = help::COMPLETIONS,
    after_help = help::COMPLETIONS_EXAMPLES,
    after_long_help = format!("{}\n\n{}", help::COMPLETIONS_EXAMPLES, help::EXIT_STATUS),
)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "shell", value_enum)]
    pub shell: Shell,
}

/// How the link is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum Signal {
    /// Through the browser's debugging endpoint.
    #[value(name = "cdp")]
    Cdp,
    /// As lines of JSON on stdin and stdout, for a harness that owns the endpoint itself.
    #[value(name = "stdio")]
    Stdio,
}

/// The shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum Shell {
    /// Bash.
    #[value(name = "bash")]
    Bash,
    /// Elvish.
    #[value(name = "elvish")]
    Elvish,
    /// Fish.
    #[value(name = "fish")]
    Fish,
    /// PowerShell.
    #[value(name = "powershell")]
    Powershell,
    /// Zsh.
    #[value(name = "zsh")]
    Zsh,
}

/// Flags of the program's former self, which point back to it.
pub const FORMER_FLAGS: &[&str] = &[
    "-v",
    "--serve-only",
    "--hosted",
    "--kill",
    "--install-cli",
    "--computer-demo",
    "--cdp-port",
    "--log-level",
    "--log-dir",
    "--prompt",
    "--env-file",
    "--install-dir",
    "--lead",
    "--join",
    "--electron-app",
    "--electron",
    "--cloud",
];

impl Cli {
    /// Reads the words of a command line, the program's name first.
    ///
    /// # Errors
    /// What clap makes of a command line that is wrong or asks for help, and the rules that clap has no words for.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let words: Vec<OsString> = words.into_iter().collect();
        let cli = Self::try_parse_from(words)?;
        cli.check()?;
        Ok(cli)
    }

    /// The rules that clap has no words for.
    fn check(&self) -> Result<(), clap::Error> {
        match &self.command {
            Some(Command::Attach(args)) if args.cdp.is_none() && args.signal != Some(Signal::Stdio) => Err(wrong(
                Some("attach"),
                clap::error::ErrorKind::MissingRequiredArgument,
                "--cdp <url> is required, unless --signal stdio is given",
            )),
            _ => Ok(()),
        }
    }
}

/// An error with the usage of the command that it is about.
fn wrong(name: Option<&str>, kind: clap::error::ErrorKind, message: impl std::fmt::Display) -> clap::Error {
    let mut root = Cli::command();
    root.build();
    match name.and_then(|name| root.find_subcommand_mut(name)) {
        Some(command) => command.error(kind, message),
        None => root.error(kind, message),
    }
}

/// Texts of the help.
mod help {
    pub const ROOT: &str = "\
The command line of seven: links a page to this machine and shares it

slicc links a seven, the page that runs in a browser, to this machine over WebRTC. The linked seven can then use \
this machine's network, within the rules that you set.

Data goes to stdout, and everything slicc has to say goes to stderr.

Without a command, slicc finds browsers, launches the best one or attaches to it, opens seven in it and links it. It \
serves the link until q or Ctrl-C, closes the browsers that it launched, and leaves the others running.";

    pub const ROOT_EXAMPLES: &str = "\
Examples:
  slicc
      Pick a browser, and link seven in it
  slicc --yes --cdp 9222
      Go with the best match at once, and count in the browser on port 9222
  slicc --json --browser chrome
      Link seven in Chrome, for a program that reads what happens
  slicc attach --cdp http://127.0.0.1:9222
      Link the seven that is open in a running browser
  slicc doctor
      Check that linking works on this machine";

    pub const ATTACH: &str = "\
Link a seven that is open in a running browser

slicc waits until a tab of the browser shows seven, links it, and serves the link until it is interrupted, or until \
stdin closes with --signal stdio. A reload of the tab sets the link up anew. Status lines go to stderr.

The browser has to run with a debugging endpoint, for example with `--remote-debugging-port=9222`. That port is \
denied to the linked seven.";

    pub const ATTACH_EXAMPLES: &str = "\
Examples:
  slicc attach --cdp http://127.0.0.1:9222
      Link the seven in the browser on port 9222
  slicc attach --cdp http://127.0.0.1:9222 --deny 192.168.0.0/16,10.0.0.0/8
      The same, without this machine's private network
  slicc attach --cdp http://127.0.0.1:9222 --origin http://localhost:8080
      Accept a seven that is served on this machine, too
  slicc attach --cdp http://127.0.0.1:9222 --kernel-port 8080
      Reach the servers in seven's kernel at http://<port>.kernel.localhost:8080/";

    pub const BROWSERS: &str = "\
List running debugging endpoints and installed browsers

The best match comes first: an endpoint with seven open, any other running endpoint, Chrome, other Chromium \
browsers, and Electron apps. SLICC six's Chrome comes last.

Looking only reads: every endpoint is asked for /json/version and /json/list, and nothing else. Of the tabs, only \
those that show seven are kept.";

    pub const BROWSERS_EXAMPLES: &str = "\
Examples:
  slicc browsers
      What there is on this machine
  slicc browsers --json --cdp 9400
      The same with the endpoint on port 9400, for a program to read";

    pub const LAUNCH: &str = "\
Launch a browser that slicc can drive, and keep it until Ctrl-C

slicc launches a browser with a debugging port and a profile of its own, prints the address of that port, and closes \
the browser when it is interrupted. A browser that runs in the profile already is used instead, and keeps running.";

    pub const LAUNCH_EXAMPLES: &str = "\
Examples:
  slicc launch --url https://seven.sliccy.ai/
      Open seven in the best browser that is installed
  slicc launch --browser chromium --profile work --headless
      Run Chromium without a window in the profile work
  slicc launch --profile six
      Use the profile of SLICC six, and its Chrome when it runs";

    pub const DOCTOR: &str = "\
Check that linking works on this machine

slicc launches a browser of its own with a throwaway profile, links a test page in it, and checks what a seven would \
use: the set-up, the link's speed, the network with its rules, and servers in the page. Each check is a line. The \
exit status is 1 when one fails.";

    pub const DOCTOR_EXAMPLES: &str = "\
Examples:
  slicc doctor
      Run every check in a browser that nobody sees
  slicc doctor --json
      The same, for a program to read";

    pub const SCHEMA: &str = "\
Print the JSON Schema of what slicc reads and writes

Without a name, it lists the schemas that there are, one on a line.";

    pub const SCHEMA_EXAMPLES: &str = "\
Examples:
  slicc schema
      List the schemas
  slicc schema doctor
      Print the schema of the lines that `slicc doctor --json` prints";

    pub const COMPLETIONS: &str = "\
Print a script that completes slicc's command line in a shell";

    pub const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  slicc completions bash > ~/.local/share/bash-completion/completions/slicc
      Complete slicc in Bash from the next shell on
  slicc completions fish > ~/.config/fish/completions/slicc.fish
      The same in fish";

    pub const ENVIRONMENT: &str = "\
Environment:
  SLICC_DEBUG=1            Adds diagnostics to stderr. They name only allowed origins and hold
                           no secret
  NO_COLOR=1               No colour, whatever the terminal can do
  SLICC_USER_DATA_DIR=dir  SLICC six's Chrome profile, when it isn't where six keeps it; read
                           only to tell which browser is six's
  XDG_STATE_HOME=dir       Where SLICC six keeps its profiles on Linux; read only to tell which
                           browser is six's";

    pub const EXIT_STATUS: &str = "\
Exit status:
  0    Everything went well, or slicc was told to stop and did
  1    Something failed; stderr says what, and what to do about it
  2    The command line is wrong; nothing was done
  3    The other side doesn't allow it
  130  A signal stopped a command before it was done";
}

/// Every example of the help, as typed.
#[cfg(test)]
pub const EXAMPLES: &[&str] = &[
    "slicc attach --cdp http://127.0.0.1:9222",
    "slicc doctor",
    "slicc",
    "slicc --yes --cdp 9222",
    "slicc --json --browser chrome",
    "slicc attach --cdp http://127.0.0.1:9222",
    "slicc attach --cdp http://127.0.0.1:9222 --deny 192.168.0.0/16,10.0.0.0/8",
    "slicc attach --cdp http://127.0.0.1:9222 --origin http://localhost:8080",
    "slicc attach --cdp http://127.0.0.1:9222 --kernel-port 8080",
    "slicc browsers",
    "slicc browsers --json --cdp 9400",
    "slicc launch --url https://seven.sliccy.ai/",
    "slicc launch --browser chromium --profile work --headless",
    "slicc launch --profile six",
    "slicc doctor",
    "slicc doctor --json",
    "slicc schema",
    "slicc schema doctor",
    "slicc completions bash > ~/.local/share/bash-completion/completions/slicc",
    "slicc completions fish > ~/.config/fish/completions/slicc.fish",
];
