// Credit: how many bytes of DATA may be under way in one direction of a stream. Pure.

import { LINK } from './constants.js';

const { window: WINDOW } = LINK.limits;

/** What this side may send. */
export class SendWindow {
  #outstanding = 0;

  /** Bytes that may be sent now. */
  get available() {
    return WINDOW - this.#outstanding;
  }

  /** Notes bytes that are sent. */
  take(bytes) {
    this.#outstanding += bytes;
  }

  /** Takes the peer's credit. `false` when it is 0 or past what was sent. */
  credit(bytes) {
    if (bytes === 0 || bytes > this.#outstanding) return false;
    this.#outstanding -= bytes;
    return true;
  }
}

/** What the peer may send. */
export class ReceiveWindow {
  #outstanding = 0;
  #owed = 0;

  /** Notes bytes that came. `false` when the peer had no credit for them. */
  accept(bytes) {
    if (this.#outstanding + bytes > WINDOW) return false;
    this.#outstanding += bytes;
    return true;
  }

  /**
   * Notes bytes that were consumed, and returns the credit to send now: none until a quarter of the window is owed, so
   * that small pieces don't cost a frame each.
   */
  consume(bytes) {
    this.#owed += bytes;
    return this.#owed >= WINDOW / 4 ? this.settle() : 0;
  }

  /** Everything owed, to send now. */
  settle() {
    const owed = this.#owed;
    this.#owed = 0;
    this.#outstanding -= owed;
    return owed;
  }
}
