//! The page's client itself: what the other tests see with.

use super::{is_pattern, pattern};

#[test]
fn the_pattern_is_told_from_anything_else() {
    let mut bytes = [pattern(999_000, 10_000), pattern(1_000_003, 5_000)].concat();
    assert!(is_pattern(999_000, &bytes));
    assert!(!is_pattern(998_999, &bytes));
    bytes.swap(0, 1);
    assert!(!is_pattern(999_000, &bytes));
}
