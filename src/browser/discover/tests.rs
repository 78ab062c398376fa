//! Slow and hostile endpoints: nobody waits for anybody else, and the whole has an end.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use bytes::Bytes;

use super::*;
use crate::host::{Os, system::fake::FakeSystem};

/// Each port answers after so many milliseconds.
#[derive(Debug)]
struct Slow {
    version: Duration,
    list: Duration,
    only_port: Option<u16>,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
}

impl Slow {
    fn new(version: u64, list: u64) -> Self {
        Self {
            version: Duration::from_millis(version),
            list: Duration::from_millis(list),
            only_port: None,
            at_once: AtomicUsize::new(0),
            most_at_once: AtomicUsize::new(0),
        }
    }
}

#[async_trait]
impl Network for Slow {
    async fn get(&self, endpoint: &Endpoint, path: &str, limit: Duration, _: usize) -> Result<Bytes, EndpointError> {
        let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(now, Ordering::SeqCst);
        let slow = self.only_port.is_none_or(|port| port == endpoint.port());
        let delay = if path == VERSION { self.version } else { self.list };
        let answered = tokio::time::timeout(limit, tokio::time::sleep(if slow { delay } else { Duration::ZERO })).await;
        self.at_once.fetch_sub(1, Ordering::SeqCst);
        answered.map_err(|_| EndpointError::TimedOut { endpoint: endpoint.to_string(), limit })?;
        let port = endpoint.port();
        Ok(if path == VERSION {
            let socket = format!("ws://127.0.0.1:{port}/devtools/browser/{port}");
            format!(r#"{{"Browser":"Chrome/154.0","webSocketDebuggerUrl":"{socket}"}}"#).into()
        } else {
            r#"[{"type":"page","id":"A","url":"https://seven.sliccy.ai/","title":""}]"#.into()
        })
    }

    async fn connects(&self, _: &Endpoint, limit: Duration) -> bool {
        tokio::time::sleep(limit).await;
        false
    }
}

async fn running_among(machine: FakeSystem, slow: Slow, ports: std::ops::Range<u16>) -> (Running, Duration, usize) {
    let system: Arc<dyn System> = Arc::new(machine.with_env(SLICC_DISCOVERY, "home"));
    let slow = Arc::new(slow);
    let network: Arc<dyn Network> = Arc::clone(&slow) as _;
    let options = Options { probe_ports: Some(ports.filter_map(NonZeroU16::new).collect()), ..Options::default() };
    let start = Instant::now();
    let running = running(&system, &network, &options).await;
    (running, start.elapsed(), slow.most_at_once.load(Ordering::SeqCst))
}

fn machine() -> FakeSystem {
    FakeSystem::new(Os::Linux).with_env("HOME", "/home/me")
}

#[tokio::test(start_paused = true)]
async fn all_endpoints_are_asked_at_once() {
    let (running, took, most) = running_among(machine(), Slow::new(100, 100), 10_000..10_050).await;
    assert_eq!((running.endpoints.len(), most), (50, 50));
    assert!(took < Duration::from_millis(250), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_slow_endpoint_delays_nobody_past_its_own_time() {
    let mut slow = Slow::new(60_000, 0);
    slow.only_port = Some(10_001);
    let (running, took, _) = running_among(machine(), slow, 10_000..10_003).await;
    assert_eq!(running.endpoints.iter().map(|endpoint| endpoint.http.port()).collect::<Vec<_>>(), [10_000, 10_002]);
    assert!(running.endpoints.iter().all(RunningEndpoint::seven_open));
    assert!(took < ANSWER + Duration::from_millis(50), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_never_lists_its_tabs_has_none_open() {
    let (running, took, _) = running_among(machine(), Slow::new(1_000, 60_000), 10_000..10_001).await;
    assert_eq!(running.endpoints.len(), 1);
    assert!(!running.endpoints[0].seven_open());
    assert!(took < WHOLE, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn the_slowest_of_all_ends_within_3_s() {
    let file = "/home/me/.config/google-chrome/DevToolsActivePort";
    let machine = machine().with_file(file, "10000\n/devtools/browser/a\n");
    let (running, took, _) = running_among(machine, Slow::new(60_000, 60_000), 10_000..10_100).await;
    assert_eq!(running.endpoints, []);
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn the_modes_of_tests_limit_the_sources() {
    let scope = |value: &str| {
        let scope = Scope::of(&FakeSystem::new(Os::Linux).with_env(SLICC_DISCOVERY, value));
        (scope.installed, scope.files, scope.machine)
    };
    assert_eq!(scope(""), (true, true, true));
    assert_eq!(scope("home"), (true, true, false));
    assert_eq!(scope("installed"), (true, false, false));
    for value in ["isolated", "nonsense", "HOME", "1"] {
        assert_eq!(scope(value), (false, false, false), "{value}");
    }
}
