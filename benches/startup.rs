//! How long `slicc --version` takes, beside `rg --version` (ripgrep), which does little else than parse its arguments.
//!
//! `cargo bench --bench startup [-- --rounds 300]`

#[allow(dead_code, reason = "each benchmark uses its part")]
#[path = "support/table.rs"]
mod table;

use std::{
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use table::{Table, quantile, verdict};

/// slicc may take so many times as long as ripgrep.
const MAX_RATIO: f64 = 2.0;

fn main() {
    if table::asked_for_tests() {
        return;
    }
    let rounds: usize = table::option("rounds", 300);
    let programs = [("slicc", Path::new(env!("CARGO_BIN_EXE_slicc"))), ("rg", Path::new("rg"))];
    let mut times = [Vec::new(), Vec::new()];
    // The first round fills the page cache, and isn't counted.
    for round in 0..=rounds {
        for ((name, program), times) in programs.iter().zip(&mut times) {
            let start = Instant::now();
            let status = Command::new(program).arg("--version").stdout(Stdio::null()).status();
            let took = start.elapsed().as_secs_f64() * 1000.0;
            match status {
                Ok(status) => assert!(status.success(), "{name} --version: {status}"),
                Err(error) => {
                    eprintln!("{name} --version can't be run: {error}");
                    return;
                }
            }
            if round > 0 {
                times.push(took);
            }
        }
    }
    let [slicc, rg] = &times;
    let ratio = quantile(slicc, 0.5) / quantile(rg, 0.5);
    let mut table = Table::new(&["program", "median ms", "fastest ms", "90 % within ms", "ratio", "target"]);
    let figures = |times: &[f64]| [0.5, 0.0, 0.9].map(|share| format!("{:.2}", quantile(times, share)));
    let judged = [format!("{ratio:.2}"), format!("≤ {MAX_RATIO} {}", verdict(ratio <= MAX_RATIO))];
    table.row(["slicc --version".to_owned()].into_iter().chain(figures(slicc)).chain(judged));
    table.row(["rg --version".to_owned()].into_iter().chain(figures(rg)).chain(["1".to_owned(), String::new()]));
    table.print(&format!("Start-up ({rounds} runs of each, in turns)"));
}
