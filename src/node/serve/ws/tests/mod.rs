//! ws streams from the page's end, against servers on loopback.

mod closes;
mod flow;
mod messages;
mod opening;
mod support;
