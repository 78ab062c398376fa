//! `src/generated/catalog.rs`.

use std::io;

use askama::Template;
use serde_json::Value;

use crate::{
    model::catalog::{Catalog, Pref, PrefEdit},
    render::text::{digits, quoted, rustfmt},
};

#[derive(Template)]
#[template(path = "catalog.rs.jinja", escape = "none")]
struct RustTemplate<'a> {
    catalog: &'a Catalog,
    prefs: Vec<(String, String)>,
    clean_exit: Vec<(String, String)>,
}

/// What the template calls. The macro's signature is fixed, and the code that it makes isn't ours.
#[allow(clippy::inline_always, clippy::unused_self, clippy::unnecessary_wraps, clippy::ptr_arg)]
mod filters {
    use askama::{Result, Values};

    use super::{list, quoted};

    /// A string literal.
    #[askama::filter_fn]
    pub fn rust(text: &str, _: &dyn Values) -> Result<String> {
        Ok(quoted(text))
    }

    /// A slice of string literals.
    #[askama::filter_fn]
    pub fn rust_list(texts: &Vec<String>, _: &dyn Values) -> Result<String> {
        Ok(list(texts))
    }

    /// The name of an enum's variant.
    #[askama::filter_fn]
    pub fn debug(value: impl std::fmt::Debug, _: &dyn Values) -> Result<String> {
        Ok(format!("{value:?}"))
    }
}

/// The catalog as tables.
///
/// # Errors
/// When the template or rustfmt fails, which is a mistake in the generator.
pub fn render(catalog: &Catalog) -> io::Result<String> {
    let prefs = catalog.launch.seven_prefs.iter().map(|pref| (quoted(&pref.path), edit(pref))).collect();
    let clean_exit = catalog.profiles.slicc.clean_exit.iter();
    let clean_exit = clean_exit.map(|pref| (quoted(&pref.path), value(&pref.value))).collect();
    rustfmt(&RustTemplate { catalog, prefs, clean_exit }.render().map_err(io::Error::other)?)
}

fn edit(pref: &Pref) -> String {
    let list = || format!("{{ patterns: {}, extra_origins: {} }}", list(&pref.patterns), pref.extra_origins);
    match (pref.edit, &pref.value) {
        (PrefEdit::Set, Some(Value::Bool(value))) => format!("SetBool({value})"),
        (PrefEdit::Set, value) => {
            let number = value.as_ref().and_then(Value::as_i64).unwrap_or_default();
            let sign = if number < 0 { "-" } else { "" };
            format!("SetInteger({sign}{})", digits(number.unsigned_abs()))
        }
        (PrefEdit::Append, _) => format!("Append {}", list()),
        (PrefEdit::Stamp, _) => format!("Stamp {}", list()),
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::String(text) => format!("Text({})", quoted(text)),
        other => format!("Bool({other})"),
    }
}

fn list(texts: &[String]) -> String {
    format!("&[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
}
