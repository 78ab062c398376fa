//! later
use crate::{Problem, model::link::Link};
pub fn render(_link: &Link) -> Result<String, Vec<Problem>> {
    Ok(String::new())
}
