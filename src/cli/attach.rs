//! `slicc attach`: links a seven that is open in a running browser (section "Local setup: slicc attach").

use std::sync::Arc;

use super::{Failure, console, given, interrupt};
use crate::{
    browser::origin::SevenOrigins,
    cdp::Endpoint,
    generated::cli::{AttachArgs, Signal as SignalWay},
    node::{self, DownReason, Event, Listener, LocalNode, Options},
    signal::{Ended, Notice, OverCdp, OverStdio, SignalError},
};

/// What the arguments mean. Making it touches nothing but the hosts file.
struct Plan {
    endpoint: Option<Endpoint>,
    origins: SevenOrigins,
    way: SignalWay,
    node: Options,
}

impl Plan {
    fn new(args: &AttachArgs) -> Result<Self, Failure> {
        let endpoint = args.cdp.as_deref().map(given::endpoint).transpose()?;
        let origins = given::origins(&args.origin)?;
        let node = given::NodeFlags {
            name: args.name.as_deref(),
            allow: &args.allow,
            deny: &args.deny,
            hosts: args.hosts.as_deref(),
            kernel_port: args.kernel_port,
            no_kernel: args.no_kernel,
        };
        Ok(Self {
            endpoint,
            origins: SevenOrigins::new(origins),
            way: args.signal.unwrap_or(SignalWay::Cdp),
            node: node.options()?,
        })
    }
}

/// Serves the link until it is interrupted.
///
/// # Errors
/// [`Failure`]: wrong arguments, a browser that doesn't answer, or one that quit.
pub fn run(args: &AttachArgs) -> Result<(), Failure> {
    let plan = Plan::new(args)?;
    super::block_on(attach(plan))
}

async fn attach(plan: Plan) -> Result<(), Failure> {
    let shutdown = interrupt::listen()?;
    let mut node = LocalNode::new(plan.node).map_err(Failure::failed)?;
    if let Some(endpoint) = &plan.endpoint {
        node.protect_browser("browser", endpoint).await;
    }
    let listener: Listener = Arc::new(|event| report(&event));
    let _kernel_services = node.start_kernel_services(&listener);
    let ended = if let (SignalWay::Cdp, Some(endpoint)) = (plan.way, &plan.endpoint) {
        let signaller = OverCdp::connect(endpoint, plan.origins, node.id().clone()).await;
        node::session(&node, signaller.map_err(Failure::no_browser)?, listener, shutdown).await
    } else {
        let input = tokio::io::BufReader::new(tokio::io::stdin());
        let signaller = OverStdio { input, output: tokio::io::stdout(), node: node.id().clone() };
        node::session(&node, signaller, listener, shutdown).await
    };
    outcome(ended)
}

fn outcome(ended: Result<Ended, SignalError>) -> Result<(), Failure> {
    match ended {
        Ok(_) => Ok(()),
        Err(error @ SignalError::BrowserClosed) => {
            Err(Failure::failed(error).hint("start the browser again, then run slicc attach again"))
        }
        Err(error) => Err(Failure::failed(error)),
    }
}

/// Says on stderr what happened.
fn report(event: &Event) {
    if let Some(line) = status_line(event) {
        console::status(&line);
    } else if let Event::Notice(notice) = event {
        tracing::debug!("{notice}");
    } else {
        tracing::debug!(?event, "the node said");
    }
}

/// What people read of an event. docs/status-lines.md lists them all.
fn status_line(event: &Event) -> Option<String> {
    Some(match event {
        Event::Notice(Notice::IgnoredContext | Notice::Tab { .. })
        | Event::StreamOpen { .. }
        | Event::StreamClose { .. } => return None,
        Event::Notice(notice) => notice.to_string(),
        Event::Kernel(notice) => notice.to_string(),
        Event::Connecting => "linking".to_owned(),
        Event::Linked { peer } if peer.name.is_empty() => "linked".to_owned(),
        Event::Linked { peer } => format!("linked with {}", peer.name),
        Event::LinkDown { reason: DownReason::Exiting } => "the link is closed".to_owned(),
        Event::LinkDown { reason: DownReason::Bye(reason) } if reason.is_empty() => "the link is down".to_owned(),
        Event::LinkDown { reason } => format!("the link is down: {reason}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{generated::link::PageHello, kernel};

    #[test]
    fn every_status_line_is_documented() {
        let documented = include_str!("../../docs/status-lines.md");
        let linked = |name: &str| Event::Linked { peer: PageHello { v: 1, name: name.to_owned(), caps: Vec::new() } };
        let down = |reason| Event::LinkDown { reason };
        for event in [
            Event::Notice(Notice::WaitingForTab),
            Event::Notice(Notice::FoundTab { origin: "<origin>".to_owned() }),
            Event::Notice(Notice::TabClosed),
            Event::Notice(Notice::TabLeft),
            Event::Kernel(kernel::Notice::On { port: kernel::DEFAULT_PORT }),
            Event::Connecting,
            linked(""),
            linked("<name>"),
            down(DownReason::Exiting),
            down(DownReason::Bye(String::new())),
            down(DownReason::Bye("<reason>".to_owned())),
        ] {
            let line = status_line(&event).expect("people read it");
            assert!(documented.contains(&format!("| `{line}` |")), "{line}");
        }
        let (port, reason) = (4242, "<reason>".to_owned());
        for notice in [
            kernel::Notice::On { port },
            kernel::Notice::Off { port, reason: reason.clone() },
            kernel::Notice::OnIpv4Alone { port, reason },
        ] {
            let line = status_line(&Event::Kernel(notice)).expect("people read it").replace("4242", "<n>");
            assert!(documented.contains(&format!("| `{line}` |")), "{line}");
        }
    }
}
