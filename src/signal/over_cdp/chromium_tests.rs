//! Setup against a real Chromium: pages on loopback play seven.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    sync::mpsc,
    task::JoinHandle,
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::OverCdp;
use crate::{
    browser::{
        launch::{LaunchedBrowser, launch},
        origin::{Origin, SevenOrigins},
        test_browser,
    },
    cdp::{Client, EventFilter, SessionId, TargetId},
    host::RealSystem,
    signal::{Ended, NodeId, Nonce, Notice, Reply, Signal, SignalError, Signaller},
};

/// Everything here takes milliseconds; a machine under load gets a minute.
const PATIENCE: Duration = Duration::from_mins(1);

/// A page that offers as soon as it has a hello, and keeps what else it is told.
const SEVEN: &str = "<script>
    globalThis.told = [];
    const start = () => { globalThis.sliccLinkReceive = message => {
        told.push(message);
        if (message.t === 'hello') {
            sliccLinkSend(JSON.stringify({ t: 'offer', nonce: message.nonce, sdp: location.pathname }));
        }
    }; };
</script>";

/// Serves pages on loopback: the path chooses the body.
struct Pages {
    origin: String,
    _server: AbortOnDropHandle<()>,
}

impl Pages {
    async fn serve(page: fn(&str) -> String) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let origin = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
        let server = tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let mut request = Vec::new();
                    while !request.ends_with(b"\r\n\r\n") {
                        match socket.read_u8().await {
                            Ok(byte) => request.push(byte),
                            Err(_) => return,
                        }
                    }
                    let request = String::from_utf8_lossy(&request).into_owned();
                    let body = page(request.split(' ').nth(1).unwrap_or("/"));
                    let answer = format!(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nCache-Control: no-store\r\n\
                         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
                        body.len()
                    );
                    // A page that navigates away hangs up.
                    let _ = socket.write_all(answer.as_bytes()).await;
                });
            }
        });
        Self { origin, _server: AbortOnDropHandle::new(server) }
    }
}

/// A browser, pages, a running signaller, and a client that plays the user.
struct Scene {
    signals: mpsc::Receiver<Signal>,
    replies: mpsc::Sender<Reply>,
    shutdown: CancellationToken,
    run: JoinHandle<Result<Ended, SignalError>>,
    user: Client,
    origin: String,
    _pages: Pages,
    browser: LaunchedBrowser,
}

impl Scene {
    /// `None` where there is no browser.
    async fn start(page: fn(&str) -> String) -> Option<Self> {
        let mut options = test_browser::options("about:blank")?;
        // The browser is one that slicc didn't launch.
        options.seven_flags = false;
        let browser = launch(&RealSystem, &options).await.unwrap();
        let pages = Pages::serve(page).await;
        let origin = pages.origin.clone();
        let (user, _) = Client::connect(browser.endpoint(), EventFilter::NONE).await.unwrap();
        let origins = SevenOrigins::new(vec![Origin::parse(&origin).unwrap()]);
        let config = OverCdp::connect(browser.endpoint(), origins, NodeId::mint()).await.unwrap();
        let (signal_sender, signals) = mpsc::channel(4);
        let (replies, reply_receiver) = mpsc::channel(4);
        let shutdown = CancellationToken::new();
        let run = tokio::spawn(config.run(signal_sender, reply_receiver, shutdown.clone()));
        let mut scene = Self { signals, replies, shutdown, run, user, origin, _pages: pages, browser };
        assert!(matches!(scene.signal().await, Signal::Notice(Notice::WaitingForTab)));
        Some(scene)
    }

    /// The next signal, but for the word of ignored contexts and of URLs and titles, which come when they come.
    async fn signal(&mut self) -> Signal {
        loop {
            match timeout(PATIENCE, self.signals.recv()).await.expect("a signal").expect("a running signaller") {
                Signal::Notice(Notice::IgnoredContext | Notice::Tab { .. }) => {}
                signal => return signal,
            }
        }
    }

