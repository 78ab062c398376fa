//! A tab of a real Chromium.

use serde_json::{Value, json};
use slicc::cdp::{Client, SessionId, TargetId};

use super::{
    chromium::{Chromium, call},
    schemas::assert_setup_message,
};

/// Notes what slicc says to the page while a link is set up, in `setupMessages`.
const NOTE: &str = "globalThis.setupMessages = [];
    {
        let take;
        Object.defineProperty(globalThis, 'sliccLinkReceive', {
            get: () => take && (message => { setupMessages.push(message); take(message); }),
            set: receive => { take = receive; },
        });
    }";

/// A tab, seen by its user.
#[derive(Debug)]
pub struct Tab {
    client: Client,
    target: TargetId,
    session: SessionId,
}

impl Tab {
    /// Opens a URL in a new tab.
    pub async fn open(browser: &Chromium, url: &str) -> Self {
        let client = browser.client();
        let created = call(&client, None, "Target.createTarget", json!({ "url": "about:blank" })).await;
        let target = TargetId(created["targetId"].as_str().expect("a target").to_owned());
        let attach = json!({ "targetId": target, "flatten": true });
        let attached = call(&client, None, "Target.attachToTarget", attach).await;
        let session = SessionId(attached["sessionId"].as_str().expect("a session").to_owned());
        let tab = Self { client, target, session };
        tab.call("Page.enable", json!({})).await;
        tab.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": NOTE })).await;
        tab.navigate(url).await;
        tab
    }

    async fn call(&self, method: &str, params: Value) -> Value {
        call(&self.client, Some(&self.session), method, params).await
    }

    /// Goes to a URL.
    pub async fn navigate(&self, url: &str) {
        let navigated = self.call("Page.navigate", json!({ "url": url })).await;
        assert!(navigated["errorText"].is_null(), "{url}: {navigated}");
    }

    /// Reloads it.
    pub async fn reload(&self) {
        self.call("Page.reload", json!({})).await;
    }

    /// Closes it.
    pub async fn close(self) {
        call(&self.client, None, "Target.closeTarget", json!({ "targetId": self.target })).await;
    }

    /// The value of an expression, or of the promise that it gives.
    ///
    /// # Panics
    /// When it throws.
    pub async fn evaluate(&self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut evaluated = self.call("Runtime.evaluate", params).await;
        assert!(evaluated["exceptionDetails"].is_null(), "{expression}: {:#}", evaluated["exceptionDetails"]);
        evaluated["result"]["value"].take()
    }

    /// The value of the last expression of a script that may wait, with these constants in scope.
    pub async fn script(&self, constants: &Value, body: &str) -> Value {
        let names = constants.as_object().expect("constants have names").keys().cloned().collect::<Vec<_>>().join(", ");
        self.evaluate(&format!("(async ({{ {names} }}) => {{ {body} }})({constants})")).await
    }

    /// What slicc said to the page while the links of this document were set up. All of it fits the schema.
    pub async fn setup_messages(&self) -> Vec<Value> {
        let messages = self.evaluate("setupMessages").await;
        let messages = messages.as_array().expect("a list").clone();
        messages.iter().for_each(assert_setup_message);
        messages
    }
}
