//! Plain `slicc` from outside: with a fake browser where what it does matters, and with a real Chromium where the link does.

mod chromium;
mod extras;
mod fake;
mod support;
