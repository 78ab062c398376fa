//! What the tests share.

pub mod chromium;
pub mod exchange;
pub mod foreign;
pub mod http_stream;
#[allow(dead_code, reason = "each program uses its part of the page")]
pub mod native_page;
#[allow(dead_code, reason = "each program uses its part")]
#[path = "../../benches/support/process.rs"]
pub mod process;
pub mod processes;
pub mod pseudo_terminal;
#[allow(dead_code, reason = "each program uses its part of the relay")]
pub mod relay;
mod relay_tests;
pub mod schemas;
pub mod servers;
pub mod slicc_process;
pub mod tab;

use std::{future::Future, time::Duration};

/// How long one test may take.
const TEST: Duration = Duration::from_mins(1);
/// How long one step of a test may take: milliseconds, but on a machine under load.
pub const PATIENCE: Duration = Duration::from_secs(30);

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

/// Waits for one step of a test.
///
/// # Panics
/// When it takes longer than [`PATIENCE`].
pub async fn within<T>(what: &str, step: impl Future<Output = T>) -> T {
    let done = tokio::time::timeout(PATIENCE, step).await;
    done.unwrap_or_else(|_| panic!("{what} within {} s", PATIENCE.as_secs()))
}
