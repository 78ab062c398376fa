//! A real Chromium with a throwaway profile.

use serde_json::{Value, json};
use slicc::{
    browser::{
        installed,
        launch::{self, LaunchOptions, LaunchedBrowser},
    },
    cdp::{Client, Endpoint, EventFilter, SessionId},
    host::RealSystem,
};

use super::{PATIENCE, within};

/// A running Chromium, and a connection to it that plays its user. When it goes, so do its processes and its profile.
#[derive(Debug)]
pub struct Chromium {
    client: Client,
    browser: LaunchedBrowser,
    web_socket_url: String,
}

impl Chromium {
    /// Launches the browser in SLICC_TEST_CHROME, or else the one that is installed.
    ///
    /// # Panics
    /// When there is none, or it doesn't start.
    pub async fn launch() -> Self {
        let installed = installed::best_executable(&RealSystem);
        let executable = installed.expect("the tests need Chrome or Chromium, or one in SLICC_TEST_CHROME");
        let mut options = LaunchOptions::new(executable, "about:blank");
        options.extra_args =
            ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
                .map(String::from)
                .to_vec();
        options.start_limit = PATIENCE;
        let browser = launch::launch(&RealSystem, &options).await.expect("Chromium starts");
        let endpoint = browser.endpoint();
        let (client, _) = Client::connect(endpoint, EventFilter::NONE).await.expect("Chromium takes a connection");
        let http = Endpoint::parse(&endpoint.port().to_string()).expect("a port");
        let version = http.get("/json/version").await.expect("Chromium answers");
        let version: Value = serde_json::from_slice(&version).expect("JSON");
        let web_socket_url = version["webSocketDebuggerUrl"].as_str().expect("a URL").to_owned();
        Self { client, browser, web_socket_url }
    }

    /// Its debugging endpoint, as --cdp takes it.
    pub fn cdp(&self) -> String {
        format!("http://127.0.0.1:{}", self.port())
    }

    /// The port of its debugging endpoint.
    pub fn port(&self) -> u16 {
        self.browser.endpoint().port()
    }

    /// The endpoint of its WebSocket.
    pub fn web_socket_url(&self) -> &str {
        &self.web_socket_url
    }

    /// Its user's connection.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// The URLs of its tabs, sorted.
    ///
    /// # Panics
    /// When the browser doesn't say.
    pub async fn tabs(&self) -> Vec<String> {
        let targets = call(&self.client, None, "Target.getTargets", json!({})).await;
        let targets = targets["targetInfos"].as_array().expect("a list").iter();
        let tabs = targets.filter(|info| info["type"] == "page");
        let mut tabs: Vec<String> = tabs.map(|info| info["url"].as_str().expect("a URL").to_owned()).collect();
        tabs.sort();
        tabs
    }

    /// Waits until these are its tabs: one that is being closed is there for a moment.
    ///
    /// # Panics
    /// When they don't become so.
    pub async fn expect_tabs(&self, expected: &[&str]) {
        within("the tabs", async { while self.tabs().await != expected {} }).await;
    }

    /// Quits it, as its user would.
    ///
    /// # Panics
    /// When it doesn't quit.
    pub async fn quit(self) {
        let Self { client, browser, .. } = self;
        let asked = async move { client.call(None, "Browser.close", json!({})).await.is_ok() };
        within("the browser quits", browser.close(asked)).await.expect("the browser quits");
    }
}

/// Calls a method of the DevTools Protocol.
///
/// # Panics
/// When the browser refuses.
pub async fn call(client: &Client, session: Option<&SessionId>, method: &str, params: Value) -> Value {
    let answer = client.call_within(PATIENCE, session, method, params).await;
    let answer = answer.unwrap_or_else(|error| panic!("{method}: {error}"));
    answer.read().expect("an answer is JSON")
}
