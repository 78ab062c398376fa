import assert from 'node:assert/strict';
import { test } from 'node:test';

import { creditPayload } from '../../src/doctor/page/frame.js';
import { http, resolve, tcp, ws } from '../../src/doctor/page/streams.js';
import { NODE_HELLO, channels, frames, limits, linked, settle } from './fakes.mjs';

const TIMEOUT = { timeout: 10_000 };

/** A tcp stream that the node has accepted. */
async function accepted(fixture, options) {
  const stream = fixture.link.open('tcp', { host: 'a', port: 1 }, options);
  const remote = options?.control ? fixture.node : await fixture.channel();
  assert.deepEqual(JSON.parse(await remote.expect(frames.OPEN, stream.id)), { kind: 'tcp', host: 'a', port: 1 });
  remote.frame(frames.OPENED, stream.id, '{}');
  await stream.opened;
  return { stream, remote };
}

test('the page says HELLO first and takes the node’s', TIMEOUT, async () => {
  const { link, node } = await linked({ hello: null });
  node.text(JSON.stringify(NODE_HELLO));
  assert.equal((await link.ready).host, 'test');
  assert.equal(link.peer.role, 'node');
});

test('a first message that is no HELLO closes the link', TIMEOUT, async () => {
  for (const first of ['{}', 'x', JSON.stringify({ v: 1, role: 'page' })]) {
    const { link, node } = await linked({ hello: null });
    node.text(first);
    assert.match(await link.closed, /EPROTO: .*HELLO/);
    await assert.rejects(link.ready);
  }
  const { link, node } = await linked({ hello: null });
  node.frame(frames.OPEN, 2, '{"kind":"x"}');
  assert.match(await link.closed, /HELLO/);
});

test('no HELLO in time closes the link', TIMEOUT, async () => {
  const { link } = await linked({ hello: null, helloLimit: 5 });
  assert.match(await link.closed, /no HELLO/);
});

test('a text after HELLO closes the link', TIMEOUT, async () => {
  const { link, node } = await linked();
  node.text(JSON.stringify(NODE_HELLO));
  assert.match(await link.closed, /text after HELLO/);
});

test('frames before HELLO are held until it comes', TIMEOUT, async () => {
  const fixture = await linked({ hello: null });
  const remote = await fixture.openChannel();
  remote.frame(frames.OPEN, 2, '{"kind":"unknown"}');
  await settle();
  assert.equal(remote.received.length, 0);
  fixture.node.text(JSON.stringify(NODE_HELLO));
  assert.match(await remote.expect(frames.RESET, 2), /^EOPNOTSUPP/);
});

test('frames that end the link end it, with every stream', TIMEOUT, async () => {
  const violations = [
    (node) => node.bytes([9, 0, 0, 0, 2]),
    (node) => node.bytes([3, 0, 0]),
    (node) => node.bytes([3, 0, 0, 0, 0, 1]),
    (node) => node.bytes([4, 0, 0, 0, 1, 1]),
    (node) => node.bytes([6, 0, 0, 0, 1, 1]),
    (node) => node.frame(frames.OPEN, 3, '{"kind":"x"}'),
    (node) => (node.frame(frames.OPEN, 2, '{"kind":"x"}'), node.frame(frames.OPEN, 2, '{"kind":"x"}')),
  ];
  for (const violate of violations) {
    const fixture = await linked();
    const { stream } = await accepted(fixture);
    violate(fixture.node);
    assert.match(await fixture.link.closed, /^EPROTO/);
    await assert.rejects(stream.recv(), { code: 'ECONNRESET' });
    assert.throws(() => fixture.link.open('tcp'), { code: 'ECONNRESET' });
  }
});

test('an id out of order is not a used one', TIMEOUT, async () => {
  const { link, node } = await linked();
  for (const id of [6, 2, 4, 8]) {
    node.frame(frames.OPEN, id, '{"kind":"x"}');
    await node.expect(frames.RESET, id);
  }
  node.frame(frames.OPEN, 6, '{"kind":"x"}');
  assert.match(await link.closed, /used twice/);
});

