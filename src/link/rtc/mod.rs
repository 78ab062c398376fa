//! placeholder
pub mod candidate;
mod certificate;
mod error;
pub mod sdp;
pub use certificate::*;
pub use error::*;
