//! One module per stream kind.

pub mod http;
