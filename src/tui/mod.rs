//! The terminal: the picker and the dashboard of plain `slicc` (section "The default: slicc" of the requirement).
//!
//! Both are models without a terminal: keys, events and time go in, and a screen comes out. Only [`terminal`] touches the
//! real one. Everything foreign that they show goes through [`text::clean`] first.

pub mod dashboard;
pub mod event;
mod jobs;
pub mod key;
mod lines;
pub mod ndjson;
pub mod picker;
mod show;
pub mod style;
pub mod terminal;
pub mod text;
#[cfg(test)]
mod virtual_terminal;

pub use self::{
    picker::{Picked, PickedBrowser, PickedHost, Picker},
    show::{Dashboard, Wish, pick},
};
