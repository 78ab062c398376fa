// What the doctor asks of a node: a TCP connection, a name, a URL, a WebSocket.

import { LINK } from './constants.js';
import { StreamError, parseObject, textOf, utf8 } from './frame.js';

const { httpHead: HTTP_HEAD, wsMessage: WS_MESSAGE } = LINK.limits;
const { records: WS_RECORDS } = LINK.kinds.ws;

/** Bytes of a ws record's type and length. */
const WS_HEADER = 5;

/** A TCP connection. Resolves once it is open. */
export async function tcp(link, host, port, options) {
  const stream = link.open('tcp', { host, port }, options);
  await stream.opened;
  return stream;
}

/** The addresses of a name. */
export async function resolve(link, name, family = 0) {
  const stream = link.open('resolve', { name, family }, { control: true });
  const { addresses } = await stream.opened;
  await stream.end();
  if ((await stream.recv()) !== null) throw new StreamError('EPROTO', 'a resolve stream carries no bytes');
  return addresses;
}

/** A text as an http stream's head: its length (u32, big endian), then itself. */
export function encodeHead(head) {
  const json = utf8(JSON.stringify(head));
  if (json.length > HTTP_HEAD) throw new StreamError('EPROTO', 'the request head is too long');
  const bytes = new Uint8Array(4 + json.length);
  new DataView(bytes.buffer).setUint32(0, json.length);
  bytes.set(json, 4);
  return bytes;
}

/** Reads numbers of bytes, and lines, from a stream's pieces. */
export class ExactReader {
  #stream;
  #rest = new Uint8Array();

  constructor(stream) {
    this.#stream = stream;
  }

  /** Whether nothing more comes. */
  async ended() {
    if (this.#rest.length === 0) this.#rest = (await this.#stream.recv()) ?? this.#rest;
    return this.#rest.length === 0;
  }

  /** The next bytes: at least one and at most `limit`. */
  async some(limit) {
    if (await this.ended()) throw new StreamError('ECONNRESET', 'the stream ended early');
    const piece = this.#rest.subarray(0, limit);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }

  /** The next `length` bytes. */
  async read(length) {
    const bytes = new Uint8Array(length);
    for (let filled = 0; filled < length; ) {
      const piece = await this.some(length - filled);
      bytes.set(piece, filled);
      filled += piece.length;
    }
    return bytes;
  }

  /** The next line without its CRLF, one character for each byte. */
  async line(limit) {
    let line = '';
    while (!line.endsWith('\n')) {
      if (await this.ended()) throw new StreamError('ECONNRESET', 'the stream ended early');
      const end = this.#rest.indexOf(10);
      const piece = await this.some(end < 0 ? limit + 1 : end + 1);
      if (line.length + piece.length > limit) throw new StreamError('EPROTO', 'a line is too long');
      line += String.fromCharCode(...piece);
    }
    return line.replace(/\r?\n$/, '');
  }

  /** Everything that is left. */
  async rest() {
    const first = this.#rest;
    const others = await this.#stream.recvAll();
    const all = new Uint8Array(first.length + others.length);
    all.set(first);
    all.set(others, first.length);
    return all;
  }
}

/** One HTTP request, answered with its head and its whole body. */
export async function http(link, { url, method = 'GET', headers = [], body = null, fields = {} }) {
  const stream = link.open('http', fields);
  // The response may start before the request ends, and both share nothing but the stream.
  const sending = (async () => {
    await stream.send(encodeHead({ url, method, headers }));
    if (body) await stream.send(typeof body === 'string' ? utf8(body) : body);
    await stream.end();
  })();
  sending.catch(() => {}); // The reader fails with the same error.
  const reader = new ExactReader(stream);
  const length = new DataView((await reader.read(4)).buffer).getUint32(0);
  if (length > HTTP_HEAD) throw new StreamError('EPROTO', 'the response head is too long');
  const head = parseObject(await reader.read(length));
  if (!head) throw new StreamError('EPROTO', 'the response head is not a JSON object');
  const bytes = await reader.rest();
  await sending;
  return { ...head, bytes, text: textOf(bytes), header: (name) => head.headers.find(([key]) => key === name)?.[1] };
}

/** A record of a ws stream. */
export function encodeRecord(type, payload) {
  if (payload.length > WS_MESSAGE) throw new StreamError('EMSGSIZE', 'the message is too long');
  const bytes = new Uint8Array(WS_HEADER + payload.length);
  bytes[0] = type;
  new DataView(bytes.buffer).setUint32(1, payload.length);
  bytes.set(payload, WS_HEADER);
  return bytes;
}

/** A WebSocket that the node has opened. */
class Socket {
  #stream;
  #reader;

  constructor(stream, protocol) {
    this.#stream = stream;
    this.#reader = new ExactReader(stream);
    /** The subprotocol that the far end chose, or nothing. */
    this.protocol = protocol;
  }

  /** Sends a message: a string, or bytes. */
  send(message) {
    const record =
      typeof message === 'string'
        ? encodeRecord(WS_RECORDS.text, utf8(message))
        : encodeRecord(WS_RECORDS.binary, message);
    return this.#stream.send(record);
  }

  /** The next message, a string or bytes; `{ code, reason }` for a close, and `null` once the connection is over. */
  async recv() {
    if (await this.#reader.ended()) return null;
    const header = new DataView((await this.#reader.read(WS_HEADER)).buffer);
    const [type, length] = [header.getUint8(0), header.getUint32(1)];
    if (length > WS_MESSAGE) throw new StreamError('EPROTO', 'the message is too long');
    const payload = await this.#reader.read(length);
    if (type === WS_RECORDS.text) return textOf(payload);
    if (type === WS_RECORDS.binary) return payload;
    if (type !== WS_RECORDS.close) throw new StreamError('EPROTO', `there is no record of type ${type}`);
    if (length === 0) return { code: 1005, reason: '' };
    return { code: new DataView(payload.buffer).getUint16(0), reason: textOf(payload.subarray(2)) };
  }

  /** Closes it. What still comes is read with `recv`. */
  async close(code = 1000, reason = '') {
    const text = utf8(reason);
    const payload = new Uint8Array(2 + text.length);
    new DataView(payload.buffer).setUint16(0, code);
    payload.set(text, 2);
    await this.#stream.send(encodeRecord(WS_RECORDS.close, payload));
    await this.#stream.end();
  }
}

/** A WebSocket. Resolves once it is open. */
export async function ws(link, url, { protocols = [], headers = [] } = {}) {
  const stream = link.open('ws', { url, protocols, headers });
  const { protocol } = await stream.opened;
  return new Socket(stream, protocol);
}
