// The server in the page without a link: how many requests it answers when they are at hand. Evaluated in the self-check's page.

/** Answers `count` requests, one after the other. Resolves with the milliseconds that it took. */
globalThis.kernelBench = async ({ port, count, request }) => {
  const { kernelServer } = await import('./kernel.js');
  const bytes = new TextEncoder().encode(request);
  let asked = 0;
  let answered = 0;
  const stream = {
    fields: { port },
    accept() {},
    reset(code, detail) {
      throw new Error(`${code}: ${detail}`);
    },
    async recv() {
      if (asked === count) return null;
      asked += 1;
      return bytes;
    },
    async send(piece) {
      answered += piece.length;
    },
    async end() {},
  };
  const since = performance.now();
  await kernelServer(port)(stream);
  if (answered === 0) throw new Error('nothing was answered');
  return performance.now() - since;
};
