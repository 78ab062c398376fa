//! `.desktop` files, parsed by pure functions. They are foreign text.

/// What a `.desktop` file says about an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesktopEntry {
    /// The name, in no language.
    pub name: String,
    /// The command line, taken apart.
    pub command: Vec<String>,
}

impl DesktopEntry {
    /// The program that is run, behind `env` and its assignments.
    pub fn program(&self) -> Option<&str> {
        self.words().next()
    }

    /// The flatpak that is run.
    pub fn flatpak(&self) -> Option<&str> {
        let mut words = self.words();
        let is_flatpak = words.next()?.rsplit('/').next() == Some("flatpak");
        if !is_flatpak || words.next()? != "run" {
            return None;
        }
        // Its options come before the id, each in one word.
        words.find(|word| !word.starts_with('-'))
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        let is_env = self.command.first().is_some_and(|word| word.rsplit('/').next() == Some("env"));
        let words = self.command.iter().map(String::as_str).skip(usize::from(is_env));
        words.skip_while(move |word| is_env && (word.contains('=') || word.starts_with('-')))
    }
}

/// Parses a `.desktop` file. `None` when it describes no application, or one that was removed.
pub fn parse_desktop_entry(text: &str) -> Option<DesktopEntry> {
    let mut name = None;
    let mut command = None;
    let mut in_entry = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            in_entry = line == "[Desktop Entry]";
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| in_entry && !line.starts_with('#')) else { continue };
        let value = value.trim();
        match key.trim_end() {
            "Name" => name = name.or_else(|| Some(unescape(value))),
            "Exec" => command = command.or_else(|| Some(split_exec(&unescape(value)))),
            "Type" if value != "Application" => return None,
            "Hidden" if value == "true" => return None,
            _ => {}
        }
    }
    let (name, command) = (name?, command?);
    (!name.is_empty() && !command.is_empty()).then_some(DesktopEntry { name, command })
}

/// A value without its escapes.
fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            Some('s') => out.push(' '),
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('\\') | None => out.push('\\'),
            Some(other) => out.extend(['\\', other]),
        }
    }
    out
}

/// A command line in words: separated by spaces, or in double quotes, in which a backslash escapes.
fn split_exec(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(quoted) = letters.next().filter(|quoted| *quoted != '"') {
                    // What is escaped stands for itself.
                    word.extend(if quoted == '\\' { letters.next() } else { Some(quoted) });
                }
            }
            letter if letter.is_whitespace() => words.extend(word.take()),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exec(line: &str) -> DesktopEntry {
        parse_desktop_entry(&format!("[Desktop Entry]\nName=X\nExec={line}\n")).unwrap()
    }

    #[test]
    fn the_program_is_the_first_word() {
        assert_eq!(exec("/usr/bin/google-chrome-stable %U").program(), Some("/usr/bin/google-chrome-stable"));
        assert_eq!(exec(r#""/opt/My App/my \\"app\\"" --x"#).program(), Some(r#"/opt/My App/my "app""#));
        assert_eq!(exec(r"/opt/A\sB %U").command, ["/opt/A", "B", "%U"]);
        let snap = exec("env BAMF_DESKTOP_FILE_HINT=/x/chromium.desktop /snap/bin/chromium %U");
        assert_eq!(snap.program(), Some("/snap/bin/chromium"));
        assert_eq!(exec("/usr/bin/env -i A=1 B= program").program(), Some("program"));
        assert_eq!(exec("program A=1").program(), Some("program"));
    }

    #[test]
    fn a_flatpak_is_named_after_the_options() {
        let flatpak = exec("/usr/bin/flatpak run --branch=stable --command=chrome --file-forwarding com.x.Y @@u %U @@");
        assert_eq!(flatpak.flatpak(), Some("com.x.Y"));
        assert_eq!(exec("/usr/bin/flatpak update com.x.Y").flatpak(), None);
        assert_eq!(exec("/opt/flatpak-run run com.x.Y").flatpak(), None);
        assert_eq!(exec("flatpak run").flatpak(), None);
    }

    #[test]
    fn only_the_entry_itself_counts() {
        let text = "# x\nExec=no\n[Desktop Entry]\nType=Application\nName[de]=Nein\nName=Slack\nExec=slack %U\n\
                    [Desktop Action New]\nName=Other\nExec=other\n";
        assert_eq!(
            parse_desktop_entry(text),
            Some(DesktopEntry { name: "Slack".into(), command: vec!["slack".into(), "%U".into()] })
        );
        for other in [
            "",
            "[Desktop Entry]\nName=X\n",
            "[Desktop Entry]\nExec=x\n",
            "[Desktop Entry]\nName=X\nExec=\n",
            "[Desktop Entry]\nType=Link\nName=X\nExec=x\n",
            "[Desktop Entry]\nHidden=true\nName=X\nExec=x\n",
            "[Other]\nName=X\nExec=x\n",
        ] {
            assert_eq!(parse_desktop_entry(other), None, "{other:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_an_entry_or_none(lines in "(?s)(\\[Desktop Entry\\]\nName=a\nExec=)?.{0,200}") {
            if let Some(entry) = parse_desktop_entry(&lines) {
                prop_assert!(!entry.command.is_empty());
                let _ = (entry.program(), entry.flatpak());
            }
        }
    }
}
