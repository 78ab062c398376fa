//! Foreign text made fit for a terminal: without anything that steers it or reorders the line, and cut by the columns that it
//! takes.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The most characters of one foreign text that are looked at.
const LONGEST: usize = 500;
/// The most marks that are kept on one character. Piled higher, they reach into other lines.
const MOST_MARKS: usize = 3;
/// Characters that show nothing, join or colour their neighbours, or turn the direction of the text: terminals disagree about
/// their width, and text that holds them can look like another one.
const UNSEEN: [(char, char); 25] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    // Skin tones: part of the emoji before them in some terminals, and beside it in others.
    ('\u{1f3fb}', '\u{1f3ff}'),
    ('\u{e0000}', '\u{e007f}'),
    ('\u{e0100}', '\u{e01ef}'),
];

/// The text in one line: white space is a space, and what can't be seen is left out. At most 500 characters of it are read.
pub fn clean(text: &str) -> String {
    let mut cleaned = String::new();
    let mut marks = MOST_MARKS;
    for c in text.chars().take(LONGEST) {
        if c.is_whitespace() {
            // No line begins with one, and no two follow each other.
            if !cleaned.is_empty() && !cleaned.ends_with(' ') {
                cleaned.push(' ');
            }
            marks = MOST_MARKS;
            continue;
        }
        let unseen = UNSEEN.binary_search_by(|&(first, last)| {
            if last < c {
                std::cmp::Ordering::Less
            } else if first > c {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        });
        match c.width() {
            _ if unseen.is_ok() => {}
            // A control character.
            None => {}
            Some(0) if marks >= MOST_MARKS => {}
            Some(0) => {
                marks += 1;
                cleaned.push(c);
            }
            Some(_) => {
                marks = 0;
                cleaned.push(c);
            }
        }
    }
    cleaned.truncate(cleaned.trim_end().len());
    cleaned
}

/// How many columns a clean text takes.
pub fn width(text: &str) -> usize {
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// The beginning of a clean text that fits into so many columns. `…` stands for the rest.
pub fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let Some(mut left) = columns.checked_sub(1) else { return String::new() };
    let mut kept = String::new();
    for grapheme in text.graphemes(true) {
        let Some(rest) = left.checked_sub(grapheme.width()) else { break };
        left = rest;
        kept.push_str(grapheme);
    }
    kept.truncate(kept.trim_end().len());
    kept.push('…');
    kept
}

/// A clean text in exactly so many columns: cut, or filled up with spaces.
pub fn fit(text: &str, columns: usize) -> String {
    let mut text = cut(text, columns);
    text.extend(std::iter::repeat_n(' ', columns.saturating_sub(width(&text))));
    text
}

/// A clean text in lines of at most so many columns, broken between words where that is possible.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    // A line to break and the columns that it takes. A character that is wider than the screen has no place on it.
    let mut taken = 0;
    for word in text.split(' ') {
        let gap = usize::from(taken > 0);
        if taken + gap + width(word) <= columns {
            let line = lines.last_mut().expect("there is always a line");
            line.extend(std::iter::repeat_n(' ', gap));
            line.push_str(word);
            taken += gap + width(word);
            continue;
        }
        if taken > 0 {
            lines.push(String::new());
            taken = 0;
        }
        for grapheme in word.graphemes(true).filter(|grapheme| grapheme.width() <= columns) {
            if taken + grapheme.width() > columns {
                lines.push(String::new());
                taken = 0;
            }
            lines.last_mut().expect("there is always a line").push_str(grapheme);
            taken += grapheme.width();
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_unseen_characters_are_in_order() {
        assert!(UNSEEN.iter().all(|(first, last)| first <= last));
        assert!(UNSEEN.windows(2).all(|pair| pair[0].1 < pair[1].0));
    }

    #[test]
    fn a_page_cannot_steer_the_terminal_or_reorder_the_line() {
        assert_eq!(clean("a\u{1b}[2Jb\r\nc\u{7}\u{9b}31m"), "a[2Jb c31m");
        assert_eq!(clean("safe\u{202e}gpj.exe\u{2066}\u{200b}"), "safegpj.exe");
        assert_eq!(clean("\t  two \u{a0}\u{2029} words\n"), "two words");
    }

    #[test]
    fn marks_stay_on_their_character_and_do_not_pile_up() {
        assert_eq!(clean("e\u{301}"), "e\u{301}");
        assert_eq!(clean("\u{301}\u{301}x"), "x");
        assert_eq!(clean(&format!("z{}y", "\u{335}".repeat(100))), format!("z{}y", "\u{335}".repeat(3)));
    }

    #[test]
    fn text_is_cut_by_columns_and_never_inside_a_character() {
        assert_eq!(cut("七号机在这里", 12), "七号机在这里");
        assert_eq!(cut("七号机在这里", 7), "七号机…");
        assert_eq!(cut("七号机在这里", 6), "七号…");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(fit("七", 4), "七  ");
        // A family is three people, without what joined them.
        assert_eq!(width(&clean("👨\u{200d}👩\u{200d}👧")), 6);
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a https://long.example/ b", 10), ["a", "https://lo", "ng.example", "/ b"]);
        assert_eq!(wrap("七七七", 5), ["七七", "七"]);
        assert_eq!(wrap("七", 1), [""]);
        assert_eq!(wrap("", 5), [""]);
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_screen(text in any::<String>(), columns in 0usize..40) {
            prop_assert!(wrap(&clean(&text), columns).iter().all(|line| width(line) <= columns));
        }

        #[test]
        fn whatever_a_page_says_is_printable_and_fits(text in any::<String>(), columns in 0usize..60) {
            let cleaned = clean(&text);
            prop_assert!(!cleaned.chars().any(|c| c.is_control() || UNSEEN.iter().any(|(a, b)| (*a..=*b).contains(&c))));
            prop_assert_eq!(clean(&cleaned), cleaned.clone());
            prop_assert!(width(&cut(&cleaned, columns)) <= columns);
            prop_assert_eq!(width(&fit(&cleaned, columns)), columns);
        }
    }
}
