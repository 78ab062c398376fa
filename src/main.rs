//! Arguments, command, exit status.

fn main() {}