test('a second OPEN on a stream channel closes the link', TIMEOUT, async () => {
  const ours = await linked();
  const { remote } = await accepted(ours);
  remote.frame(frames.OPEN, 2, '{"kind":"x"}');
  assert.match(await ours.link.closed, /second OPEN/);

  const theirs = await linked();
  theirs.link.handle('x', (stream) => stream.accept());
  const channel = await theirs.openChannel();
  channel.frame(frames.OPEN, 2, '{"kind":"x"}');
  await channel.expect(frames.OPENED, 2);
  channel.frame(frames.OPEN, 4, '{"kind":"x"}');
  assert.match(await theirs.link.closed, /second OPEN/);
});

test('violations inside a stream reset it with EPROTO and nothing else', TIMEOUT, async () => {
  const violations = {
    'DATA before OPENED': (remote, id) => remote.frame(frames.DATA, id, 'x'),
    'END before OPENED': (remote, id) => remote.frame(frames.END, id),
    'empty DATA': (remote, id) => (remote.frame(frames.OPENED, id), remote.frame(frames.DATA, id)),
    'DATA after END': (remote, id) => {
      remote.frame(frames.OPENED, id);
      remote.frame(frames.END, id);
      remote.frame(frames.DATA, id, 'x');
    },
    'END after END': (remote, id) => {
      remote.frame(frames.OPENED, id);
      remote.frame(frames.END, id);
      remote.frame(frames.END, id);
    },
    'DATA past the window': (remote, id) => {
      remote.frame(frames.OPENED, id);
      for (let sent = 0; sent < limits.window; sent += limits.data) {
        remote.frame(frames.DATA, id, new Uint8Array(limits.data));
      }
      remote.frame(frames.DATA, id, 'x');
    },
    'a second OPENED': (remote, id) => (remote.frame(frames.OPENED, id), remote.frame(frames.OPENED, id)),
    'OPENED without JSON': (remote, id) => remote.frame(frames.OPENED, id, '{'),
    'CREDIT of 0': (remote, id) => remote.frame(frames.CREDIT, id, creditPayload(0)),
    'CREDIT past what was sent': (remote, id) => remote.frame(frames.CREDIT, id, creditPayload(1)),
  };
  for (const control of [false, true]) {
    for (const [name, violate] of Object.entries(violations)) {
      const fixture = await linked();
      const stream = fixture.link.open('tcp', {}, { control });
      const remote = control ? fixture.node : await fixture.channel();
      await remote.expect(frames.OPEN, stream.id);
      violate(remote, stream.id);
      assert.match(await remote.expect(frames.RESET, stream.id), /^EPROTO/, name);
      await assert.rejects(stream.recv(), { code: 'EPROTO' }, name);
      assert.equal(fixture.link.reason, null, name);
      if (!control) assert.equal(await remote.next(), null, `${name}: the channel stays open`);
    }
  }
});

test('an OPEN without a kind is EPROTO, one of a kind nobody serves EOPNOTSUPP', TIMEOUT, async () => {
  const fixture = await linked();
  for (const [open, code] of [
    ['', 'EPROTO'],
    ['[]', 'EPROTO'],
    ['{}', 'EPROTO'],
    ['{"kind":1}', 'EPROTO'],
    ['{"kind":"kernel"}', 'EOPNOTSUPP'],
  ]) {
    const remote = await fixture.openChannel();
    const id = fixture.id = (fixture.id ?? 0) + 2;
    remote.frame(frames.OPEN, id, open);
    assert.ok((await remote.expect(frames.RESET, id)).startsWith(code), open);
    assert.equal(await remote.next(), null);
  }
  assert.equal(fixture.link.reason, null);
});

test('a served stream of the node’s is accepted and echoed', TIMEOUT, async () => {
  const fixture = await linked();
  fixture.link.handle('kernel', async (stream) => {
    assert.deepEqual(stream.fields, { port: 80 });
    stream.accept();
    await stream.send(await stream.recv());
    await stream.end();
  });
  const remote = await fixture.openChannel();
  remote.frame(frames.OPEN, 2, '{"kind":"kernel","port":80}');
  assert.equal(await remote.expect(frames.OPENED, 2), '{}');
  remote.frame(frames.DATA, 2, 'ping');
  assert.equal(await remote.expect(frames.DATA, 2), 'ping');
  await remote.expect(frames.END, 2);
  remote.frame(frames.END, 2);
  assert.equal(await remote.next(), null);
});

