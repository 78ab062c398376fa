//! What a broken or hostile page may not do: section "Link", "Resets the stream with EPROTO" and "Closes the link".

use serde_json::{Value, json};

use super::Scene;
use crate::support::{
    run,
    servers::{self, Unanswering},
};

/// Helpers for single frames on the control channel.
const FRAMES: &str = "
    const received = (type, id) => linkTest.until(() => linkTest.frames.find(frame =>
        frame.direction === 'received' && frame.type === type && frame.id === id));
    const frame = linkTest.controlFrame;
    const tcp = async port => {
        const id = await linkTest.reserveId();
        await frame('OPEN', id, JSON.stringify({ kind: 'tcp', host: '127.0.0.1', port }));
        return id;
    };
    const open = async port => { const id = await tcp(port); await received('OPENED', id); return id; };
    const reset = async id => (await received('RESET', id)).text;
";

#[test]
fn streams_that_break_a_rule_are_reset_with_eproto_and_the_link_stays() {
    run(async {
        let mut scene = Scene::start().await;
        let tab = scene.open_page().await;
        let (echo, deaf, unanswering) = (servers::echo().await, servers::deaf(), Unanswering::start().await);
        let constants = json!({ "echo": echo.port(), "deaf": deaf.port(), "unanswering": unanswering.port() });
        for (violation, expected) in [
            ("id = await tcp(unanswering); await frame('DATA', id, 'x')", "DATA before OPENED"),
            ("id = await tcp(unanswering); await frame('END', id)", "END before OPENED"),
            ("id = await open(deaf); await frame('END', id); await frame('DATA', id, 'x')", "DATA after END"),
            ("id = await open(deaf); await frame('END', id); await frame('END', id)", "END after END"),
            ("id = await open(echo); await frame('DATA', id)", "empty DATA"),
            (
                // More than the sockets on the way to a server that reads nothing can hold.
                "id = await open(deaf); for (let n = 0; n < 192; n += 1) await frame('DATA', id, new Uint8Array(65_536))",
                "DATA past the window",
            ),
            ("id = await open(echo); await frame('CREDIT', id, [0, 0, 0, 0])", "CREDIT of 0"),
            ("id = await open(echo); await frame('CREDIT', id, [0, 0, 0, 1])", "CREDIT past what was sent"),
            ("id = await open(echo); await frame('OPENED', id, '{}')", "an unexpected OPENED"),
            ("id = await linkTest.reserveId(); await frame('OPEN', id)", "an OPEN without a JSON kind"),
            ("id = await linkTest.reserveId(); await frame('OPEN', id, 'tcp')", "an OPEN without a JSON kind"),
            ("id = await linkTest.reserveId(); await frame('OPEN', id, '{}')", "an OPEN without a JSON kind"),
            ("id = await linkTest.reserveId(); await frame('OPEN', id, '{\"kind\":1}')", "an OPEN without a JSON kind"),
        ] {
            let script = format!("{FRAMES} let id; {violation}; return reset(id);");
            let text = tab.script(&constants, &script).await;
            assert_eq!(text, format!("EPROTO: {expected}"), "{violation}");
        }
        assert_eq!(tab.evaluate("linkTest.resolve('127.0.0.1')").await, json!(["127.0.0.1"]));
    });
}

#[test]
fn frames_for_a_stream_on_another_channel_are_ignored() {
    run(async {
        let mut scene = Scene::start().await;
        let tab = scene.open_page().await;
        let echo = servers::echo().await;
        let script = "const stream = await linkTest.tcp('127.0.0.1', port);
            await linkTest.controlFrame('DATA', stream.id, 'ignored');
            await linkTest.controlFrame('RESET', stream.id, 'ECONNRESET');
            await linkTest.controlFrame('END', stream.id);
            await linkTest.resolve('127.0.0.1');
            await stream.send(linkTest.utf8('kept'));
            await stream.end();
            return linkTest.textOf(await stream.recvAll());";
        assert_eq!(tab.script(&json!({ "port": echo.port() }), script).await, "kept");
    });
}

