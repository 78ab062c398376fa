// The page's end of a benchmark: moves bytes over streams of the page's link. Evaluated in the self-check's page.

(() => {
  const PIECE = new Uint8Array(256 * 1024);

  const request = (what, bytes) => {
    const head = new Uint8Array(9);
    head[0] = what.charCodeAt(0);
    new DataView(head.buffer).setBigUint64(1, BigInt(bytes));
    return head;
  };

  const open = async (port) => {
    const stream = (await linkTest.link()).open('tcp', { host: '127.0.0.1', port });
    await stream.opened;
    return stream;
  };

  const down = async (stream, bytes) => {
    await stream.send(request('s', bytes));
    let left = bytes;
    while (left > 0) left -= (await stream.recv()).length;
  };

  const up = async (stream, bytes) => {
    await stream.send(request('t', bytes));
    for (let left = bytes; left > 0; left -= PIECE.length) {
      await stream.send(PIECE.subarray(0, Math.min(left, PIECE.length)));
    }
    await stream.recv();
  };

  const finish = async (stream) => {
    await stream.end();
    while ((await stream.recv()) !== null);
  };

  globalThis.bench = {
    /** Moves `bytes` over so many streams at once, in one direction. Resolves with the milliseconds that it took. */
    async move({ port, streams, bytes, direction }) {
      const opened = await Promise.all(Array.from({ length: streams }, () => open(port)));
      const since = performance.now();
      await Promise.all(opened.map((stream) => (direction === 'down' ? down : up)(stream, bytes / streams)));
      const took = performance.now() - since;
      await Promise.all(opened.map(finish));
      return took;
    },

    /** Echoes single bytes on one stream. Resolves with each round trip's milliseconds. */
    async roundTrips({ port, count }) {
      const stream = await open(port);
      await stream.send(request('e', 0));
      const times = [];
      for (let round = 0; round < count; round += 1) {
        const since = performance.now();
        await stream.send(new Uint8Array(1));
        await stream.recv();
        times.push(performance.now() - since);
      }
      await finish(stream);
      return times;
    },

    /** Opens streams on channels of their own, and ends each in one of four ways. Resolves when all are over. */
    async channels({ port, count }) {
      const link = await linkTest.link();
      const ways = [
        // Both ends are done.
        async () => {
          const stream = await open(port);
          await stream.send(request('e', 0));
          await finish(stream);
        },
        // The page gives up.
        async () => (await open(port)).reset('ECONNRESET', 'enough'),
        // The node refuses.
        () => link.open('tcp', { host: '169.254.169.254', port: 80 }).opened.catch(() => {}),
        () => link.open('no such kind').opened.catch(() => {}),
      ];
      await Promise.all(Array.from({ length: count }, (_, at) => ways[at % ways.length]()));
    },
  };
})();
