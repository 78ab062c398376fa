// A server in the page, behind a port of its kernel (section "Kernel services" of the requirement): HTTP/1.1 that echoes, and
// a WebSocket that does.

import { StreamError, utf8 } from './frame.js';
import { ExactReader } from './streams.js';

/** Bytes of one line of a head, and lines of one head. */
const LINE_LIMIT = 16 * 1024;
const MAX_LINES = 128;
/** Bytes of one WebSocket frame. */
const FRAME_LIMIT = 1024 * 1024;
const PIECE = 64 * 1024;
/** What a WebSocket's key is hashed with (RFC 6455, section 1.3). */
const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const OPCODES = { close: 8, ping: 9, pong: 10 };

/** Serves a stream of the node's: HTTP for the port `port`, and nothing for any other. */
export function kernelServer(port) {
  return async (stream) => {
    if (stream.fields.port !== port) {
      stream.reset('ECONNREFUSED', 'nothing listens on that port');
      return;
    }
    stream.accept();
    const reader = new ExactReader(stream);
    while (!(await reader.ended())) {
      const request = await readHead(reader);
      if (request.field('upgrade')?.toLowerCase() === 'websocket') {
        await webSocket(stream, reader, request);
        break;
      }
      await answer(stream, reader, request);
      if (request.field('connection')?.toLowerCase() === 'close' || request.version === 'HTTP/1.0') break;
    }
    await stream.end();
  };
}

async function readHead(reader) {
  const [method, target, version] = (await reader.line(LINE_LIMIT)).split(' ');
  const fields = new Map();
  for (let line = await reader.line(LINE_LIMIT); line !== ''; line = await reader.line(LINE_LIMIT)) {
    if (fields.size === MAX_LINES) throw new StreamError('EPROTO', 'the head has too many lines');
    const colon = line.indexOf(':');
    fields.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { method, target, version, field: (name) => fields.get(name) };
}

/** The Host as the answer to GET /, and the body as the answer to POST, in the framing that it came in. */
async function answer(stream, reader, request) {
  if (request.method === 'GET' && request.target === '/') {
    const body = utf8(request.field('host') ?? '');
    await stream.send(responseHead('200 OK', `Content-Length: ${body.length}`));
    await stream.send(body);
  } else if (request.method === 'POST' && request.field('transfer-encoding') === 'chunked') {
    await stream.send(responseHead('200 OK', 'Transfer-Encoding: chunked'));
    for (let left = await chunkSize(reader); left > 0; left = await chunkSize(reader)) {
      await stream.send(utf8(`${left.toString(16)}\r\n`));
      await copy(stream, reader, left);
      await stream.send(utf8('\r\n'));
      await reader.line(LINE_LIMIT);
    }
    while ((await reader.line(LINE_LIMIT)) !== '');
    await stream.send(utf8('0\r\n\r\n'));
  } else if (request.method === 'POST') {
    const length = Number(request.field('content-length') ?? 0);
    await stream.send(responseHead('200 OK', `Content-Length: ${length}`));
    await copy(stream, reader, length);
  } else {
    await stream.send(responseHead('404 Not Found', 'Content-Length: 0'));
  }
}

// Every page may read what is echoed: it holds nothing but what the page itself has sent.
const responseHead = (status, framing) =>
  utf8(
    `HTTP/1.1 ${status}\r\n${framing}\r\nContent-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n` +
      'Access-Control-Allow-Origin: *\r\n\r\n',
  );

async function chunkSize(reader) {
  const size = Number.parseInt(await reader.line(LINE_LIMIT), 16);
  if (!Number.isSafeInteger(size)) throw new StreamError('EPROTO', 'a chunk without a size');
  return size;
}

async function copy(stream, reader, length) {
  for (let left = length; left > 0; ) {
    const piece = await reader.some(Math.min(left, PIECE));
    await stream.send(piece);
    left -= piece.length;
  }
}

/** Says the Host, then echoes each frame until a close. */
async function webSocket(stream, reader, request) {
  const digest = await crypto.subtle.digest('SHA-1', utf8(request.field('sec-websocket-key') + WEBSOCKET_GUID));
  const accept = btoa(String.fromCharCode(...new Uint8Array(digest)));
  const upgrade = utf8(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  // The first frame comes in the same piece as the 101, which is what breaks a careless relay.
  await stream.send(Uint8Array.of(...upgrade, ...frame(0x81, utf8(request.field('host') ?? ''))));
  for (;;) {
    const { first, payload } = await readFrame(reader);
    const opcode = first & 0xf;
    await stream.send(frame(opcode === OPCODES.ping ? 0x80 | OPCODES.pong : first, payload));
    if (opcode === OPCODES.close) return;
  }
}

async function readFrame(reader) {
  const [first, second] = await reader.read(2);
  let length = second & 0x7f;
  if (length === 126) length = new DataView((await reader.read(2)).buffer).getUint16(0);
  else if (length === 127) length = Number(new DataView((await reader.read(8)).buffer).getBigUint64(0));
  if (length > FRAME_LIMIT || second < 0x80) throw new StreamError('EPROTO', 'a frame that is too long or not masked');
  const mask = await reader.read(4);
  const payload = (await reader.read(length)).map((byte, at) => byte ^ mask[at % 4]);
  return { first, payload };
}

/** A frame of the server's. */
function frame(first, payload) {
  const long = payload.length > 0xffff ? 8 : payload.length > 125 ? 2 : 0;
  const bytes = new Uint8Array(2 + long + payload.length);
  const view = new DataView(bytes.buffer);
  bytes[0] = first;
  bytes[1] = long === 8 ? 127 : long === 2 ? 126 : payload.length;
  if (long === 8) view.setBigUint64(2, BigInt(payload.length));
  else if (long === 2) view.setUint16(2, payload.length);
  bytes.set(payload, 2 + long);
  return bytes;
}