#[test]
fn a_page_that_breaks_the_link_is_unlinked_and_may_link_again() {
    run(async {
        let mut scene = Scene::start().await;
        let tab = scene.open_page().await;
        let echo = servers::echo().await;
        let constants = json!({ "port": echo.port() });
        for (violation, reason) in [
            ("await frame(0, 1)", "the peer sent a frame of unknown type"),
            ("await frame(7, 1)", "the peer sent a frame of unknown type"),
            ("await frame(255, 1, 'x')", "the peer sent a frame of unknown type"),
            ("await linkTest.controlBytes([])", "the peer sent a short frame"),
            ("await linkTest.controlBytes([3, 0, 0, 0])", "the peer sent a short frame"),
            ("await frame('END', await open(port), 'x')", "the peer sent an END with a payload"),
            ("await frame('CREDIT', await open(port), [0, 0, 1])", "the peer sent a CREDIT that isn't 4 bytes"),
            ("await frame('CREDIT', await open(port), [0, 0, 0, 0, 1])", "the peer sent a CREDIT that isn't 4 bytes"),
            ("await frame('DATA', 0, 'x')", "the peer sent a frame for stream 0"),
            ("await frame('OPEN', 0, '{\"kind\":\"tcp\"}')", "the peer sent a frame for stream 0"),
            ("await frame('OPEN', 2, '{\"kind\":\"tcp\"}')", "the peer opened a stream with an id of the wrong parity"),
            (
                "await frame('OPEN', await open(port), '{\"kind\":\"tcp\"}')",
                "the peer opened a stream with an id it has used before",
            ),
            (
                "const id = await linkTest.reserveId(); await frame('OPEN', id, '{}'); await reset(id);
                await frame('OPEN', id, '{\"kind\":\"tcp\"}')",
                "the peer opened a stream with an id it has used before",
            ),
            ("await linkTest.controlText('{\"v\":1,\"role\":\"page\"}')", "the page sent a text message after HELLO"),
            ("await (await linkTest.rawChannel()).text('text')", "the page sent a text message after HELLO"),
            ("(await linkTest.link()).control.channel.close()", "the control channel closed"),
        ] {
            let script = format!("{FRAMES} {violation}; return linkTest.closed();");
            let closed = tab.script(&constants, &script).await;
            assert!(closed.is_string(), "{violation}");
            scene.slicc.expect_status(&[&format!("the link is down: {reason}")]).await;
            tab.reload().await;
            scene.expect_linked().await;
        }
    });
}

#[test]
fn a_second_open_on_a_stream_channel_closes_the_link() {
    run(async {
        let mut scene = Scene::start().await;
        let tab = scene.open_page().await;
        let echo = servers::echo().await;
        let open = json!({ "kind": "tcp", "host": "127.0.0.1", "port": echo.port() }).to_string();
        let script = "const channel = await linkTest.rawChannel();
            await channel.frame(linkTest.LINK.frames.OPEN, await linkTest.reserveId(), open);
            await linkTest.until(() => channel.frames.some(({ type }) => type === 'OPENED'));
            await channel.frame(linkTest.LINK.frames.OPEN, await linkTest.reserveId(), open);
            return linkTest.closed();";
        let closed: Value = tab.script(&json!({ "open": open }), script).await;
        assert!(closed.is_string());
        scene.slicc.expect_status(&["the link is down: the peer sent a second OPEN on a stream channel"]).await;
    });
}

#[test]
fn a_channel_with_another_label_is_closed_and_changes_nothing() {
    run(async {
        let mut scene = Scene::start().await;
        let tab = scene.open_page().await;
        let script = "for (const label of ['', 'slicc.link.v2', linkTest.LINK.channels.control]) {
                const channel = await linkTest.rawChannel(label);
                await linkTest.until(() => channel.closed);
            }
            return linkTest.resolve('127.0.0.1');";
        assert_eq!(tab.script(&json!({}), script).await, json!(["127.0.0.1"]));
    });
}
