//! A real browser, found by each of the four sources. The machine around it is described, so that no other browser of this
//! one is met.

use std::time::Duration;

use super::*;
use crate::{
    browser::{launch::launch, test_browser},
    host::{Os, RealSystem, system::fake::FakeSystem},
};

const FILE: &str = "DevToolsActivePort";

async fn found(machine: FakeSystem, options: &Options) -> Vec<RunningEndpoint> {
    let system: Arc<dyn System> = Arc::new(machine);
    let network: Arc<dyn Network> = Arc::new(RealNetwork);
    let running = running(&system, &network, options).await;
    assert_eq!(running.unanswered, []);
    running.endpoints
}

#[tokio::test]
async fn a_real_browser_is_found_by_each_of_the_four_sources() {
    let Some(options) = test_browser::options("about:blank") else { return };
    let browser = launch(&RealSystem, &options).await.unwrap();
    let dir = browser.profile_dir().unwrap().to_owned();
    let port = NonZeroU16::new(browser.endpoint().port()).unwrap();
    let nothing = || Options { probe_ports: Some(Vec::new()), ..Options::default() };
    let file = std::fs::read_to_string(dir.join(FILE)).unwrap();

    let home = || FakeSystem::new(Os::Linux).with_env("HOME", "/home/me");
    let default_dir = format!("/home/me/.config/google-chrome/{FILE}");
    let by_file = found(home().with_file(&default_dir, file.as_str()), &nothing()).await;
    let by_flag = Options { cdp: vec![Endpoint::on_loopback(port)], ..nothing() };
    let by_flag = found(home(), &by_flag).await;
    // Only the browser's own processes, of those of this machine.
    let mut machine = home().with_file(&format!("{}/{FILE}", dir.display()), file.as_str());
    let own = dir.to_str().unwrap();
    let lines = RealSystem.processes(Duration::from_secs(10)).into_iter().filter(|line| line.command.contains(own));
    machine.processes = lines.map(|line| format!("{} {}", line.pid, line.command)).collect::<Vec<_>>().join("\n");
    let by_process = found(machine, &nothing()).await;
    let by_probe = Options { probe_ports: Some(vec![port]), ..Options::default() };
    let by_probe = found(home().with_env(SLICC_DISCOVERY, "isolated"), &by_probe).await;

    for (endpoints, source) in [
        (&by_file, EndpointSource::DevtoolsActivePort),
        (&by_flag, EndpointSource::Flag),
        (&by_process, EndpointSource::Process),
        (&by_probe, EndpointSource::Probe),
    ] {
        let [endpoint] = &endpoints[..] else { panic!("{source:?}: {endpoints:?}") };
        assert_eq!(endpoint.source, source);
        assert!(endpoint.socket.has_path_of(browser.endpoint()), "{source:?}");
        assert_eq!(endpoint.product, browser.version().product);
        assert_eq!(endpoint.kind, "chrome");
        assert!(!endpoint.ws_only && !endpoint.six && !endpoint.seven_open());
    }
    assert_eq!(by_file[0].browser, Some("chrome"));
    assert_eq!(by_process[0].user_data_dir.as_deref(), Some(dir.as_path()));
    browser.quit().await.unwrap();
}
