//! Whether extra browsers still answer (section "The default: slicc", "The cdp list follows the browsers", of the requirement).

use std::{sync::Arc, time::Duration};

use tokio::{task::JoinSet, time::MissedTickBehavior};

use super::front::Output;
use crate::cdp::{
    Endpoint,
    endpoint::{MAX_BODY, VERSION},
    version::parse_version,
};
use crate::tui::event::{Role, SessionEvent};

/// How often a browser is asked.
pub const INTERVAL: Duration = Duration::from_secs(2);
/// How many answers in a row have to be missing before a browser is gone.
pub const MISSES: u32 = 2;
/// How long an answer may take.
const ANSWER: Duration = Duration::from_millis(1500);

/// A browser that is asked.
#[derive(Debug, Clone)]
pub struct Watched {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its HTTP endpoint.
    pub http: Endpoint,
    /// Whether only its WebSocket answers: then a connection stands for an answer.
    pub ws_only: bool,
}

/// What an answer, or a missing one, changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The browser is gone.
    Gone,
    /// It is back.
    Back,
}

/// A browser's answers so far.
#[derive(Debug, Default)]
pub struct Health {
    misses: u32,
    gone: bool,
}

impl Health {
    /// Notes an answer, or that it is missing.
    pub fn note(&mut self, answered: bool) -> Option<Change> {
        if answered {
            self.misses = 0;
            return std::mem::replace(&mut self.gone, false).then_some(Change::Back);
        }
        self.misses = self.misses.saturating_add(1);
        if self.misses < MISSES {
            return None;
        }
        (!std::mem::replace(&mut self.gone, true)).then_some(Change::Gone)
    }
}

/// Asks these browsers for as long as the set is there, and tells what changes.
pub fn watch(extras: Vec<Watched>, output: &Arc<Output>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    for extra in extras {
        let output = Arc::clone(output);
        tasks.spawn(async move {
            let mut health = Health::default();
            let mut times = tokio::time::interval(INTERVAL);
            times.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                times.tick().await;
                let Some(change) = health.note(extra.answers().await) else { continue };
                let (id, name, role) = (extra.id.clone(), extra.name.clone(), Role::Extra);
                output.tell(&match change {
                    Change::Gone => SessionEvent::BrowserGone { id, name, role },
                    Change::Back => SessionEvent::BrowserBack { id, name, role },
                });
            }
        });
    }
    tasks
}

impl Watched {
    /// Whether it answers now.
    async fn answers(&self) -> bool {
        if self.ws_only {
            return self.http.connects(ANSWER).await;
        }
        // Boxed: the HTTP client's state is large.
        let answer = Box::pin(self.http.get_within(VERSION, ANSWER, MAX_BODY)).await;
        answer.is_ok_and(|body| parse_version(&body).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_misses_in_a_row_and_no_less_take_a_browser_off_the_list() {
        let mut health = Health::default();
        assert_eq!(health.note(false), None);
        assert_eq!(health.note(true), None);
        assert_eq!(health.note(false), None);
        assert_eq!(health.note(false), Some(Change::Gone));
        assert_eq!(health.note(false), None);
        assert_eq!(health.note(true), Some(Change::Back));
        assert_eq!(health.note(true), None);
    }

    proptest! {
        #[test]
        fn gone_and_back_take_turns(answers in proptest::collection::vec(any::<bool>(), 0..40)) {
            let mut health = Health::default();
            let changes: Vec<_> = answers.iter().filter_map(|answered| health.note(*answered)).collect();
            for (index, change) in changes.iter().enumerate() {
                prop_assert_eq!(*change, if index % 2 == 0 { Change::Gone } else { Change::Back });
            }
        }
    }
}
