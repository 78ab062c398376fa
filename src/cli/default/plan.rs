//! What the arguments of plain `slicc` mean, whatever the machine.

use std::io::IsTerminal as _;

use url::Url;

use crate::{
    browser::{
        open::ProfileChoice,
        origin::{Origin, SevenOrigins},
        profile::ProfileName,
        six::SixChoice,
    },
    cdp::Endpoint,
    cli::{Failure, given},
    generated::{catalog::seven::DEFAULT_PAGE, cli::DefaultArgs},
    node,
};

/// What happens is told to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// People at a terminal, who pick a browser and watch.
    Terminal,
    /// People who read lines.
    Lines,
    /// A program that reads NDJSON.
    Json,
}

/// What is asked for.
#[derive(Debug)]
pub struct Plan {
    /// The browsers that are named: the host first, then extras.
    pub browsers: Vec<String>,
    /// Endpoints to consider.
    pub cdp: Vec<Endpoint>,
    /// The page to open.
    pub page: Url,
    /// Which pages are seven.
    pub origins: SevenOrigins,
    /// The hosts of the extra origins, for a profile's prefs.
    pub extra_hosts: Vec<String>,
    /// The profile of the browser that hosts seven.
    pub profile: ProfileChoice,
    /// Whether browsers are launched without a window.
    pub headless: bool,
    /// Whether seven may go into the default browser instead.
    pub fallback: bool,
    /// Whether the pairing URL is opened without a terminal, too.
    pub open_pairing: bool,
    /// The node.
    pub node: node::Options,
    /// Who is told what happens.
    pub audience: Audience,
}

impl Plan {
    /// Reads the arguments. It touches nothing but the hosts file, and asks what stdin and stdout are.
    ///
    /// # Errors
    /// A usage failure.
    pub fn new(args: &DefaultArgs) -> Result<Self, Failure> {
        let cdp = args.cdp.iter().map(|value| given::endpoint(value)).collect::<Result<Vec<_>, _>>()?;
        let (page, page_origin) = page(args.page.as_deref().unwrap_or(DEFAULT_PAGE))?;
        let mut origins = given::origins(&args.origin)?;
        if SevenOrigins::default().is_seven(page.as_str()).is_none() {
            origins.push(page_origin);
        }
        let node = given::NodeFlags {
            name: args.name.as_deref(),
            allow: &args.allow,
            deny: &args.deny,
            hosts: args.hosts.as_deref(),
            kernel_port: args.kernel_port,
            no_kernel: args.no_kernel,
        };
        let profile = given::profile(args.profile.as_deref())?;
        let given = !args.browser.is_empty() || !args.cdp.is_empty() || args.profile.is_some();
        let lines = args.yes || args.plain || !args.browser.is_empty() || matches!(profile, ProfileChoice::Six(_));
        let audience = match args.json {
            true => Audience::Json,
            false if lines => Audience::Lines,
            false if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() => Audience::Terminal,
            false => Audience::Lines,
        };
        Ok(Self {
            browsers: args.browser.clone(),
            cdp,
            page,
            extra_hosts: origins.iter().map(|origin| origin.host().to_string()).collect(),
            origins: SevenOrigins::new(origins),
            profile,
            headless: args.headless,
            fallback: !given && !args.no_fallback,
            open_pairing: args.open,
            node: node.options()?,
            audience,
        })
    }

    /// The SLICC profile that is named.
    pub fn profile_name(&self) -> Option<&ProfileName> {
        match &self.profile {
            ProfileChoice::Slicc(name) => name.as_ref(),
            ProfileChoice::Six(_) => None,
        }
    }

    /// The profile of SLICC six's that is chosen.
    pub fn six(&self) -> Option<SixChoice> {
        match self.profile {
            ProfileChoice::Six(choice) => Some(choice),
            ProfileChoice::Slicc(_) => None,
        }
    }

    /// Whether `--cdp` names this endpoint.
    pub fn names(&self, http: &Endpoint) -> bool {
        self.cdp.iter().any(|endpoint| endpoint.clone().on_one_loopback().http() == *http)
    }
}

/// The page, and its origin.
fn page(text: &str) -> Result<(Url, Origin), Failure> {
    let hint = |failure: Failure| failure.hint(format_args!("write it with its scheme, as in {DEFAULT_PAGE}"));
    let url = Url::parse(text).map_err(|error| hint(Failure::usage(format_args!("--page: not a URL ({error})"))))?;
    match Origin::of(&url) {
        Some(origin) => Ok((url, origin)),
        None => Err(hint(Failure::usage("--page: its scheme isn't http or https"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli::FailureKind, generated::cli::Cli};

    fn planned(line: &str) -> Result<Plan, Failure> {
        let words = format!("slicc {line}");
        let cli = Cli::read(words.split_whitespace().map(Into::into)).unwrap();
        assert_eq!(cli.command, None);
        Plan::new(&cli.default)
    }

    #[test]
    fn the_page_is_https_or_http_and_its_origin_is_seven() {
        let plan = planned("").unwrap();
        assert_eq!(plan.page.as_str(), "https://seven.sliccy.ai/");
        assert_eq!(plan.extra_hosts, Vec::<String>::new());
        let plan = planned("--page http://localhost:8000/x?y --origin https://other.example").unwrap();
        assert!(plan.origins.is_seven("http://localhost:8000/").is_some());
        assert!(plan.origins.is_seven("https://seven.sliccy.ai/").is_some());
        assert_eq!(plan.extra_hosts, ["other.example", "localhost"]);
        for line in ["--page seven.sliccy.ai", "--page file:///x", "--page data:text/html,x", "--page=--x"] {
            assert_eq!(planned(line).unwrap_err().kind, FailureKind::Usage, "{line}");
        }
    }

    #[test]
    fn seven_falls_back_only_when_nothing_is_named() {
        assert!(planned("").unwrap().fallback);
        assert!(planned("--yes --plain --open --headless --page http://localhost/").unwrap().fallback);
        for line in ["--browser chrome", "--cdp 9222", "--profile work", "--profile six", "--no-fallback"] {
            assert!(!planned(line).unwrap().fallback, "{line}");
        }
    }

    #[test]
    fn a_program_gets_json_and_flags_that_choose_get_lines() {
        assert_eq!(planned("--json --yes").unwrap().audience, Audience::Json);
        for line in ["--yes", "--plain", "--browser chrome", "--profile six"] {
            assert_eq!(planned(line).unwrap().audience, Audience::Lines, "{line}");
        }
    }

    #[test]
    fn a_cdp_url_names_its_endpoint_in_every_form() {
        for text in ["9222", "localhost:9222", "http://127.0.0.1:9222", "ws://[::1]:9222/devtools/browser/x"] {
            let plan = planned(&format!("--cdp {text}")).unwrap();
            assert!(plan.names(&Endpoint::parse("http://127.0.0.1:9222").unwrap()), "{text}");
            assert!(!plan.names(&Endpoint::parse("http://127.0.0.1:9223").unwrap()), "{text}");
        }
    }

    #[test]
    fn bad_flags_are_usage_failures() {
        for line in [
            "--cdp ftp://x",
            "--cdp 0",
            "--origin localhost",
            "--allow x",
            "--deny 10.0.0.0/33",
            "--profile a/b",
            "--profile ..",
            "--profile six:",
            "--profile six:0",
            "--hosts /nonexistent/hosts",
        ] {
            assert_eq!(planned(line).unwrap_err().kind, FailureKind::Usage, "{line}");
        }
    }
}
