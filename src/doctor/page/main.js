// The doctor's page: its link, its checks, and what they look like.

import { CHECKS, runChecks } from './checks.js';
import { linkTest } from './link-test.js';
import { Setup } from './setup.js';
import { LINK } from './constants.js';

const HELLO = { v: LINK.version, role: 'page', name: 'slicc doctor', caps: [] };
// Browser tests name the page's first message in the URL, as it is sent; an empty one stands for none.
const asked = new URLSearchParams(location.search).get('hello');

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
  const session = setup.sessions.at(-1);
  const peer = session?.link.peer;
  state.className = peer ? 'up' : session ? 'connecting' : 'down';
  if (peer) state.textContent = `linked with ${peer.host ?? peer.name ?? 'a node'}`;
  else state.textContent = session ? 'connecting…' : `link down: ${reason}`;
});
