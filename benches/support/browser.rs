//! Browsers with the self-check's page in them, and `slicc attach` beside.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use serde::Deserialize;
use serde_json::{Value, json};
use slicc::{
    browser::{
        installed,
        launch::{LaunchOptions, LaunchedBrowser, launch},
    },
    cdp::{Client, EventFilter, Events, SessionId},
    host::RealSystem,
};
use tokio::process::{Child, Command};

/// How long one evaluation may take.
const EVALUATION: Duration = Duration::from_mins(2);
/// How long a page may take to load.
const LOAD: Duration = Duration::from_secs(30);

/// A browser without a window, with one tab.
pub struct Browser {
    launched: LaunchedBrowser,
    /// The connection to it.
    pub client: Client,
    /// Calls of bindings, until somebody listens to them.
    pub events: Option<Events>,
    /// The tab's session.
    pub session: SessionId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BindingCalled {
    name: String,
    payload: String,
}

impl Browser {
    /// Launches the best installed browser with the page at `url`, and waits for it to load. More switches go to the
    /// browser as they are.
    pub async fn start(url: &str, switches: &[&str]) -> Self {
        let installed = installed::best_executable(&RealSystem).expect("Chrome or Chromium on this machine");
        let mut options = LaunchOptions::new(installed, url);
        options.extra_args =
            ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
                .iter()
                .chain(switches)
                .map(ToString::to_string)
                .collect();
        let launched = launch(&RealSystem, &options).await.expect("a browser");
        let filter = EventFilter { methods: &["Runtime.bindingCalled"], max_bytes: 1 << 20, queue: 256 };
        let (client, events) = Client::connect(launched.endpoint(), filter).await.expect("a connection");
        let targets: Value =
            client.call(None, "Target.getTargets", json!({})).await.expect("tabs").read().expect("JSON");
        let infos = targets["targetInfos"].as_array().expect("a list");
        let target = infos.iter().find(|info| info["type"] == "page").expect("a tab")["targetId"].clone();
        let session = attach_to(&client, &target).await;
        client.call(Some(&session), "Runtime.enable", json!({})).await.expect("events");
        let browser = Self { launched, client, events: Some(events), session };
        browser.loaded().await;
        browser
    }

    async fn loaded(&self) {
        let start = Instant::now();
        while self.try_evaluate("globalThis.linkTest !== undefined").await != Some(Value::Bool(true)) {
            assert!(start.elapsed() < LOAD, "the page doesn't load");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Loads the page anew.
    pub async fn reload(&self) {
        self.evaluate("delete globalThis.linkTest").await;
        self.client.call(Some(&self.session), "Page.reload", json!({})).await.expect("a reload");
        self.loaded().await;
    }

    /// Lets the page connect wherever it wants, which its own policy doesn't, and loads it anew.
    pub async fn bypass_policy(&self) {
        let bypass = self.client.call(Some(&self.session), "Page.setBypassCSP", json!({ "enabled": true }));
        bypass.await.expect("a page without a policy");
        self.reload().await;
    }

    async fn try_evaluate(&self, expression: &str) -> Option<Value> {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.client.call_within(EVALUATION, Some(&self.session), "Runtime.evaluate", params).await;
        let mut result: Value = answer.ok()?.read().ok()?;
        if !result["exceptionDetails"].is_null() {
            eprintln!("the page threw: {result}");
            return None;
        }
        Some(result["result"]["value"].take())
    }

    /// The value of an expression in the page, awaited.
    pub async fn evaluate(&self, expression: &str) -> Value {
        self.try_evaluate(expression).await.expect("a page that evaluates")
    }

    /// Gives the page a function by which it sends text to the benchmark.
    pub async fn add_binding(&self, name: &str) {
        let call = self.client.call(Some(&self.session), "Runtime.addBinding", json!({ "name": name }));
        call.await.expect("a binding");
    }

    /// The URL of the browser's debugging endpoint.
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.launched.endpoint().port())
    }

    /// The browser's main process.
    pub fn pid(&self) -> u32 {
        self.launched.pid()
    }

    /// Closes the browser.
    pub async fn close(self) {
        let Self { launched, client, .. } = self;
        let closing = async move { client.call(None, "Browser.close", json!({})).await.is_ok() };
        launched.close(closing).await.expect("a browser that closes");
    }
}

/// The next text that a page sends by its binding of this name; `None` once the browser is gone.
pub async fn next_call(events: &mut Events, name: &str) -> Option<String> {
    loop {
        let called: BindingCalled = events.next().await.ok()?.read().expect("a call");
        if called.name == name {
            return Some(called.payload);
        }
    }
}

/// A session on a target.
pub async fn attach_to(client: &Client, target: &Value) -> SessionId {
    let attach = json!({ "targetId": target, "flatten": true });
    let attached: Value =
        client.call(None, "Target.attachToTarget", attach).await.expect("a session").read().expect("JSON");
    SessionId(attached["sessionId"].as_str().expect("an id").to_owned())
}

/// The built binary.
pub fn slicc() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slicc"));
    command.kill_on_drop(true);
    command
}

/// Starts `slicc attach` for a browser's page, which may reach servers on loopback.
pub fn attach(browser: &Browser, origin: &str) -> Child {
    let mut command = slicc();
    command.args(["attach", "--cdp", &browser.endpoint(), "--origin", origin]);
    command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().expect("slicc")
}
