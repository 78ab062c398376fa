// The doctor's page: its link, its checks, and what they look like.

import { CHECKS, CHECK_LIMIT, runChecks, within } from './checks.js';
import { kernelServer } from './kernel.js';
import { linkTest } from './link-test.js';
import { reachPageServer } from './page-server.js';
import { Setup } from './setup.js';
import { LINK } from './constants.js';

const parameters = new URLSearchParams(location.search);
// The URL names the port of the page's kernel that a server listens on; without one, the page offers no kernel.
const kernelPort = Number(parameters.get('kernel'));
const HELLO = { v: LINK.version, role: 'page', name: 'slicc doctor', caps: kernelPort ? ['kernel-in'] : [] };
// Browser tests name the page's first message in the URL, as it is sent; an empty one stands for none.
const asked = parameters.get('hello');

const setup = new Setup({ hello: () => (asked === null ? HELLO : asked || null) });
const state = document.querySelector('#state');
const summary = document.querySelector('#summary');
const list = document.querySelector('#checks');

globalThis.sliccLinkReceive = (message) => setup.receive(message);
globalThis.linkTest = linkTest(setup);
globalThis.sliccDoctor = Object.freeze({
  /** Runs every check and resolves with the results. See `runChecks` for the shapes. */
  async run(config) {
    for (const item of list.children) show(item, { mark: '·', className: 'waiting' });
    summary.textContent = 'Checking…';
    const results = await runChecks(setup, config, {
      onResult: (result, index) => {
        const { ok, figure, reason } = result;
        // slicc adds this binding to print each result as it comes.
        globalThis.sliccDoctorReport?.(JSON.stringify(result));
        show(list.children[index], {
          mark: ok ? '✓' : '✗',
          className: ok ? 'passed' : 'failed',
          figure: figure ? `${figure.value} ${figure.unit}` : '',
          reason,
        });
      },
    });
    const failed = results.filter(({ ok }) => !ok).length;
    summary.textContent = failed === 0 ? 'Everything works.' : `${failed} of ${results.length} checks failed.`;
    return results;
  },
  /** Reaches the server in this page as any page of the browser does. Resolves with a result as `run` has them. */
  async reachPageServer(url) {
    const name = 'page server from the browser';
    return within(CHECK_LIMIT, reachPageServer(url)).then(
      () => ({ name, ok: true }),
      ({ message }) => ({ name, ok: false, reason: message }),
    );
  },
});

function show(item, { mark, className, figure = '', reason = '' }) {
  item.className = className;
  item.querySelector('.mark').textContent = mark;
  item.querySelector('.figure').textContent = figure;
  item.querySelector('.reason').textContent = reason ?? '';
}

for (const { name } of CHECKS) {
  const item = list.appendChild(document.createElement('li'));
  for (const part of ['mark', 'name', 'figure', 'reason']) {
    item.appendChild(document.createElement('span')).className = part;
  }
  item.querySelector('.name').textContent = name;
  show(item, { mark: '·', className: 'waiting' });
}

setup.addEventListener('change', ({ reason }) => {
  if (kernelPort) setup.sessions.at(-1)?.link.handle('kernel', kernelServer(kernelPort));
  const session = setup.sessions.at(-1);
  const peer = session?.link.peer;
  state.className = peer ? 'up' : session ? 'connecting' : 'down';
  if (peer) state.textContent = `linked with ${peer.host ?? peer.name ?? 'a node'}`;
  else state.textContent = session ? 'connecting…' : `link down: ${reason}`;
});
