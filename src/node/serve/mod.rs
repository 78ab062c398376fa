//! One module per stream kind.

mod relay;
pub mod resolve;
pub mod tcp;
#[cfg(test)]
mod tcp_tests;
