// What the browser itself gets from the server in the page (section "Kernel services" of the requirement): the way goes through
// slicc's listener and back over the link.

import { deferred } from './deferred.js';
import { must, equal, pattern } from './checks.js';

const BODY_BYTES = 256 * 1024;

/** Asks the server at a URL for everything that it does. Rejects with what isn't as it should be. */
export async function reachPageServer(url) {
  const { host } = new URL(url);
  const greeting = await fetch(url, { cache: 'no-store' });
  must(greeting.ok && (await greeting.text()) === host, `GET was answered with ${greeting.status}`);

  const sent = pattern(BODY_BYTES);
  const echo = await fetch(url, { method: 'POST', body: sent, headers: { 'Content-Type': 'text/plain' } });
  must(equal(new Uint8Array(await echo.arrayBuffer()), sent), 'POST was answered with other bytes than were sent');

  const socket = new WebSocket(`ws://${host}/`);
  socket.binaryType = 'arraybuffer';
  const messages = [deferred(), deferred(), deferred()];
  let received = 0;
  socket.addEventListener('message', ({ data }) => messages[received++]?.resolve(data));
  const fail = () => messages.forEach(({ reject }) => reject(new Error('the WebSocket broke off')));
  socket.addEventListener('error', fail);
  socket.addEventListener('close', fail);
  try {
    must((await messages[0].promise) === host, 'the WebSocket greets with something else');
    socket.send('ping ✓');
    must((await messages[1].promise) === 'ping ✓', 'the WebSocket echoes another text');
    socket.send(sent);
    must(equal(new Uint8Array(await messages[2].promise), sent), 'the WebSocket echoes other bytes');
  } finally {
    socket.close();
  }
}
