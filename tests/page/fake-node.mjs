// A node inside the page itself: it answers the offer with an RTCPeerConnection of its own, and serves what the checks
// ask for from memory. Evaluated in the doctor's page by a browser test.

(async (config) => {
  const { LINK } = await import('/constants.js');
  const { decodeFrame, encodeFrame, parseObject, textOf, utf8 } = await import('/frame.js');
  const { Port } = await import('/port.js');
  const { Stream } = await import('/stream.js');
  const { encodeHead } = await import('/streams.js');
  const { frames } = LINK;

  const order = [];
  const nonce = crypto.randomUUID();
  const connection = new RTCPeerConnection();
  connection.addEventListener('icecandidate', ({ candidate }) => {
    if (candidate?.candidate === '') return;
    globalThis.sliccLinkReceive({ t: 'candidate', nonce, candidate: candidate?.toJSON() ?? null });
  });

  const services = {
    async resolve(stream) {
      stream.accept({ addresses: ['127.0.0.1'], ttl: 30 });
      await stream.end();
    },
    async http(stream) {
      stream.accept();
      const asked = await stream.recvAll();
      const { url } = JSON.parse(textOf(asked.subarray(4)));
      await stream.send(encodeHead({ status: 200, statusText: 'OK', headers: [['content-type', 'text/plain']], url }));
      await stream.send(utf8(config.httpText));
      await stream.end();
    },
    async ws(stream) {
      const { url, protocols } = stream.fields;
      if (url !== config.wsUrl || !protocols.includes(config.wsProtocol)) {
        stream.reset('ECONNREFUSED', 'nothing listens');
        return;
      }
      stream.accept({ protocol: config.wsProtocol });
      // A close is answered with the same code, which makes all records come back as they went.
      for (let piece = await stream.recv(); piece; piece = await stream.recv()) await stream.send(piece);
      await stream.end();
    },
    async tcp(stream) {
      const { host, port } = stream.fields;
      if (host !== config.tcpHost || port === config.debugPort) {
        stream.reset('EACCES', 'refused by the policy');
        return;
      }
      stream.accept({ localAddr: '127.0.0.1:1', remoteAddr: `${host}:${port}` });
      if (port === config.sourcePort) {
        const piece = new Uint8Array(LINK.limits.data);
        for (let left = config.throughputBytes; left > 0; left -= piece.length) await stream.send(piece);
      } else {
        let count = 0;
        for (let piece = await stream.recv(); piece; piece = await stream.recv()) {
          count += piece.length;
          if (port === config.tcpPort) await stream.send(piece);
        }
        if (port === config.sinkPort) {
          const answer = new Uint8Array(8);
          new DataView(answer.buffer).setBigUint64(0, BigInt(count));
          await stream.send(answer);
        }
      }
      await stream.end();
    },
  };

  const streams = new Map();
  connection.addEventListener('datachannel', ({ channel }) => {
    const isControl = channel.label === LINK.channels.control;
    const port = new Port(channel, { isControl });
    if (isControl) port.send(JSON.stringify({ v: 1, role: 'node', name: 'fake', host: 'fake-node', caps: ['net'] }));
    channel.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') {
        order.push(`HELLO of ${JSON.parse(data).role}`);
        return;
      }
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
      services[kind](stream).catch(() => {});
    });
  });
  globalThis.fakeNode = {
    order,
    /** Opens a stream of the node's and resolves with the page's answer. */
    open(kind) {
      const channel = connection.createDataChannel(LINK.channels.stream);
      channel.binaryType = 'arraybuffer';
      channel.addEventListener('open', () =>
        channel.send(encodeFrame(frames.OPEN, 2, utf8(JSON.stringify({ kind })))),
      );
      return new Promise((resolve) =>
        channel.addEventListener('message', ({ data }) => resolve(textOf(decodeFrame(data).payload))),
      );
    },
    bye: (reason) => globalThis.sliccLinkReceive(JSON.stringify({ t: 'bye', nonce, reason })),
  };

  // One message after the other: an answer must be there before a candidate is taken.
  let handled = Promise.resolve();
  globalThis.sliccLinkSend = (text) => {
    const message = JSON.parse(text);
    if (message.nonce !== nonce) throw new Error('another nonce');
    order.push(message.t === 'candidate' && message.candidate === null ? 'end of candidates' : message.t);
    handled = handled.then(async () => {
      if (message.t === 'offer') {
        await connection.setRemoteDescription({ type: 'offer', sdp: message.sdp });
        await connection.setLocalDescription();
        globalThis.sliccLinkReceive({ t: 'answer', nonce, sdp: connection.localDescription.sdp });
      } else if (message.t === 'candidate') {
        await connection.addIceCandidate(message.candidate ?? undefined);
      }
    });
  };
  globalThis.sliccLinkReceive({ t: 'hello', v: 1, nonce, node: 'fake' });
  const results = await globalThis.sliccDoctor.run(config);
  return { results, order };
});
