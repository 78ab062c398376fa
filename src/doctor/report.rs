//! What the checks found, as a table for people or as NDJSON for programs.

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use serde::Deserialize;

use crate::{
    browser::record::Leftover,
    cli::console::printable,
    generated::events::{DoctorEvent, Figure},
};

/// The width of the column of names, in characters.
const NAME_WIDTH: usize = 38;
/// The width of the column of figures, in characters.
const FIGURE_WIDTH: usize = 12;

/// The result of one check, as the page reports it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct CheckResult {
    /// What was checked.
    pub name: String,
    /// Whether it went well.
    pub ok: bool,
    /// What was measured.
    #[serde(default)]
    pub figure: Option<Figure>,
    /// Why it didn't go well.
    #[serde(default)]
    pub reason: Option<String>,
}

/// Writes results as they come.
pub struct Report<W> {
    out: W,
    json: bool,
    started: Instant,
    passed: u64,
    failed: u64,
}

impl<W: Write> Report<W> {
    /// A report that starts now.
    pub fn new(out: W, json: bool) -> Self {
        Self { out, json, started: Instant::now(), passed: 0, failed: 0 }
    }

    /// How many checks failed.
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// How many checks were done.
    pub fn done(&self) -> u64 {
        self.passed + self.failed
    }

    /// Names the browser that the checks run in.
    ///
    /// # Errors
    /// When the output can't be written.
    pub fn browser(&mut self, product: &str, headless: bool) -> io::Result<()> {
        let (name, version) = product.split_once('/').unwrap_or((product, ""));
        let (name, version) = (printable(name), printable(version));
        if self.json {
            return self.event(&DoctorEvent::Browser { name, version, headless });
        }
        writeln!(self.out, "{name} {version}")?;
        self.out.flush()
    }

    /// Names a browser that slicc launched and that outlived it. People read it on stderr.
    ///
    /// # Errors
    /// When the output can't be written.
    pub fn leftover(&mut self, left: &Leftover) -> io::Result<()> {
        if !self.json {
            return Ok(());
        }
        self.event(&DoctorEvent::Leftover {
            profile: left.profile.as_ref().map(ToString::to_string),
            profile_dir: left.dir.to_string_lossy().into_owned(),
            pid: left.pid.map(Into::into),
            cdp: left.endpoint.as_ref().map(|endpoint| endpoint.http().to_string()),
        })
    }

    /// Writes the result of one check.
    ///
    /// # Errors
    /// When the output can't be written.
    pub fn check(&mut self, result: CheckResult) -> io::Result<()> {
        let CheckResult { name, ok, figure, reason } = result;
        if ok {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
        let hint = if ok { None } else { hint(&name) };
        if self.json {
            return self.event(&DoctorEvent::Check { name, ok, figure, reason, hint: hint.map(str::to_owned) });
        }
        let figure = figure.map(|Figure { value, unit }| format!("{value} {}", printable(&unit))).unwrap_or_default();
        let mark = if ok { '✓' } else { '✗' };
        let line = format!("{mark} {:NAME_WIDTH$} {figure:>FIGURE_WIDTH$}", printable(&name));
        match reason {
            Some(reason) => writeln!(self.out, "{line}  {}", printable(&reason))?,
            None => writeln!(self.out, "{}", line.trim_end())?,
        }
        if let Some(hint) = hint {
            writeln!(self.out, "  hint: {hint}")?;
        }
        self.out.flush()
    }

    /// Writes the last line.
    ///
    /// # Errors
    /// When the output can't be written.
    pub fn finish(&mut self) -> io::Result<()> {
        let (passed, failed) = (self.passed, self.failed);
        if self.json {
            let duration_ms = millis(self.started.elapsed());
            return self.event(&DoctorEvent::Done { passed, failed, duration_ms });
        }
        match failed {
            0 => writeln!(self.out, "{passed} checks passed")?,
            _ => writeln!(self.out, "{passed} checks passed, {failed} failed")?,
        }
        self.out.flush()
    }

    /// Says why the checks couldn't run. People read it on stderr.
    ///
    /// # Errors
    /// When the output can't be written.
    pub fn error(&mut self, message: &str, hint: Option<&str>) -> io::Result<()> {
        if self.json {
            let error = DoctorEvent::Error { message: message.to_owned(), hint: hint.map(str::to_owned) };
            return self.event(&error);
        }
        Ok(())
    }

    fn event(&mut self, event: &DoctorEvent) -> io::Result<()> {
        writeln!(self.out, "{}", serde_json::to_string(event)?)?;
        self.out.flush()
    }
}

/// What to do about a check that failed.
fn hint(name: &str) -> Option<&'static str> {
    match name {
        "link set-up" => {
            Some("a firewall or a VPN may keep UDP from reaching this machine itself; SLICC_DEBUG=1 says more")
        }
        _ => None,
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn results() -> Vec<CheckResult> {
        let figure = Some(Figure { value: 41.5, unit: "ms".to_owned() });
        vec![
            CheckResult { name: "round trip".to_owned(), ok: true, figure, reason: None },
            CheckResult { name: "http".to_owned(), ok: false, figure: None, reason: Some("no\u{1b}[2J".to_owned()) },
        ]
    }

    fn written(json: bool) -> String {
        let mut out = Vec::new();
        let mut report = Report::new(&mut out, json);
        report.browser("HeadlessChrome/156.0", true).expect("memory takes it");
        for result in results() {
            report.check(result).expect("memory takes it");
        }
        assert_eq!((report.failed(), report.done()), (1, 2));
        report.started = Instant::now();
        report.finish().expect("memory takes it");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn people_get_a_table_that_a_page_cannot_colour() {
        insta::assert_snapshot!(written(false));
    }

    #[test]
    fn programs_get_a_line_of_json_for_each_event() {
        let events: Vec<DoctorEvent> =
            written(true).lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
        assert!(matches!(
            events.as_slice(),
            [
                DoctorEvent::Browser { .. },
                DoctorEvent::Check { .. },
                DoctorEvent::Check { .. },
                DoctorEvent::Done { .. }
            ]
        ));
    }

    proptest! {
        #[test]
        fn whatever_the_page_reports_a_check_is_one_line_that_steers_no_terminal(
            name in any::<String>(), ok: bool, value: f64, unit in any::<String>(), reason in any::<Option<String>>(),
        ) {
            let json = serde_json::json!({"name": name, "ok": ok, "figure": {"value": value, "unit": unit}, "reason": reason});
            let result: CheckResult = serde_json::from_value(json).expect("a check");
            for json in [false, true] {
                let mut out = Vec::new();
                Report::new(&mut out, json).check(result.clone()).expect("memory takes it");
                let text = String::from_utf8(out).expect("text");
                prop_assert_eq!(text.lines().count(), 1);
                prop_assert!(json || !text.trim_end_matches('\n').chars().any(char::is_control));
            }
        }

        #[test]
        fn any_report_is_a_check_or_refused(json in "\\PC{0,60}", field in "(name|ok|figure|reason)") {
            let _ = serde_json::from_str::<CheckResult>(&json);
            let _ = serde_json::from_str::<CheckResult>(&format!("{{\"name\":\"x\",\"ok\":true,\"{field}\":{json:?}}}"));
        }
    }
}
