// A node inside a second browser, under the same credit rules: it answers the page's offer, and serves tcp streams from
// memory. Evaluated in the self-check's page, for its modules. What it has to say goes to `benchSend`.

(async () => {
  const { LINK } = await import('/constants.js');
  const { decodeFrame, parseObject } = await import('/frame.js');
  const { Port } = await import('/port.js');
  const { Stream } = await import('/stream.js');
  const { frames } = LINK;
  const PIECE = new Uint8Array(LINK.limits.data);

  async function serve(stream) {
    stream.accept({ localAddr: '127.0.0.1:1', remoteAddr: '127.0.0.1:1' });
    const head = await stream.recv();
    const what = String.fromCharCode(head[0]);
    let left = Number(new DataView(head.buffer, head.byteOffset).getBigUint64(1));
    if (what === 's') {
      for (; left > 0; left -= PIECE.length) await stream.send(PIECE.subarray(0, Math.min(left, PIECE.length)));
    } else if (what === 't') {
      for (left -= head.length - 9; left > 0; ) left -= (await stream.recv()).length;
      await stream.send(new Uint8Array(1));
    } else {
      for (let piece = await stream.recv(); piece; piece = await stream.recv()) await stream.send(piece);
    }
    await stream.end();
    while (!stream.done && (await stream.recv()) !== null);
  }

  const nonce = crypto.randomUUID();
  const send = (message) => benchSend(JSON.stringify({ ...message, nonce }));
  const connection = new RTCPeerConnection();
  connection.addEventListener('icecandidate', ({ candidate }) => {
    if (candidate?.candidate !== '') send({ t: 'candidate', candidate: candidate?.toJSON() ?? null });
  });

  const streams = new Map();
  connection.addEventListener('datachannel', ({ channel }) => {
    const isControl = channel.label === LINK.channels.control;
    const port = new Port(channel, { isControl });
    if (isControl) port.send(JSON.stringify({ v: 1, role: 'node', name: 'peer', host: 'peer', caps: ['net'] }));
    channel.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') return;
      const { type, id, payload } = decodeFrame(data);
      if (type !== frames.OPEN) {
        streams.get(id)?.receive(type, payload);
        return;
      }
      const { kind, ...fields } = parseObject(payload);
      const release = () => {
        streams.delete(id);
        if (!isControl) port.close();
      };
      const stream = new Stream({ id, kind, fields, port, ours: false, release });
      streams.set(id, stream);
      serve(stream).catch(() => {});
    });
  });

  // One message after the other: an answer must be there before a candidate is taken.
  let handled = Promise.resolve();
  globalThis.peerReceive = (message) => {
    handled = handled.then(async () => {
      if (message.t === 'offer') {
        await connection.setRemoteDescription({ type: 'offer', sdp: message.sdp });
        await connection.setLocalDescription();
        send({ t: 'answer', sdp: connection.localDescription.sdp });
      } else if (message.t === 'candidate') {
        await connection.addIceCandidate(message.candidate ?? undefined);
      }
    });
  };
  send({ t: 'hello', v: LINK.version, node: 'peer' });
})();
