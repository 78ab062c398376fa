//! Lines of bounded length out of a stream of bytes (section "Setup over stdio" of the requirement).

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// One line of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Its text, without the line break.
    Text(String),
    /// Longer than the limit, or not UTF-8.
    Unreadable,
}

/// Reads lines of a bounded length, and holds no more than one of them. Dropping the future of [`Lines::next`] loses nothing.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    limit: usize,
    line: Vec<u8>,
    too_long: bool,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    /// The lines of this input, of at most `limit` bytes without the line break.
    pub fn new(input: R, limit: usize) -> Self {
        Self { input, limit, line: Vec::new(), too_long: false }
    }

    /// The next line without its line break; `None` at the end of the input. A last line without a line break counts.
    ///
    /// # Errors
    /// The input's.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let bytes = self.input.fill_buf().await?;
            if bytes.is_empty() {
                let begun = self.too_long || !self.line.is_empty();
                return Ok(begun.then(|| self.take()));
            }
            let end = bytes.iter().position(|b| *b == b'\n');
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            if self.line.len() + piece.len() > self.limit {
                self.too_long = true;
                self.line.clear();
            }
            if !self.too_long {
                self.line.extend_from_slice(piece);
            }
            let used = piece.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                return Ok(Some(self.take()));
            }
        }
    }

    fn take(&mut self) -> Line {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.too_long) {
            return Line::Unreadable;
        }
        String::from_utf8(line).map_or(Line::Unreadable, Line::Text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::io::BufReader;

    use super::*;

    const LIMIT: usize = 10;

    fn split(bytes: &[u8], capacity: usize) -> Vec<Line> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut lines = Lines::new(BufReader::with_capacity(capacity, bytes), LIMIT);
        runtime.block_on(async {
            let mut all = Vec::new();
            while let Some(line) = lines.next().await.unwrap() {
                all.push(line);
            }
            all
        })
    }

    /// The rule, on bytes that are all there.
    fn expected(bytes: &[u8]) -> Vec<Line> {
        let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        if lines.last().is_some_and(|last| last.is_empty()) {
            lines.pop();
        }
        let read = |line: &[u8]| match String::from_utf8(line.to_vec()) {
            Ok(text) if text.len() <= LIMIT => Line::Text(text),
            _ => Line::Unreadable,
        };
        lines.into_iter().map(read).collect()
    }

    #[test]
    fn a_line_of_the_limit_is_read_and_a_longer_one_is_skipped_alone() {
        for (length, capacity) in [(LIMIT, 4), (LIMIT + 1, 4), (LIMIT + 1, 100), (100 * LIMIT, 7)] {
            let bytes = [vec![b'x'; length], b"\nnext".to_vec()].concat();
            let lines = split(&bytes, capacity);
            assert_eq!(matches!(lines[0], Line::Text(_)), length == LIMIT);
            assert_eq!(lines[1..], [Line::Text("next".into())]);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_split_into_the_same_lines_whatever_the_buffer(
            bytes in prop::collection::vec(prop_oneof![3 => any::<u8>(), 1 => Just(b'\n'), 3 => Just(b'a')], 0..80),
            capacity in 1..16usize,
        ) {
            prop_assert_eq!(split(&bytes, capacity), expected(&bytes));
        }
    }
}
