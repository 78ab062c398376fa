//! Command lines for people to copy: each word quoted for the shell that it goes into.

use std::fmt::Write as _;

/// A shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// `sh` and what descends from it.
    Posix,
    /// PowerShell.
    PowerShell,
}

impl Shell {
    /// The shell that people of this system use.
    pub const HERE: Self = if cfg!(windows) { Self::PowerShell } else { Self::Posix };

    /// A word as it is typed. It is one line without a control character, whatever the word holds.
    pub fn quote(self, word: &str) -> String {
        match self {
            Self::Posix => posix(word),
            Self::PowerShell => powershell(word),
        }
    }
}

/// Whether a shell gives no meaning to a character.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '+' | '=')
}

/// Whether a character would break the line, or do something to the terminal.
fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

fn posix(word: &str) -> String {
    if !word.is_empty() && word.chars().all(|c| is_plain(c) || matches!(c, '@' | ',' | '%')) {
        return word.to_owned();
    }
    if !word.chars().any(is_unprintable) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut quoted = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted += r"\n",
            '\r' => quoted += r"\r",
            '\t' => quoted += r"\t",
            c if is_unprintable(c) => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    // Three octal digits always end there. Writing to a string can't fail.
                    let _ = write!(quoted, "\\{byte:03o}");
                }
            }
            c => quoted.push(c),
        }
    }
    quoted + "'"
}

/// Quotation marks that PowerShell takes for `'`.
const SINGLE: [char; 5] = ['\'', '\u{2018}', '\u{2019}', '\u{201a}', '\u{201b}'];
/// Quotation marks that PowerShell takes for `"`.
const DOUBLE: [char; 4] = ['"', '\u{201c}', '\u{201d}', '\u{201e}'];

