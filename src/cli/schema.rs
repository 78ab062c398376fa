//! `slicc schema`: the JSON Schemas of what slicc reads and writes.

use std::fmt::Write as _;

use super::{Failure, stdout};
use crate::generated::{cli::SchemaArgs, events::SCHEMAS};

/// Prints the schema that is named, or the list of them.
///
/// # Errors
/// A usage failure when there is no schema of that name, and a failure when stdout can't be written.
pub fn run(args: &SchemaArgs) -> Result<(), Failure> {
    stdout::print(&text(args.name.as_deref())?)
}

fn text(name: Option<&str>) -> Result<String, Failure> {
    let Some(name) = name else { return Ok(list()) };
    let Some(schema) = SCHEMAS.iter().find(|schema| schema.name == name) else {
        let names: Vec<_> = SCHEMAS.iter().map(|schema| schema.name).collect();
        // The name is the user's own, and it may hold anything, so it is shown escaped.
        return Err(Failure::usage(format_args!("there is no schema {name:?}"))
            .hint(format_args!("name one of {}", names.join(", "))));
    };
    Ok(schema.text.to_owned())
}

fn list() -> String {
    let width = SCHEMAS.iter().map(|schema| schema.name.len()).max().unwrap_or_default();
    SCHEMAS.iter().fold(String::new(), |mut out, schema| {
        // Writing to a string can't fail.
        let _ = writeln!(out, "{:width$}  {}", schema.name, schema.title);
        out
    })
}

#[cfg(test)]
mod tests;
