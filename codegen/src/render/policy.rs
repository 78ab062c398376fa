//! The network policy as Rust and as reference docs.

use std::path::Path;

use askama::Template;

use crate::{
    Output, Problem,
    model::policy::{FILE, Local, Policy},
    render::{
        filters,
        text::{duration, markdown_table, rustfmt, wrap},
    },
};

#[derive(Template)]
#[template(path = "policy.rs.jinja", escape = "none")]
struct Tables<'a> {
    policy: &'a Policy,
    cache: String,
}

#[derive(Template)]
#[template(path = "policy.md.jinja", escape = "none")]
struct Docs<'a> {
    policy: &'a Policy,
    overview: String,
    never: String,
    embeddings: String,
    defaults: String,
}

/// Reads `spec/policy.toml` under `root` and renders it.
///
/// # Errors
/// Every problem in the data, or that rustfmt doesn't run.
pub fn section(root: &Path) -> Result<Vec<Output>, Vec<Problem>> {
    let policy = Policy::read(root)?;
    let problem = |key: &str, reason: &dyn ToString| {
        vec![Problem { file: FILE.into(), key: key.into(), reason: reason.to_string() }]
    };
    let tables = tables(&policy).map_err(|error| problem("src/generated/policy.rs", &error))?;
    let tables = rustfmt(&tables).map_err(|error| problem("src/generated/policy.rs", &error))?;
    let docs = docs(&policy).map_err(|error| problem("docs/policy.md", &error))?;
    Ok(vec![Output::file("src/generated/policy.rs", tables), Output::file("docs/policy.md", docs)])
}

fn tables(policy: &Policy) -> Result<String, askama::Error> {
    Tables { policy, cache: duration(policy.interface_cache_seconds * 1000) }.render()
}

fn docs(policy: &Policy) -> Result<String, askama::Error> {
    let code = |text: &str| format!("`{text}`");
    let never: Vec<_> = policy.never.iter().map(|range| vec![code(&range.cidr), range.name.clone()]).collect();
    let embeddings: Vec<_> = policy
        .embedding
        .iter()
        .map(|range| {
            let bits = format!("{} to {}", range.first_bit, range.first_bit + 31);
            let rules = if range.rules { "become IPv4 rules" } else { "are refused: they can't match" };
            vec![code(&range.cidr), range.name.clone(), bits, rules.into()]
        })
        .collect();
    let defaults: Vec<_> = policy
        .deny
        .iter()
        .map(|range| {
            let local = if range.local == Local::Allow { "allowed" } else { "denied" };
            vec![code(&range.cidr), range.name.clone(), "denied".into(), local.into()]
        })
        .collect();
    Docs {
        policy,
        overview: wrap(&policy.overview, "", 120),
        never: markdown_table(&["range", "what it is"], &never),
        embeddings: markdown_table(
            &["range", "what it is", "bits of the IPv4 address", "rules inside it"],
            &embeddings,
        ),
        defaults: markdown_table(&["range", "what it is", "remote default", "local default"], &defaults),
    }
    .render()
}
