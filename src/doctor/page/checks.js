// The checks of `slicc doctor`: what a page can do over its link to the node on this machine.

import { utf8 } from './frame.js';
import { http, resolve, tcp, ws } from './streams.js';

/** Milliseconds that one check may take. */
export const CHECK_LIMIT = 30_000;
const ECHO_BYTES = 1024 * 1024;
const ROUND_TRIPS = 50;
const PIECE = 256 * 1024;

/** Bytes that repeat only after 4 GiB, the same for the same seed. */
export function pattern(length, seed = 1) {
  const bytes = new Uint8Array(length);
  let state = seed >>> 0 || 1;
  for (let at = 0; at < length; at += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[at] = state;
  }
  return bytes;
}

/** Whether two byte arrays are equal. */
export function equal(left, right) {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

/** The middle of some numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((left, right) => left - right);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

/** Fails a check when what it found isn't as it should be. */
export function must(condition, reason) {
  if (!condition) throw new Error(reason);
}

const milliseconds = (value) => ({ value: Math.round(value * 100) / 100, unit: 'ms' });
const rate = (bytes, since) => ({
  value: Math.round((bytes / 1e6 / ((performance.now() - since) / 1000)) * 10) / 10,
  unit: 'MB/s',
});

async function refused(link, host, port) {
  try {
    const stream = await tcp(link, host, port);
    stream.reset('ECONNRESET', 'the check is over');
  } catch (error) {
    must(error.code === 'EACCES', `the node answered ${error.message} instead of EACCES`);
    return;
  }
  throw new Error('the node connected instead of refusing');
}

/** Every check: its name, and what it does. It resolves with a figure, or with nothing, or throws the reason. */
export const CHECKS = [
  {
    name: 'link set-up',
    run: async ({ session }) => milliseconds(session.setUpMilliseconds),
  },
  {
    name: 'resolve',
    run: async ({ link }) => {
      const addresses = await resolve(link, 'localhost');
      must(
        addresses.includes('127.0.0.1') || addresses.includes('::1'),
        'localhost resolves to no loopback address',
      );
    },
  },
  {
    name: 'tcp echo',
    run: async ({ link, config }) => {
      const sent = pattern(ECHO_BYTES);
      const stream = await tcp(link, config.tcpHost, config.tcpPort);
      const sending = stream.send(sent).then(() => stream.end());
      const [received] = await Promise.all([stream.recvAll(2 * ECHO_BYTES), sending]);
      must(equal(sent, received), `${received.length} bytes came back, and they differ from the ${sent.length} sent`);
    },
  },
  {
    name: 'http',
    run: async ({ link, config }) => {
      const response = await http(link, { url: config.httpUrl });
      must(response.status === 200, `the server answered ${response.status}`);
      must(response.text === config.httpText, 'the body is not what the server compressed');
      must(response.header('content-encoding') === undefined, 'Content-Encoding is still there');
    },
  },
  {
    name: 'WebSocket echo',
    run: async ({ link, config }) => {
      const socket = await ws(link, config.wsUrl, { protocols: ['other', config.wsProtocol] });
      must(socket.protocol === config.wsProtocol, `the server chose ${JSON.stringify(socket.protocol)}`);
      const text = 'slicc ✓ 🦀';
      await socket.send(text);
      must((await socket.recv()) === text, 'the text that came back differs');
      const sent = pattern(ECHO_BYTES);
      const sending = socket.send(sent);
      const received = await socket.recv();
      await sending;
      must(received instanceof Uint8Array && equal(sent, received), 'the bytes that came back differ');
      await socket.close();
      must((await socket.recv())?.code === 1000, 'the close was not answered');
      must((await socket.recv()) === null, 'more came after the close');
    },
  },
  {
    name: 'refuses cloud metadata',
    run: ({ link }) => refused(link, '169.254.169.254', 80),
  },
  {
    name: "refuses the browser's debugging port",
    run: ({ link, config }) => refused(link, '127.0.0.1', config.debugPort),
  },
  {
    name: 'throughput to the page',
    run: async ({ link, config }) => {
      const since = performance.now();
      const stream = await tcp(link, config.tcpHost, config.sourcePort);
      await stream.end();
      let received = 0;
      for (let piece = await stream.recv(); piece; piece = await stream.recv()) received += piece.length;
      must(received === config.throughputBytes, `${received} of ${config.throughputBytes} bytes came`);
      return rate(received, since);
    },
  },
  {
    name: 'throughput from the page',
    run: async ({ link, config }) => {
      const piece = pattern(PIECE);
      const since = performance.now();
      const stream = await tcp(link, config.tcpHost, config.sinkPort);
      for (let left = config.throughputBytes; left > 0; left -= piece.length) {
        await stream.send(piece.subarray(0, Math.min(left, piece.length)));
      }
      await stream.end();
      const answer = await stream.recvAll(8);
      const counted = answer.length === 8 ? Number(new DataView(answer.buffer).getBigUint64(0)) : 0;
      must(counted === config.throughputBytes, `${counted} of ${config.throughputBytes} bytes arrived`);
      return rate(counted, since);
    },
  },
  {
    name: 'round trip',
    run: async ({ link, config }) => {
      const stream = await tcp(link, config.tcpHost, config.tcpPort);
      const times = [];
      for (let round = 0; round < ROUND_TRIPS; round += 1) {
        const since = performance.now();
        await stream.send(utf8('x'));
        must((await stream.recv())?.length === 1, 'the echo is not one byte');
        times.push(performance.now() - since);
      }
      await stream.end();
      must((await stream.recv()) === null, 'more came back than was sent');
      return milliseconds(median(times));
    },
  },
];

/** A promise that rejects when the work takes too long. */
export function within(limit, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${limit / 1000} s`)), limit);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/**
 * Runs every check, one after the other, so that none disturbs another's figure.
 *
 * @param setup the page's end of the setup
 * @param config `{ httpUrl, httpText, wsUrl, wsProtocol, tcpHost, tcpPort, sourcePort, sinkPort, throughputBytes, debugPort }`
 * @param onResult told of each result as `(result, index)`
 * @returns one `{ name, ok, figure?: { value, unit }, reason? }` for each check, in order
 */
export async function runChecks(setup, config, { checks = CHECKS, limit = CHECK_LIMIT, onResult = () => {} } = {}) {
  const results = [];
  let session = null;
  let reason = null;
  try {
    session = await setup.linked(limit);
  } catch (error) {
    reason = error.message;
  }
  for (const [index, { name, run }] of checks.entries()) {
    let result = { name, ok: false, reason: index === 0 ? reason : 'not run: there is no link' };
    if (session) {
      try {
        const figure = await within(limit, run({ session, link: session.link, config }));
        result = figure ? { name, ok: true, figure } : { name, ok: true };
      } catch (error) {
        result = { name, ok: false, reason: error.message };
      }
    }
    results.push(result);
    onResult(result, index);
  }
  return results;
}
