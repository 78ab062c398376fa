//! Sizes and times as people read them.

/// `256 KiB`, `4 MiB`, or plain bytes when the number is round in neither.
pub fn bytes(value: u64) -> String {
    const KIB: u64 = 1024;
    const MIB: u64 = KIB * 1024;
    match value {
        0 => "0 bytes".into(),
        value if value.is_multiple_of(MIB) => format!("{} MiB", value / MIB),
        value if value.is_multiple_of(KIB) => format!("{} KiB", value / KIB),
        value => format!("{value} bytes"),
    }
}

/// `50 ms`, `10 s`, `2 min 30 s`.
pub fn duration(milliseconds: u64) -> String {
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    match (seconds / 60, seconds % 60, rest) {
        (_, _, rest) if rest > 0 => format!("{milliseconds} ms"),
        (0, seconds, _) => format!("{seconds} s"),
        (minutes, 0, _) => format!("{minutes} min"),
        (minutes, seconds, _) => format!("{minutes} min {seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_well() {
        assert_eq!(bytes(5), "5 bytes");
        assert_eq!(bytes(61_440), "60 KiB");
        assert_eq!(bytes(4_194_304), "4 MiB");
    }

    #[test]
    fn times_read_well() {
        assert_eq!(duration(50), "50 ms");
        assert_eq!(duration(10_000), "10 s");
        assert_eq!(duration(60_000), "1 min");
        assert_eq!(duration(150_000), "2 min 30 s");
    }
}
