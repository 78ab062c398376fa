//! What every renderer needs: names, doc comments, Markdown tables, rustfmt.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    path::Path,
    process::{Command, Stdio},
};

/// The words of a name: split at `-`, `_`, `.` and spaces, and where lower case meets upper case.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut boundary = true;
    let mut lower_before = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            boundary = true;
            continue;
        }
        if boundary || (lower_before && c.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        boundary = false;
        lower_before = c.is_lowercase() || c.is_ascii_digit();
    }
    words
}

/// `kernel-in` and `kernelIn` as `KernelIn`.
pub fn pascal(name: &str) -> String {
    words(name)
        .iter()
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
        })
        .collect()
}

/// `localAddr` and `local-addr` as `local_addr`; a Rust keyword gets `r#`.
pub fn snake(name: &str) -> String {
    let name = words(name).join("_");
    if KEYWORDS.contains(&name.as_str()) { format!("r#{name}") } else { name }
}

/// `setup-call` as `SETUP_CALL`.
pub fn screaming(name: &str) -> String {
    words(name).join("_").to_uppercase()
}

/// `setup_call` as `setupCall`, for JavaScript and JSON.
pub fn camel(name: &str) -> String {
    let pascal = pascal(name);
    let mut letters = pascal.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// The words that Rust doesn't take as a name.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// `text` wrapped at `width` columns, each line after `prefix`. A word that is longer stays whole.
pub fn wrap(text: &str, prefix: &str, width: usize) -> String {
    let mut out = String::new();
    for (index, paragraph) in text.trim().split("\n\n").enumerate() {
        if index > 0 {
            let _ = writeln!(out, "{}", prefix.trim_end());
        }
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && prefix.chars().count() + line.chars().count() + 1 + word.chars().count() > width {
                let _ = writeln!(out, "{prefix}{line}");
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        let _ = writeln!(out, "{prefix}{line}");
    }
    out
}

/// `text` as an outer doc comment, wrapped, ending in a line feed.
pub fn doc(text: &str, indent: usize) -> String {
    wrap(text, &format!("{}/// ", " ".repeat(indent)), 120)
}

/// `text` as an inner doc comment of a module, wrapped, ending in a line feed.
pub fn module_doc(text: &str) -> String {
    wrap(text, "//! ", 120)
}

/// `text` as a Rust (and JSON) string literal.
pub fn quoted(text: &str) -> String {
    format!("{text:?}")
}

/// An integer with `_` between groups of three digits, when it has more than four of them.
pub fn digits(number: u64) -> String {
    let plain = number.to_string();
    if plain.len() < 5 {
        return plain;
    }
    let mut out = String::new();
    for (index, digit) in plain.chars().enumerate() {
        if index > 0 && (plain.len() - index).is_multiple_of(3) {
            out.push('_');
        }
        out.push(digit);
    }
    out
}

/// Milliseconds as a `Duration` expression, in the largest unit that holds them.
pub fn duration(milliseconds: u64) -> String {
    if milliseconds.is_multiple_of(60_000) {
        format!("Duration::from_mins({})", digits(milliseconds / 60_000))
    } else if milliseconds.is_multiple_of(1000) {
        format!("Duration::from_secs({})", digits(milliseconds / 1000))
    } else {
        format!("Duration::from_millis({})", digits(milliseconds))
    }
}

/// A Markdown table: the cells of a row are one line each, with `|` escaped.
pub fn markdown_table(head: &[&str], rows: &[Vec<String>]) -> String {
    let cell = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    let mut out = format!("| {} |\n", head.join(" | "));
    let _ = writeln!(out, "|{}", " --- |".repeat(head.len()));
    for row in rows {
        let _ = writeln!(out, "| {} |", row.iter().map(|text| cell(text)).collect::<Vec<_>>().join(" | "));
    }
    out
}

/// Formats Rust source with rustfmt, by the `rustfmt.toml` of this project.
///
/// # Errors
/// When rustfmt can't be started, or doesn't take the source: its message is in the error.
pub fn rustfmt(source: &str) -> io::Result<String> {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut child = Command::new(std::env::var_os("RUSTFMT").unwrap_or_else(|| "rustfmt".into()))
        .args(["--edition", "2024", "--emit", "stdout", "--config-path"])
        .arg(config)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| io::Error::other(format!("rustfmt cannot be started (is the component there?): {error}")))?;
    let mut stdin = child.stdin.take().ok_or_else(|| io::Error::other("rustfmt has no standard input"))?;
    // rustfmt reads all of its input before it writes, so this can't block on a full output pipe.
    stdin.write_all(source.as_bytes())?;
    drop(stdin);
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("rustfmt: {}", String::from_utf8_lossy(&output.stderr).trim())));
    }
    String::from_utf8(output.stdout).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_their_case() {
        assert_eq!(pascal("jerk-seal"), "JerkSeal");
        assert_eq!(pascal("lease_id"), "LeaseId");
        assert_eq!(pascal("EACCES"), "Eacces");
        assert_eq!(snake("localAddr"), "local_addr");
        assert_eq!(snake("maxIo"), "max_io");
        assert_eq!(snake("type"), "r#type");
        assert_eq!(screaming("setup-call"), "SETUP_CALL");
        assert_eq!(camel("http_sized_body"), "httpSizedBody");
    }

    #[test]
    fn text_wraps_and_long_words_stay_whole() {
        assert_eq!(wrap("one two three", "// ", 10), "// one two\n// three\n");
        assert_eq!(wrap("a\n\nb", "/// ", 80), "/// a\n///\n/// b\n");
        assert_eq!(wrap("incomprehensible", "# ", 4), "# incomprehensible\n");
    }

    #[test]
    fn digits_are_grouped_as_clippy_wants_them() {
        assert_eq!(digits(1024), "1024");
        assert_eq!(digits(65_536), "65_536");
        assert_eq!(digits(4_194_304), "4_194_304");
    }

    #[test]
    fn table_cells_hold_bars_and_stay_on_one_line() {
        assert_eq!(
            markdown_table(&["a", "b"], &[vec!["x | y".into(), "two\nlines".into()]]),
            "| a | b |\n| --- | --- |\n| x \\| y | two lines |\n"
        );
    }

    #[test]
    fn rustfmt_formats_and_names_its_refusal() {
        assert_eq!(rustfmt("fn  main( ) { }").expect("rustfmt is installed"), "fn main() {}\n");
        let error = rustfmt("fn (").expect_err("not Rust");
        assert!(error.to_string().starts_with("rustfmt: "), "{error}");
    }
}
