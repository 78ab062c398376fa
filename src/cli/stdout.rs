//! stdout: data, and nothing else.

use std::io::{self, Write};

use super::Failure;

/// Why a command stopped writing.
#[derive(Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Nobody reads stdout any more, as after `| head`. That is no failure: the command ends quietly.
    Unread,
    /// Something failed.
    Failed(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// What the result of a write to stdout means for the command.
///
/// # Errors
/// [`Stopped`] when it failed, whatever for.
pub fn written(result: io::Result<()>) -> Result<(), Stopped> {
    result.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Stopped::Unread,
        _ => Stopped::Failed(Failure::failed(format_args!("stdout can't be written: {error}"))),
    })
}

/// The result of a command that may have stopped because nobody reads.
///
/// # Errors
/// The failure, if it was one.
pub fn ended(result: Result<(), Stopped>) -> Result<(), Failure> {
    match result {
        Ok(()) | Err(Stopped::Unread) => Ok(()),
        Err(Stopped::Failed(failure)) => Err(failure),
    }
}

/// Prints `text`. A reader that went away, such as `head`, ends it quietly.
///
/// # Errors
/// A failure when stdout can't be written for another reason.
pub fn print(text: &str) -> Result<(), Failure> {
    print_to(&mut io::stdout().lock(), text)
}

fn print_to(out: &mut impl Write, text: &str) -> Result<(), Failure> {
    ended(written(out.write_all(text.as_bytes()).and_then(|()| out.flush())))
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
