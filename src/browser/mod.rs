//! What slicc knows about browsers: which pages are seven.

pub mod origin;