    async fn notice(&mut self) -> Notice {
        match self.signal().await {
            Signal::Notice(notice) => notice,
            other => panic!("a notice, not {other:?}"),
        }
    }

    async fn found(&mut self) {
        let expected = Notice::FoundTab { origin: self.origin.clone() };
        assert_eq!(self.notice().await, expected);
    }

    async fn offer(&mut self, path: &str) -> Nonce {
        match self.signal().await {
            Signal::Offer { nonce, sdp } => {
                assert_eq!(sdp, path);
                nonce
            }
            other => panic!("an offer, not {other:?}"),
        }
    }

    async fn gone(&mut self, expected: &Nonce) {
        match self.signal().await {
            Signal::Gone { nonce, .. } => assert_eq!(nonce, *expected),
            other => panic!("the context is gone, not {other:?}"),
        }
    }

    async fn call(&self, session: Option<&SessionId>, method: &str, params: Value) -> Value {
        self.user.call_within(PATIENCE, session, method, params).await.unwrap().read().unwrap()
    }

    /// Opens a tab, and a session of the user's own on it.
    async fn open(&self, path: &str) -> (TargetId, SessionId) {
        let url = format!("{}{path}", self.origin);
        let target: TargetId = serde_json::from_value(
            self.call(None, "Target.createTarget", json!({"url": url})).await["targetId"].take(),
        )
        .unwrap();
        let params = json!({"targetId": target, "flatten": true});
        let session = self.call(None, "Target.attachToTarget", params).await["sessionId"].take();
        (target, serde_json::from_value(session).unwrap())
    }

    async fn navigate(&self, session: &SessionId, url: &str) {
        self.call(Some(session), "Page.navigate", json!({"url": url})).await;
    }

    async fn evaluate(&self, session: &SessionId, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        self.call(Some(session), "Runtime.evaluate", params).await["result"]["value"].take()
    }

    async fn close(&self, target: &TargetId) {
        self.call(None, "Target.closeTarget", json!({"targetId": target})).await;
    }

    async fn stop(self) -> Result<Ended, SignalError> {
        self.shutdown.cancel();
        drop(self.replies);
        timeout(PATIENCE, self.run).await.expect("an end").unwrap()
    }
}

fn seven(_path: &str) -> String {
    format!("{SEVEN}<script>start()</script>")
}

#[tokio::test]
async fn a_link_is_set_up_and_replies_reach_the_page_in_order() {
    let Some(mut scene) = Scene::start(seven).await else { return };
    let (_tab, session) = scene.open("/a").await;
    scene.found().await;
    let nonce = scene.offer("/a").await;
    scene.replies.send(Reply::Answer { nonce: nonce.clone(), sdp: "v=0".into() }).await.unwrap();
    scene.replies.send(Reply::Candidate { nonce: nonce.clone(), candidate: None }).await.unwrap();
    scene.replies.send(Reply::Bye { nonce: nonce.clone(), reason: "exit".into() }).await.unwrap();
    let told = "new Promise(resolve => { const look = () => told.length < 4 ? setTimeout(look, 5) \
                : resolve(told); look(); })";
    let told = scene.evaluate(&session, told).await;
    assert_eq!(told[0]["t"], "hello");
    assert_eq!(told[1], json!({"t": "answer", "nonce": nonce.0, "sdp": "v=0"}));
    assert_eq!(told[2], json!({"t": "candidate", "nonce": nonce.0, "candidate": null}));
    assert_eq!(told[3], json!({"t": "bye", "nonce": nonce.0, "reason": "exit"}));
    assert_eq!(scene.stop().await.unwrap(), Ended::Shutdown);
}

