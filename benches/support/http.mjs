// The page's end of the http benchmark: long bodies by the page's own fetch and over the link. Evaluated in the self-check's page.

(() => {
  const PIECE = new Uint8Array(1024 * 1024);
  const HEAD_LENGTH = 4;

  const counted = async (next) => {
    let length = 0;
    for (let piece = await next(); piece; piece = await next()) length += piece.length;
    return length;
  };

  const fetched = {
    async down(url) {
      const reader = (await fetch(url)).body.getReader();
      return counted(async () => (await reader.read()).value);
    },
    async up(url, bytes) {
      const body = new Blob(Array.from({ length: bytes / PIECE.length }, () => PIECE));
      return (await (await fetch(url, { method: 'POST', body })).json()).length;
    },
  };

  const begin = async (method, url) => {
    const stream = (await linkTest.link()).open('http');
    await stream.opened;
    const json = new TextEncoder().encode(JSON.stringify({ url, method, headers: [] }));
    const head = new Uint8Array(HEAD_LENGTH + json.length);
    new DataView(head.buffer).setUint32(0, json.length);
    head.set(json, HEAD_LENGTH);
    await stream.send(head);
    return stream;
  };

  /** Reads a response, and gives its body's length, or its whole body's text. */
  const response = async (stream, text) => {
    const pieces = [];
    let [length, head] = [0, null];
    for (let piece = await stream.recv(); piece; piece = await stream.recv()) {
      head ??= HEAD_LENGTH + new DataView(piece.buffer, piece.byteOffset).getUint32(0);
      length += piece.length;
      if (text) pieces.push(new TextDecoder().decode(piece));
    }
    return text ? pieces.join('').slice(head) : length - head;
  };

  const linked = {
    async down(url) {
      const stream = await begin('GET', url);
      await stream.end();
      return response(stream, false);
    },
    async up(url, bytes) {
      const stream = await begin('POST', url);
      for (let left = bytes; left > 0; left -= PIECE.length) await stream.send(PIECE);
      await stream.end();
      return JSON.parse(await response(stream, true)).length;
    },
  };

  /** Moves a body one way. Resolves with the milliseconds that it took. */
  globalThis.httpBench = async ({ way, direction, url, bytes }) => {
    const since = performance.now();
    const length = await (way === 'linked' ? linked : fetched)[direction](url, bytes);
    if (length !== bytes) throw new Error(`${length} of ${bytes} bytes came`);
    return performance.now() - since;
  };
})();