test('a handler that throws resets its stream', TIMEOUT, async () => {
  const fixture = await linked();
  fixture.link.handle('kernel', () => {
    throw new Error('broken');
  });
  const remote = await fixture.openChannel();
  remote.frame(frames.OPEN, 2, '{"kind":"kernel"}');
  assert.equal(await remote.expect(frames.RESET, 2), 'ECONNRESET');
});

test('frames on another channel, and late ones, mean nothing', TIMEOUT, async () => {
  const fixture = await linked();
  const { stream, remote } = await accepted(fixture);
  fixture.node.frame(frames.DATA, stream.id, 'wrong channel');
  fixture.node.frame(frames.RESET, stream.id, 'ECONNRESET');
  fixture.node.frame(frames.DATA, 99, 'unknown');
  await settle();
  remote.frame(frames.DATA, stream.id, 'right');
  assert.equal((await stream.recv()).length, 5);
  stream.reset('ECONNRESET', 'enough');
  fixture.node.frame(frames.DATA, stream.id, 'late');
  await settle();
  assert.equal(fixture.link.reason, null);
});

test('a half-closed stream still receives, and its channel closes when both sides are done', TIMEOUT, async () => {
  const fixture = await linked();
  const { stream, remote } = await accepted(fixture);
  await stream.end();
  await remote.expect(frames.END, stream.id);
  await assert.rejects(stream.send(new Uint8Array(1)), { code: 'EPIPE' });
  remote.frame(frames.DATA, stream.id, 'answer');
  remote.frame(frames.END, stream.id);
  assert.equal(await remote.next(), null);
  assert.equal((await stream.recvAll()).length, 6);
  assert.equal(await stream.recv(), null);
});

test('a channel that closes early resets its stream', TIMEOUT, async () => {
  const fixture = await linked();
  const { stream, remote } = await accepted(fixture);
  const waiting = stream.recv();
  remote.channel.close();
  await assert.rejects(waiting, { code: 'ECONNRESET' });
  assert.equal(fixture.link.reason, null);
});

test('the sender stops at the window and goes on with credit', TIMEOUT, async () => {
  const fixture = await linked();
  const { stream, remote } = await accepted(fixture);
  const sending = stream.send(new Uint8Array(limits.window + 10));
  let received = 0;
  while (received < limits.window) {
    const { type, payload } = await remote.next();
    assert.equal(type, frames.DATA);
    assert.ok(payload.length <= limits.data);
    received += payload.length;
  }
  await settle();
  assert.equal(remote.received.length, 0);
  remote.frame(frames.CREDIT, stream.id, creditPayload(4));
  assert.equal((await remote.expect(frames.DATA, stream.id)).length, 4);
  remote.frame(frames.CREDIT, stream.id, creditPayload(limits.window));
  assert.equal((await remote.expect(frames.DATA, stream.id)).length, 6);
  await sending;
});

test('a reset frees a sender that waits for credit', TIMEOUT, async () => {
  const fixture = await linked();
  const { stream, remote } = await accepted(fixture);
  const sending = stream.send(new Uint8Array(limits.window * 2));
  await settle();
  remote.frame(frames.RESET, stream.id, 'ECONNREFUSED: gone');
  await assert.rejects(sending, { code: 'ECONNREFUSED', detail: 'gone' });
});

test('credit is given for consumed bytes only', TIMEOUT, async () => {
  const fixture = await linked();
  const { stream, remote } = await accepted(fixture);
  for (let sent = 0; sent < limits.window; sent += limits.data) {
    remote.frame(frames.DATA, stream.id, new Uint8Array(limits.data));
  }
  await settle();
  assert.equal(remote.received.length, 0);
  await stream.recv();
  const { type, payload } = await remote.next();
  assert.equal(type, frames.CREDIT);
  assert.equal(new DataView(payload.buffer, payload.byteOffset).getUint32(0), limits.data);
});

