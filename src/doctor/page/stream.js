// One stream of a link, on the page's side.

import { LINK } from './constants.js';
import { deferred } from './deferred.js';
import {
  StreamError,
  creditPayload,
  encodeFrame,
  jsonPayload,
  parseCredit,
  parseObject,
  parseReset,
  resetPayload,
} from './frame.js';
import { ReceiveWindow, SendWindow } from './window.js';

const { frames, limits } = LINK;

/**
 * A stream. `opened` is the peer's OPENED. `send` and `end` wait for it, since DATA before OPENED is a violation. `recv`
 * gives one piece, or `null` after the peer's END. After a reset, or when the link goes down, everything rejects with a
 * {@link StreamError}.
 */
export class Stream {
  #port;
  #release;
  #autoCredit;
  #ours;
  #opened = deferred();
  #isOpen = false;
  #over = null;
  #localEnd = false;
  #remoteEnd = false;
  #sendWindow = new SendWindow();
  #receiveWindow = new ReceiveWindow();
  #queue = [];
  #reader = null;
  #writer = null;
  #sending = Promise.resolve();

  constructor({ id, kind, fields, port, ours, release, autoCredit = true }) {
    this.id = id;
    this.kind = kind;
    this.fields = fields;
    this.#port = port;
    this.#ours = ours;
    this.#release = release;
    this.#autoCredit = autoCredit;
  }

  /** The peer's OPENED, or `{}` for a stream of the peer's once it is accepted. */
  get opened() {
    return this.#opened.promise;
  }

  /** The channel's wrapper that the stream lives on. */
  get port() {
    return this.#port;
  }

  /** The error that ended the stream, if one did. */
  get error() {
    return this.#over;
  }

  /** Whether both sides are done. */
  get done() {
    return this.#over !== null || (this.#localEnd && this.#remoteEnd);
  }

  /** Accepts a stream that the peer opened. */
  accept(opened = {}) {
    if (this.#ours || this.#isOpen || this.#over) return;
    this.#isOpen = true;
    this.#frame(frames.OPENED, jsonPayload(opened));
    this.#opened.resolve({});
  }

  /** Sends bytes of any number, as the window allows. Calls are served in order. */
  send(bytes) {
    const sent = this.#sending.then(() => this.#send(bytes));
    // A failed send fails the next one too, through `#over`; the chain itself goes on.
    this.#sending = sent.catch(() => {});
    return sent;
  }

  /** Sends END after everything that was given to `send`. */
  end() {
    const ended = this.#sending.then(async () => {
      await this.opened;
      if (this.#over) throw this.#over;
      if (this.#localEnd) return;
      this.#localEnd = true;
      this.#frame(frames.END);
      this.#finishIfDone();
    });
    this.#sending = ended.catch(() => {});
    return ended;
  }

  /** The next piece, or `null` after the peer's END. One caller at a time. */
  async recv() {
    if (this.#queue.length === 0 && !this.#over && !this.#remoteEnd) {
      this.#reader ??= deferred();
      await this.#reader.promise;
    }
    if (this.#over) throw this.#over;
    const piece = this.#queue.shift();
    if (!piece) return null;
    if (this.#autoCredit) this.credit(piece.length);
    return piece;
  }

  /** Everything up to the peer's END, at most `limit` bytes. */
  async recvAll(limit = 64 * 1024 * 1024) {
    const pieces = [];
    let length = 0;
    for (let piece = await this.recv(); piece; piece = await this.recv()) {
      length += piece.length;
      if (length > limit) throw new StreamError('EMSGSIZE', `more than ${limit} bytes came`);
      pieces.push(piece);
    }
    const all = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  }

  /** Gives credit for consumed bytes. Only needed with `autoCredit: false`. */
  credit(bytes) {
    const due = this.#receiveWindow.consume(bytes);
    if (due > 0 && !this.#remoteEnd && !this.#over) this.#frame(frames.CREDIT, creditPayload(due));
  }

  /** Ends the stream at once, and tells the peer. */
  reset(code, detail) {
    if (this.done) return;
    this.#frame(frames.RESET, resetPayload(code, detail));
    this.fail(new StreamError(code, detail));
  }

  /** Ends the stream at once without telling the peer. */
  fail(error) {
    if (this.done) return; // What came before the end may still be read.
    this.#over = error;
    this.#queue = [];
    this.#opened.reject(error);
    this.#wakeReader();
    this.#wakeWriter();
    this.#release(this);
  }

  /** Takes a frame of the peer's for this stream. OPEN isn't one of them. */
  receive(type, payload) {
    if (type === frames.RESET) {
      this.fail(parseReset(payload));
    } else if (type === frames.OPENED) {
      this.#receiveOpened(payload);
    } else if (type === frames.CREDIT) {
      if (!this.#sendWindow.credit(parseCredit(payload))) this.reset('EPROTO', 'CREDIT of 0 or past what was sent');
      else this.#wakeWriter();
    } else if (!this.#isOpen) {
      this.reset('EPROTO', 'DATA or END before OPENED');
    } else if (this.#remoteEnd) {
      this.reset('EPROTO', 'DATA or END after END');
    } else if (type === frames.END) {
      this.#remoteEnd = true;
      this.#wakeReader();
      this.#finishIfDone();
    } else {
      this.#receiveData(payload);
    }
  }

  #receiveOpened(payload) {
    const opened = parseObject(payload, { optional: true });
    if (!this.#ours || this.#isOpen) {
      this.reset('EPROTO', 'unexpected OPENED');
    } else if (!opened) {
      this.reset('EPROTO', 'OPENED without a JSON object');
    } else {
      this.#isOpen = true;
      this.#opened.resolve(opened);
    }
  }

  #receiveData(payload) {
    if (payload.length === 0) {
      this.reset('EPROTO', 'empty DATA');
    } else if (!this.#receiveWindow.accept(payload.length)) {
      this.reset('EPROTO', 'DATA past the window');
    } else {
      this.#queue.push(payload);
      this.#wakeReader();
    }
  }

  async #send(bytes) {
    await this.opened;
    for (let at = 0; at < bytes.length; ) {
      while (!this.#over && this.#sendWindow.available === 0) {
        this.#writer ??= deferred();
        await this.#writer.promise;
      }
      await this.#port.drained();
      if (this.#over) throw this.#over;
      if (this.#localEnd) throw new StreamError('EPIPE', 'the stream has ended');
      const piece = bytes.subarray(at, at + Math.min(limits.data, this.#sendWindow.available));
      this.#sendWindow.take(piece.length);
      this.#frame(frames.DATA, piece);
      at += piece.length;
    }
  }

  #frame(type, payload) {
    this.#port.send(encodeFrame(type, this.id, payload));
  }

  #finishIfDone() {
    if (this.#localEnd && this.#remoteEnd) this.#release(this);
  }

  #wakeReader() {
    this.#reader?.resolve();
    this.#reader = null;
  }

  #wakeWriter() {
    this.#writer?.resolve();
    this.#writer = null;
  }
}
