//! http streams.
pub mod decode;
pub mod head;
pub mod headers;
