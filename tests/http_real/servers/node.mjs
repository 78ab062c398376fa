// Answers as Node.js writes them: HTTP/1.1, or HTTP/2 and HTTP/1.1 over TLS.
//
// usage: node.mjs [CERTIFICATE KEY]

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';

// A block whose length has no factor of the sizes that things are cut into, so that nothing can go missing unseen.
const BLOCK = Buffer.alloc(1_000_003);
for (let at = 0, state = 1; at < BLOCK.length; at += 1) {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  BLOCK[at] = state >>> 16;
}
const PIECE = 256 * 1024;

/** The bytes of the pattern from `start`, at most up to the end of the block. */
const pattern = (start, length) => {
  const at = start % BLOCK.length;
  return BLOCK.subarray(at, Math.min(BLOCK.length, at + length));
};

const counts = { open: 0, most: 0, closed: 0 };
const waiting = [];
const breaks = [];

function* pieces(length) {
  for (let at = 0; at < length; ) {
    const piece = pattern(at, Math.min(PIECE, length - at));
    yield piece;
    at += piece.length;
  }
}

/** Reads a body, and says whether it is the pattern. */
const taken = async (request) => {
  let length = 0;
  let intact = true;
  for await (const piece of request) {
    for (let at = 0; at < piece.length; ) {
      const expected = pattern(length + at, piece.length - at);
      intact &&= expected.equals(piece.subarray(at, at + expected.length));
      at += expected.length;
    }
    length += piece.length;
  }
  return { length, intact };
};

const json = (response, value) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(value));
};

const routes = {
  async describe(request, response) {
    const { method, url, httpVersion, headers } = request;
    const body = await taken(request);
    json(response, { method, url, httpVersion, headers: { ...headers }, ...body });
  },
  bytes(_request, response, query) {
    const length = Number(query.get('n'));
    if (query.has('gzip')) {
      response.setHeader('content-encoding', 'gzip');
      pipeline(pieces(length), createGzip({ level: 1 }), response, () => {});
      return;
    }
    response.setHeader('content-length', length);
    pipeline(pieces(length), response, () => {});
  },
  /** Takes a body without looking at it. */
  async sink(request, response) {
    let length = 0;
    for await (const piece of request) length += piece.length;
    json(response, { length });
  },
  hints(_request, response) {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    response.end('final');
  },
  continue(_request, response) {
    response.writeContinue();
    response.end('final');
  },
  trailers(request, response) {
    if (request.httpVersionMajor === 1) response.setHeader('trailer', 'x-sum');
    response.write('body');
    response.addTrailers({ 'x-sum': '1' });
    response.end();
  },
  cookies(_request, response) {
    response.setHeader('set-cookie', ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2', 'c=3, 4', 'a=1']);
    response.end();
  },
  empty(_request, response) {
    response.writeHead(304, { 'content-encoding': 'gzip', etag: '"tag"' });
    response.end();
  },
  part(_request, response) {
    response.writeHead(206, { 'content-encoding': 'gzip', 'content-range': 'bytes 0-9/100' });
    response.end('0123456789');
  },
  broken(_request, response) {
    response.setHeader('content-length', 100_000);
    response.write(pattern(0, 1000));
    breaks.push(() => (response.stream ? response.stream.close(2) : response.socket.destroy()));
  },
  /** Breaks the answers off that wait for it. */
  go(_request, response) {
    for (const go of breaks.splice(0)) go();
    response.end();
  },
  refused(_request, response) {
    if (response.stream) response.stream.close(7);
    else response.socket.destroy();
  },
  goaway(request, response) {
    response.end('last');
    request.stream?.session.goaway(0);
  },
  never() {},
  /** Answers before the request's body is there, and echoes it as it comes. */
  echo(request, response) {
    response.flushHeaders();
    pipeline(request, response, () => {});
  },
  /** Resolves once a request was given up. */
  closed(_request, response) {
    if (counts.closed > 0) json(response, counts);
    else waiting.push(() => json(response, counts));
  },
  counts(_request, response) {
    json(response, counts);
  },
};

const serve = (request, response) => {
  const url = new URL(request.url, 'http://host');
  const name = url.pathname.slice(1);
  counts.open += 1;
  counts.most = Math.max(counts.most, counts.open);
  response.on('close', () => {
    counts.open -= 1;
    if (response.writableEnded) return;
    counts.closed += 1;
    for (const tell of waiting.splice(0)) tell();
  });
  // A page of any origin may ask, as the benchmark's does.
  response.setHeader('access-control-allow-origin', '*');
  const route = Object.hasOwn(routes, name) ? routes[name] : (_, response) => response.writeHead(404).end();
  Promise.resolve(route(request, response, url.searchParams)).catch(() => response.destroy?.());
};

const [certificate, key] = process.argv.slice(2);
const server = certificate
  ? createSecureServer({ cert: readFileSync(certificate), key: readFileSync(key), allowHTTP1: true }, serve)
  : createServer(serve);
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => console.log(`listening on 127.0.0.1:${server.address().port}`));
