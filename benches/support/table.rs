//! What the benchmarks share: their arguments, medians, and tables in Markdown.

use std::{env, str::FromStr};

/// Whether a test runner only wants to know which tests are here. A benchmark has none.
pub fn asked_for_tests() -> bool {
    env::args().any(|argument| argument == "--list")
}

/// The value of `--<name> <value>`.
pub fn option<T: FromStr>(name: &str, default: T) -> T {
    let mut words = env::args().skip_while(|word| word.strip_prefix("--") != Some(name)).skip(1);
    words.next().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// The value that as many numbers exceed as fall short of, or that this share of them (0 to 1) doesn't exceed.
pub fn quantile(numbers: &[f64], share: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[allow(clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "an index")]
    let at = ((sorted.len().saturating_sub(1)) as f64 * share).round() as usize;
    sorted.get(at).copied().unwrap_or(f64::NAN)
}

/// The middle of some numbers.
pub fn median(numbers: &[f64]) -> f64 {
    quantile(numbers, 0.5)
}

/// The median and, in parentheses, the lowest and the highest of some numbers.
pub fn spread(numbers: &[f64]) -> String {
    format!("{:.1} ({:.1}–{:.1})", median(numbers), quantile(numbers, 0.0), quantile(numbers, 1.0))
}

/// Whether a target is reached, as a sign for a table.
pub fn verdict(reached: bool) -> &'static str {
    if reached { "✓" } else { "✗" }
}

/// A table.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub fn new(columns: &[&str]) -> Self {
        Self { rows: vec![columns.iter().map(|&name| name.to_owned()).collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Prints the table under a title.
    pub fn print(&self, title: &str) {
        let columns = self.rows[0].len();
        let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        println!("### {title}\n");
        for (at, row) in self.rows.iter().enumerate() {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            println!("| {} |", cells.join(" | "));
            if at == 0 {
                let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
                println!("| {} |", rules.join(" | "));
            }
        }
        println!();
    }
}
