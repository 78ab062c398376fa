//! Plain `slicc`: finds browsers, opens seven in one, and links it (section "The default: slicc" of the requirement).
//!
//! [`plan`] is what the arguments mean, [`choice`] which browsers that is on this machine, [`browsers`] those that are open,
//! [`watch`] whether they still answer, and [`session`] the run from one end to the other. What happens is told as a stream
//! of [`SessionEvent`]s to [`front`], which prints or draws it.

pub mod browsers;
pub mod choice;
pub mod front;
pub mod plan;
mod screens;
pub mod session;
pub mod watch;

use super::Failure;
use crate::generated::cli::DefaultArgs;
#[cfg(doc)]
use crate::tui::event::SessionEvent;

/// Links seven in a browser until it is told to stop.
///
/// # Errors
/// [`Failure`]: wrong arguments, no browser, or one that can't be launched, attached to or closed.
pub fn run(args: &DefaultArgs) -> Result<(), Failure> {
    let plan = plan::Plan::new(args)?;
    // Boxed: the future of a launch is large.
    super::block_on(Box::pin(session::run(plan)))
}
