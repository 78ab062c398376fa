import assert from 'node:assert/strict';
import { test } from 'node:test';

import { equal, pattern } from '../../src/doctor/page/checks.js';
import { textOf, utf8 } from '../../src/doctor/page/frame.js';
import { kernelServer } from '../../src/doctor/page/kernel.js';

const TIMEOUT = { timeout: 10_000 };
const HOST = '5173.kernel.localhost:8080';

/** What the server sends when the browser sends these bytes, cut into pieces of `size`. */
async function served(bytes, { size = bytes.length, port = 5173 } = {}) {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  const sent = [];
  const stream = {
    fields: { port },
    accept: () => sent.push('accepted'),
    reset: (code) => sent.push(code),
    recv: async () => pieces.shift() ?? null,
    send: async (piece) => void sent.push(...piece),
    end: async () => sent.push('ended'),
  };
  await kernelServer(5173)(stream);
  const data = Uint8Array.from(sent.filter((item) => typeof item === 'number'));
  return { marks: sent.filter((item) => typeof item === 'string'), data, text: textOf(data) };
}

const get = (target = '/', more = '') => `GET ${target} HTTP/1.1\r\nHost: ${HOST}\r\n${more}\r\n`;
const bodies = (text) => text.split('\r\n\r\n').slice(1);

test('another port has no server', TIMEOUT, async () => {
  assert.deepEqual((await served(utf8(get()), { port: 80 })).marks, ['ECONNREFUSED']);
});

test('a connection is kept for more requests until the browser ends it or says close', TIMEOUT, async () => {
  for (const size of [1, 7, 1000]) {
    const { marks, text } = await served(utf8(get() + get('/none') + get()), { size });
    assert.deepEqual(marks, ['accepted', 'ended']);
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
    assert.equal(bodies(text).at(-1), HOST);
  }
  const { text } = await served(utf8(get('/', 'Connection: close\r\n') + get()));
  assert.equal(text.match(/HTTP\/1\.1/g).length, 1);
});

test('a body comes back in the framing that it came in', TIMEOUT, async () => {
  const head = `POST / HTTP/1.1\r\nHost: ${HOST}\r\n`;
  for (const size of [1, 5, 1000]) {
    const sized = await served(utf8(`${head}Content-Length: 5\r\n\r\nhello${get()}`), { size });
    const [echo, last] = bodies(sized.text);
    assert.ok(echo.startsWith('helloHTTP/1.1 200 OK\r\n'));
    assert.equal(last, HOST);
    const chunks = '3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nTrailer: z\r\n\r\n';
    const chunked = await served(utf8(`${head}Transfer-Encoding: chunked\r\n\r\n${chunks}`), { size });
    assert.match(chunked.text, /Transfer-Encoding: chunked/);
    assert.ok(chunked.text.endsWith('\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n'));
  }
});

/** A frame as a browser sends it. */
function masked(first, payload) {
  const mask = [1, 2, 3, 4];
  const length = payload.length;
  const bytesOf = (count) => Array.from({ length: count }, (_, at) => Math.floor(length / 256 ** (count - 1 - at)) & 255);
  const size = length < 126 ? [length] : length < 65_536 ? [126, ...bytesOf(2)] : [127, ...bytesOf(8)];
  size[0] |= 0x80;
  return Uint8Array.of(first, ...size, ...mask, ...payload.map((byte, at) => byte ^ mask[at % 4]));
}

test('a WebSocket greets together with the 101, and echoes', TIMEOUT, async () => {
  // The key and its answer are those of RFC 6455.
  const upgrade = get('/', 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n');
  const long = pattern(70_000);
  const frames = [masked(0x82, long), masked(0x81, pattern(300)), masked(0x89, utf8('x')), masked(0x88, [3, 232])];
  const bytes = Uint8Array.from([utf8(upgrade), ...frames].flatMap((part) => [...part]));
  for (const size of [97, 4096]) {
    const { marks, data } = await served(bytes, { size });
    assert.deepEqual(marks, ['accepted', 'ended']);
    const head = textOf(data.subarray(0, data.indexOf(0x81)));
    assert.match(head, /^HTTP\/1\.1 101 .*Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n\r\n$/s);
    const rest = data.subarray(head.length);
    const greeting = 2 + HOST.length;
    assert.equal(textOf(rest.subarray(2, greeting)), HOST);
    const echo = rest.subarray(greeting);
    assert.deepEqual([...echo.subarray(0, 10)], [0x82, 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70]);
    assert.ok(equal(echo.subarray(10, 10 + long.length), long));
    assert.deepEqual([...echo.subarray(10 + long.length, 14 + long.length)], [0x81, 126, 1, 44]);
    assert.deepEqual([...echo.subarray(-7)], [0x8a, 1, 120, 0x88, 2, 3, 232]);
  }
});

test('what is no request ends the stream with an error', TIMEOUT, async () => {
  const head = 'GET / HTTP/1.1\r\n';
  for (const bytes of [head, `${head}X: y\r\n`, `${head}X: ${'y'.repeat(20_000)}\r\n\r\n`]) {
    await assert.rejects(served(utf8(bytes)), { name: 'StreamError' });
  }
  const unmasked = Uint8Array.of(...utf8(get('/', 'Upgrade: websocket\r\n')), 0x81, 1, 120);
  await assert.rejects(served(unmasked), /masked/);
});
