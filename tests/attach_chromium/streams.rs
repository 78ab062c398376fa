//! Streams of a real page.

use serde_json::{Value, json};

use super::Scene;
use crate::support::{
    run,
    servers::{self, pattern},
    within,
};

/// How many bytes go up and down.
const BYTES: usize = 4 << 20;

/// The doctor's config: where its servers listen.
fn ports(scene: &Scene) -> Value {
    serde_json::from_str(&scene.servers.config_json(scene.chromium.port())).expect("the config is JSON")
}

#[test]
fn tcp_resolve_and_http_work_on_both_kinds_of_channels() {
    run(async {
        let mut scene = Scene::start().await;
        let tab = scene.open_page().await;
        let echoed = "const texts = [];
            for (const control of [true, false]) {
                const stream = await linkTest.tcp(tcpHost, tcpPort, { control });
                const opened = await stream.opened;
                await stream.send(linkTest.utf8('héllo'));
                await stream.end();
                texts.push([linkTest.textOf(await stream.recvAll()), opened.remoteAddr === `${tcpHost}:${tcpPort}`]);
                const lookup = await linkTest.open('resolve', { name: 'localhost', family: 4 }, { control });
                texts.push((await lookup.opened).addresses);
                await lookup.end();
            }
            const response = await linkTest.http({ url: httpUrl });
            texts.push([response.status, response.text === httpText]);
            return texts;";
        let texts = tab.script(&ports(&scene), echoed).await;
        let once = [json!(["héllo", true]), json!(["127.0.0.1"])];
        assert_eq!(texts, json!([once[0], once[1], once[0], once[1], [200, true]]));
        // Where the streams went: OPENs on the control channel, and on channels of their own.
        let opens = tab
            .evaluate("linkTest.frames.filter(({ type, direction }) => type === 'OPEN' && direction === 'sent').map(({ channel }) => channel)")
            .await;
        assert_eq!(opens, json!(["control", "control", "stream", "stream", "stream"]));
    });
}

#[test]
fn megabytes_go_up_and_down_unchanged() {
    run(async {
        let mut scene = Scene::start().await;
        let tab = scene.open_page().await;
        let (sink, mut received) = servers::sink().await;
        let source = servers::source(pattern(BYTES, 11)).await;
        for control in [true, false] {
            let constants = json!({ "port": sink.port(), "control": control, "length": BYTES });
            let upload = "const stream = await linkTest.tcp('127.0.0.1', port, { control });
                await stream.send(linkTest.pattern(length, 7));
                await stream.end();
                return (await stream.recvAll()).length;";
            assert_eq!(tab.script(&constants, upload).await, 0);
            assert!(within("the upload", received.recv()).await.unwrap() == pattern(BYTES, 7), "control: {control}");
            let constants = json!({ "port": source.port(), "control": control, "length": BYTES });
            let download = "const stream = await linkTest.tcp('127.0.0.1', port, { control });
                const received = await stream.recvAll();
                await stream.end();
                return [received.length, linkTest.equal(received, linkTest.pattern(length, 11))];";
            assert_eq!(tab.script(&constants, download).await, json!([BYTES, true]), "control: {control}");
        }
    });
}

#[test]
fn a_long_body_is_streamed_to_an_http_server_and_back() {
    run(async {
        let mut scene = Scene::start().await;
        let tab = scene.open_page().await;
        let server = servers::http(|request| http::Response::new(request.into_body().into())).await;
        let constants = json!({ "url": format!("http://{}/", server.address()), "length": BYTES });
        let post = "const body = linkTest.pattern(length, 5);
            const { status, bytes } = await linkTest.http({ url, method: 'POST', body });
            return [status, bytes.length, linkTest.equal(bytes, body)];";
        assert_eq!(tab.script(&constants, post).await, json!([200, BYTES, true]));
    });
}

#[test]
fn hundreds_of_streams_are_open_at_once() {
    run(async {
        let mut scene = Scene::start().await;
        let tab = scene.open_page().await;
        let echo = servers::echo().await;
        let script = "const streams = [];
            for (let number = 0; number < 400; number += 1) {
                streams.push(await linkTest.tcp('127.0.0.1', port, { control: number % 2 === 0 }));
            }
            const texts = await Promise.all(streams.map(async (stream, number) => {
                await stream.send(linkTest.utf8(`stream ${number}`));
                await stream.end();
                return linkTest.textOf(await stream.recvAll());
            }));
            return texts.filter((text, number) => text === `stream ${number}`).length;";
        assert_eq!(tab.script(&json!({ "port": echo.port() }), script).await, 400);
    });
}

#[test]
fn refusals_reach_the_page_with_their_codes() {
    run(async {
        let mut scene = Scene::start_with(&["--deny", "127.0.0.9"]).await;
        let tab = scene.open_page().await;
        let constants = json!({ "debugPort": scene.chromium.port(), "closedPort": servers::closed_port() });
        let script = "const codes = [];
            for (const control of [true, false]) {
                for (const [kind, fields] of [
                    ['tcp', { host: '127.0.0.1', port: debugPort }],
                    ['tcp', { host: '::1', port: debugPort }],
                    ['tcp', { host: 'localhost', port: debugPort }],
                    ['tcp', { host: '169.254.169.254', port: 80 }],
                    ['tcp', { host: '127.0.0.9', port: 80 }],
                    ['tcp', { host: '127.0.0.1', port: closedPort }],
                    ['tcp', { port: 80 }],
                    ['cdp', {}],
                    ['ssh', {}],
                    ['nonsense', {}],
                ]) codes.push((await linkTest.refusal(kind, fields, { control })).code);
            }
            return codes;";
        let codes = tab.script(&constants, script).await;
        let once = [&["EACCES"; 5][..], &["ECONNREFUSED", "EPROTO"], &["EOPNOTSUPP"; 3]].concat();
        assert_eq!(codes, json!([once.clone(), once].concat()));
    });
}

#[test]
fn a_stream_that_the_page_resets_or_whose_channel_closes_ends_its_connection() {
    run(async {
        let mut scene = Scene::start().await;
        let tab = scene.open_page().await;
        let (sender, mut ends) = tokio::sync::mpsc::channel(4);
        let server = servers::Server::start(move |mut socket| {
            let sender = sender.clone();
            async move {
                let read = tokio::io::copy(&mut socket, &mut tokio::io::sink()).await;
                sender.send(read.is_ok()).await.map_err(std::io::Error::other)
            }
        })
        .await;
        let constants = json!({ "port": server.port() });
        for end in [
            "(await linkTest.tcp('127.0.0.1', port, { control: true })).reset('ECONNRESET', 'enough')",
            "(await linkTest.tcp('127.0.0.1', port)).reset('ECONNRESET', 'enough')",
            "(await linkTest.tcp('127.0.0.1', port)).port.channel.close()",
        ] {
            tab.script(&constants, end).await;
            within("the connection's end", ends.recv()).await.unwrap();
        }
        assert_eq!(tab.evaluate("linkTest.resolve('127.0.0.1')").await, json!(["127.0.0.1"]));
    });
}
