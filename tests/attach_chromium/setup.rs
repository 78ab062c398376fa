//! Who may set a link up, and what is said about it: section "Setup over CDP", its rules and its log.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use serde_json::json;

use super::{Scene, attach};
use crate::support::{
    chromium::Chromium,
    run, servers,
    slicc_process::{Home, Slicc},
    tab::Tab,
};

/// A page of another site, with a seven inside that knows everything that the page knows, and a page that plays seven.
fn answer(request: &Request<Bytes>) -> Response<Full<Bytes>> {
    let page = match request.uri().path() {
        "/frame" => {
            "<script>addEventListener('message', ({ data, source }) => {
                for (const message of data) globalThis.sliccLinkSend?.(JSON.stringify(message));
                source.postMessage(typeof globalThis.sliccLinkSend, '*');
            });</script>"
        }
        _ => {
            "<iframe id=same src=/frame></iframe><iframe id=other></iframe><script>
            other.src = location.origin.replace('127.0.0.1', 'localhost') + '/frame';
            const load = frame => new Promise(done => { frame.onload = done; });
            const loaded = Promise.all([load(same), load(other)]);
            const connection = new RTCPeerConnection();
            connection.createDataChannel('slicc.link.v1');
            const answers = [];
            const start = async () => {
                await loaded;
                await connection.setLocalDescription();
                const { sdp } = connection.localDescription;
                globalThis.sliccLinkReceive = async message => {
                    if (message.t !== 'hello') return;
                    globalThis.nonce = message.nonce;
                    const forged = [{ t: 'bye', nonce, reason: 'forged' }, { t: 'offer', nonce, sdp }];
                    for (const frame of [same, other]) {
                        const answered = new Promise(done => addEventListener('message', done, { once: true }));
                        frame.contentWindow.postMessage(forged, '*');
                        answers.push((await answered).data);
                    }
                    sliccLinkSend(JSON.stringify({ t: 'offer', nonce, sdp }));
                };
            };
            start();
            </script>"
        }
    };
    Response::builder().header("Content-Type", "text/html").body(page.into()).expect("a page")
}

#[test]
fn iframes_that_know_the_nonce_can_neither_offer_nor_say_bye() {
    run(async {
        let site = servers::http(|request| answer(&request)).await;
        let origin = format!("http://{}", site.address());
        let chromium = Chromium::launch().await;
        let mut slicc = attach(&chromium, &origin, &[]);
        slicc.expect_status(&["waiting for a seven tab"]).await;
        let tab = Tab::open(&chromium, &origin).await;
        // One link, from the one offer of the page itself, after those of its iframes.
        slicc.expect_status(&[&format!("found seven on {origin}"), "linking"]).await;
        let answers = tab.evaluate("answers").await;
        assert_eq!(answers.as_array().unwrap().len(), 2, "both iframes tried: {answers}");
        tab.evaluate("sliccLinkSend(JSON.stringify({ t: 'bye', nonce: 'stale', reason: 'stale' }))").await;
        tab.evaluate("sliccLinkSend(JSON.stringify({ t: 'bye', nonce, reason: 'genuine' }))").await;
        slicc.expect_status(&["the link is down: genuine"]).await;
    });
}

#[test]
fn only_allowed_origins_are_attached_to_and_named() {
    run(async {
        let site = servers::http(|request| answer(&request)).await;
        let mut scene = Scene::start().await;
        let elsewhere = format!("http://{}", site.address());
        let stranger = Tab::open(&scene.chromium, &elsewhere).await;
        let tab = scene.open_page().await;
        assert_eq!(stranger.evaluate("typeof globalThis.sliccLinkSend").await, "undefined");
        assert_eq!(tab.evaluate("typeof globalThis.sliccLinkSend").await, "function");
        tab.navigate(&format!("{elsewhere}/hunter2")).await;
        // The new origin isn't named.
        scene.expect_page_gone("the page was reloaded or left").await;
        scene.slicc.expect_status(&["the seven tab left seven"]).await;
    });
}

