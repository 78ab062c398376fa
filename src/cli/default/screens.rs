//! A run for people at a terminal: they pick in the picker, and watch the dashboard (section "The default: slicc" of the
//! requirement).

use std::{future::Future, io, sync::Arc};

use tokio_util::sync::CancellationToken;

use super::{
    choice::{self, Choice, ChoiceError, Pick},
    front::{Front, Output},
    plan::Plan,
};
use crate::{
    browser::rank::Entry,
    cli::{Failure, console, interrupt, look_around},
    host::System,
    tui::event::{Role, SessionEvent},
    tui::{self, Dashboard, Picked, PickedHost, Picker, Wish, picker},
};

/// Lets the user pick. `None` when they quit.
///
/// # Errors
/// [`Failure`] when there is nothing to pick, or the terminal can't be used.
pub async fn pick(system: &Arc<dyn System>, plan: &Plan, entries: &[Entry]) -> Result<Option<Choice>, Failure> {
    let (reader, ranked) = (Arc::clone(system), entries.to_vec());
    let rows = look_around(move || picker::rows(&*reader, &ranked)).await?;
    if !rows.iter().any(picker::Row::can_host) {
        return Err(ChoiceError::NoBrowser.into());
    }
    let picked = tui::pick(Picker::new(rows, plan.profile_name().cloned())).await.map_err(unusable)?;
    Ok(picked.map(|picked| choice_of(picked, entries, plan)))
}

/// What the picked rows mean.
fn choice_of(picked: Picked, entries: &[Entry], plan: &Plan) -> Choice {
    let host = match picked.host {
        PickedHost::Six(choice) => Pick::Six { choice, browser: None },
        PickedHost::Browser(host) => choice::pick(&entries[host.entry], host.profile.as_ref().or(plan.profile_name())),
    };
    let extras = picked.extras.iter().map(|extra| choice::pick(&entries[extra.entry], extra.profile.as_ref()));
    Choice { host, extras: extras.collect(), by_user: true }
}

/// Shows the dashboard while a run runs.
///
/// # Errors
/// As the run, or [`Failure`] when the terminal can't be used.
pub async fn watch<R: Future<Output = Result<(), Failure>>>(
    run: impl FnOnce(Arc<Output>, CancellationToken) -> R,
    stop: &CancellationToken,
) -> Result<(), Failure> {
    let dashboard = Dashboard::new();
    let drawn = dashboard.clone();
    let tell = move |event: &SessionEvent| {
        drawn.tell(event);
        // How it ended can be read when the dashboard is gone.
        if let (true, Some(line)) = (is_last_word(event), event.line()) {
            console::status(&line);
        }
    };
    let output = Arc::new(Output::new(Front::Drawn(Arc::new(tell)), stop.clone()));
    let wish = |wish| match wish {
        Wish::Quit if stop.is_cancelled() => interrupt::end_at_once(),
        Wish::Quit | Wish::Gone => stop.cancel(),
    };
    // Boxed: the future of a run is large.
    dashboard.show(Box::pin(run(output, stop.clone())), wish).await.map_err(unusable)?
}

/// Whether an event says how a run ended. A failure is reported by whoever gets it.
fn is_last_word(event: &SessionEvent) -> bool {
    matches!(event, SessionEvent::Closed { .. } | SessionEvent::BrowserGone { role: Role::Seven, .. })
}

#[allow(clippy::needless_pass_by_value, reason = "it is what `map_err` takes")]
fn unusable(error: io::Error) -> Failure {
    Failure::failed(format_args!("the terminal can't be used: {error}")).hint("run slicc --plain for status lines")
}