#[tokio::test]
async fn a_bye_sent_while_slicc_stops_reaches_the_page() {
    let Some(mut scene) = Scene::start(seven).await else { return };
    let (_tab, session) = scene.open("/a").await;
    scene.found().await;
    let nonce = scene.offer("/a").await;
    scene.shutdown.cancel();
    scene.replies.send(Reply::Bye { nonce, reason: "exit".into() }).await.unwrap();
    drop(scene.replies);
    assert_eq!(timeout(PATIENCE, &mut scene.run).await.unwrap().unwrap().unwrap(), Ended::Shutdown);
    let params = json!({"expression": "JSON.stringify(told.map(m => m.t))", "returnByValue": true});
    let told: Value = scene.user.call(Some(&session), "Runtime.evaluate", params).await.unwrap().read().unwrap();
    assert_eq!(told["result"]["value"], r#"["hello","bye"]"#);
}

#[tokio::test]
async fn a_page_that_is_ready_late_still_gets_its_hello() {
    let Some(mut scene) = Scene::start(|_| SEVEN.to_owned()).await else { return };
    let (_tab, session) = scene.open("/late").await;
    scene.found().await;
    scene.evaluate(&session, "start()").await;
    scene.offer("/late").await;
    assert_eq!(scene.stop().await.unwrap(), Ended::Shutdown);
}

#[tokio::test]
async fn a_reload_and_a_page_in_the_same_tab_start_over() {
    let Some(mut scene) = Scene::start(seven).await else { return };
    let (_tab, session) = scene.open("/a").await;
    scene.found().await;
    let first = scene.offer("/a").await;
    scene.call(Some(&session), "Page.reload", json!({})).await;
    scene.gone(&first).await;
    let second = scene.offer("/a").await;
    assert_ne!(first, second);
    // A same-document navigation isn't one: the next signal is the far navigation's.
    scene.evaluate(&session, "history.pushState(0, '', '/pushed'); location.hash = 'x'").await;
    scene.navigate(&session, &format!("{}/b", scene.origin)).await;
    scene.gone(&second).await;
    scene.offer("/b").await;
    assert_eq!(scene.stop().await.unwrap(), Ended::Shutdown);
}

#[tokio::test]
async fn a_tab_that_leaves_seven_and_comes_back_links_again() {
    let Some(mut scene) = Scene::start(seven).await else { return };
    let (_tab, session) = scene.open("/a").await;
    scene.found().await;
    let first = scene.offer("/a").await;
    // Another origin, in another process, whose page behaves as seven does.
    scene.navigate(&session, &format!("{}/evil", scene.origin.replace("127.0.0.1", "localhost"))).await;
    scene.gone(&first).await;
    assert_eq!(scene.notice().await, Notice::TabLeft);
    scene.navigate(&session, &format!("{}/b", scene.origin)).await;
    scene.found().await;
    let second = scene.offer("/b").await;
    scene.navigate(&session, "about:blank").await;
    scene.gone(&second).await;
    assert_eq!(scene.notice().await, Notice::TabLeft);
    scene.navigate(&session, &format!("{}/c", scene.origin)).await;
    scene.found().await;
    scene.offer("/c").await;
    assert_eq!(scene.stop().await.unwrap(), Ended::Shutdown);
}

#[tokio::test]
async fn a_page_from_the_back_forward_cache_gets_a_hello_too() {
    let Some(mut scene) = Scene::start(seven).await else { return };
    let (_tab, session) = scene.open("/a").await;
    scene.found().await;
    let first = scene.offer("/a").await;
    scene.navigate(&session, &format!("{}/elsewhere", scene.origin.replace("127.0.0.1", "localhost"))).await;
    scene.gone(&first).await;
    assert_eq!(scene.notice().await, Notice::TabLeft);
    scene.evaluate(&session, "history.back()").await;
    scene.found().await;
    let second = scene.offer("/a").await;
    assert_ne!(first, second);
    assert_eq!(scene.stop().await.unwrap(), Ended::Shutdown);
}

#[tokio::test]
async fn a_closed_tab_ends_the_link_and_the_next_one_is_taken() {
    let Some(mut scene) = Scene::start(seven).await else { return };
    let (tab, _) = scene.open("/a").await;
    scene.found().await;
    let first = scene.offer("/a").await;
    scene.close(&tab).await;
    scene.gone(&first).await;
    assert_eq!(scene.notice().await, Notice::TabClosed);
    assert_eq!(scene.notice().await, Notice::WaitingForTab);
    scene.open("/b").await;
    scene.found().await;
    scene.offer("/b").await;
    assert_eq!(scene.stop().await.unwrap(), Ended::Shutdown);
}

#[tokio::test]
async fn a_crashed_tab_links_again_after_a_reload() {
    let Some(mut scene) = Scene::start(seven).await else { return };
    let (_tab, session) = scene.open("/a").await;
    scene.found().await;
    let first = scene.offer("/a").await;
    // Nothing answers a call that crashes the page.
    let crash = scene.user.call_within(Duration::from_millis(1), Some(&session), "Page.crash", json!({})).await;
    assert!(crash.is_err());
    scene.gone(&first).await;
    scene.call(Some(&session), "Page.reload", json!({})).await;
    scene.found().await;
    scene.offer("/a").await;
    assert_eq!(scene.stop().await.unwrap(), Ended::Shutdown);
}

/// A page whose iframes, of the same and of other origins, and whose worker offer with the nonce that the page leaks to them.
fn framed(path: &str) -> String {
    let attack = "<script>addEventListener('message', event => { for (let i = 0; i < 50; i++) {
            globalThis.sliccLinkSend?.(JSON.stringify({ t: 'offer', nonce: event.data, sdp: 'forged' })); }
        event.source.postMessage(typeof sliccLinkSend, '*'); });</script>";
    match path {
        "/frame" => attack.to_owned(),
        _ => format!(
            "{SEVEN}<iframe id=same src=/frame></iframe><iframe id=other></iframe><script>
            let answers = 0;
            other.src = location.origin.replace('127.0.0.1', 'localhost') + '/frame';
            const loaded = Promise.all([same, other].map(frame => new Promise(done => frame.onload = done)));
            addEventListener('message', () => {{ if (++answers === 2) {{
                sliccLinkSend(JSON.stringify({{ t: 'offer', nonce: globalThis.nonce, sdp: 'genuine' }})); }} }});
            loaded.then(() => globalThis.sliccLinkReceive = message => {{
                globalThis.nonce = message.nonce;
                for (const frame of [same, other]) frame.contentWindow.postMessage(message.nonce, '*');
            }});
            </script>"
        ),
    }
}

