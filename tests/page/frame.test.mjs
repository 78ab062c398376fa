import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LINK } from '../../src/doctor/page/constants.js';
import {
  ProtocolError,
  creditPayload,
  decodeFrame,
  encodeFrame,
  parseCredit,
  parseHello,
  parseObject,
  parseReset,
  resetPayload,
  textOf,
  utf8,
} from '../../src/doctor/page/frame.js';
import { ReceiveWindow, SendWindow } from '../../src/doctor/page/window.js';
import { encodeHead } from '../../src/doctor/page/streams.js';

const { frames, limits } = LINK;

test('a frame is a type, a big-endian id and a payload', () => {
  assert.deepEqual([...encodeFrame(frames.DATA, 0x01020304, utf8('hi'))], [3, 1, 2, 3, 4, 104, 105]);
  assert.deepEqual(decodeFrame(encodeFrame(frames.END, 0xffffffff)).id, 0xffffffff);
});

test('a frame inside a larger buffer is read at its offset', () => {
  const buffer = new Uint8Array([9, 9, ...encodeFrame(frames.CREDIT, 7, creditPayload(65536))]);
  const frame = decodeFrame(buffer.subarray(2));
  assert.equal(frame.id, 7);
  assert.equal(parseCredit(frame.payload), 65536);
});

test('what ends the link is refused', () => {
  for (const bytes of [
    [],
    [1],
    [1, 0, 0, 0],
    [0, 0, 0, 0, 1],
    [7, 0, 0, 0, 1],
    [255, 0, 0, 0, 1],
    [3, 0, 0, 0, 0, 1],
    [4, 0, 0, 0, 1, 0],
    [6, 0, 0, 0, 1],
    [6, 0, 0, 0, 1, 0, 0, 1],
    [6, 0, 0, 0, 1, 0, 0, 0, 0, 1],
  ]) {
    assert.throws(() => decodeFrame(Uint8Array.from(bytes)), ProtocolError, JSON.stringify(bytes));
  }
});

test('a payload up to the limit passes, one past it ends the link', () => {
  for (const type of [frames.DATA, frames.OPEN, frames.OPENED, frames.RESET]) {
    const limit = type === frames.DATA ? limits.data : limits.controlPayload;
    assert.equal(decodeFrame(encodeFrame(type, 1, new Uint8Array(limit))).payload.length, limit);
    assert.throws(() => decodeFrame(encodeFrame(type, 1, new Uint8Array(limit + 1))), ProtocolError);
  }
});

test('a reset has a code, and a message when one follows', () => {
  assert.deepEqual([parseReset(utf8('EACCES')).code, parseReset(utf8('EACCES')).detail], ['EACCES', '']);
  const reset = parseReset(resetPayload('ECONNREFUSED', 'fetch failed: a: b\nc'));
  assert.deepEqual([reset.code, reset.detail], ['ECONNREFUSED', 'fetch failed: a: b\nc']);
  for (const text of ['', 'no code', 'E:x', 'e: x']) assert.equal(parseReset(utf8(text)).code, 'ECONNRESET', text);
});

test('only a JSON object in UTF-8 is an object', () => {
  for (const text of ['', '[]', 'null', '1', '{', '"x"']) assert.equal(parseObject(utf8(text)), null, text);
  assert.equal(parseObject(Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), null);
  assert.deepEqual(parseObject(new Uint8Array(), { optional: true }), {});
});

test('a HELLO names its role and a version from 1 on', () => {
  for (const hello of [
    {},
    { v: 1 },
    { v: 1, role: 'page' },
    { v: 0, role: 'node' },
    { v: '1', role: 'node' },
    { v: 1.5, role: 'node' },
  ]) {
    assert.equal(parseHello(JSON.stringify(hello)), null);
  }
  assert.equal(parseHello(new ArrayBuffer(3)), null);
  assert.equal(parseHello('{"v":2,"role":"node","new":1}').v, 2);
});

test('any bytes decode or end the link, and nothing else', () => {
  let state = 42;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24;
  for (let round = 0; round < 20_000; round += 1) {
    const bytes = Uint8Array.from({ length: random() % 12 }, (_, at) => (at === 0 ? random() % 9 : random() % 3));
    try {
      const { type, id, payload } = decodeFrame(bytes);
      assert.deepEqual(encodeFrame(type, id, payload), bytes);
    } catch (error) {
      assert.ok(error instanceof ProtocolError, error);
    }
  }
});

test('credit of 0 or past what was sent is refused', () => {
  const window = new SendWindow();
  assert.equal(window.credit(0), false);
  assert.equal(window.credit(1), false);
  window.take(limits.window);
  assert.equal(window.available, 0);
  assert.equal(window.credit(limits.window + 1), false);
  assert.equal(window.credit(limits.window), true);
  assert.equal(window.available, limits.window);
});

test('data past the window is refused, and credit reopens it', () => {
  const window = new ReceiveWindow();
  assert.equal(window.accept(limits.window), true);
  assert.equal(window.accept(1), false);
  assert.equal(window.consume(limits.window / 4 - 1), 0);
  assert.equal(window.accept(1), false);
  assert.equal(window.consume(1), limits.window / 4);
  assert.equal(window.accept(limits.window / 4), true);
  assert.equal(window.settle(), 0);
});

test('an http head is its length, then its JSON in UTF-8', () => {
  const head = encodeHead({ url: 'é' });
  assert.equal(new DataView(head.buffer).getUint32(0), head.length - 4);
  assert.equal(textOf(head.subarray(4)), '{"url":"é"}');
});

test('the generated constants have what the page uses', () => {
  assert.equal(LINK.version, 1);
  assert.deepEqual(LINK.channels, { control: 'slicc.link.v1', stream: 'slicc.link.v1.stream' });
  assert.deepEqual(LINK.frames, { OPEN: 1, OPENED: 2, DATA: 3, END: 4, RESET: 5, CREDIT: 6 });
  for (const name of ['frameHeader', 'data', 'controlPayload', 'window', 'sctpReceiveBuffer', 'httpHead']) {
    assert.ok(Number.isInteger(limits[name]), name);
  }
  // Milliseconds, as setTimeout takes them.
  assert.equal(LINK.timeouts.hello, 10_000);
  assert.equal(LINK.timeouts.connect, 15_000);
});
