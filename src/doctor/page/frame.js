// Frames of the link protocol: a type (u8), a stream id (u32, big endian), a payload. Pure functions.

import { LINK } from './constants.js';

const { frames, limits } = LINK;
const KNOWN_TYPES = new Set(Object.values(frames));
const EMPTY = new Uint8Array();
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const strictDecoder = new TextDecoder('utf-8', { fatal: true });

/** The peer broke the protocol in a way that ends the link. */
export class ProtocolError extends Error {
  name = 'ProtocolError';
}

/** A stream ended with a code, such as `ECONNREFUSED`. */
export class StreamError extends Error {
  name = 'StreamError';

  constructor(code, detail = '') {
    super(detail ? `${code}: ${detail}` : code);
    this.code = code;
    this.detail = detail;
  }
}

/** Bytes of a text, UTF-8. */
export const utf8 = (text) => encoder.encode(text);

/** Text of bytes, UTF-8. Bytes that aren't become U+FFFD. */
export const textOf = (bytes) => decoder.decode(bytes);

/** One frame as a message. */
export function encodeFrame(type, id, payload = EMPTY) {
  const message = new Uint8Array(limits.frameHeader + payload.length);
  message[0] = type;
  new DataView(message.buffer).setUint32(1, id);
  message.set(payload, limits.frameHeader);
  return message;
}

/** The payload of OPEN and OPENED. */
export const jsonPayload = (value) => utf8(JSON.stringify(value));

/** The payload of RESET. */
export const resetPayload = (code, detail) => utf8(detail ? `${code}: ${detail}` : code);

/** The payload of CREDIT. */
export function creditPayload(bytes) {
  const payload = new Uint8Array(4);
  new DataView(payload.buffer).setUint32(0, bytes);
  return payload;
}

/**
 * Reads one message as a frame. The payload is a view of the message, not a copy.
 *
 * @throws {ProtocolError} for everything that ends the link whatever the stream: a short frame, an unknown type, stream
 *   id 0, END with a payload, CREDIT of another size than four bytes, a payload past its limit.
 */
export function decodeFrame(message) {
  const bytes = message instanceof Uint8Array ? message : new Uint8Array(message);
  if (bytes.length < limits.frameHeader) throw new ProtocolError('a frame is too short');
  const type = bytes[0];
  if (!KNOWN_TYPES.has(type)) throw new ProtocolError(`unknown frame type ${type}`);
  const id = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
  if (id === 0) throw new ProtocolError('stream id 0');
  const payload = bytes.subarray(limits.frameHeader);
  if (type === frames.END && payload.length > 0) throw new ProtocolError('END with a payload');
  if (type === frames.CREDIT && payload.length !== 4) throw new ProtocolError('CREDIT that is not four bytes');
  const limit = type === frames.DATA ? limits.data : limits.controlPayload;
  if (payload.length > limit) throw new ProtocolError('a payload is too long');
  return { type, id, payload };
}

/** The bytes that a CREDIT gives. */
export const parseCredit = (payload) => new DataView(payload.buffer, payload.byteOffset, 4).getUint32(0);

/** The code and the message of a RESET. A code of another form reads as ECONNRESET. */
export function parseReset(payload) {
  const [, code, detail = ''] = /^([A-Z][A-Z0-9]*)(?:: ([^]*))?$/.exec(textOf(payload)) ?? [];
  return code ? new StreamError(code, detail) : new StreamError('ECONNRESET', 'the reset has no code');
}

/** The JSON object of an OPEN or OPENED; `null` when it isn't one. Nothing at all is `{}` when `optional`. */
export function parseObject(payload, { optional = false } = {}) {
  if (payload.length === 0 && optional) return {};
  try {
    const value = JSON.parse(strictDecoder.decode(payload));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** The node's HELLO from the first message on the control channel; `null` when it isn't one. */
export function parseHello(text) {
  const hello = typeof text === 'string' ? parseObject(utf8(text)) : null;
  return hello?.role === 'node' && Number.isInteger(hello.v) && hello.v >= 1 ? hello : null;
}
