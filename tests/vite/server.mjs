// A dev server for a page's kernel: Vite's where it is installed, and otherwise one of Node's own that answers the same requests.
// Says `{ port, vite }` on stdout, `vite` being its version or null, and ends with its stdin.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

const root = process.argv[2];
const TOKEN = 'fallback';

/** Answers an upload with itself, and says how it came. */
function upload(request, response) {
  response.setHeader('X-Framing', request.headers['transfer-encoding'] ?? 'sized');
  request.pipe(response);
}

async function vite() {
  const { createServer, version } = await import('vite');
  const server = await createServer({
    root,
    configFile: false,
    envFile: false,
    cacheDir: join(root, '.cache'),
    logLevel: 'error',
    clearScreen: false,
    optimizeDeps: { noDiscovery: true },
    server: { host: '127.0.0.1', port: 0 },
    plugins: [{ name: 'upload', configureServer: ({ middlewares }) => void middlewares.use('/upload', upload) }],
  });
  await server.listen();
  return { port: server.httpServer.address().port, vite: version };
}

/** What the test asks of Vite, without Vite. */
async function fallback() {
  const types = { '/': 'text/html', '/main.js': 'text/javascript' };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    if (pathname === '/upload') return upload(request, response);
    if (pathname === '/@vite/client') return response.end(`const wsToken = "${TOKEN}"`);
    const file = pathname === '/' ? 'index.html' : pathname.slice(1);
    const text = types[pathname] && (await readFile(join(root, file), 'utf8'));
    if (!text) return response.writeHead(404).end();
    return response.setHeader('Content-Type', types[pathname]).end(text.replace('<head>', '<head><!-- /@vite/client -->'));
  });
  server.on('upgrade', (request, socket) => {
    const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
    const accept = createHash('sha1').update(request.headers['sec-websocket-key'] + guid).digest('base64');
    const message = Buffer.from('{"type":"connected"}');
    // One write: the first frame comes in the same packet as the 101.
    socket.write(
      Buffer.concat([
        Buffer.from(
          'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
            `Sec-WebSocket-Protocol: vite-hmr\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
        ),
        Buffer.from([0x81, message.length]),
        message,
      ]),
    );
    socket.on('error', () => {});
    socket.resume();
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { port: server.address().port, vite: null };
}

const installed = await import('vite').then(
  () => true,
  () => false,
);
process.stdin.on('end', () => process.exit()).resume();
console.log(JSON.stringify(await (installed ? vite() : fallback())));
