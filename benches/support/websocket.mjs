// WebSocket round trips as a page makes them: over its link, and by itself. Evaluated in the self-check's page.

globalThis.webSocketBench = async ({ way, url, bytes, count }) => {
  const message = new Uint8Array(bytes);
  const times = [];
  const measure = async (roundTrip) => {
    // The first ones warm everything up, and aren't counted.
    for (let round = -100; round < count; round += 1) {
      const since = performance.now();
      const echoed = await roundTrip();
      if (echoed !== bytes) throw new Error(`${echoed} of ${bytes} bytes came back`);
      if (round >= 0) times.push(performance.now() - since);
    }
  };
  if (way === 'linked') {
    const socket = await linkTest.ws(url);
    await measure(async () => {
      await socket.send(message);
      return (await socket.recv()).length;
    });
    await socket.close(1000, '');
    while ((await socket.recv()) !== null);
    return times;
  }
  const socket = new WebSocket(url);
  socket.binaryType = 'arraybuffer';
  let received = () => {};
  let failed = () => {};
  socket.addEventListener('message', ({ data }) => received(data.byteLength));
  socket.addEventListener('error', () => failed(new Error('the WebSocket broke off')));
  await new Promise((resolve, reject) => {
    failed = reject;
    socket.addEventListener('open', resolve);
  });
  await measure(() => {
    const echoed = new Promise((resolve, reject) => ([received, failed] = [resolve, reject]));
    socket.send(message);
    return echoed;
  });
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
  socket.close(1000);
  await closed;
  return times;
};
