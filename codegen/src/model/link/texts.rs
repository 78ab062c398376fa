//! Texts with placeholders: `{NAME}` stands for a limit or a time-out.

use super::{Field, Link, bytes, duration};

impl Link {
    /// What a text says for `{name}`: the value of that limit or time-out, with its unit.
    pub(super) fn quantity(&self, name: &str) -> Option<String> {
        let limit = || {
            let limit = self.limit.iter().find(|limit| limit.name == name)?;
            Some(if limit.unit == "bytes" { bytes(limit.value) } else { format!("{} {}", limit.value, limit.unit) })
        };
        let time = || self.timeout.iter().find(|time| time.name == name).map(|time| duration(time.milliseconds));
        limit().or_else(time)
    }

    /// Every text that may hold placeholders, with its key.
    pub(super) fn texts(&mut self, mut visit: impl FnMut(&str, &mut String)) {
        let visit = &mut visit;
        visit("overview", &mut self.overview);
        for frame in &mut self.frame {
            visit(&format!("frame.{}.payload", frame.name), &mut frame.payload);
        }
        for object in &mut self.object {
            field_texts(&format!("object.{}", object.name), &mut object.fields, visit);
        }
        field_texts("hello.node", &mut self.hello.node.fields, visit);
        field_texts("hello.page", &mut self.hello.page.fields, visit);
        for rule in &mut self.rule {
            visit(&format!("rule.{}", rule.topic), &mut rule.text);
        }
        for (index, violation) in self.violation.iter_mut().enumerate() {
            visit(&format!("violation[{index}].when"), &mut violation.when);
        }
        for kind in &mut self.kind {
            let key = format!("kind.{}", kind.name);
            visit(&format!("{key}.carries"), &mut kind.carries);
            field_texts(&format!("{key}.open"), &mut kind.open, visit);
            field_texts(&format!("{key}.opened"), &mut kind.opened, visit);
            for record in &mut kind.records {
                visit(&format!("{key}.records.{}", record.name), &mut record.doc);
            }
            for reset in &mut kind.resets {
                visit(&format!("{key}.resets.{}", reset.codes.join("+")), &mut reset.when);
            }
            for (index, rule) in kind.rules.iter_mut().enumerate() {
                visit(&format!("{key}.rules[{index}]"), rule);
            }
            for op in &mut kind.op {
                let key = format!("{key}.op.{}", op.name);
                visit(&format!("{key}.doc"), &mut op.doc);
                field_texts(&format!("{key}.open"), &mut op.open, visit);
                field_texts(&format!("{key}.opened"), &mut op.opened, visit);
            }
        }
    }

    /// Fills in every placeholder. [`check`] has made sure that each has a value.
    pub(super) fn fill(&mut self) {
        let source = self.clone();
        self.texts(|_, text| {
            for name in placeholders(text) {
                if let Some(value) = source.quantity(&name) {
                    *text = text.replace(&format!("{{{name}}}"), &value);
                }
            }
        });
    }
}

fn field_texts(key: &str, fields: &mut [Field], visit: &mut impl FnMut(&str, &mut String)) {
    for field in fields {
        visit(&format!("{key}.{}.doc", field.name), &mut field.doc);
    }
}

/// The names in braces that a text holds. Braces around anything but capitals, digits and `_` are JSON.
pub(super) fn placeholders(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for piece in text.split('{').skip(1) {
        let Some((name, _)) = piece.split_once('}') else { continue };
        let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        if is_name && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}
