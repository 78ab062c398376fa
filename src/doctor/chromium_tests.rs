//! The page in a real browser, against a node that lives in the page too.

use serde_json::{Value, json};

use super::servers::Servers;
use crate::{
    browser::{
        launch::{LaunchedBrowser, launch},
        test_browser,
    },
    cdp::{Client, EventFilter, Events, SessionId},
    host::RealSystem,
};

const FAKE_NODE: &str = include_str!("../../tests/page/fake-node.mjs");
const FILTER: EventFilter = EventFilter { methods: &["Page.loadEventFired"], max_bytes: 1024, queue: 8 };

/// The doctor's page in a browser.
struct Page {
    browser: LaunchedBrowser,
    client: Client,
    events: Events,
    session: SessionId,
}

impl Page {
    /// `None` where there is no browser.
    async fn open(servers: &Servers) -> Option<Self> {
        let options = test_browser::options("about:blank")?;
        let browser = launch(&RealSystem, &options).await.unwrap();
        let (client, events) = Client::connect(browser.endpoint(), FILTER).await.unwrap();
        let call = async |method, params| -> Value { client.call(None, method, params).await.unwrap().read().unwrap() };
        let targets = call("Target.getTargets", json!({})).await;
        let target = targets["targetInfos"].as_array().unwrap().iter().find(|info| info["type"] == "page").unwrap();
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = serde_json::from_value(call("Target.attachToTarget", attach).await["sessionId"].take()).unwrap();
        let mut page = Self { browser, client, events, session };
        page.call("Page.enable", json!({})).await;
        page.navigate(&servers.page_url()).await;
        Some(page)
    }

    /// Goes to a URL and waits for its load event, before which modules have run.
    async fn navigate(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": url })).await;
        self.events.next().await.unwrap();
    }

    async fn call(&self, method: &str, params: Value) -> Value {
        let patience = std::time::Duration::from_mins(1);
        self.client.call_within(patience, Some(&self.session), method, params).await.unwrap().read().unwrap()
    }

    async fn evaluate(&self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut result = self.call("Runtime.evaluate", params).await;
        assert!(result["exceptionDetails"].is_null(), "{result}");
        result["result"]["value"].take()
    }

    async fn close(self) {
        let Self { browser, client, .. } = self;
        browser.close(async { client.call(None, "Browser.close", json!({})).await.is_ok() }).await.unwrap();
    }
}

#[tokio::test]
async fn every_check_passes_against_a_node_in_the_page() {
    let servers = Servers::start().await.unwrap();
    let Some(page) = Page::open(&servers).await else { return };
    let config = servers.config_json(page.browser.endpoint().port());
    let script = FAKE_NODE.trim_end().trim_end_matches(';');
    let outcome = page.evaluate(&format!("{script}\n({config})")).await;
    for result in outcome["results"].as_array().unwrap() {
        assert_eq!(result["ok"], true, "{result}");
    }

    // Section "Local setup": the offer, then candidates, then their end.
    let order: Vec<&str> = outcome["order"].as_array().unwrap().iter().map(|step| step.as_str().unwrap()).collect();
    assert_eq!(order[0], "offer");
    assert_eq!(order.iter().filter(|step| **step == "offer").count(), 1);
    let end = order.iter().position(|step| *step == "end of candidates").unwrap();
    assert!(order[1..end].iter().filter(|step| **step == "candidate").count() > 0, "{order:?}");
    assert!(!order[end..].contains(&"candidate"), "{order:?}");
    assert!(order.contains(&"HELLO of page"));

    // What people see.
    assert_eq!(page.evaluate("document.querySelector('#state').textContent").await, "linked with fake-node");
    assert_eq!(page.evaluate("document.querySelector('#summary').textContent").await, "Everything works.");
    let passed = page.evaluate("document.querySelectorAll('#checks .passed').length").await;
    assert_eq!(passed, outcome["results"].as_array().unwrap().len());

    // The helpers for other tests, and the streams that the node opens.
    assert_eq!(page.evaluate("fakeNode.open('kernel')").await.as_str().unwrap().split(':').next(), Some("EOPNOTSUPP"));
    let refusal = page.evaluate("linkTest.refusal('tcp', { host: '10.0.0.1', port: 1 })").await;
    assert_eq!(refusal["code"], "EACCES");
    assert!(page.evaluate("linkTest.frames.length").await.as_u64().unwrap() > 10);

    assert_eq!(page.evaluate("fakeNode.bye('enough'), linkTest.closed()").await, "slicc said bye: enough");
    assert_eq!(page.evaluate("linkTest.setup.sessions.length").await, 0);
    page.close().await;
}

#[tokio::test]
async fn a_new_hello_of_the_same_node_replaces_its_link() {
    let servers = Servers::start().await.unwrap();
    let Some(mut page) = Page::open(&servers).await else { return };
    let sent = page
        .evaluate(
            "(async () => {
                const sent = [];
                globalThis.sliccLinkSend = text => sent.push(JSON.parse(text));
                const hello = (nonce, node) => sliccLinkReceive(JSON.stringify({ t: 'hello', v: 1, nonce, node }));
                hello('1', 'a');
                hello('1', 'a');
                hello('2', 'b');
                hello('3', 'a');
                sliccLinkReceive({ t: 'hello', v: 2, nonce: '4', node: 'c' });
                sliccLinkReceive({ t: 'answer', nonce: '1', sdp: 'stale' });
                for (const other of ['{', 'null', '[]', null, undefined, 7, {}]) sliccLinkReceive(other);
                await linkTest.until(() => sent.filter(({ t }) => t === 'offer').length >= 2);
                return { nonces: linkTest.setup.sessions.map(({ nonce }) => nonce), sent };
            })()",
        )
        .await;
    assert_eq!(sent["nonces"], json!(["2", "3"]));
    // The replaced link's node is the same one: it needs no bye.
    assert!(sent["sent"].as_array().unwrap().iter().all(|message| message["nonce"] != "1" || message["t"] != "bye"));

    // Tests of the node choose the page's first message.
    page.navigate(&format!("{}?hello=%7B%7D", servers.page_url())).await;
    assert_eq!(page.evaluate("linkTest.setup.hello()").await, "{}");
    page.navigate(&format!("{}?hello=", servers.page_url())).await;
    assert_eq!(page.evaluate("linkTest.setup.hello() === null").await, true);
    page.close().await;
}
