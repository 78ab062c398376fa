//! slicc from outside: the built program with real parts around it.

mod http_real;
mod support;
