//! Functions that tell whether a text has a shape.

use super::parse;
use crate::{
    model::link::{Link, Shape, field::Bound},
    render::text::{digits, doc, snake},
};

/// The function that tells whether a text has a shape.
pub(super) fn shape_function(link: &Link, shape: &Shape) -> String {
    let class = |entries: &[String]| match entries {
        [range] if range == "a-z" => "|byte| byte.is_ascii_lowercase()".to_owned(),
        [range] if range == "!-~" => "|byte| byte.is_ascii_graphic()".to_owned(),
        entries => {
            let patterns: Vec<_> = entries.iter().map(|entry| byte_pattern(entry)).collect();
            format!("|byte| matches!(byte, {})", patterns.join(" | "))
        }
    };
    let max = match &shape.max {
        Bound::Limit(limit) => format!("limits::{limit}"),
        Bound::Number(max) => digits(*max),
    };
    let length = if shape.min == 0 {
        format!("text.len() <= {max}")
    } else {
        format!("({}..={max}).contains(&text.len())", shape.min)
    };
    let about = format!("Whether a text is {}: `{}`.", shape.doc, parse::pattern(link, shape));
    format!(
        "{}pub fn {}(text: &str) -> bool {{\n{length} && made_of(text, {}, {})\n}}\n\n",
        doc(&about, 0),
        snake(&shape.name),
        class(&shape.first),
        class(&shape.rest)
    )
}

/// An entry of a shape as a pattern for a byte.
fn byte_pattern(entry: &str) -> String {
    let byte = |byte: u8| format!("b{:?}", char::from(byte));
    match entry.as_bytes() {
        [first, b'-', last] => format!("{}..={}", byte(*first), byte(*last)),
        bytes => bytes.iter().map(|it| byte(*it)).collect(),
    }
}