fn powershell(word: &str) -> String {
    // A word such as -a.b or -a:b becomes two.
    let splits = word.starts_with('-') && word.contains(['.', ':']);
    if !word.is_empty() && !splits && word.chars().all(|c| is_plain(c) || c == '\\') {
        return word.to_owned();
    }
    let mut quoted = String::new();
    if word.chars().any(is_unprintable) {
        quoted.push('"');
        for c in word.chars() {
            match c {
                '\n' => quoted += "`n",
                '\r' => quoted += "`r",
                '\t' => quoted += "`t",
                c if is_unprintable(c) => {
                    let _ = write!(quoted, "`u{{{:x}}}", u32::from(c));
                }
                '`' | '$' => quoted.extend(['`', c]),
                c if DOUBLE.contains(&c) => quoted.extend(['`', c]),
                c => quoted.push(c),
            }
        }
        quoted.push('"');
    } else {
        quoted.push('\'');
        for c in word.chars() {
            if SINGLE.contains(&c) {
                quoted.push(c);
            }
            quoted.push(c);
        }
        quoted.push('\'');
    }
    quoted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a POSIX shell makes of one quoted word.
    fn read_posix(text: &str) -> Option<String> {
        let mut chars = text.chars().peekable();
        let mut bytes: Vec<u8> = Vec::new();
        let push = |bytes: &mut Vec<u8>, c: char| bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        while let Some(c) = chars.next() {
            match c {
                '$' if chars.next_if_eq(&'\'').is_some() => loop {
                    match chars.next()? {
                        '\'' => break,
                        '\\' => match chars.next()? {
                            'n' => bytes.push(b'\n'),
                            'r' => bytes.push(b'\r'),
                            't' => bytes.push(b'\t'),
                            c @ ('\'' | '\\') => push(&mut bytes, c),
                            first => {
                                let mut byte = first.to_digit(8)?;
                                for _ in 0..2 {
                                    byte = byte * 8 + chars.next()?.to_digit(8)?;
                                }
                                bytes.push(u8::try_from(byte).ok()?);
                            }
                        },
                        c => push(&mut bytes, c),
                    }
                },
                '\'' => loop {
                    match chars.next()? {
                        '\'' => break,
                        c => push(&mut bytes, c),
                    }
                },
                '\\' => push(&mut bytes, chars.next()?),
                c if is_plain(c) || matches!(c, '@' | ',' | '%') => push(&mut bytes, c),
                _ => return None,
            }
        }
        String::from_utf8(bytes).ok()
    }

    /// What PowerShell makes of one quoted word.
    fn read_powershell(text: &str) -> Option<String> {
        let mut chars = text.chars().peekable();
        let mut out = String::new();
        match chars.peek().copied()? {
            '\'' => {
                chars.next();
                loop {
                    let c = chars.next()?;
                    if SINGLE.contains(&c) {
                        match chars.next() {
                            None => return Some(out),
                            Some(second) if SINGLE.contains(&second) => out.push(second),
                            Some(_) => return None,
                        }
                    } else {
                        out.push(c);
                    }
                }
            }
            '"' => {
                chars.next();
                loop {
                    match chars.next()? {
                        '`' => match chars.next()? {
                            'n' => out.push('\n'),
                            'r' => out.push('\r'),
                            't' => out.push('\t'),
                            'u' => {
                                let code: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                                out.push(char::from_u32(u32::from_str_radix(&code, 16).ok()?)?);
                            }
                            c => out.push(c),
                        },
                        '$' => return None,
                        c if DOUBLE.contains(&c) => return chars.next().is_none().then_some(out),
                        c => out.push(c),
                    }
                }
            }
            _ => {
                let bare = !text.contains(|c| !is_plain(c) && c != '\\');
                (bare && !(text.starts_with('-') && text.contains(['.', ':']))).then(|| text.to_owned())
            }
        }
    }

    #[test]
    fn plain_words_stay_as_they_are_and_others_are_quoted() {
        for (word, posix, powershell) in [
            ("--lead", "--lead", "--lead"),
            ("https://a.example/x", "https://a.example/x", "https://a.example/x"),
            ("--a=b.c", "--a=b.c", "'--a=b.c'"),
            ("", "''", "''"),
            ("two words", "'two words'", "'two words'"),
            ("it's", r"'it'\''s'", "'it''s'"),
            ("$HOME", "'$HOME'", "'$HOME'"),
            ("a;b", "'a;b'", "'a;b'"),
            ("a,b@c", "a,b@c", "'a,b@c'"),
            (r"C:\x", r"'C:\x'", r"C:\x"),
            ("it\u{2019}s", "'it\u{2019}s'", "'it\u{2019}\u{2019}s'"),
            ("a\nb\u{1b}", r"$'a\nb\033'", "\"a`nb`u{1b}\""),
            ("$x\n\"", "$'$x\\n\"'", "\"`$x`n`\"\""),
        ] {
            assert_eq!(Shell::Posix.quote(word), posix, "{word:?}");
            assert_eq!(Shell::PowerShell.quote(word), powershell, "{word:?}");
        }
    }

    proptest! {
        #[test]
        fn a_shell_reads_back_any_word_from_one_line(word in "(?s)([ -~]|[\u{0}-\u{1f}]|['\"`$\\\\‘’‚‛“”„\u{85}\u{2028}]|.){0,24}") {
            for (shell, read) in
                [(Shell::Posix, read_posix as fn(&str) -> _), (Shell::PowerShell, read_powershell)]
            {
                let quoted = shell.quote(&word);
                prop_assert!(!quoted.chars().any(is_unprintable), "{quoted:?}");
                let back = read(&quoted);
                prop_assert_eq!(back.as_ref(), Some(&word), "{:?}: {}", shell, quoted);
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn bash_reads_back_what_was_quoted_for_it() {
        let words = ["", "it's", "a\nb", "$(echo x) `y` \\ \"", "~", "*", "-e", "\u{85}é\u{1b}[1m", "a!b#c"];
        let line = words.map(|word| Shell::Posix.quote(word)).join(" ");
        let script = format!("printf '%s\\0' {line}");
        let Ok(output) = std::process::Command::new("bash").args(["-c", &script]).output() else {
            eprintln!("skipped: there is no bash here");
            return;
        };
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said.split_terminator('\0').collect::<Vec<_>>(), words);
    }
}
