// How the page and a node find each other (section "Local setup" of the requirement): slicc calls `receive`, the page
// answers through the binding that slicc added.

import { LINK } from './constants.js';
import { deferred } from './deferred.js';
import { Link } from './link.js';

const { channels, timeouts, version } = LINK;
/** Candidates of the node's that wait for its answer. */
const MAX_EARLY_CANDIDATES = 64;

/** The fields of a message; none when it isn't one. */
function parseMessage(message) {
  try {
    return (typeof message === 'string' ? JSON.parse(message) : message) ?? {};
  } catch {
    return {};
  }
}

/** One hello and the link that came of it. */
class Session {
  #send;
  #remote = null;
  #early = [];
  #connectTimer;
  #started = performance.now();

  constructor({ nonce, node, hello, send, onClose }) {
    this.nonce = nonce;
    this.node = node;
    /** Milliseconds from slicc's hello to the node's HELLO, once it came. */
    this.setUpMilliseconds = null;
    this.#send = (message) => send({ ...message, nonce });
    // Loopback and this machine's networks are enough: no STUN, no TURN.
    this.connection = new RTCPeerConnection({ iceServers: [] });
    this.link = new Link({
      control: this.connection.createDataChannel(channels.control, { ordered: true }),
      createChannel: (label) => this.connection.createDataChannel(label, { ordered: true }),
      hello,
      onClose: (reason) => {
        clearTimeout(this.#connectTimer);
        this.connection.close();
        onClose(this, reason);
      },
    });
    this.link.ready.then(
      () => (this.setUpMilliseconds = performance.now() - this.#started),
      () => {},
    );
    this.connection.addEventListener('datachannel', ({ channel }) => this.link.adoptChannel(channel));
    this.connection.addEventListener('connectionstatechange', () => {
      const state = this.connection.connectionState;
      if (state === 'connected') clearTimeout(this.#connectTimer);
      if (state === 'failed' || state === 'closed') this.link.close(`the connection ${state}`);
    });
  }

  /** Sends the offer, then each candidate, then `null`. */
  async offer() {
    // Candidates may be gathered before the offer is sent: it goes first.
    const offered = deferred();
    this.connection.addEventListener('icecandidate', async ({ candidate }) => {
      // The event with an empty candidate ends one generation; `null` ends them all.
      if (candidate?.candidate === '') return;
      await offered.promise;
      this.#send({ t: 'candidate', candidate: candidate?.toJSON() ?? null });
    });
    await this.connection.setLocalDescription();
    this.#connectTimer = setTimeout(() => this.end('no connection came about'), timeouts.connect);
    this.#send({ t: 'offer', sdp: this.connection.localDescription.sdp });
    offered.resolve();
  }

  async answer(sdp) {
    if (this.#remote) return;
    this.#remote = this.connection.setRemoteDescription({ type: 'answer', sdp });
    await this.#remote;
    for (const candidate of this.#early.splice(0)) await this.#add(candidate);
  }

  async candidate(candidate) {
    if (this.#remote) {
      await this.#remote;
      await this.#add(candidate);
    } else if (this.#early.length < MAX_EARLY_CANDIDATES) {
      this.#early.push(candidate);
    }
  }

  /** Ends the link and tells the node why. */
  end(reason) {
    if (this.link.reason !== null) return;
    this.#send({ t: 'bye', reason });
    this.link.close(reason);
  }

  async #add(candidate) {
    // `null` ends them. One that this browser can't use is no reason to give up the others.
    await this.connection.addIceCandidate(candidate ?? undefined).catch((error) => console.debug('candidate', error));
  }
}

/** The page's end of the setup: at most one link per node. */
export class Setup extends EventTarget {
  #sessions = new Map();
  #send;

  /**
   * @param hello makes the page's HELLO for each link
   * @param send hands a message to slicc; by default the binding that it added to the page
   */
  constructor({ hello, send = (message) => globalThis.sliccLinkSend(JSON.stringify(message)) }) {
    super();
    this.hello = hello;
    this.#send = send;
  }

  /** The sessions of all nodes, the newest last. */
  get sessions() {
    return [...this.#sessions.values()];
  }

  /** Takes one of slicc's messages, as an object or as JSON. What isn't a message means nothing. */
  receive(message) {
    const { t, v, nonce, node, sdp, candidate, reason } = parseMessage(message);
    if (t === 'hello') {
      if (v === version && typeof nonce === 'string' && typeof node === 'string') this.#start(nonce, node);
      return;
    }
    const session = this.sessions.find((known) => known.nonce === nonce);
    if (!session) return;
    if (t === 'answer') this.#guard(session, session.answer(sdp));
    else if (t === 'candidate') this.#guard(session, session.candidate(candidate));
    else if (t === 'bye') session.link.close(`slicc said bye: ${reason}`);
  }

  /** The newest session whose link is up. Rejects after `limit` milliseconds. */
  async linked(limit = 30_000) {
    const up = () => this.sessions.findLast((session) => session.link.peer);
    if (up()) return up();
    const { promise, resolve, reject } = deferred();
    const timer = setTimeout(() => reject(new Error(`no link within ${limit / 1000} s`)), limit);
    const look = () => up() && resolve(up());
    this.addEventListener('change', look);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.removeEventListener('change', look);
    }
  }

  #start(nonce, node) {
    const previous = this.#sessions.get(node);
    if (previous?.nonce === nonce) return; // The same hello again.
    this.#sessions.delete(node);
    previous?.link.close('a new hello replaced the link');
    const session = new Session({
      nonce,
      node,
      hello: this.hello(),
      send: this.#send,
      onClose: (closed, reason) => {
        if (this.#sessions.get(node) === closed) this.#sessions.delete(node);
        this.#changed(reason);
      },
    });
    this.#sessions.set(node, session);
    session.link.ready.then(
      () => this.#changed(),
      () => {},
    );
    this.#changed();
    this.#guard(session, session.offer());
  }

  #guard(session, step) {
    step.catch((error) => session.end(error.message));
  }

  #changed(reason = null) {
    this.dispatchEvent(Object.assign(new Event('change'), { reason }));
  }
}
