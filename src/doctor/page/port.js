// A data channel as the link uses it.

import { deferred } from './deferred.js';

/** Bytes that wait in a channel before the next piece of DATA waits too. */
const HIGH_WATER = 1024 * 1024;

/** A data channel, with a queue until it is open. */
export class Port {
  #channel;
  #waiting = [];
  #tap;
  #drained = null;

  /**
   * @param channel an RTCDataChannel, or something like it
   * @param isControl whether it is the control channel
   * @param tap told of every message: `(direction, port, message)`
   */
  constructor(channel, { isControl = false, tap = () => {} } = {}) {
    this.#channel = channel;
    this.#tap = tap;
    this.isControl = isControl;
    /** Whether an OPEN was seen here, from either side. A stream channel carries one stream. */
    this.used = false;
    channel.binaryType = 'arraybuffer';
    channel.bufferedAmountLowThreshold = HIGH_WATER / 4;
    channel.addEventListener('bufferedamountlow', () => this.#wake());
    channel.addEventListener('close', () => this.#wake());
    channel.addEventListener('open', () => {
      for (const message of this.#waiting.splice(0)) this.send(message);
    });
  }

  /** The channel itself. */
  get channel() {
    return this.#channel;
  }

  /** Sends a message, or queues it until the channel is open. On a closed channel it goes nowhere. */
  send(message) {
    if (this.#channel.readyState === 'connecting') {
      this.#waiting.push(message);
    } else if (this.#channel.readyState === 'open') {
      this.#tap('sent', this, message);
      this.#channel.send(message);
    }
  }

  /** Resolves when the channel takes more, or will never. */
  async drained() {
    while (this.#channel.readyState === 'open' && this.#channel.bufferedAmount > HIGH_WATER) {
      this.#drained ??= deferred();
      await this.#drained.promise;
    }
  }

  /** Closes the channel after what was sent. */
  close() {
    if (this.#channel.readyState === 'connecting' && this.#waiting.length > 0) {
      this.#channel.addEventListener('open', () => this.#channel.close(), { once: true });
    } else {
      this.#channel.close();
    }
  }

  #wake() {
    this.#drained?.resolve();
    this.#drained = null;
  }
}
