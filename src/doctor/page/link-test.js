// Helpers for browser tests, as `globalThis.linkTest`: streams as an ordinary page opens them, and messages as only a
// broken or hostile page sends them.

import { LINK } from './constants.js';
import { equal, pattern } from './checks.js';
import { decodeFrame, encodeFrame, textOf, utf8 } from './frame.js';
import { http, resolve, tcp, ws } from './streams.js';

/** Messages that are remembered. */
const MAX_FRAMES = 4096;

const bytesOf = (payload = '') => (typeof payload === 'string' ? utf8(payload) : Uint8Array.from(payload));

/** What a message is, in JSON. */
function describe(direction, port, message) {
  const channel = port.isControl ? 'control' : 'stream';
  if (typeof message === 'string') return { direction, channel, text: message };
  try {
    const { type, id, payload } = decodeFrame(message);
    const name = Object.keys(LINK.frames).find((key) => LINK.frames[key] === type);
    const small = payload.length <= 1024 && type !== LINK.frames.DATA;
    return { direction, channel, type: name, id, length: payload.length, ...(small && { text: textOf(payload) }) };
  } catch (error) {
    return { direction, channel, malformed: error.message };
  }
}

/** A channel that the link knows nothing of. `frames` collects what comes. */
class RawChannel {
  frames = [];
  closed = false;
  #channel;
  #open;

  constructor(channel) {
    this.#channel = channel;
    channel.binaryType = 'arraybuffer';
    this.#open = new Promise((resolveOpen) => channel.addEventListener('open', resolveOpen, { once: true }));
    channel.addEventListener('close', () => (this.closed = true));
    channel.addEventListener('message', ({ data }) => {
      if (this.frames.length < MAX_FRAMES) this.frames.push(describe('received', { isControl: false }, data));
    });
  }

  async frame(type, id, payload) {
    await this.#open;
    this.#channel.send(encodeFrame(type, id, bytesOf(payload)));
  }

  async bytes(bytes) {
    await this.#open;
    this.#channel.send(Uint8Array.from(bytes));
  }

  async text(text) {
    await this.#open;
    this.#channel.send(text);
  }

  close() {
    this.#channel.close();
  }
}

/** Polls a condition, since a test waits for things that no event announces. */
async function until(condition, limit = 10_000) {
  const end = performance.now() + limit;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end) throw new Error(`nothing came within ${limit} ms: ${condition}`);
    await new Promise((later) => setTimeout(later, 5));
  }
}

/** The helpers, around the page's setup. */
export function linkTest(setup) {
  const frames = [];
  const tapped = new WeakSet();
  let newest = null;
  const tapNew = () => {
    for (const { link } of setup.sessions) {
      if (tapped.has(link)) continue;
      tapped.add(link);
      newest = link;
      link.tap((direction, port, message) => {
        frames.push(describe(direction, port, message));
        if (frames.length > MAX_FRAMES) frames.shift();
      });
    }
  };
  setup.addEventListener('change', tapNew);
  const current = async (limit) => (await setup.linked(limit)).link;
  return {
    LINK,
    setup,
    /** The messages of every link, described, the oldest first. */
    frames,
    pattern,
    equal,
    textOf,
    utf8,
    until,
    /** Replaces the page's HELLO from the next link on: an object, a text that is sent as it is, or `null` for none. */
    setHello(hello) {
      setup.hello = () => hello;
    },
    /** The link, once it is up. */
    link: current,
    /** The reason of the newest link's end, once it has ended. */
    async closed() {
      return newest ? newest.closed : 'there was no link';
    },
    /** Opens a stream and waits for OPENED. */
    async open(kind, fields, options) {
      const stream = (await current()).open(kind, fields, options);
      await stream.opened;
      return stream;
    },
    /** Opens a stream and resolves with its code and message when it is reset, or with `null` when it is opened. */
    async refusal(kind, fields, options) {
      const stream = (await current()).open(kind, fields, options);
      return stream.opened.then(
        () => (stream.reset('ECONNRESET', 'not wanted'), null),
        ({ code, detail }) => ({ code, detail }),
      );
    },
    /** Everything that comes until the peer's END. */
    receiveAll: (stream, limit) => stream.recvAll(limit),
    async sha256(bytes) {
      const digest = await crypto.subtle.digest('SHA-256', bytes);
      return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
    },
    tcp: async (...rest) => tcp(await current(), ...rest),
    ws: async (...rest) => ws(await current(), ...rest),
    resolve: async (...rest) => resolve(await current(), ...rest),
    http: async (request) => http(await current(), request),
    /** An id that the link uses for no other stream. */
    reserveId: async () => (await current()).reserveId(),
    /** A frame on the control channel, whatever the link thinks of it. `type` is a name or a number. */
    async controlFrame(type, id, payload) {
      (await current()).control.channel.send(encodeFrame(LINK.frames[type] ?? type, id, bytesOf(payload)));
    },
    /** Bytes on the control channel. */
    async controlBytes(bytes) {
      (await current()).control.channel.send(Uint8Array.from(bytes));
    },
    /** A text on the control channel. */
    async controlText(text) {
      (await current()).control.channel.send(text);
    },
    /** A channel with this label, apart from the link. */
    async rawChannel(label = LINK.channels.stream) {
      return new RawChannel((await setup.linked()).connection.createDataChannel(label));
    },
    /** Serves the node's streams of a kind by echoing them. */
    async echo(kind) {
      (await current()).handle(kind, async (stream) => {
        stream.accept();
        for (let piece = await stream.recv(); piece; piece = await stream.recv()) await stream.send(piece);
        await stream.end();
      });
    },
  };
}
