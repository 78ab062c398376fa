// The page's side of one link (section "Link" of the requirement), on data channels that somebody else sets up.

import { LINK } from './constants.js';
import { deferred } from './deferred.js';
import {
  ProtocolError,
  StreamError,
  decodeFrame,
  encodeFrame,
  jsonPayload,
  parseHello,
  parseObject,
  resetPayload,
} from './frame.js';
import { Port } from './port.js';
import { Stream } from './stream.js';

const { channels, frames, limits, timeouts } = LINK;
const MAX_ID = 0xffff_ffff;

/** Which of the peer's ids were used: a low-water mark, and those above it. */
class UsedIds {
  #next = 2;
  #above = new Set();

  /** Notes an even id. `false` when it was used before. */
  take(id) {
    if (id < this.#next || this.#above.has(id)) return false;
    this.#above.add(id);
    while (this.#above.delete(this.#next)) this.#next += 2;
    return true;
  }
}

/** One link. `ready` is the node's HELLO; `closed` is the reason of the end, once there is one. */
export class Link {
  #control;
  #createChannel;
  #onClose;
  #streams = new Map();
  #handlers = new Map();
  #ports = new Set();
  #usedIds = new UsedIds();
  #nextId = 1;
  #ready = deferred();
  #closed = deferred();
  #peer = null;
  #over = null;
  #held = [];
  #heldBytes = 0;
  #helloTimer = null;
  #taps = new Set();

  /**
   * @param control the control channel, which the page created
   * @param createChannel makes a channel with a label
   * @param hello the page's HELLO, sent as it is when it is a text, and not at all when it is `null`
   * @param onClose told of the link's end once, with its reason
   * @param helloLimit milliseconds from the control channel's opening to the node's HELLO
   */
  constructor({ control, createChannel, hello, onClose = () => {}, helloLimit = timeouts.hello }) {
    this.#createChannel = createChannel;
    this.#onClose = onClose;
    this.#control = this.#adopt(control, true);
    const opened = () => {
      if (hello !== null) this.#control.send(typeof hello === 'string' ? hello : JSON.stringify(hello));
      this.#helloTimer = setTimeout(() => this.close('no HELLO came from the node'), helloLimit);
    };
    if (control.readyState === 'open') opened();
    else control.addEventListener('open', opened, { once: true });
  }

  /** The node's HELLO. Rejects when the link ends before it came. */
  get ready() {
    return this.#ready.promise;
  }

  /** Resolves with the reason when the link has ended. */
  get closed() {
    return this.#closed.promise;
  }

  /** The node's HELLO, once it came. */
  get peer() {
    return this.#peer;
  }

  /** Why the link ended, if it has. */
  get reason() {
    return this.#over;
  }

  /** The control channel's wrapper. */
  get control() {
    return this.#control;
  }

  /** Calls `tap(direction, port, message)` for every message, until the returned function is called. */
  tap(tap) {
    this.#taps.add(tap);
    return () => this.#taps.delete(tap);
  }

  /** An id of the page's that no other stream gets. */
  reserveId() {
    const id = this.#nextId;
    if (id > MAX_ID) throw new StreamError('ENFILE', 'the link is out of stream ids');
    this.#nextId += 2;
    return id;
  }

  /**
   * Opens a stream on a channel of its own, or on the control channel.
   *
   * @param kind what the stream carries, such as `tcp`
   * @param fields the OPEN's other fields
   */
  open(kind, fields = {}, { control = false, autoCredit = true } = {}) {
    if (this.#over !== null) throw new StreamError('ECONNRESET', 'the link is down');
    const port = control ? this.#control : this.#adopt(this.#createChannel(channels.stream), false);
    const stream = this.#addStream({ id: this.reserveId(), kind, fields, port, ours: true, autoCredit });
    port.used = true;
    port.send(encodeFrame(frames.OPEN, stream.id, jsonPayload({ kind, ...fields })));
    return stream;
  }

  /** Serves the node's streams of a kind with `handler(stream)`, which accepts or resets each. */
  handle(kind, handler) {
    this.#handlers.set(kind, handler);
  }

  /** Takes a channel that the node opened. */
  adoptChannel(channel) {
    if (channel.label === channels.stream && this.#over === null) this.#adopt(channel, false);
    else channel.close();
  }

  /** Ends the link. Every stream fails with ECONNRESET. */
  close(reason) {
    if (this.#over !== null) return;
    this.#over = reason;
    clearTimeout(this.#helloTimer);
    this.#held = [];
    const error = new StreamError('ECONNRESET', 'the link is down');
    for (const stream of [...this.#streams.values()]) stream.fail(error);
    for (const port of this.#ports) port.close();
    this.#ready.reject(new Error(reason));
    this.#closed.resolve(reason);
    this.#onClose(reason);
  }

  #adopt(channel, isControl) {
    const port = new Port(channel, {
      isControl,
      tap: (direction, tapped, message) => this.#taps.forEach((tap) => tap(direction, tapped, message)),
    });
    this.#ports.add(port);
    channel.addEventListener('message', ({ data }) => this.#receive(port, data));
    channel.addEventListener('close', () => this.#channelClosed(port));
    return port;
  }

  #channelClosed(port) {
    this.#ports.delete(port);
    if (port.isControl) {
      this.close('the control channel closed');
      return;
    }
    for (const stream of [...this.#streams.values()]) {
      if (stream.port === port) stream.fail(new StreamError('ECONNRESET', 'the channel closed'));
    }
  }

  #receive(port, message) {
    if (this.#over !== null) return;
    this.#taps.forEach((tap) => tap('received', port, message));
    try {
      if (this.#peer) this.#receiveFrame(port, message);
      else if (port.isControl) this.#receiveHello(message);
      else this.#hold(port, message);
    } catch (error) {
      // Anything else is a mistake in this page; the link can't go on after it either.
      this.close(error instanceof ProtocolError ? `EPROTO: ${error.message}` : `internal error: ${error.message}`);
    }
  }

  #receiveHello(message) {
    const hello = parseHello(message);
    if (!hello) throw new ProtocolError("the node's first message is not a HELLO");
    clearTimeout(this.#helloTimer);
    this.#peer = hello;
    this.#ready.resolve(hello);
    for (const [port, held] of this.#held.splice(0)) {
      if (this.#over === null) this.#receiveFrame(port, held);
    }
  }

  #hold(port, message) {
    if (typeof message === 'string') throw new ProtocolError('text on a stream channel');
    this.#heldBytes += message.byteLength;
    if (this.#heldBytes > limits.sctpReceiveBuffer) throw new ProtocolError('too much before HELLO');
    this.#held.push([port, message]);
  }

  #receiveFrame(port, message) {
    if (typeof message === 'string') throw new ProtocolError('text after HELLO');
    const { type, id, payload } = decodeFrame(message);
    if (type === frames.OPEN) {
      this.#receiveOpen(port, id, payload);
      return;
    }
    const stream = this.#streams.get(id);
    // A frame for a stream that is over, or that lives on another channel, is late or lost: it means nothing.
    if (stream?.port === port) stream.receive(type, payload);
  }

  #receiveOpen(port, id, payload) {
    if (id % 2 !== 0) throw new ProtocolError('an OPEN with an id of ours');
    if (!this.#usedIds.take(id)) throw new ProtocolError('an id was used twice');
    if (!port.isControl && port.used) throw new ProtocolError('a second OPEN on a stream channel');
    port.used = true;
    const open = parseObject(payload);
    if (typeof open?.kind !== 'string') {
      this.#refuse(port, id, 'EPROTO', 'an OPEN without a kind');
      return;
    }
    const handler = this.#handlers.get(open.kind);
    if (!handler) {
      this.#refuse(port, id, 'EOPNOTSUPP', 'this page does not serve that kind');
      return;
    }
    const { kind, ...fields } = open;
    const stream = this.#addStream({ id, kind, fields, port, ours: false });
    // A handler that fails must not end the link.
    Promise.resolve(stream)
      .then(handler)
      .catch((error) => stream.reset(error.code in LINK.codes ? error.code : 'ECONNRESET', error.detail));
  }

  #refuse(port, id, code, detail) {
    port.send(encodeFrame(frames.RESET, id, resetPayload(code, detail)));
    if (!port.isControl) port.close();
  }

  #addStream(init) {
    const stream = new Stream({ ...init, release: (over) => this.#release(over) });
    this.#streams.set(stream.id, stream);
    return stream;
  }

  #release(stream) {
    this.#streams.delete(stream.id);
    if (!stream.port.isControl) stream.port.close();
  }
}
