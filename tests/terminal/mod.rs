//! slicc in a terminal: the picker and the dashboard, driven as a person does, and the terminal afterwards.

mod flow;
mod picker;
mod restore;
