//! stdout: data, and nothing else.

use std::io::{self, Write};

use super::Failure;

/// Prints `text`. A reader that went away, such as `head`, ends it quietly.
///
/// # Errors
/// A failure when stdout can't be written for another reason.
pub fn print(text: &str) -> Result<(), Failure> {
    print_to(&mut io::stdout().lock(), text)
}

fn print_to(out: &mut impl Write, text: &str) -> Result<(), Failure> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::failed(format_args!("stdout can't be written: {error}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Broken(io::ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_went_away_ends_the_output_quietly() {
        assert_eq!(print_to(&mut Broken(io::ErrorKind::BrokenPipe), "data"), Ok(()));
        let failure = print_to(&mut Broken(io::ErrorKind::StorageFull), "data").expect_err("the data is lost");
        assert!(failure.message.starts_with("stdout can't be written: "), "{failure}");
    }
}
