//! Messages and events as Rust and Markdown.

use std::path::Path;

use crate::{
    Output, Problem,
    model::{
        self,
        events::{self, Document},
    },
};

pub mod markdown;
pub mod rust;

/// A schema that is embedded as it is.
#[derive(Debug, Clone)]
pub struct Embedded {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The file, relative to the project's root.
    pub file: String,
}

/// See [`crate::section::Section`].
pub fn section(root: &Path) -> Result<Vec<Output>, Vec<Problem>> {
    let documents = events::read(root)?;
    let catalog = model::catalog::SCHEMA_FILE;
    let text = model::read_text(root, catalog)?;
    let title = serde_json::from_str::<serde_json::Value>(&text).ok();
    let title = title.and_then(|schema| schema["title"].as_str().map(str::to_owned)).ok_or_else(|| {
        vec![Problem { file: catalog.into(), key: "title".into(), reason: "there is none, or no JSON".into() }]
    })?;
    let mut schemas: Vec<_> = documents.iter().map(embedded).collect();
    schemas.push(Embedded { name: "catalog".into(), title, file: catalog.into() });
    let source = rust::render(&documents, &schemas).map_err(|error| {
        let reason = format!("cannot be rendered: {error}");
        vec![Problem { file: events::DIRECTORY.into(), key: "(directory)".into(), reason }]
    })?;
    Ok(vec![
        Output::file("src/generated/events.rs", source),
        Output::file("docs/events.md", markdown::reference(&documents)),
    ])
}

/// A document's own schema.
pub fn embedded(document: &Document) -> Embedded {
    Embedded { name: document.name.clone(), title: document.title.clone(), file: document.file.clone() }
}
