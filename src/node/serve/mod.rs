//! One module per stream kind.
