//! Kernel services over real sockets on loopback, and pages that answer what a test says.

mod asking;
mod carrying;
mod listening;
mod support;
