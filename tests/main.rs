//! slicc from outside: the built program with real parts around it.

mod attach_chromium;
mod attach_stdio;
mod cli;
mod doctor_chromium;
mod files;
mod http_real;
mod support;
