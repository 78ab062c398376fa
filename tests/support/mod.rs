//! What the tests share.

pub mod foreign;
pub mod http_stream;
#[allow(dead_code, reason = "each program uses its part of the page")]
pub mod native_page;
#[allow(dead_code, reason = "each program uses its part")]
pub mod process;

use std::{future::Future, time::Duration};

/// How long one test may take.
const TEST: Duration = Duration::from_mins(1);

/// Runs a test on a runtime of its own. One that hangs fails, and everything that it holds is dropped first, so that no process
/// outlives it.
pub fn run(test: impl Future<Output = ()>) {
    run_for(TEST, test);
}

/// As [`run`], with another limit for tests that move much.
pub fn run_for(limit: Duration, test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let ended = runtime.block_on(async { tokio::time::timeout(limit, test).await });
    runtime.shutdown_background();
    ended.expect("the test ends in time");
}
