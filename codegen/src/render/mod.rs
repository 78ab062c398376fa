//! The data as text: Rust, Markdown, man pages, JavaScript.
