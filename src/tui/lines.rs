//! Lines of a screen: styled pieces that are cut at the edge, lists that scroll, and the keys at the foot.

use ratatui::{
    buffer::Buffer,
    style::Style,
    text::{Line, Span},
};

use super::text;

/// Draws a line over the whole width. What it says is cut at the edge, with `…` for the rest.
pub(super) fn draw(buffer: &mut Buffer, row: u16, pieces: &[(String, Style)], whole: Style) {
    let area = buffer.area;
    if row >= area.height {
        return;
    }
    let mut left = usize::from(area.width);
    let mut spans = Vec::new();
    for (place, (piece, style)) in pieces.iter().enumerate() {
        // The piece at the edge carries the mark, even when it fits and the one after it doesn't.
        let more = pieces[place + 1..].iter().any(|(piece, _)| !piece.is_empty());
        let kept = if more && text::width(piece) == left {
            text::cut(&format!("{piece}…"), left)
        } else {
            text::cut(piece, left)
        };
        left -= text::width(&kept);
        let is_last = kept != *piece;
        spans.push(Span::styled(kept, *style));
        if is_last {
            break;
        }
    }
    let (x, y) = (area.x, area.y + row);
    buffer.set_line(x, y, &Line::from(spans), area.width);
    buffer.set_style(ratatui::layout::Rect::new(x, y, area.width, 1), whole);
}

/// The first line of a list to draw, so that the cursor is on the screen and no line at the end stays empty.
pub(super) fn top(top: usize, cursor: usize, lines: usize, height: usize) -> usize {
    let lowest = lines.saturating_sub(height);
    top.min(cursor).max((cursor + 1).saturating_sub(height)).min(lowest)
}

/// As many keys as fit. The last ones matter most.
pub(super) fn keys(keys: &[&str], columns: usize) -> String {
    let all = (0..keys.len()).map(|first| keys[first..].join(" · "));
    all.into_iter().find(|line| text::width(line) <= columns).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::layout::Rect;

    use super::*;

    fn drawn(width: u16, pieces: &[&str]) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, 1));
        let pieces: Vec<_> = pieces.iter().map(|&piece| (piece.to_owned(), Style::new())).collect();
        draw(&mut buffer, 0, &pieces, Style::new());
        buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect()
    }

    #[test]
    fn a_line_is_cut_once_at_the_edge() {
        assert_eq!(drawn(8, &["abc", "def"]), "abcdef  ");
        assert_eq!(drawn(6, &["abc", "def"]), "abcdef");
        assert_eq!(drawn(5, &["abc", "def"]), "abcd…");
        assert_eq!(drawn(3, &["abc", "def"]), "ab…");
        assert_eq!(drawn(2, &["abc", "def"]), "a…");
        assert_eq!(drawn(4, &["七", "七七"]), "七 … ");
    }

    #[test]
    fn the_last_keys_stay_when_there_is_little_room() {
        assert_eq!(keys(&["a long one", "Enter go", "q quit"], 40), "a long one · Enter go · q quit");
        assert_eq!(keys(&["a long one", "Enter go", "q quit"], 20), "Enter go · q quit");
        assert_eq!(keys(&["q quit"], 3), "");
    }

    proptest! {
        #[test]
        fn the_cursor_is_always_on_the_screen(before in 0usize..50, lines in 1usize..50, at in 0usize..50, height in 1usize..20) {
            let cursor = at.min(lines - 1);
            let top = top(before, cursor, lines, height);
            prop_assert!(top <= cursor && cursor < top + height);
            prop_assert!(top + height <= lines.max(height));
        }
    }
}