test('streams share the control channel without mixing', TIMEOUT, async () => {
  const fixture = await linked();
  const first = await accepted(fixture, { control: true });
  const second = await accepted(fixture, { control: true });
  fixture.node.frame(frames.DATA, second.stream.id, '2');
  fixture.node.frame(frames.DATA, first.stream.id, '1');
  assert.equal((await first.stream.recv())[0], 49);
  assert.equal((await second.stream.recv())[0], 50);
  first.stream.reset('ECONNRESET');
  assert.equal(await fixture.node.expect(frames.RESET, first.stream.id), 'ECONNRESET');
  assert.equal(fixture.link.reason, null);
});

test('a channel with another label is closed', TIMEOUT, async () => {
  const fixture = await linked();
  for (const label of [channels.control, 'other']) {
    const remote = await fixture.openChannel(label);
    assert.equal(await remote.next(), null);
  }
  assert.equal(fixture.link.reason, null);
});

test('the end of the control channel is the end of the link', TIMEOUT, async () => {
  const fixture = await linked();
  fixture.node.channel.close();
  assert.match(await fixture.link.closed, /control channel closed/);
});

test('resolve, tcp and http speak as the requirement has it', TIMEOUT, async () => {
  const fixture = await linked();
  const resolving = resolve(fixture.link, 'localhost', 4);
  const id = 1;
  assert.deepEqual(JSON.parse(await fixture.node.expect(frames.OPEN, id)), {
    kind: 'resolve',
    name: 'localhost',
    family: 4,
  });
  fixture.node.frame(frames.OPENED, id, '{"addresses":["127.0.0.1"],"ttl":30}');
  fixture.node.frame(frames.END, id);
  assert.deepEqual(await resolving, ['127.0.0.1']);
  await fixture.node.expect(frames.END, id);

  const connecting = tcp(fixture.link, '169.254.169.254', 80);
  const refused = await fixture.channel();
  await refused.expect(frames.OPEN);
  refused.frame(frames.RESET, 3, 'EACCES: no');
  await assert.rejects(connecting, { code: 'EACCES', message: 'EACCES: no' });

  const fetching = http(fixture.link, { url: 'http://h/', method: 'POST', body: 'body' });
  const server = await fixture.channel();
  await server.expect(frames.OPEN, 5);
  server.frame(frames.OPENED, 5);
  const head = (await server.expect(frames.DATA, 5)).slice(4);
  assert.deepEqual(JSON.parse(head), { url: 'http://h/', method: 'POST', headers: [] });
  assert.equal(await server.expect(frames.DATA, 5), 'body');
  await server.expect(frames.END, 5);
  const answer = '{"status":200,"statusText":"OK","headers":[["x","y"]],"url":"http://h/"}';
  const bytes = `\0\0\0${String.fromCharCode(answer.length)}${answer}hello`;
  for (const byte of bytes) server.frame(frames.DATA, 5, byte);
  server.frame(frames.END, 5);
  const response = await fetching;
  assert.equal(response.text, 'hello');
  assert.equal(response.header('x'), 'y');
});

test('a WebSocket sends and reads records however DATA is cut', TIMEOUT, async () => {
  const fixture = await linked();
  const opening = ws(fixture.link, 'ws://a/', { protocols: ['chat'] });
  const remote = await fixture.channel();
  const id = 1;
  const open = JSON.parse(await remote.expect(frames.OPEN, id));
  assert.deepEqual(open, { kind: 'ws', url: 'ws://a/', protocols: ['chat'], headers: [] });
  remote.frame(frames.OPENED, id, '{"protocol":"chat"}');
  const socket = await opening;
  assert.equal(socket.protocol, 'chat');
  const bytes = [1, 0, 0, 0, 2, 0xc3, 0xa9, 2, 0, 0, 0, 0, 8, 0, 0, 0, 3, 3, 0xe8, 0x78];
  for (const byte of bytes) remote.frame(frames.DATA, id, Uint8Array.of(byte));
  remote.frame(frames.END, id);
  assert.equal(await socket.recv(), 'é');
  assert.deepEqual(await socket.recv(), new Uint8Array());
  assert.deepEqual(await socket.recv(), { code: 1000, reason: 'x' });
  assert.equal(await socket.recv(), null);
});