#[tokio::test]
async fn iframes_that_know_the_nonce_cant_offer() {
    let Some(mut scene) = Scene::start(framed).await else { return };
    scene.open("/").await;
    scene.found().await;
    scene.offer("genuine").await;
    assert_eq!(scene.stop().await.unwrap(), Ended::Shutdown);
}

#[tokio::test]
async fn a_page_with_hostile_messages_still_links() {
    let scene = Scene::start(|_| {
        format!(
            "{SEVEN}<title>\\ud800</title><script>
            document.title = '\\ud800';
            globalThis.sliccLinkReceive = message => {{
                console.log('\\ud800');
                for (const hostile of ['', '{{', '\\ud800', 'x'.repeat(8 << 20), JSON.stringify({{ t: 'offer' }}),
                    JSON.stringify({{ t: 'offer', nonce: message.nonce, sdp: '\\ud800' }}),
                    JSON.stringify({{ t: 'offer', nonce: 'forged', sdp: 'forged' }})]) sliccLinkSend(hostile);
                sliccLinkSend(JSON.stringify({{ t: 'offer', nonce: message.nonce, sdp: 'genuine' }}));
            }};
            </script>"
        )
    });
    let Some(mut scene) = scene.await else { return };
    scene.open("/").await;
    scene.found().await;
    scene.offer("genuine").await;
    assert_eq!(scene.stop().await.unwrap(), Ended::Shutdown);
}

#[tokio::test]
async fn a_browser_that_quits_ends_setup_with_an_error() {
    let Some(mut scene) = Scene::start(seven).await else { return };
    scene.open("/a").await;
    scene.found().await;
    scene.offer("/a").await;
    drop(scene.browser);
    let error = timeout(PATIENCE, scene.run).await.expect("an end").unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the browser closed the connection");
}