#[test]
fn diagnostics_name_only_allowed_origins_and_hold_no_secret() {
    run(async {
        let site = servers::http(|request| answer(&request)).await;
        let (origin, other) = (format!("http://{}", site.address()), format!("http://localhost:{}", site.port()));
        let chromium = Chromium::launch().await;
        let home = Home::new();
        let mut command = home.slicc(["attach", "--cdp", &chromium.cdp(), "--origin", &origin]);
        command.env("SLICC_DEBUG", "1");
        let mut slicc = Slicc::spawn(home, command);
        let tab = Tab::open(&chromium, &format!("{origin}/path?hunter2")).await;
        let mut said = Vec::new();
        let has = |said: &[String], text: &str| said.iter().any(|line: &String| line.contains(text));
        while !has(&said, "slicc: linking") {
            said.push(slicc.status().await.expect("slicc runs"));
        }
        tab.evaluate(
            "document.body.append(Object.assign(document.createElement('iframe'), { src: 'data:,hunter2' })), 0",
        )
        .await;
        while !has(&said, "ignored a context on another origin") {
            said.push(slicc.status().await.expect("slicc runs"));
        }
        let nonce = tab.evaluate("nonce").await;
        tab.navigate("about:blank").await;
        while !has(&said, "slicc: the seven tab left seven") {
            said.push(slicc.status().await.expect("slicc runs"));
        }
        for secret in [nonce.as_str().unwrap(), "hunter2", &other, "about:blank", "ice-pwd", "v=0"] {
            let told: Vec<_> = said.iter().filter(|line| line.contains(secret)).collect();
            assert!(told.is_empty(), "{secret}: {told:#?}");
        }
    });
}

#[test]
fn a_page_whose_first_message_is_no_hello_is_unlinked() {
    run(async {
        let mut scene = Scene::start().await;
        let page = scene.servers.page_url();
        let tab = Tab::open(&scene.chromium, "about:blank").await;
        let found = format!("found seven on {}", scene.servers.page_origin());
        let mut found = Some(found.as_str());
        for hello in [
            "{}",
            "nonsense",
            "[]",
            r#"{"v":1,"role":"node"}"#,
            r#"{"v":0,"role":"page"}"#,
            r#"{"v":"1","role":"page"}"#,
            r#"{"role":"page"}"#,
        ] {
            let query: String = url::form_urlencoded::byte_serialize(hello.as_bytes()).collect();
            tab.navigate(&format!("{page}?hello={query}")).await;
            let reason = "the link is down: the first message of the page is not a valid HELLO";
            let lines: Vec<&str> = found.take().into_iter().chain(["linking", reason]).collect();
            scene.slicc.expect_status(&lines).await;
        }
        // What comes first as bytes is none, either.
        tab.navigate(&format!("{page}?hello=")).await;
        scene.slicc.expect_status(&["linking"]).await;
        tab.evaluate(
            "linkTest.until(() => linkTest.setup.sessions[0]?.link.peer)
                .then(() => linkTest.setup.sessions[0].link.control.channel.send(new Uint8Array([1, 0, 0, 0, 1])))",
        )
        .await;
        scene.slicc.expect_status(&["the link is down: the first message of the page is not a valid HELLO"]).await;
        // A later version may say more.
        let later = json!({ "v": 7, "role": "page", "name": "a later\u{1b}[2J page", "more": [] }).to_string();
        let query: String = url::form_urlencoded::byte_serialize(later.as_bytes()).collect();
        tab.navigate(&format!("{page}?hello={query}")).await;
        scene.slicc.expect_status(&["linking", "linked with a later[2J page"]).await;
    });
}

#[test]
fn a_page_that_says_no_hello_is_unlinked_after_10_s() {
    run(async {
        let mut scene = Scene::start().await;
        let _tab = Tab::open(&scene.chromium, &format!("{}?hello=", scene.servers.page_url())).await;
        let found = format!("found seven on {}", scene.servers.page_origin());
        scene.slicc.expect_status(&[&found, "linking", "the link is down: no HELLO from the page within 10 s"]).await;
    });
}
