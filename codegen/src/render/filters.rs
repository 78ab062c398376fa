//! What templates write with: the functions of [`super::text`] as filters. A template struct's module needs
//! `use crate::render::filters;`.

// What `filter_fn` makes of a function always inlines, ignores itself and may fail.
#![allow(clippy::inline_always, clippy::unused_self, clippy::unnecessary_wraps, clippy::trivially_copy_pass_by_ref)]

use std::fmt::Display;

use askama::{Values, filter_fn};

use super::text;
use crate::model::link::Limit;

/// An outer doc comment.
#[filter_fn]
pub fn doc(text: impl Display, _: &dyn Values) -> askama::Result<String> {
    Ok(text::doc(&text.to_string(), 0))
}

/// A string literal.
#[filter_fn]
pub fn quoted(text: impl Display, _: &dyn Values) -> askama::Result<String> {
    Ok(text::quoted(&text.to_string()))
}

/// A type's name.
#[filter_fn]
pub fn pascal(text: impl Display, _: &dyn Values) -> askama::Result<String> {
    Ok(text::pascal(&text.to_string()))
}

/// A field's or a module's name.
#[filter_fn]
pub fn snake(text: impl Display, _: &dyn Values) -> askama::Result<String> {
    Ok(text::snake(&text.to_string()))
}

/// A constant's name.
#[filter_fn]
pub fn screaming(text: impl Display, _: &dyn Values) -> askama::Result<String> {
    Ok(text::screaming(&text.to_string()))
}

/// Grouped digits.
#[filter_fn]
pub fn digits(number: &u64, _: &dyn Values) -> askama::Result<String> {
    Ok(text::digits(*number))
}

/// The Rust type of a limit.
#[filter_fn]
pub fn limit_type(limit: &Limit, _: &dyn Values) -> askama::Result<&'static str> {
    Ok(limit.rust_type.map_or("usize", |rust_type| rust_type.rust()))
}

/// Milliseconds as a Rust expression, in the largest unit that holds them.
#[filter_fn]
pub fn duration(milliseconds: &u64, _: &dyn Values) -> askama::Result<String> {
    Ok(text::duration(*milliseconds))
}

/// A size as people read it.
#[filter_fn]
pub fn bytes(value: &u64, _: &dyn Values) -> askama::Result<String> {
    Ok(crate::model::link::bytes(*value))
}
