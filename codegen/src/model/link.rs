//! The link protocol as data.
