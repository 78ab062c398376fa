//! The network policy as data.
