// Data channels in memory, and a node that says what a test wants.

import { LINK } from '../../src/doctor/page/constants.js';
import { decodeFrame, encodeFrame, textOf, utf8 } from '../../src/doctor/page/frame.js';
import { Link } from '../../src/doctor/page/link.js';

export const { frames, channels, limits } = LINK;

export const NODE_HELLO = { v: 1, role: 'node', name: 'test', host: 'test', caps: ['net', 'http'] };

/** One end of a channel. Messages and closings arrive as tasks, in order. */
class FakeChannel extends EventTarget {
  readyState = 'connecting';
  bufferedAmount = 0;
  other = null;

  constructor(label) {
    super();
    this.label = label;
  }

  send(message) {
    if (this.readyState !== 'open') throw new Error('InvalidStateError');
    const copy = typeof message === 'string' ? message : message.slice().buffer;
    setImmediate(() => {
      if (this.other.readyState === 'open') this.other.dispatchEvent(Object.assign(new Event('message'), { data: copy }));
    });
  }

  close() {
    if (this.readyState === 'closed') return;
    this.readyState = 'closed';
    setImmediate(() => {
      this.dispatchEvent(new Event('close'));
      this.other.close();
    });
  }

  open() {
    if (this.readyState !== 'connecting') return;
    this.readyState = 'open';
    this.dispatchEvent(new Event('open'));
  }
}

function pair(label) {
  const near = new FakeChannel(label);
  const far = new FakeChannel(label);
  near.other = far;
  far.other = near;
  return [near, far];
}

function opened([near, far]) {
  setImmediate(() => {
    far.open();
    near.open();
  });
  return [near, far];
}

/** The node's end of one channel: collects what the page sends there. */
class Remote {
  received = [];
  closed = false;
  #waiting = [];

  constructor(channel) {
    this.channel = channel;
    channel.addEventListener('message', ({ data }) => {
      this.received.push(typeof data === 'string' ? { text: data } : decodeFrame(data));
      this.#wake();
    });
    channel.addEventListener('close', () => {
      this.closed = true;
      this.#wake();
    });
  }

  /** The next thing that the page sent here; `null` when the channel is closed and nothing is left. */
  async next() {
    while (this.received.length === 0 && !this.closed) await new Promise((resolve) => this.#waiting.push(resolve));
    return this.received.shift() ?? null;
  }

  /** The next thing, which must be of this type. Returns its payload as a text. */
  async expect(type, id) {
    const frame = await this.next();
    if (frame?.type !== type || (id !== undefined && frame.id !== id)) {
      throw new Error(`expected frame ${type} of ${id}, got ${JSON.stringify(frame)}`);
    }
    return textOf(frame.payload);
  }

  frame(type, id, payload = '') {
    this.channel.send(encodeFrame(type, id, typeof payload === 'string' ? utf8(payload) : payload));
  }

  bytes(bytes) {
    this.channel.send(Uint8Array.from(bytes));
  }

  text(text) {
    this.channel.send(text);
  }

  #wake() {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** A page's link with a fake node behind it. With `hello: null` the node says nothing first. */
export async function linked({ hello = NODE_HELLO, pageHello = { v: 1, role: 'page', name: 'page' }, helloLimit } = {}) {
  const remotes = [];
  const waiting = [];
  const [control, farControl] = pair(channels.control);
  const node = new Remote(farControl);
  const link = new Link({
    control,
    hello: pageHello,
    helloLimit,
    createChannel: (label) => {
      const [near, far] = opened(pair(label));
      remotes.push(new Remote(far));
      for (const resolve of waiting.splice(0)) resolve();
      return near;
    },
  });
  opened([control, farControl]);
  if (pageHello !== null) await node.next();
  if (hello !== null) {
    node.text(JSON.stringify(hello));
    await link.ready;
  }
  return {
    link,
    node,
    /** The next channel that the page opened. */
    async channel() {
      while (remotes.length === 0) await new Promise((resolve) => waiting.push(resolve));
      return remotes.shift();
    },
    /** A stream channel of the node's. */
    async openChannel(label = channels.stream) {
      const [near, far] = pair(label);
      const remote = new Remote(far);
      link.adoptChannel(near);
      opened([near, far]);
      await new Promise((resolve) => setImmediate(resolve));
      return remote;
    },
  };
}

/** Lets everything that is under way arrive. */
export async function settle() {
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
